"""An ask composes, learns and fits everything once: what decides is what notices and explanations read."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.beliefs.fitting.fit import fit
from belated.beliefs.output_scales import HalfRanks
from belated.delays import learned_window
from belated.pending.silence import bad_news
from belated.policies import Policy, Recipe
from belated.policies.auto import _AutoComposition
from belated.study.insight.notices import notices_due
from tests.builders import Clock

ONCE: dict[str, Callable[..., Any]] = {
    "composes": Recipe.compose,
    "composes itself": _AutoComposition.composed,
    "makes a moment": Policy.moment,
    "decides": Policy.decide,
    "learns the window": learned_window,
    "learns what silence means": bad_news,
    "reads the answers": HalfRanks.__call__,
    "notices": notices_due,
}
SPACES: dict[str, bl.Space | bl.Candidates] = {
    "box": bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1)),
    "mixed": bl.Space(x=bl.Float(0, 1), solvent=bl.Choice("DMF", "THF"), steps=bl.Int(1, 5)),
    "table": bl.Candidates([{"x": x / 12, "y": y / 12} for x in range(13) for y in range(13)]),
}
BEFORE = bl.Context(hour=bl.Float(0, 24), seen="before")


@contextmanager
def calls_of(codes: dict[CodeType, str]) -> Iterator[list[tuple[str, FrameType]]]:
    """The calls of these functions meanwhile."""
    seen: list[tuple[str, FrameType]] = []

    def look(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code in codes:
            seen.append((codes[frame.f_code], frame))

    earlier = sys.getprofile()
    sys.setprofile(look)
    try:
        yield seen
    finally:
        sys.setprofile(earlier)


def task_of(frame: FrameType) -> tuple[object, ...]:
    """What a fit was asked for."""
    given = frame.f_locals
    data = tuple(np.asarray(given[name]).tobytes() for name in ("points", "values"))
    return (*data, given["kernel"], given["prior"], repr(given["known"]), given["likelihood"])


def value_at(point: dict[str, Any]) -> float:
    """An objective with a few very bad answers, so that both scales come up."""
    return -float(np.exp(6.0 * abs(float(point["x"]) - 0.3))) + 0.3 * float(point.get("y", point.get("steps", 0)))


@pytest.mark.filterwarnings("ignore::belated.errors.BelatedWarning")
@pytest.mark.parametrize(("space", "context"), [("box", None), ("mixed", BEFORE), ("table", None)], ids=str)
def test_an_ask_of_auto_composes_learns_and_fits_nothing_twice(space: str, context: bl.Context | None) -> None:
    clock = Clock()
    study = bl.Study.in_memory(SPACES[space], seed=1, clock=clock, context=context)
    codes = {function.__code__: name for name, function in {**ONCE, "fits": fit}.items()}
    waiting: list[bl.Query] = []
    fits = Counter[int]()
    for number in range(24):
        clock.now += 1.0
        with calls_of(codes) as calls:
            query = study.ask(context=None if context is None else {"hour": float(number % 3)})
        assert isinstance(query, bl.Query)
        counts = Counter(name for name, _ in calls if name != "fits")
        assert set(counts.values()) <= {1}, counts
        assert {"composes", "composes itself", "makes a moment", "decides"} <= set(counts)
        tasks = Counter(hash(task_of(frame)) for name, frame in calls if name == "fits")
        assert all(times == 1 for times in tasks.values()), f"query {number + 1} fitted one thing twice"
        fits[len(tasks)] += 1
        waiting.append(query)
        if len(waiting) > 2:
            told = waiting.pop(0)
            study.tell(told, value_at(dict(told.point)))
    assert sum(count for made, count in fits.items() if made) >= 15  # it fitted, and more than once in some asks
    assert max(fits) > 1

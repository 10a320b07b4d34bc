"""The design of both halves: nine rows of six cases, over which delays and noise are spread as in a Latin square.

Row f (of ROWS, from 0) has levels l = 0, …, 5 of growing dimension or size. With a turn t of the half's own, a case has
    delay (f + l + t) mod 9 of the nine kinds,   noise (f + 2l + t) mod 3 of the three shares.
So every row has six kinds of delays, and each share of noise twice; every level has each kind of delays once, and each
share three times; every kind of delays has each share twice. Boxes alone have each kind two or three times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from belated.experiments.league.cases.case import DELAYS, NOISES, Case, Half
from belated.simulate.laws import DelayLaw

# Rows of boxes stand two apart, so that the kinds of delays are spread over them too.
ROWS = ("smooth", "tables", "rough", "mixed", "hills", "tuning", "ill-conditioned", "failures", "contexts")
LEVELS = 6
# Boxes of all four families.
DIMENSIONS = (2, 3, 6, 10, 20, 50)
BOX_ROUNDS = (40, 60, 80, 100, 120, 150)
# Problems whose goal is theirs: tables are there to be maximised, and so are scores.
UPWARDS = ("catalogue", "tuned")


@dataclass(frozen=True)
class Draft:
    """A case before its noise and delays: what is posed, and for how many rounds."""

    name: str  # what its key ends in
    family: str
    problem: str
    rounds: int
    parameters: Mapping[str, Any] = field(default_factory=dict)


class CaseDelay(NamedTuple):
    """A law of delays, and the mean of those of its answers that come, to a tenth."""

    law: DelayLaw
    mean: float


def boxes(family: str, functions: tuple[str, str]) -> tuple[Draft, ...]:
    """A row of boxes, with two functions in turn."""
    return tuple(
        Draft(
            f"{family}-{dimension}",
            family,
            "shifted",
            rounds,
            {"function": functions[level % 2], "dimension": dimension},
        )
        for level, (dimension, rounds) in enumerate(zip(DIMENSIONS, BOX_ROUNDS, strict=True))
    )


def arranged(
    half: Half,
    turn: int,
    rows: Mapping[str, Sequence[Draft]],
    waits: Mapping[str, CaseDelay],
    by_value: Mapping[str, CaseDelay],
) -> tuple[Case, ...]:
    """The cases of a half; `by_value` has the laws that depend on the value, by the names of their cases."""
    return tuple(
        _case(half, turn, row, level, draft, waits, by_value)
        for row, name in enumerate(ROWS)
        for level, draft in enumerate(rows[name])
    )


def _case(
    half: Half,
    turn: int,
    row: int,
    level: int,
    draft: Draft,
    waits: Mapping[str, CaseDelay],
    by_value: Mapping[str, CaseDelay],
) -> Case:
    kind = tuple(DELAYS)[(row + level + turn) % len(DELAYS)]
    waiting = by_value[draft.name] if kind == "value" else waits[kind]
    parameters = dict(draft.parameters)
    if draft.problem not in UPWARDS:
        # Half of the boxes of each function: rows of boxes are two apart, and functions change with every level.
        parameters["goal"] = "minimize" if (row // 2 + level // 2) % 2 else "maximize"
    if draft.problem != "tuned":
        # Every case has places and turns of its own, for the same seeds.
        parameters["variant"] = 1000 * (half == "sealed") + LEVELS * row + level
    return Case(
        f"{half}-{draft.name}",
        draft.family,
        half,
        draft.problem,
        kind,
        waiting.law,
        waiting.mean,
        draft.rounds,
        NOISES[(row + 2 * level + turn) % len(NOISES)],
        parameters,
    )

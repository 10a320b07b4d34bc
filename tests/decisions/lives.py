"""The studies whose decisions are kept: every policy, every kind of space, and whatever can happen to a query."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from belated.log import Balk, Window
from belated.policies import build, names
from belated.space import Choice, Context, Float
from belated.study import Study
from tests.builders import ACROSS, DOMAINS, Clock, Domain

HOUR = 3600.0
BEFORE = Context(hour=Float(0.0, 24.0), site=Choice("Zürich", "京都"), seen="before")
AFTER = Context(demand=Float(-1.0, 3.0), seen="after")
PARAMETERS: dict[str, dict[str, Any]] = {
    "bpe": {"horizon": 40},
    "bpe-delay": {"horizon": 40, "mean_delay": 1.0, "xi": 1.0, "b": 0.2},
    "sm-ucb": {"batch": 3, "paths": 3},
    "sm-mei": {"batch": 3, "paths": 3},
    "gp-bucb-init": {"batch": 3},
}
# These came later, and live in a table and in a box: with them, the places of the others would change their spaces.
LATER = ("egp-ucb", "gp-aucb-init", "gp-lognei", "gp-ucb-pe", "gp-ucb-ranked")
TABLES_ALONE = ("bpe", "bpe-delay", "gp-aucb-local")


@dataclass(frozen=True)
class Life:
    """What a study goes through: its space and policy, how often it is asked, and what is known before."""

    policy: str
    domain: str
    parameters: dict[str, Any] = field(default_factory=dict)
    context: Context | None = None
    asks: int = 16
    known: int = 0
    change_to: str | None = None
    errors: bool = False  # whether answers are told with standard errors, repeats, or neither, in turn

    @property
    def name(self) -> str:
        """The name of its file."""
        given = [
            f"{name} {value}" for name, value in self.parameters.items() if name not in PARAMETERS.get(self.policy, {})
        ]
        when = [] if self.context is None else [f"context {self.context.seen}"]
        more = [f"{self.known} known"] if self.known else []
        later = [f"then {self.change_to}"] if self.change_to else []
        told = ["errors"] if self.errors else []
        return ", ".join([self.policy, self.domain, *given, *when, *more, *later, *told])


@dataclass(frozen=True)
class Balked:
    """An ask that was declined: after which event, when, in which context, and with which words."""

    after: int
    at: float
    context: dict[str, Any] | None
    reason: str


def lives() -> Iterator[Life]:
    """All that are kept."""
    kinds = ("table", "box", "mixed table", "mixed")
    earlier = [name for name in names() if name not in (*ACROSS, *LATER)]
    for place, name in enumerate(earlier):
        parameters = PARAMETERS.get(name, {})
        yield Life(name, kinds[2 * (place % 2)], parameters)
        if name not in TABLES_ALONE:
            yield Life(name, kinds[1 + 2 * (place % 2)], parameters)
    for name in LATER:
        for kind in kinds[:2]:
            yield Life(name, kind, PARAMETERS.get(name, {}))
    for name in ("auto", "gp-bucb", "gp-ts", "gp-ei", "gp-ucb-sdf", "egp-ts"):
        yield Life(name, "mixed", context=BEFORE)
        yield Life(name, "table", context=BEFORE)
    for name in (*ACROSS, "auto", "gp-ucb-blind"):
        yield Life(name, "box", context=AFTER, asks=10)
        yield Life(name, "table", context=AFTER, asks=10)
    for name in ("gp-bucb", "gp-ucb-sdf", "gp-aucb", "hbbo-ucb"):
        yield Life(name, "box", {"window": "auto"}, asks=24)
    yield Life("gp-bucb", "mixed", {"window": Window(queries=4, seconds=5 * HOUR)}, asks=24)
    for silence in (0.0, 1.0):
        yield Life("auto", "box", {"silence": silence, "floor": -2.0}, asks=24)
    yield Life("auto", "mixed table", {"repeats": "never"}, asks=40)
    yield Life("auto", "box", asks=60)
    yield Life("auto", "mixed", asks=6, known=230)
    yield Life("auto", "box", asks=4, known=2010)
    yield Life("auto", "mixed", change_to="egp-ts", asks=20)
    yield Life("egp-ts", "table", change_to="gp-ts", asks=20)
    for name in ("auto", "gp-bucb", "gp-ts", "gp-ucb-sdf", "egp-ts", "fb-gp-ts", "hbbo-ucb"):
        yield Life(name, "mixed", asks=20, errors=True)
    yield Life("bpe", "table", PARAMETERS["bpe"], errors=True)
    yield Life("sbo-kde", "table", context=AFTER, asks=10, errors=True)


def lived(life: Life) -> tuple[Study, list[Balked]]:
    """The study at the end of such a life, and the asks that were declined on the way."""
    rng, clock = np.random.default_rng(len(life.name)), Clock()
    domain = DOMAINS[life.domain]()
    policy = build(life.policy, **life.parameters)
    study = Study.in_memory(
        domain, policy=policy, goal="minimize", seed=len(life.name) + 7, context=life.context, clock=clock
    )
    if life.known:
        points = [domain.decode(unit) for unit in domain.sample(life.known, rng)]
        study.add_many([(point, value_of(domain, point, {}, rng)) for point in points])
    balks: list[Balked] = []
    for number in range(1, life.asks + 1):
        clock.now += float(rng.exponential(HOUR))
        context = _seen(life.context, rng)
        asked = _asked(study, 3 if number % 5 == 0 else 1, context if _is_before(life.context) else None)
        if isinstance(asked, Balk):
            given = context if _is_before(life.context) else None
            balks.append(Balked(study.record().n_events, clock.now, given, asked.reason))
        _happened(study, number, clock, rng, life.errors)
        if life.change_to and number == life.asks // 2:
            study.change(policy=life.change_to, seed=99)
    return study, balks


def value_of(domain: Domain, point: dict[str, Any], context: dict[str, Any], rng: np.random.Generator) -> float:
    """An answer: a smooth function of the point and the context, and some noise."""
    along = float(domain.encode(point).sum()) + 0.3 * float(context.get("demand", context.get("hour", 0.0)))
    return math.sin(3.0 * along) + 0.05 * float(rng.normal())


def _is_before(context: Context | None) -> bool:
    return context is not None and context.seen == "before"


def _seen(context: Context | None, rng: np.random.Generator) -> dict[str, Any]:
    return {} if context is None else context.space.decode(context.space.sample(1, rng)[0])


def _asked(study: Study, count: int, context: dict[str, Any] | None) -> Any:
    return study.ask(count, context=context) if context else study.ask(count)


def _measured(query: int, value: float, errors: bool) -> tuple[float | list[float], float | None]:
    """An answer as it is told, and its standard error where that is told."""
    if not errors or query % 4 == 0:
        return value, None
    if query % 4 == 1:
        return [value - 0.1, value + 0.05, value + 0.02], None
    return value, (0.01, 0.6)[query % 2]


def _happened(study: Study, number: int, clock: Clock, rng: np.random.Generator, errors: bool) -> None:
    """What comes of pending queries: most are answered, out of order; some are lost, and some answers are revised."""
    domain, context = study.space, study.context
    for query in study.pending():
        fate = rng.random()
        late = context is not None and context.seen == "after" and query.context is None
        seen = _seen(context, rng) if late else None
        value = value_of(domain, query.point, seen or query.context or {}, rng)
        clock.now += 60.0
        if fate < 0.45:
            measured, sd = _measured(query.id, value, errors)
            study.tell(query, measured, sd=sd, **({} if seen is None else {"context": seen}))
        elif fate < 0.5:
            study.abandon(query, "lost")
        elif fate < 0.55 and seen is not None:
            study.tell(query, context=seen)
    answers = [(query.id, query.answer.value) for query in study.queries() if query.answer is not None]
    if number % 7 == 3 and answers:
        study.revise(answers[0][0], answers[0][1] + 0.1, sd=0.3 if errors else None)
    if number % 8 == 4:
        point = domain.decode(domain.sample(1, rng)[0])
        known = _seen(context, rng) if context is not None else None
        study.add(point, value_of(domain, point, known or {}, rng), **({} if known is None else {"context": known}))

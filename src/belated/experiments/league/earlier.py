"""The cases of the league: problems of the papers and the usual ones, each under a few laws of delays.

Every law has cases on tables and on boxes, with noise and without. Where noise is added to a problem that has none, its
deviation is about a tenth of that of the function over its space. What depends on the value is told in the problem's
own numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from belated.errors import unknown_name
from belated.experiments.arm import Arm
from belated.policies import Recipe
from belated.simulate.laws import (
    DelayLaw,
    batch,
    constant,
    lognormal,
    lost,
    lost_above,
    lost_below,
    none,
    poisson,
    sooner,
)

LAWS = {
    "none": "no delay",
    "poisson": "Poisson delays of mean 10",
    "constant": "every delay 10",
    "heavy": "heavy-tailed delays",
    "lost": "30 % of the answers lost",
    "batch": "batches of 10",
    "value": "delays that depend on the value",
    "context": "contexts seen after the decision",
}
# Rounds of a first look.
QUICK = 20


@dataclass(frozen=True)
class EarlierCase:
    """A problem under a law of delays; `group` is the kind of law, one of LAWS."""

    group: str
    problem: str
    delay: DelayLaw
    mean_delay: float  # what a policy that must be told is told
    rounds: int = 80
    noise: float | None = None  # in place of the problem's own

    @property
    def key(self) -> str:
        """The name of the case, and of the file with its runs."""
        return f"{self.group}-{self.problem}"

    def arm(self, entrant: str, policy: Recipe) -> Arm:
        """The case as an entrant plays it by a policy: its runs count as long as this stays the same."""
        return Arm(entrant, self.problem, policy, self.delay, self.rounds, noise=self.noise)


def _cases(
    group: str, delay: DelayLaw, mean_delay: float, *played: tuple[str, int, float | None]
) -> tuple[EarlierCase, ...]:
    """Cases under one law, each a problem with its rounds and noise."""
    return tuple(EarlierCase(group, problem, delay, mean_delay, rounds, noise) for problem, rounds, noise in played)


CASES: tuple[EarlierCase, ...] = (
    *_cases(
        "none",
        none(),
        0.0,
        ("branin", 60, None),
        ("gp-se", 60, None),
        ("hartmann6", 100, 0.039),
        ("eggholder", 80, None),
        ("coupling", 80, None),
    ),
    *_cases(
        "poisson",
        poisson(10),
        10.0,
        ("gp-unit", 80, None),
        ("hartmann3", 80, 0.096),
        ("rkhs-f1", 80, None),
        ("ackley-5", 100, None),
        ("logistic-cancer", 80, None),
    ),
    *_cases(
        "constant",
        constant(10),
        10.0,
        ("cosines-grid", 80, None),
        ("branin", 80, 5.0),
        ("gp-matern32", 80, None),
        ("levy-4", 100, None),
        ("michalewicz-2", 80, 0.032),
    ),
    *_cases(
        "heavy",
        lognormal(5, 1.2),
        10.0,
        ("gp-unit", 80, 0.022),
        ("hartmann6", 100, None),
        ("rosenbrock-grid", 80, None),
        ("drop-wave", 80, None),
        ("ackley-2", 80, 0.35),
    ),
    *_cases(
        "lost",
        lost(0.3, poisson(5)),
        5.0,
        ("gp-se", 80, None),
        ("hartmann3", 80, None),
        ("coupling", 80, None),
        ("eggholder", 100, 30.0),
        ("rosenbrock-2", 80, None),
    ),
    *_cases(
        "batch",
        batch(10),
        5.0,
        ("cosines-grid", 80, 0.0),
        ("hartmann6", 100, 0.039),
        ("branin", 80, None),
        ("gp-matern32", 80, None),
        ("logistic-cancer", 80, None),
    ),
    EarlierCase("value", "gp-unit", sooner(0, 1, poisson(20)), 10.0),
    EarlierCase("value", "hartmann3", sooner(0, 3.86, poisson(20), at_best=0.1), 15.0, noise=0.096),
    EarlierCase("value", "levy-4", sooner(150, 0, poisson(20), at_best=0.1), 10.0, rounds=100),
    EarlierCase("value", "coupling", lost_below(10, poisson(5)), 5.0),
    EarlierCase("value", "ackley-2", lost_above(14, poisson(5)), 5.0),
    EarlierCase("value", "rkhs-f1", lost_below(-0.2, poisson(5)), 5.0),
    EarlierCase("context", "newsvendor", none(), 0.0, rounds=60),
    EarlierCase("context", "ackley-context", poisson(10), 10.0, rounds=60),
    EarlierCase("context", "branin-context", lost(0.3, poisson(5)), 5.0, rounds=60),
    EarlierCase("context", "hartmann-context", poisson(10), 10.0, rounds=60),
)


def chosen(keys: Sequence[str] | None) -> tuple[EarlierCase, ...]:
    """The cases of these names, in the order of the suite; all of them where none is named."""
    known = {case.key: case for case in CASES}
    for key in keys or ():
        if key not in known:
            raise unknown_name("league", "case", key, known)
    return tuple(case for case in CASES if not keys or case.key in keys)


def quick(case: EarlierCase) -> EarlierCase:
    """The case with fewer rounds, for a first look; its runs are none of the league's."""
    return replace(case, rounds=QUICK)

"""How much is played: the bounds on computing, in one place.

| who | open half | sealed half |
|---|---|---|
| our policies | all cases, 10 seeds | `auto` and the five best of the others, 10 seeds |
| `random`, `sobol`, visitors, peers | all cases, 10 seeds | the same |
| a peer that takes over 20 s a run | all cases, 5 seeds | the same |
| a peer that takes over 60 s a run | every second case of each family, 5 seeds | the same |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from belated.experiments.league.cases import Case
from belated.experiments.league.entrants import Entrant

DEFAULT = "auto"


@dataclass(frozen=True)
class Bounds:
    """Seeds, the seconds of a processor that make a peer slow, and how many of our policies play the sealed half."""

    seeds: int = 10
    few_seeds: int = 5
    slow: float = 20.0
    slowest: float = 60.0
    best: int = 5

    def seeds_of(self, entrant: Entrant) -> int:
        """How many seeds an entrant plays."""
        return self.few_seeds if entrant.seconds > self.slow else self.seeds

    def cases_of(self, entrant: Entrant, suite: Sequence[Case]) -> tuple[Case, ...]:
        """The cases of a suite that an entrant plays: all, or every second one of each family in either half."""
        if entrant.seconds <= self.slowest:
            return tuple(suite)
        places: dict[tuple[str, str], int] = {}
        chosen = []
        for case in suite:
            place = places[case.half, case.family] = places.get((case.half, case.family), -1) + 1
            if place % 2 == 0:
                chosen.append(case)
        return tuple(chosen)

    def plays_sealed(self, entrant: Entrant, best: Sequence[str]) -> bool:
        """Whether an entrant plays the sealed half, given our other policies in their order on the open half."""
        others = [name for name in best if name != DEFAULT][: self.best]
        return entrant.kind != "policy" or entrant.name in (DEFAULT, *others)


BOUNDS = Bounds()

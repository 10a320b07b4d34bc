"""A case of the league: a problem with its noise, under a law of delays, for so many rounds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from belated.simulate import problems
from belated.simulate.laws import DelayLaw
from belated.simulate.laws import text as law_text
from belated.simulate.problems import Problem, deviation

Half = Literal["open", "sealed"]
HALVES: tuple[Half, ...] = ("open", "sealed")
# What each family is, in the order of the pages.
FAMILIES = {
    "smooth": "boxes, smooth functions with one optimum",
    "rough": "boxes, functions with kinks, steps or ripples at every scale",
    "hills": "boxes, functions with many local optima",
    "ill-conditioned": "boxes, narrow valleys across the axes",
    "table-numbers": "tables of numbers",
    "table-categories": "tables of categories",
    "table-mixed": "tables of numbers and categories",
    "mixed": "spaces of numbers, logarithms, counts and choices",
    "tuning": "tables of cross-validated scores of learners",
    "failures": "spaces with regions where it cannot be done",
    "contexts": "contexts seen before the decision or after it",
}
# What each kind of delays is, in the order of the pages.
DELAYS = {
    "none": "no delay",
    "constant": "every answer equally late",
    "poisson": "Poisson delays",
    "heavy": "heavy-tailed delays",
    "lost": "some answers never come",
    "batch": "answers in batches",
    "value": "delays that depend on the value",
    "bathtub": "many answers soon, many very late",
    "clinical": "answers at visits or in working hours, with dropout",
}
# Deviations of the noise, as shares of the function's own.
NOISES = (0.0, 0.03, 0.1)
# Characters of the name of a definition that tell the cases apart.
SHORT = 8


@dataclass(frozen=True)
class Case:
    """A problem under a law of delays; the seed of a run decides which function, noise and delays it meets."""

    key: str  # the name of the case, and of the file with its runs
    family: str  # one of FAMILIES
    half: Half
    problem: str  # its name in the registry of problems
    delay_kind: str  # one of DELAYS
    delay: DelayLaw
    mean_delay: float  # of the answers that come; what a policy that must be told is told
    rounds: int
    noise: float  # the deviation of an answer's noise, as a share of the function's own over its space
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def problem_for(self, seed: int) -> Problem:
        """The problem that the seed poses, with its noise."""
        built = problems.build(self.problem, seed, **self.parameters)
        return replace(built, noise=self.noise * deviation(built) if self.noise else 0.0)

    @cached_property
    def dimension(self) -> int:
        """The number of parameters, or of columns."""
        return self.problem_for(0).space.dimension

    @property
    def definition(self) -> dict[str, Any]:
        """All that a run depends on but the entrant and the seed, as JSON."""
        described = {
            "problem": self.problem,
            "parameters": dict(self.parameters),
            "delay": law_text(self.delay),
            "rounds": self.rounds,
            "noise": self.noise,
        }
        # As a reader of the file will have it: tuples become lists.
        read: dict[str, Any] = json.loads(json.dumps(described))
        return read

    @cached_property
    def digest(self) -> str:
        """A short name of the definition: runs that share it, the entrant and the seed are the same run."""
        return hashlib.sha256(json.dumps(self.definition, sort_keys=True).encode()).hexdigest()[:SHORT]

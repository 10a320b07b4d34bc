"""What an experiment consists of: arms, each a policy on a problem under a law of delays, and seeds.

With common random numbers (see simulate/randomness.py) the arms of one problem differ in nothing but their policies:
with the same seed they meet the same function, initial points, noise and delays. What they are compared by is paired.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from belated.checks import require_count, require_number
from belated.errors import ParameterError
from belated.policies import Recipe
from belated.simulate import problems
from belated.simulate.laws import DelayLaw, Occasion, check_law, check_space, none
from belated.simulate.laws import text as law_text
from belated.simulate.loop import LARGEST_SEED
from belated.simulate.problems import Problem
from belated.simulate.randomness import Purpose, generator

# A law that can give a negative delay is all but sure to do so in as many draws.
MOST_PROBES = 200


@dataclass(frozen=True)
class Arm:
    """One curve: a policy on a problem, whose `parameters` go to the registry, under a law of delays."""

    label: str
    problem: str
    policy: Recipe
    delay: DelayLaw = none()
    rounds: int = 100
    initial: int = 0
    every: float = 1.0
    parameters: Mapping[str, Any] = field(default_factory=dict)
    lazy: bool = False  # variances computed lazily: the same choices in another time
    noise: float | None = None  # in place of the problem's own

    def __post_init__(self) -> None:
        call = f"Arm({self.label!r})"
        if not isinstance(self.label, str) or not self.label:
            raise ParameterError(f"{call}: a label is a text that the legend shows; give one.")
        if not isinstance(self.policy, Recipe):
            raise ParameterError(
                f"{call}: got {self.policy!r} as the policy; results are kept by its name and parameters; give one "
                f"of bl.policies, or register your own."
            )
        require_count(call, "rounds", self.rounds)
        require_count(call, "initial", self.initial, least=0)
        require_number(call, "every", self.every, above=0)
        check_law(call, self.delay)
        law_text(self.delay)  # refuses a law that cannot be written down
        try:
            json.dumps(dict(self.parameters), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise ParameterError(f"{call}: got {self.parameters!r} as parameters, no JSON values ({error}).") from None

    @property
    def definition(self) -> dict[str, Any]:
        """All that its results depend on but the seed, as JSON; the label is no part of it.

        What an arm may have and most have not is left out where it has it not.
        """
        described = {
            "problem": self.problem,
            "policy": self.policy.to_json(),
            "delay": law_text(self.delay),
            "rounds": int(self.rounds),
            "noise": self.noise,
            **({"parameters": dict(self.parameters)} if self.parameters else {}),
            **({"initial": int(self.initial)} if self.initial else {}),
            **({"every": float(self.every)} if self.every != 1.0 else {}),
            **({"lazy": True} if self.lazy else {}),
        }
        # As a reader of the file will have it: tuples become lists.
        read: dict[str, Any] = json.loads(json.dumps(described))
        return read

    @cached_property
    def digest(self) -> str:
        """A short name of the definition: arms that share it share their results."""
        return digest_of(self.definition)

    def posed(self, seed: int) -> Problem:
        """The problem that the seed poses."""
        built = problems.build(self.problem, seed, **self.parameters)
        return built if self.noise is None else replace(built, noise=self.noise)


@dataclass(frozen=True)
class Job:
    """One run: an arm with a seed, and the name of the file in which it is kept."""

    arm: Arm
    seed: int
    file: str


@dataclass(frozen=True)
class Experiment:
    """Arms to compare, each run once with every seed."""

    name: str
    arms: tuple[Arm, ...]
    seeds: Sequence[int]

    def __post_init__(self) -> None:
        call = f"Experiment({self.name!r})"
        labels = [arm.label for arm in self.arms]
        if not labels or len(set(labels)) < len(labels):
            raise ParameterError(f"{call}: got arms with the labels {labels!r}; give at least one, and each its own.")
        if not len(self.seeds) or len(set(self.seeds)) < len(self.seeds):
            raise ParameterError(f"{call}: got {self.seeds!r} as seeds; give at least one, and none of them twice.")
        for seed in self.seeds:
            require_count(call, "seeds", seed, least=0, most=LARGEST_SEED)


def digest_of(definition: Mapping[str, Any]) -> str:
    """A short name of a definition."""
    return hashlib.sha256(json.dumps(definition, sort_keys=True).encode()).hexdigest()[:20]


def check(arm: Arm, seed: int) -> None:
    """Refuse an arm that cannot run: an unknown problem, a policy that its space does not suit, a negative delay."""
    call = f"Arm({arm.label!r})"
    posed = arm.posed(seed)
    check_space(call, arm.delay, posed.space)
    arm.policy.check(call, posed.space, posed.context)
    earlier: list[tuple[float, float]] = []
    for number in range(1, min(arm.rounds, MOST_PROBES) + 1):
        occasion = Occasion(number, number * arm.every, posed.optimum_point, posed.optimum, earlier)
        delay = float(arm.delay.draw(occasion, generator(seed, Purpose.DELAY, number)))
        if not delay >= 0.0:
            raise ParameterError(
                f"{call}: {arm.delay!r} drew the delay {delay!r}; a delay is at least 0, or infinite for an answer "
                f"that never comes; correct its draw()."
            )
        earlier.append((occasion.asked_at, delay))

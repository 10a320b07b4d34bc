"""A Gaussian process whose hyperparameters are not fitted but averaged over.

Draws from their posterior are the members of a mixture with equal weights: Thompson sampling then draws hyperparameters
and a function for them [lu2022, section 6], and other rules see the mixture's moments.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from belated.beliefs.fitting.fit import Hyperparameters
from belated.beliefs.fitting.hyperlaws import Intervals, Weak
from belated.beliefs.fitting.posterior import hyperparameter_draws
from belated.beliefs.gp import GP, setting_of
from belated.beliefs.memory import Memory
from belated.beliefs.mixtures.members import Exact
from belated.beliefs.mixtures.mixture import Mixture
from belated.beliefs.process.gaussian import GaussianProcess
from belated.beliefs.schedule import milestone
from belated.checks import require_count
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.randomness import Stream, entropy

MOST_DRAWS = 1000


@dataclass(frozen=True)
class FullyBayesian:
    """A Gaussian process with `draws` sets of hyperparameters from their posterior; needs the extra `sampling`.

    `process` says the kernel, the prior mean and when new draws are made; `law` is what is believed of the
    hyperparameters beforehand: intervals in which they are uniform, or, where None, the weak priors of a fit.
    """

    process: GP = GP(kernel="se", ard=False)
    law: Intervals | None = None
    draws: int = 16

    def __post_init__(self) -> None:
        if not isinstance(self.process, GP) or self.process.known or self.process.lengthscale is not None:
            raise ParameterError(
                f"FullyBayesian(process={self.process!r}): all hyperparameters of a bl.GP(…) are drawn, save a known "
                f"noise; give one without lengthscale and variance."
            )
        if self.law is not None and not isinstance(self.law, Intervals):
            raise ParameterError(f"FullyBayesian(law={self.law!r}): give bl.beliefs.Intervals(…), or None.")
        require_count("FullyBayesian", "draws", self.draws, most=MOST_DRAWS)

    def describe(self) -> str:
        """What it is, in words."""
        return "a Gaussian process with many draws of its hyperparameters"

    @property
    def known(self) -> bool:
        """There is always something to learn."""
        return False

    def around(self, mean: float | Literal["smallest"]) -> FullyBayesian:
        """The same with another prior mean."""
        return replace(self, process=self.process.around(mean))

    def prior(self, evidence: Evidence, memory: Memory) -> Mixture:
        """The mixture before any answer."""
        memory.make_room(self.draws)
        setting = setting_of(evidence, memory, milestone)
        members = tuple(
            Exact(GaussianProcess(each.kernel, each.noise, each.mean, setting))
            for each in self.hyperparameters(evidence, memory)
        )
        return Mixture(members, np.full(len(members), 1.0 / len(members)))

    def hyperparameters(self, evidence: Evidence, memory: Memory) -> tuple[Hyperparameters, ...]:
        """The draws that the schedule has reached; before any answer, what a fit would begin with."""
        size = self.process.fitted_to(evidence)
        if not size:
            return (self.process.hyperparameters(evidence, memory),)
        first = evidence.arrivals().first(size)
        mean = self.process.known_mean(evidence, first)
        template = self.process.template(evidence)
        seed = tuple(entropy(evidence.seed, Stream.HYPERPARAMETERS, size))

        def draw() -> tuple[Hyperparameters, ...]:
            memory.forget_factors()
            law = Weak() if self.law is None else self.law
            return hyperparameter_draws(
                first.points,
                first.values,
                template,
                law=law,
                mean=mean,
                count=self.draws,
                seed=seed,
                noise=self.process.noise,
                errors=first.errors,
            )

        key = (template, mean, seed, first.key())
        return memory.recall(("hyperparameter draws", self), key, draw)

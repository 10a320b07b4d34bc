"""How a belief about f begins, and when it learns its hyperparameters.

The hyperparameters at n answers are fitted to the first m(n) of them in the order of arrival, m being the schedule.
They are a function of the log, then, with no trace of when anybody asked, and a refit costs little per answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from belated.beliefs.factor import doubling, milestone
from belated.beliefs.fit import Hyperparameters, Prior, fit
from belated.beliefs.forms import form_named
from belated.beliefs.gaussian import GaussianProcess, Setting
from belated.beliefs.kernels import Kernel
from belated.beliefs.memory import Memory
from belated.errors import ParameterError, require_count, require_number
from belated.log import Data, History
from belated.space import Candidates

# Before the first answer, in a unit cube and with nothing known of the scale.
UNINFORMED_LENGTHSCALE = 0.5
UNINFORMED_NOISE = 1e-3


@dataclass(frozen=True)
class GP:
    """A Gaussian process prior: what is known of it, and how the rest is fitted.

    `lengthscale` (one number, or one per parameter, in units of the cube), `variance` and `noise` (variances) are
    fitted where they are None; all three known means that nothing is fitted. `mean` is the prior mean: "fitted" to
    the answers, "smallest" (of the answers so far), "zero", or a known number. `fit` is "map", maximum a posteriori
    under weak priors, or "ml", maximum likelihood. `refit` counts the answers between fits; None is a tenth more each
    time.
    """

    kernel: str = "matern52"
    ard: bool = True
    lengthscale: float | tuple[float, ...] | None = None
    variance: float | None = None
    noise: float | None = None
    mean: float | Literal["fitted", "smallest", "zero"] = "fitted"
    fit: Literal["map", "ml"] = "map"
    refit: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, str):
            raise ParameterError(f"GP(kernel={self.kernel!r}): a kernel is named by a text, as 'matern52'.")
        form_named(self.kernel, "GP()")
        if isinstance(self.lengthscale, list):
            object.__setattr__(self, "lengthscale", tuple(self.lengthscale))
        if self.lengthscale is not None:
            for scale in self.lengthscale if isinstance(self.lengthscale, tuple) else (self.lengthscale,):
                require_number("GP", "lengthscale", scale, above=0)
        if self.variance is not None:
            require_number("GP", "variance", self.variance, above=0)
        if self.noise is not None:
            require_number("GP", "noise", self.noise, low=0)
        if (self.lengthscale is None) != (self.variance is None) or (self.variance and self.noise is None):
            raise ParameterError(
                "GP(): got only some of lengthscale, variance and noise; know all three, or the noise alone, or none; "
                "leave the others out to have them fitted."
            )
        if not isinstance(self.ard, bool):
            raise ParameterError(f"GP(ard={self.ard!r}): say True for a lengthscale per parameter, or False for one.")
        if not isinstance(self.fit, str) or self.fit not in ("map", "ml"):
            raise ParameterError(f"GP(fit={self.fit!r}): hyperparameters are fitted by 'map' or 'ml'.")
        if not isinstance(self.mean, str) or self.mean not in ("fitted", "smallest", "zero"):
            require_number("GP", "mean", self.mean)
        if self.refit is not None:
            require_count("GP", "refit", self.refit)

    @property
    def known(self) -> bool:
        """Whether every hyperparameter of the kernel is given."""
        return self.variance is not None

    def prior(self, history: History, memory: Memory) -> GaussianProcess:
        """The process before any answer, with the hyperparameters that the schedule has reached."""
        domain, dimension = history.domain, history.points.shape[1]
        before = history.context.space if dimension > domain.dimension and history.context else None
        levels = (before.levels if before else ()) + domain.levels
        categorical = (before.categorical if before else ()) + domain.categorical
        table = domain.table if isinstance(domain, Candidates) and before is None else None
        setting = Setting(dimension, levels, table, doubling if self.known else milestone, memory)
        chosen = self._hyperparameters(history, categorical, memory)
        # An answer without noise still needs a ridge that arithmetic can see.
        noise = max(chosen.noise, 1e-9 * chosen.kernel.variance)
        return GaussianProcess(chosen.kernel, noise, chosen.mean, setting)

    def _hyperparameters(self, history: History, categorical: tuple[bool, ...], memory: Memory) -> Hyperparameters:
        arrivals = history.arrivals()
        n = len(arrivals.values)
        size = n if self.known else milestone(n) if self.refit is None else min(n, max(1, n - n % self.refit))
        first = Data(arrivals.points[:size], arrivals.values[:size])
        mean = self._known_mean(history, first)
        template = self._template(categorical)
        if self.known:
            assert self.noise is not None
            return Hyperparameters(template, self.noise, self._average(first) if mean is None else mean)
        if not size:
            return Hyperparameters(template, self.noise or UNINFORMED_NOISE, mean or 0.0)
        key = (self, categorical, mean, first.key())

        def refit() -> Hyperparameters:
            memory.forget_factors()
            prior = Prior() if self.fit == "map" else None
            return fit(first.points, first.values, template, prior=prior, mean=mean, noise=self.noise)

        return memory.recall("hyperparameters", key, refit)

    def _known_mean(self, history: History, first: Data) -> float | None:
        match self.mean:
            case "fitted":
                return None
            case "zero":
                return 0.0
            case "smallest":
                return float(first.values.min()) if len(first.values) else 0.0
            case number:
                return history.inward(float(number))

    def _average(self, first: Data) -> float:
        return float(first.values.mean()) if len(first.values) else 0.0

    def _template(self, categorical: tuple[bool, ...]) -> Kernel:
        numeric = len(categorical) - sum(categorical)
        scale = UNINFORMED_LENGTHSCALE if self.lengthscale is None else self.lengthscale
        if isinstance(scale, tuple):
            lengthscales = scale
        else:
            lengthscales = (float(scale),) * (numeric if self.ard and self.lengthscale is None and numeric else 1)
        if len(lengthscales) not in (1, numeric):
            raise ParameterError(
                f"GP(lengthscale={self.lengthscale!r}): the space has {numeric} numeric columns; give one lengthscale "
                f"for all of them, or one for each."
            )
        mask = categorical if any(categorical) else None
        variance = 1.0 if self.variance is None else float(self.variance)
        return Kernel(form_named(self.kernel, "GP()"), variance, lengthscales, (1.0,) * sum(categorical), mask)

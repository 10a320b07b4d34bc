"""How a belief about f begins, and when it learns its hyperparameters.

The hyperparameters at n answers are fitted to the first m(n) of them in the order of arrival, m being the schedule.
They are a function of the log, then, with no trace of when anybody asked, and a refit costs little per answer.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, cast

from belated.beliefs.answer_noise import LEAST_RIDGE
from belated.beliefs.fitting.fit import FixedHyperparameters, Hyperparameters, Likelihood, Prior, fit, standard
from belated.beliefs.fitting.likelihood import log_marginal_likelihood
from belated.beliefs.kernels.expression import expression
from belated.beliefs.kernels.form import Form
from belated.beliefs.kernels.hyperparameters import LENGTHSCALE
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import SimpleKernel
from belated.beliefs.memory import Memory
from belated.beliefs.process.gaussian import GaussianProcess, Setting
from belated.beliefs.process.on_table import CandidateTable
from belated.beliefs.schedule import AfterQueries, Milestones, doubling, milestone, spaced
from belated.checks import require_count, require_number
from belated.errors import ParameterError
from belated.evidence import Data, Evidence
from belated.space import Candidates

# Before the first answer, in a unit cube and with nothing known of the scale.
UNINFORMED_LENGTHSCALE = 0.5
UNINFORMED_NOISE = 1e-3
# A known lengthscale lies between these, which are wider than where a fit looks: beyond, arithmetic takes all points of
# a cube for one, or none for another.
KNOWN_LENGTHSCALES = (1e-9, 1e9)
# A memory holds this many fits: to the answers, to the rescaled answers, and under another noise.
FITS = 3


@dataclass(frozen=True)
class GP:
    """A Gaussian process prior: what is known of it, and how the rest is fitted.

    `lengthscale` (one number, or one per parameter, in units of the cube), `variance` and `noise` (variances) are
    fitted where they are None; the variance is known only together with the other two, and then nothing is fitted.
    `mean` is the prior mean: "fitted" to the answers, "smallest" (of the answers so far), "zero", or a known number.
    `fit` is "map", maximum a posteriori under weak priors, or "ml", maximum likelihood. `refit` counts the answers
    between fits, after one with each of the first 10; where it is None, a fit comes with a tenth more answers each
    time. `AfterQueries(…)` counts queries instead.
    """

    kernel: str = "matern52"
    ard: bool = True
    lengthscale: float | tuple[float, ...] | None = None
    variance: float | None = None
    noise: float | None = None
    mean: float | Literal["fitted", "smallest", "zero"] = "fitted"
    fit: Literal["map", "ml"] = "map"
    refit: int | AfterQueries | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, str):
            raise ParameterError(f"GP(kernel={self.kernel!r}): a kernel is named by a text, as 'matern52'.")
        single = expression(self.kernel, "GP()").single
        if isinstance(self.lengthscale, list):
            object.__setattr__(self, "lengthscale", tuple(self.lengthscale))
        if self.lengthscale is not None:
            for scale in self.lengthscale if isinstance(self.lengthscale, tuple) else (self.lengthscale,):
                require_number("GP", "lengthscale", scale, low=KNOWN_LENGTHSCALES[0], high=KNOWN_LENGTHSCALES[1])
        if self.variance is not None:
            require_number("GP", "variance", self.variance, above=0)
        if self.noise is not None:
            require_number("GP", "noise", self.noise, low=0)
        if self.variance is not None and (self.lengthscale is None or self.noise is None):
            raise ParameterError(
                "GP(): got a variance without a lengthscale or without a noise; it is known only together with both; "
                "give all three, or leave the variance out to have it fitted."
            )
        if single is None and isinstance(self.lengthscale, tuple):
            raise ParameterError(
                f"GP(kernel={self.kernel!r}, lengthscale={self.lengthscale!r}): a kernel of several parts has one "
                f"known lengthscale for all of them, or none; give a number, or leave it out."
            )
        if self.variance is not None and (single is None or single.hyperparameters()):
            raise ParameterError(
                f"GP(kernel={self.kernel!r}): got a variance, with which nothing would be left to fit; this kernel has "
                f"more to fit than lengthscales and a variance; leave the variance out."
            )
        if not isinstance(self.ard, bool):
            raise ParameterError(f"GP(ard={self.ard!r}): say True for a lengthscale per parameter, or False for one.")
        if not isinstance(self.fit, str) or self.fit not in ("map", "ml"):
            raise ParameterError(f"GP(fit={self.fit!r}): hyperparameters are fitted by 'map' or 'ml'.")
        if not isinstance(self.mean, str) or self.mean not in ("fitted", "smallest", "zero"):
            require_number("GP", "mean", self.mean)
        if self.refit is not None and not isinstance(self.refit, AfterQueries):
            require_count("GP", "refit", self.refit)

    def describe(self) -> str:
        """What it is, in words."""
        if self.known:
            return "a Gaussian process with the hyperparameters that were given"
        match self.refit:
            case None:
                when = "every tenth more answers"
            case AfterQueries(count):
                when = "every query" if count == 1 else f"every {count} further queries"
            case count:
                when = "every answer" if count == 1 else f"every {count} further answer"
        return f"a Gaussian process ({self.kernel}), fitted with {when}"

    @property
    def known(self) -> bool:
        """Whether every hyperparameter of the kernel is given."""
        return self.variance is not None

    def around(self, mean: float | Literal["smallest"]) -> GP:
        """The same with another prior mean."""
        return replace(self, mean=mean)

    def prior(self, evidence: Evidence, memory: Memory) -> GaussianProcess:
        """The process before any answer, with the hyperparameters that the schedule has reached."""
        chosen = self.hyperparameters(evidence, memory)
        setting = setting_of(evidence, memory, doubling if self.known else milestone)
        return GaussianProcess(chosen.kernel, chosen.noise, chosen.mean, setting)

    def fitted_to(self, evidence: Evidence, most: int | None = None) -> int:
        """m, the number of answers that the hyperparameters are learned from, the first of them; `most` at most."""
        n = evidence.n_answered if most is None else min(evidence.n_answered, most)
        if self.known:
            return n
        if isinstance(self.refit, AfterQueries):
            return min(n, self.refit.answers(evidence))
        return milestone(n) if self.refit is None else spaced(n, self.refit)

    def hyperparameters(
        self,
        evidence: Evidence,
        memory: Memory,
        likelihood: Likelihood = log_marginal_likelihood,
        *,
        most: int | None = None,
        slot: Hashable = None,
    ) -> Hyperparameters:
        """Those that the schedule has reached, at the latest with the answer number `most`; kept in a slot."""
        chosen = self._chosen(evidence, memory, likelihood, most, slot)
        # An answer without noise still needs a ridge that arithmetic can see.
        return replace(chosen, noise=max(chosen.noise, LEAST_RIDGE * chosen.kernel.variance))

    def _chosen(
        self, evidence: Evidence, memory: Memory, likelihood: Likelihood, most: int | None, slot: Hashable
    ) -> Hyperparameters:
        size = self.fitted_to(evidence, most)
        first = evidence.arrivals().first(size)
        mean = self.known_mean(evidence, first)
        template = self.template(evidence)
        if self.known:
            assert self.noise is not None
            return Hyperparameters(template, self.noise, self._average(first) if mean is None else mean)
        if not size:
            return Hyperparameters(template, self.noise or UNINFORMED_NOISE, mean or 0.0)

        def refit() -> Hyperparameters:
            memory.forget_factors()
            prior = Prior() if self.fit == "map" else None
            kept = [] if self.lengthscale is None else template.hyperparameters(first.points.shape[1])
            scales = {each.name: each.value for each in kept if each.kind == LENGTHSCALE}
            known = FixedHyperparameters(mean, self.noise, scales)
            return fitted(first, template, memory, prior, known, likelihood)

        key = (template, mean, likelihood, first.key())
        return memory.recall(("hyperparameters", self, slot), key, refit)

    def known_mean(self, evidence: Evidence, first: Data) -> float | None:
        """The prior mean, in inside units, given the answers fitted; None where it is fitted too."""
        match self.mean:
            case "fitted":
                return None
            case "zero":
                return 0.0
            case "smallest":
                return float(first.values.min()) if len(first.values) else 0.0
            case number:
                return evidence.inward(float(number))

    def _average(self, first: Data) -> float:
        return standard(first.values, None, first.errors)[0] if len(first.values) else 0.0

    def template(self, evidence: Evidence) -> Kernel:
        """A kernel of the right forms and columns, with what is known of its parameters."""
        columns = coordinates_of(evidence)
        return expression(self.kernel, "GP()").kernel(columns.names, columns.categorical, self._single)

    def _single(self, form: Form, categorical: tuple[bool, ...]) -> SimpleKernel:
        """A kernel of one form over columns of which these are categorical."""
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
        return SimpleKernel(form, variance, lengthscales, (1.0,) * sum(categorical), mask)


def fitted(
    answers: Data,
    template: Kernel,
    memory: Memory,
    prior: Prior | None,
    known: FixedHyperparameters = FixedHyperparameters(),
    likelihood: Likelihood = log_marginal_likelihood,
) -> Hyperparameters:
    """The fit to these answers, made only if the memory holds no such fit among the last few."""
    key, fits = (answers.key(), template, prior, known, likelihood), memory.shelf("fits")
    for wanted, made in fits:
        if wanted == key:
            return cast(Hyperparameters, made)
    points, values, errors = answers
    made = fit(points, values, template, prior=prior, known=known, likelihood=likelihood, errors=errors)
    fits[:] = [*fits[-FITS + 1 :], (key, made)]
    return made


class Coordinates(NamedTuple):
    """What a belief's columns are."""

    names: tuple[str, ...]
    levels: tuple[int | None, ...]
    categorical: tuple[bool, ...]


def coordinates_of(evidence: Evidence) -> Coordinates:
    """The columns of a belief about this study; those of a context before come first."""
    domain, context = evidence.domain, evidence.context
    before = context.space if context and evidence.points.shape[1] > domain.dimension else None
    return Coordinates(
        (before.names if before else ()) + domain.names,
        (before.levels if before else ()) + domain.levels,
        (before.categorical if before else ()) + domain.categorical,
    )


def setting_of(evidence: Evidence, memory: Memory, growth: Milestones) -> Setting:
    """Where a belief about this study lives."""
    domain, dimension = evidence.domain, evidence.points.shape[1]
    table = None
    if isinstance(domain, Candidates) and dimension == domain.dimension:
        rows = domain.table
        table = memory.recall("table", (domain,), lambda: CandidateTable(rows))
    return Setting(dimension, coordinates_of(evidence).levels, table, growth, memory)

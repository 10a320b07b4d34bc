"""Several Gaussian beliefs that are updated and read together, as a mixture has them.

Regressions on random features are such a set by themselves. An exact Gaussian process is a set of one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from belated.beliefs.belief import Function, Imagine, Incumbents, Learner, Moments, Scenarios
from belated.beliefs.memory import Memory
from belated.beliefs.process.gaussian import GaussianProcess, Incline
from belated.beliefs.process.scenarios import process_scenarios
from belated.evidence import Data, Errors
from belated.space import Array, Mask


class Inclines(Protocol):
    """Moments of several beliefs at some points, and the way to their gradients."""

    @property
    def mean(self) -> Array:
        """The mean of each belief at each point. (M, m)"""

    @property
    def deviation(self) -> Array:
        """The deviation of each belief at each point. (M, m)"""

    def gradient(self, by_mean: Array, by_deviation: Array) -> Array:
        """Σ over the beliefs of s_mean ∂mean + s_deviation ∂deviation. (m, d)"""


class Members(Learner, Protocol):
    """Several Gaussian beliefs that are updated and read together."""

    @property
    def count(self) -> int:
        """The number of beliefs, M."""

    @property
    def prior_means(self) -> Array:
        """The means before any answer. (M,)"""

    @property
    def scales(self) -> Array:
        """The deviations before any answer. (M,)"""

    @property
    def noises(self) -> Array:
        """The variances of an answer that is a single measurement of which no error was told. (M,)"""

    def only(self, place: int) -> Self:
        """One of them."""

    def moments(self, points: Array) -> Moments:
        """Means and deviations at some points. (M, m)"""

    def total(self, points: Array, weights: Array) -> Moments:
        """Means and deviations of Σ_i w_i f(x_i). (M,)"""

    def incline(self, points: Array) -> Inclines:
        """Moments with the way to their gradients."""

    def draw(self, place: int, rng: np.random.Generator) -> Function:
        """One function drawn from one of them."""

    def scenarios(self, place: int, incumbents: Incumbents, count: int, rng: np.random.Generator) -> Scenarios:
        """So many joint draws of the values of one of them at the incumbents."""

    def log_evidence(self) -> Array:
        """How well each explains what it was conditioned on. (M,)"""

    def gains(self, points: Array) -> Array:
        """What each point would tell after those before it. (M, k)"""

    def greedy_gains(self, points: Array, count: int) -> Array:
        """What each step of uncertainty sampling would tell, before any answer. (M, count)"""


@dataclass(frozen=True, eq=False)
class Exact:
    """One exact Gaussian process as a member.

    It takes answers in when it is first read: drawing a member leaves the others alone, and each is dear.
    """

    prior: GaussianProcess
    taken: Callable[[], GaussianProcess] | None = None  # the process after answers; None before any

    count = 1

    @cached_property
    def process(self) -> GaussianProcess:
        """The process, with what it was given."""
        return self.prior if self.taken is None else self.taken()

    @property
    def prior_means(self) -> Array:
        return np.array([self.prior.prior_mean])

    @property
    def scales(self) -> Array:
        return np.array([self.prior.scale])

    @property
    def noises(self) -> Array:
        return np.array([self.prior.noise])

    @property
    def jitter(self) -> float:
        return self.process.jitter

    @property
    def key(self) -> Hashable:
        return self.prior.key

    def condition(self, points: Array, values: Array, errors: Errors | None = None) -> Exact:
        """The process after these answers too."""
        return Exact(self.prior, lambda: self.process.condition(points, values, errors))

    def completed(self, known: Exact, told: Data, missing: Mask, imagine: Imagine) -> Exact:
        """The process after these answers, of which it imagines the missing ones by what it knows."""
        return Exact(self.prior, lambda: self.process.completed(known.process, told, missing, imagine))

    def with_mean(self, prior_mean: float) -> Exact:
        """The process around another prior mean."""
        return self._changed(lambda process: process.with_mean(prior_mean))

    def remembering(self, memory: Memory) -> Exact:
        """The process with another memory."""
        return self._changed(lambda process: process.remembering(memory))

    def _changed(self, change: Callable[[GaussianProcess], GaussianProcess]) -> Exact:
        """The member after a change that needs no answers."""
        return Exact(change(self.prior), None if self.taken is None else lambda: change(self.process))

    def only(self, place: int) -> Exact:
        return self

    def moments(self, points: Array) -> Moments:
        """(1, m), (1, m)"""
        mean, deviation = self.process.moments(points)
        return Moments(mean[None], deviation[None])

    def total(self, points: Array, weights: Array) -> Moments:
        mean, deviation = self.process.total(points, weights)
        return Moments(np.array([mean]), np.array([deviation]))

    def incline(self, points: Array) -> ExactIncline:
        """Moments with the way to their gradients."""
        return ExactIncline(self.process.incline(points))

    def draw(self, place: int, rng: np.random.Generator) -> Function:
        """One function drawn from the process."""
        return self.process.draw(rng)

    def scenarios(self, place: int, incumbents: Incumbents, count: int, rng: np.random.Generator) -> Scenarios:
        """So many joint draws of the values of the process at the incumbents."""
        return process_scenarios(self.process, incumbents, count, rng)

    def log_evidence(self) -> Array:
        return np.array([self.process.log_evidence()])

    def gains(self, points: Array) -> Array:
        return self.process.gains(points)[None]

    def greedy_gains(self, points: Array, count: int) -> Array:
        return self.process.greedy_gains(points, count)[None]


@dataclass(frozen=True, eq=False)
class ExactIncline:
    """The incline of a process, with a leading axis."""

    own: Incline

    @property
    def mean(self) -> Array:
        return self.own.mean[None]

    @property
    def deviation(self) -> Array:
        return self.own.deviation[None]

    def gradient(self, by_mean: Array, by_deviation: Array) -> Array:
        return self.own.gradient(by_mean[0], by_deviation[0])

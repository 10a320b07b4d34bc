"""Draws from the posterior of a GP's hyperparameters, of which `fit` gives the top alone.

An ensemble of walkers moves by differences of one another, as emcee has it [foremanmackey2013]: that needs neither
gradient nor step length, and stretched parameters are no harder than others [goodman2010]. Walkers begin where
importance resampling around the tops of the density puts them, for there may be several: answers that look like a
short lengthscale, or like noise about a long one. In equilibrium the walkers of one moment are independent draws;
steps only make up for the beginning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from belated.beliefs.fitting.climb import climb
from belated.beliefs.fitting.fit import COARSE, Hyperparameters, spaced, starts
from belated.beliefs.fitting.hyperdensity import FURTHEST, Target, box_of, least_noise
from belated.beliefs.fitting.hyperlaws import Law
from belated.beliefs.fitting.likelihood import level
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.kernels.hyperparameters import LENGTHSCALE, NOISE
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.process.cholesky import steadied
from belated.checks import require_count, require_number
from belated.errors import MissingPackageError, NoAnswerError, ParameterError
from belated.evidence import Errors
from belated.space.arrays import Array

CALL = "hyperparameter_draws"

# Past this many rows the posterior is that of an evenly spaced subset, and a little wider: a call takes more than three
# thousand factors, each with the cube of the rows.
LARGEST_SAMPLE = 200
# The least number of walkers; and the number of walkers per parameter, of which emcee needs two.
WALKERS = 32
WALKERS_PER_PARAMETER = 4
# Steps before the first draws, and between one moment whose walkers are drawn and the next. The integrated
# autocorrelation time is 20 to 50 steps; the walkers begin close to the posterior, and only the rest needs time.
STEPS = 100
THINNING = 50
# Every tenth step moves by a whole difference of two walkers, from one top to another; the others by emcee's default
# share of it [terbraak2006]. Snooker moves mix as well, and fail where two walkers meet.
LEAPS = 0.1
# How many places the walkers' beginnings are resampled from; the law around a top is a Student one of few degrees,
# whose tails reach where a normal one would not, with deviations of at most three, in logits.
PROPOSALS = 256
DEGREES = 5.0
LEAST_CURVATURE = 0.1
# The share of the proposals that go to all tops alike, however low they are.
ALIKE = 0.5
# The step of the differences that give the curvature of a top.
STEP = 1e-3
# Draws of one call: this many take minutes.
MOST_DRAWN = 100_000
# The largest value over the least noise variance: slopes grow with its square, and a climb squares those.
LARGEST_RATIO = 1e60


@dataclass(frozen=True, eq=False)
class Hill:
    """A top of the density, and the Student law that looks like it from there."""

    place: Array  # (k,)
    value: float
    root: Array  # (k, k), A of the covariance A Aᵀ

    @cached_property
    def log_volume(self) -> float:
        """log |A|."""
        return float(np.linalg.slogdet(self.root)[1])

    def draw(self, rng: np.random.Generator) -> Array:
        """One place near the top."""
        length = np.sqrt(rng.chisquare(DEGREES) / DEGREES)
        return np.asarray(self.place + self.root @ rng.standard_normal(len(self.place)) / length)

    def log_density(self, places: Array) -> Array:
        """The log density of such draws at some places, up to a constant."""
        whitened = np.linalg.solve(self.root, (places - self.place).T)
        power = 0.5 * (DEGREES + len(self.place))
        return np.asarray(-self.log_volume - power * np.log1p(np.sum(whitened**2, axis=0) / DEGREES))


def hyperparameter_draws(
    points: Array,  # (n, d), in the unit cube
    values: Array,  # (n,)
    kernel: Kernel,
    *,
    law: Law,
    mean: float | None,
    count: int,
    seed: int | Sequence[int],
    noise: float | None = None,
    errors: Errors | None = None,
) -> tuple[Hyperparameters, ...]:
    """So many draws from the posterior of the hyperparameters given the answers, practically independent.

    `kernel` is a template, as in `fit`. A prior mean and a noise variance that are known are kept; a mean that is
    not, None, is drawn along with the rest, under a flat law. The same data and seed give the same draws.
    """
    _require(points, values, mean, count, noise)
    sequence = _seed_sequence(seed)
    emcee = _emcee()
    rows = spaced(len(values), LARGEST_SAMPLE)
    points, values = points[rows], values[rows]
    errors = None if errors is None else errors.of(rows)
    shift, unit = law.units(values, mean, errors)
    parameters = Parameters.of(kernel, points.shape[1])
    box = box_of(law, parameters, None if noise is None else noise / unit**2)
    standardised = None if errors is None else errors.over(unit, least_noise(box.low, parameters) ** 0.5)
    target = Target(points, (values - shift) / unit, kernel, law, None if mean is None else 0.0, box, standardised)
    _require_believable(target, values)
    rng, stream = np.random.default_rng(sequence), np.random.MT19937(sequence.spawn(1)[0])
    places = _walk(target, count, rng, stream, emcee) if box.free.any() else np.empty((count, 0))
    draws = [_drawn(target, place, rng) for place in places]
    return tuple(
        Hyperparameters(
            kernel=draw.kernel.scaled(unit**2),
            noise=draw.noise * unit**2 if noise is None else noise,
            mean=shift + unit * draw.mean if mean is None else mean,
        )
        for draw in draws
    )


def _walk(target: Target, count: int, rng: np.random.Generator, stream: np.random.MT19937, emcee: ModuleType) -> Array:
    """Places of walkers: all at one moment if they are enough, else at moments THINNING steps apart."""
    n_free = int(target.box.free.sum())
    n_walkers = max(WALKERS, WALKERS_PER_PARAMETER * n_free)
    beginning, heights = _beginning(target, n_walkers, rng)
    moves = [(emcee.moves.DEMove(), 1.0 - LEAPS), (emcee.moves.DEMove(gamma0=1.0), LEAPS)]
    sampler = emcee.EnsembleSampler(n_walkers, n_free, target.log_densities, moves=moves, vectorize=True)
    # With a state of its own, emcee draws nothing from NumPy's global generator.
    state = emcee.State(beginning, log_prob=heights, random_state=stream.state)
    moments = []
    for steps in [STEPS] + [THINNING] * ((count - 1) // n_walkers):
        state = sampler.run_mcmc(state, steps, store=False, skip_initial_state_check=True)
        moments.append(state.coords)
    return np.asarray(np.concatenate(moments)[rng.permutation(n_walkers * len(moments))[:count]])


def _beginning(target: Target, n_walkers: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Where the walkers begin, and the log density there: some of many proposals, drawn by importance.

    Without replacement, by adding Gumbel noise to the logarithms of the weights, so that no two walkers are one.
    """
    hills = _hills(target)
    volumes = np.array([hill.value + hill.log_volume for hill in hills])
    shares = np.exp(volumes - np.logaddexp.reduce(volumes))
    shares = ALIKE / len(hills) + (1.0 - ALIKE) * shares / shares.sum()
    chosen = rng.choice(len(hills), PROPOSALS, p=shares)
    places = np.clip([hills[index].draw(rng) for index in chosen], -FURTHEST, FURTHEST)
    heights = target.log_densities(places)
    densities = [np.log(share) + hill.log_density(places) for share, hill in zip(shares, hills, strict=True)]
    log_weights = heights - np.logaddexp.reduce(densities)
    best = np.argsort(-(log_weights + rng.gumbel(size=PROPOSALS)), kind="stable")[:n_walkers]
    return places[best], heights[best]


def _hills(target: Target) -> list[Hill]:
    """The tops that climbs reach from the starts of the fit, and from lengthscales as long as can be."""
    low, high = target.box.log_low, target.box.log_high
    origins = [np.clip(start, low, high) for start in starts(target.parameters)]
    scales = target.parameters.are(LENGTHSCALE)
    longest = origins[0].copy()
    longest[scales] = high[scales]
    return [_hill(target, origin) for origin in (*origins, longest)]


def _hill(target: Target, origin: Array) -> Hill:
    """The top above some logarithms: by a climb in them, as in the fit, and then in logits."""
    box = target.box
    logs = climb(target.log_slope, origin, box.log_low, box.log_high, tolerance=COARSE).place
    wall = np.full(len(box.widths), FURTHEST)
    top = climb(target.slope, box.place(logs), -wall, wall, tolerance=COARSE)
    steps = STEP * np.eye(len(wall))
    slopes = [target.slope(top.place - step)[1] - target.slope(top.place + step)[1] for step in steps]
    curvature = np.array(slopes) / (2.0 * STEP)
    eigenvalues, axes = np.linalg.eigh(0.5 * (curvature + curvature.T))
    # Where a climb ended short of a top, a curvature may be negative; its size is still a scale.
    return Hill(top.place, top.value, axes / np.sqrt(np.maximum(np.abs(eigenvalues), LEAST_CURVATURE)))


def _drawn(target: Target, place: Array, rng: np.random.Generator) -> Hyperparameters:
    """The hyperparameters of a place, in the units of the law; a mean that is not known is drawn given the others."""
    found, mean = target.box.parameters(place), target.mean
    values = target.parameters.named(found)
    noise = values[NOISE.name]
    if mean is None:
        kernel, _ = target.parameters.learned(np.log(found))
        ridge = noise if target.errors is None else target.errors.variances(noise)
        factor = steadied(f"{CALL}()", kernel.gram(target.points, target.points), ridge)[0]
        middle, precision = level(factor.solution(np.ones(len(target.values))), target.values)
        mean = middle + rng.standard_normal() / precision**0.5
    return Hyperparameters(target.kernel.with_values(values), noise, mean)


def _require(points: Array, values: Array, mean: float | None, count: int, noise: float | None) -> None:
    """Refuse what cannot be drawn from."""
    if not len(values):
        raise NoAnswerError(f"{CALL}(values=[]): got no answers; a posterior needs at least one; tell() one first.")
    if points.ndim != 2 or values.shape != (len(points),):
        raise ParameterError(
            f"{CALL}(): got points of shape {points.shape} and values of shape {values.shape}; give one row of "
            f"coordinates for each value."
        )
    if not np.isfinite(values).all():
        raise ParameterError(f"{CALL}(): got values that are not finite; leave them out.")
    require_count(CALL, "count", count, most=MOST_DRAWN, reason="the walkers take steps for each")
    if mean is not None:
        require_number(CALL, "mean", mean)
    if noise is not None:
        require_number(CALL, "noise", noise, low=0)


def _require_believable(target: Target, values: Array) -> None:
    """Refuse answers that no law of this kind explains."""
    least = float(target.box.low[target.parameters.are(NOISE)].max())
    if np.abs(target.values).max() > LARGEST_RATIO * least:
        raise ParameterError(
            f"{CALL}(law={target.law!r}): got answers up to {np.abs(values).max():g}, of which none can be believed "
            f"under a noise variance of {least:g}; give intervals in the units of the answers, or Weak()."
        )


def _seed_sequence(seed: Any) -> np.random.SeedSequence:
    """What the randomness comes from; None would be the clock's."""
    try:
        if seed is not None:
            return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        pass
    raise ParameterError(f"{CALL}(seed={seed!r}): a seed is a whole number of at least 0, or several of them.")


def _emcee() -> ModuleType:
    """The sampler; the package is asked for only when draws are."""
    try:
        import emcee
    except ImportError:
        raise MissingPackageError(
            f"{CALL}(): needs the package emcee, which is not installed; Belated's extra 'sampling' brings it."
        ) from None
    module: ModuleType = emcee
    return module


__all__ = ["hyperparameter_draws"]

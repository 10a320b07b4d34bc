"""Functions of how far a point is from the optimum: at least 0 everywhere, and 0 at z = 0.

That they are never below 0 can be read off each formula, so that wherever the optimum is put, it is known exactly.
Means over the parameters, and not sums, keep values of the same size in any number of dimensions. z is a point of
[−5, 5]ᵈ less the optimum, and often turned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from belated.errors import unknown_name
from belated.simulate.problems.dimensions import ackley_values, levy_values, rosenbrock_values
from belated.space import Array

Landscape = Callable[[Array], Array]  # (m, d) -> (m,)
MAKERS: dict[str, Callable[[int, np.random.Generator], Landscape]] = {}
# The square of the width of a well: about that of the mean distance between two points of the box in one coordinate.
WIDTH = 8.0
# The ratio of the steepest curvature to the flattest; with BBOB's 10⁶ noise would hide all but a few directions.
CONDITION = 1e4
OCTAVES = 12  # of Weierstrass's function, as in BBOB
HILLS = 20


def landscape(name: str, dimension: int, rng: np.random.Generator) -> Landscape:
    """The landscape of that name; `rng` places what it has besides its optimum."""
    if name not in MAKERS:
        raise unknown_name("landscape()", "function", name, MAKERS)
    return MAKERS[name](dimension, rng)


def same(function: Landscape) -> Landscape:
    """Keep a function of z that is the same whatever the source of randomness."""
    MAKERS[function.__name__.removesuffix("_values")] = lambda dimension, rng: function
    return function


@same
def well_values(z: Array) -> Array:
    """1 − exp(−mean z²/2s²): smooth, and flat far away."""
    return np.asarray(-np.expm1(-np.mean(z**2, axis=1) / (2.0 * WIDTH)))


@same
def powers_values(z: Array) -> Array:
    """mean |z_j/5|^(2 + 4 (j − 1)/(d − 1)): smooth, and ever flatter in later directions [hansen2009]."""
    return np.asarray(np.mean(np.abs(z / 5.0) ** np.linspace(2.0, 6.0, z.shape[1]), axis=1))


@same
def softbowl_values(z: Array) -> Array:
    """mean log cosh z_j: a bowl inside and a cone outside."""
    size = np.abs(z)
    return np.asarray(np.mean(size + np.log1p(np.exp(-2.0 * size)) - np.log(2.0), axis=1))


@same
def crater_values(z: Array) -> Array:
    """q/(1 + q), q = mean z²/s²: smooth, and all but flat far away."""
    q = np.mean(z**2, axis=1) / WIDTH
    return np.asarray(q / (1.0 + q))


@same
def weierstrass_values(z: Array) -> Array:
    """mean Σ_k 2^(−k) (cos 2π3ᵏ(z_j/5 + ½) + 1) + mean z²/25: ripples upon ripples [hansen2009]."""
    waves = np.zeros_like(z)
    for k in range(OCTAVES):
        # cos(2π3ᵏ(u + ½)) = −cos(2π3ᵏu), as 3ᵏ is odd; so nothing is lost to rounding at 0.
        waves += 0.5**k * (1.0 - np.cos(2.0 * np.pi * 3.0**k * z / 5.0))
    return np.asarray(np.mean(waves + z**2 / 25.0, axis=1))


@same
def steps_values(z: Array) -> Array:
    """mean ⌊|z_j| + ½⌋²: terraces, with no slope anywhere [hansen2009]."""
    return np.asarray(np.mean(np.floor(np.abs(z) + 0.5) ** 2, axis=1))


@same
def sawtooth_values(z: Array) -> Array:
    """mean |z_j| + 4|t − round t|, t = 3z_j/2: kinks at every third of the way."""
    t = 1.5 * z
    return np.asarray(np.mean(np.abs(z) + 4.0 * np.abs(t - np.round(t)), axis=1))


@same
def cusps_values(z: Array) -> Array:
    """mean √|z_j|: ever steeper towards the optimum, along every direction."""
    return np.asarray(np.mean(np.sqrt(np.abs(z)), axis=1))


MAKERS["ackley"] = lambda dimension, rng: ackley_values


@same
def ripples_values(z: Array) -> Array:
    """Levy's function with its optimum at 0, over the number of parameters."""
    return np.asarray(levy_values(z + 1.0) / z.shape[1])


@dataclass(frozen=True, eq=False)
class Peaks:
    """10 − max_i hᵢ exp(−mean (z − cᵢ)²/2wᵢ): hills, of which that at 0 is the highest, h = 10 [hansen2009]."""

    heights: Array  # (n,), the first is 10
    places: Array  # (n, d), the first is 0
    widths: Array  # (n,)

    def __call__(self, z: Array) -> Array:
        """The values at every row."""
        squares = np.stack([np.mean((z - place) ** 2, axis=1) for place in self.places], axis=1)
        return np.asarray(10.0 - np.max(self.heights * np.exp(-squares / (2.0 * self.widths)), axis=1))


def peaks(dimension: int, rng: np.random.Generator) -> Landscape:
    """Twenty hills; all but the highest are 1 to 9.1 high, as in BBOB, anywhere within reach of the box."""
    heights = np.concatenate([[10.0], rng.uniform(1.1, 9.1, HILLS - 1)])
    places = np.concatenate([np.zeros((1, dimension)), rng.uniform(-6.0, 6.0, (HILLS - 1, dimension))])
    return Peaks(heights, places, rng.uniform(1.0, 6.0, HILLS))


@dataclass(frozen=True, eq=False)
class Funnels:
    """min(mean z², ½ + 0.7 mean (z − c)²) + mean(1 − cos 2πz_j): two funnels; the other is wider [hansen2009]."""

    other: Array  # (d,)

    def __call__(self, z: Array) -> Array:
        """The values at every row."""
        first, second = np.mean(z**2, axis=1), 0.5 + 0.7 * np.mean((z - self.other) ** 2, axis=1)
        return np.asarray(np.minimum(first, second) + np.mean(1.0 - np.cos(2.0 * np.pi * z), axis=1))


MAKERS["peaks"] = peaks
MAKERS["funnels"] = lambda dimension, rng: Funnels(rng.uniform(2.0, 4.0, dimension) * rng.choice([-1, 1], dimension))


@same
def ellipsoid_values(z: Array) -> Array:
    """Σ cⱼ zⱼ²/Σ cⱼ, cⱼ = 10^(4 (j − 1)/(d − 1)): a narrow ellipsoid [hansen2009]."""
    curvatures = np.geomspace(1.0, CONDITION, z.shape[1])
    return np.asarray(z**2 @ (curvatures / curvatures.sum()))


@same
def valley_values(z: Array) -> Array:
    """Rosenbrock's function of 0.4z + 1, over the number of its terms: the flat floor of a bent valley."""
    return np.asarray(rosenbrock_values(0.4 * z + 1.0) / (z.shape[1] - 1))


@same
def cigar_values(z: Array) -> Array:
    """z₁²/10⁴ + mean of the other zⱼ²: one direction in which nearly nothing changes [hansen2009]."""
    return np.asarray(z[:, 0] ** 2 / CONDITION + np.mean(z[:, 1:] ** 2, axis=1))


@same
def snake_values(z: Array) -> Array:
    """z₁²/100 + mean (zⱼ₊₁ − 2 sin zⱼ)²: a winding valley, whose floor rises slowly from 0."""
    return np.asarray(z[:, 0] ** 2 / 100.0 + np.mean((z[:, 1:] - 2.0 * np.sin(z[:, :-1])) ** 2, axis=1))

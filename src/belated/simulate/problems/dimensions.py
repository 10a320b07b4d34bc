"""The test functions of any number of parameters, which a trailing number gives: `ackley-5`, `levy-10`."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from belated.checks import require_count
from belated.simulate.problems.problem import Formula, Problem
from belated.simulate.problems.registry import problem
from belated.space import Array, Float, Space

MOST_PARAMETERS = 100
# How steep the valleys of Michalewicz's function are, as everybody has it.
STEEPNESS = 10


def ackley_values(points: Array) -> Array:
    """20 + e − 20 exp(−0.2 √mean z²) − exp(mean cos 2πz) for every row z of (m, d)."""
    funnel = -20.0 * np.exp(-0.2 * np.sqrt(np.mean(points**2, axis=1)))
    dents = -np.exp(np.mean(np.cos(2.0 * np.pi * points), axis=1))
    return np.asarray(20.0 + np.e + funnel + dents)


def levy_values(points: Array) -> Array:
    """sin² πw₁ + Σᵢ₌₁ᵈ⁻¹ (wᵢ − 1)² (1 + 10 sin²(πwᵢ + 1)) + (w_d − 1)² (1 + sin² 2πw_d), w = 1 + (x − 1)/4."""
    w = 1.0 + (points - 1.0) / 4.0
    inner, last = w[:, :-1], w[:, -1]
    ripples = np.sum((inner - 1.0) ** 2 * (1.0 + 10.0 * np.sin(np.pi * inner + 1.0) ** 2), axis=1)
    end = (last - 1.0) ** 2 * (1.0 + np.sin(2.0 * np.pi * last) ** 2)
    return np.asarray(np.sin(np.pi * w[:, 0]) ** 2 + ripples + end)


def rosenbrock_values(points: Array) -> Array:
    """Σᵢ₌₁ᵈ⁻¹ 100 (xᵢ₊₁ − xᵢ²)² + (1 − xᵢ)² for every row x of (m, d)."""
    before, after = points[:, :-1], points[:, 1:]
    return np.asarray(np.sum(100.0 * (after - before**2) ** 2 + (1.0 - before) ** 2, axis=1))


def michalewicz_values(points: Array) -> Array:
    """−Σᵢ sin xᵢ sin²⁰(i xᵢ²/π) for every row x of (m, d)."""
    return np.asarray(-np.sum(_michalewicz_terms(points, np.arange(1, points.shape[1] + 1)), axis=1))


def zakharov_values(points: Array) -> Array:
    """−Σᵢ xᵢ² − s² − s⁴, s = Σᵢ i xᵢ/2, for every row x of (m, d)."""
    squares = (points @ (0.5 * np.arange(1, points.shape[1] + 1))) ** 2
    return np.asarray(-np.sum(points**2, axis=1) - squares - squares**2)


@problem("ackley")
def ackley(seed: int = 0, *, dimension: int = 2) -> Problem:
    """Ackley's function on [−5, 10]ᵈ: a funnel full of dents [ackley1987]."""
    require_count("ackley", "dimension", dimension, most=MOST_PARAMETERS)
    names = _names(dimension)
    return Problem(
        name=f"ackley-{dimension}",
        space=_box(names, -5.0, 10.0),
        objective=Formula(ackley_values, names),
        noise=0.0,
        goal="minimize",
        optimum=0.0,
        optimum_point=dict.fromkeys(names, 0.0),
        description=f"Ackley: {dimension} parameters, a funnel full of dents",
        # Each exponential at its least: the corner farthest out, and every cosine at −1.
        worst=float(20.0 + np.e - 20.0 * np.exp(-2.0) - np.exp(-1.0)),
    )


@problem("ackley-unit")
def ackley_unit(seed: int = 0, *, dimension: int = 5) -> Problem:
    """Ackley's function on [0, 1]ᵈ, maximised: from its bottom in a corner up to the far faces [lu2022, appendix E].

    Unlike the paper's table 1, whose optimum 4.6930 is a local one, the optimum for d = 5 is 4.71097.
    """
    require_count("ackley-unit", "dimension", dimension, most=MOST_PARAMETERS)
    names = _names(dimension)
    best = _ackley_peak(dimension)
    return Problem(
        name=f"ackley-unit-{dimension}",
        space=_box(names, 0.0, 1.0),
        objective=Formula(ackley_values, names),
        noise=0.0,
        goal="maximize",
        optimum=float(ackley_values(np.array([best]))[0]),
        optimum_point=dict(zip(names, best, strict=True)),
        description=f"Ackley upwards: {dimension} parameters in [0, 1], the highest at the far faces",
        worst=0.0,
    )


@problem("levy")
def levy(seed: int = 0, *, dimension: int = 2) -> Problem:
    """Levy's function on [−10, 10]ᵈ: a bowl with ripples along every axis [laguna2005]."""
    require_count("levy", "dimension", dimension, most=MOST_PARAMETERS)
    names = _names(dimension)
    return Problem(
        name=f"levy-{dimension}",
        space=_box(names, -10.0, 10.0),
        objective=Formula(levy_values, names),
        noise=0.0,
        goal="minimize",
        optimum=0.0,
        optimum_point=dict.fromkeys(names, 1.0),
        description=f"Levy: {dimension} parameters, a bowl with ripples",
        # Every sine at ±1 and every w at −1.75: nothing is above it.
        worst=1.0 + 2.75**2 * (11.0 * (dimension - 1) + 2.0),
    )


@problem("rosenbrock")
def rosenbrock(seed: int = 0, *, dimension: int = 2) -> Problem:
    """Rosenbrock's function on [−5, 10]ᵈ, d ≥ 2: the flat floor of a bent valley [rosenbrock1960]."""
    require_count("rosenbrock", "dimension", dimension, least=2, most=MOST_PARAMETERS)
    names = _names(dimension)
    return Problem(
        name=f"rosenbrock-{dimension}",
        space=_box(names, -5.0, 10.0),
        objective=Formula(rosenbrock_values, names),
        noise=0.0,
        goal="minimize",
        optimum=0.0,
        optimum_point=dict.fromkeys(names, 1.0),
        description=f"Rosenbrock: {dimension} parameters, the flat floor of a bent valley",
        # Every term at the corner (10, −5), which for d = 2 is a point of the box.
        worst=(dimension - 1) * (100.0 * 105.0**2 + 81.0),
    )


@problem("zakharov")
def zakharov(seed: int = 0, *, dimension: int = 4) -> Problem:
    """Zakharov's function on [−5, 10]ᵈ, maximised: one hill that falls off ever more steeply [lu2022, appendix E]."""
    require_count("zakharov", "dimension", dimension, most=MOST_PARAMETERS)
    names = _names(dimension)
    corner = np.full((1, dimension), 10.0)
    return Problem(
        name=f"zakharov-{dimension}",
        space=_box(names, -5.0, 10.0),
        objective=Formula(zakharov_values, names),
        noise=0.0,
        goal="maximize",
        optimum=0.0,
        optimum_point=dict.fromkeys(names, 0.0),
        description=f"Zakharov: {dimension} parameters, one hill that falls off ever more steeply",
        worst=float(zakharov_values(corner)[0]),  # every term is at its largest there
    )


@problem("michalewicz")
def michalewicz(seed: int = 0, *, dimension: int = 2) -> Problem:
    """Michalewicz's function on [0, π]ᵈ: narrow ravines on a plain [michalewicz1992].

    Each term has one parameter, so that the minimum is where every term is at its greatest.
    """
    require_count("michalewicz", "dimension", dimension, most=MOST_PARAMETERS)
    names = _names(dimension)
    best = [_highest(number) for number in range(1, dimension + 1)]
    return Problem(
        name=f"michalewicz-{dimension}",
        space=_box(names, 0.0, float(np.pi)),
        objective=Formula(michalewicz_values, names),
        noise=0.0,
        goal="minimize",
        optimum=float(michalewicz_values(np.array([best]))[0]),
        optimum_point=dict(zip(names, best, strict=True)),
        description=f"Michalewicz: {dimension} parameters, narrow ravines on a plain",
        worst=0.0,
    )


@lru_cache
def _ackley_peak(dimension: int) -> tuple[float, ...]:
    """Where Ackley's function is highest in [0, 1]ᵈ: some parameters equal, between ½ and 1, and the others at 1.

    Where the slope is 0, (sin 2πx)/x is the same for every parameter inside, which leaves two values in (½, 1). The
    function grows concavely with Σx² and falls concavely with Σcos 2πx, so that at most one parameter can have the
    larger value, where a single one would be at its lowest; the tests search those places too.
    """
    at_one = np.arange(dimension + 1)[:, None]  # how many parameters are at 1
    share = at_one / dimension
    low, high = np.full(dimension + 1, 0.5), np.full(dimension + 1, 1.0)
    for _ in range(14):
        inside = np.linspace(low, high, 41, axis=1)
        funnel = -20.0 * np.exp(-0.2 * np.sqrt(share + (1.0 - share) * inside**2))
        heights = funnel - np.exp(share + (1.0 - share) * np.cos(2.0 * np.pi * inside))
        best = np.argmax(heights, axis=1)
        rows = at_one[:, 0]
        low, high = inside[rows, np.maximum(best - 1, 0)], inside[rows, np.minimum(best + 1, 40)]
    count = int(np.argmax(heights.max(axis=1)))
    return (float(0.5 * (low + high)[count]),) * (dimension - count) + (1.0,) * count


@lru_cache
def _highest(number: int) -> float:
    """Where sin x sin²⁰(number x²/π) is highest in [0, π].

    Between two zeros of the second factor there is one peak; a search that narrows twentyfold each time climbs all.
    """
    zeros = np.pi * np.sqrt(np.arange(number + 1) / number)
    low, high, peaks = zeros[:-1], zeros[1:], np.arange(number)
    for _ in range(9):
        axis = np.linspace(low, high, 41)
        best = np.argmax(_michalewicz_terms(axis, np.array(number)), axis=0)
        low, high = axis[np.maximum(best - 1, 0), peaks], axis[np.minimum(best + 1, 40), peaks]
    middle = 0.5 * (low + high)
    return float(middle[np.argmax(_michalewicz_terms(middle, np.array(number)))])


def _michalewicz_terms(x: Array, number: Array) -> Array:
    return np.asarray(np.sin(x) * np.sin(number * x**2 / np.pi) ** (2 * STEEPNESS))


def _names(dimension: int) -> tuple[str, ...]:
    return tuple(f"x{column}" for column in range(1, dimension + 1))


def _box(names: tuple[str, ...], low: float, high: float) -> Space:
    return Space(**{name: Float(low, high) for name in names})

"""The test functions of a fixed number of parameters: Branin's, Hartmann's, the drop-wave and the eggholder."""

from __future__ import annotations

import numpy as np

from belated.simulate.problems.problem import Formula, Problem
from belated.simulate.problems.registry import problem
from belated.space import Array, Float, Space

HARTMANN_HEIGHTS = np.array([1.0, 1.2, 3.0, 3.2])
HARTMANN3_RATES = np.array([[3.0, 10.0, 30.0], [0.1, 10.0, 35.0], [3.0, 10.0, 30.0], [0.1, 10.0, 35.0]])
HARTMANN3_CENTRES = 1e-4 * np.array(
    [
        [3689.0, 1170.0, 2673.0],
        [4699.0, 4387.0, 7470.0],
        [1091.0, 8732.0, 5547.0],
        [381.5, 5743.0, 8828.0],
    ]
)
HARTMANN6_RATES = np.array(
    [
        [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
        [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
        [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
        [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
    ]
)
HARTMANN6_CENTRES = 1e-4 * np.array(
    [
        [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
        [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
        [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
        [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
    ]
)


def branin_values(points: Array) -> Array:
    """(y − 5.1 x²/4π² + 5 x/π − 6)² + 10 (1 − 1/8π) cos x + 10 for every row of (m, 2)."""
    x, y = points.T
    valley = y - 5.1 * x**2 / (4.0 * np.pi**2) + 5.0 * x / np.pi - 6.0
    return np.asarray(valley**2 + 10.0 * (1.0 - 1.0 / (8.0 * np.pi)) * np.cos(x) + 10.0)


def hartmann3_values(points: Array) -> Array:
    """Σᵢ αᵢ exp(−Σⱼ Aᵢⱼ (xⱼ − Pᵢⱼ)²) for every row x of (m, 3)."""
    return bumps(points, HARTMANN_HEIGHTS, HARTMANN3_RATES, HARTMANN3_CENTRES)


def hartmann6_values(points: Array) -> Array:
    """Σᵢ αᵢ exp(−Σⱼ Aᵢⱼ (xⱼ − Pᵢⱼ)²) for every row x of (m, 6)."""
    return bumps(points, HARTMANN_HEIGHTS, HARTMANN6_RATES, HARTMANN6_CENTRES)


def bumps(points: Array, heights: Array, rates: Array, centres: Array) -> Array:
    """Σᵢ heightᵢ exp(−Σⱼ rateᵢⱼ (xⱼ − centreᵢⱼ)²) for every row x of (m, d)."""
    squares = (points[:, None, :] - centres) ** 2
    return np.asarray(np.exp(-np.sum(rates * squares, axis=2)) @ heights)


def drop_wave_values(points: Array) -> Array:
    """(1 + cos 12r)/(r²/2 + 2), r the distance from the origin, for every row of (m, 2)."""
    squares = np.sum(points**2, axis=1)
    return np.asarray((1.0 + np.cos(12.0 * np.sqrt(squares))) / (0.5 * squares + 2.0))


def eggholder_values(points: Array) -> Array:
    """(y + 47) sin √|y + x/2 + 47| + x sin √|x − y − 47| for every row of (m, 2)."""
    x, y = points.T
    high = y + 47.0
    return np.asarray(high * np.sin(np.sqrt(np.abs(high + 0.5 * x))) + x * np.sin(np.sqrt(np.abs(x - high))))


@problem("branin")
def branin(seed: int = 0) -> Problem:
    """Branin's function of two parameters: three equal minima along a valley [dixon1978]."""
    return Problem(
        name="branin",
        space=Space(x=Float(-5, 10), y=Float(0, 15)),
        objective=Formula(branin_values, ("x", "y")),
        noise=0.0,
        goal="minimize",
        optimum=10.0 / (8.0 * np.pi),
        optimum_point={"x": float(np.pi), "y": 2.275},
        description="Branin: two parameters, three equal minima along a valley",
        worst=308.12909601160663,  # at the corner (−5, 0)
    )


@problem("hartmann3")
def hartmann3(seed: int = 0) -> Problem:
    """Hartmann's function of three parameters: four bumps, maximised [dixon1978]."""
    names = ("x1", "x2", "x3")
    best = (0.1146143386378895, 0.5556488499629613, 0.8525469535196916)
    return Problem(
        name="hartmann3",
        space=Space(**{name: Float(0, 1) for name in names}),
        objective=Formula(hartmann3_values, names),
        noise=0.0,
        goal="maximize",
        optimum=3.862782147820756,
        optimum_point=dict(zip(names, best, strict=True)),
        description="Hartmann: three parameters, four bumps",
        worst=0.0,
    )


@problem("hartmann6")
def hartmann6(seed: int = 0) -> Problem:
    """Hartmann's function of six parameters: four bumps of which two are high, maximised [dixon1978]."""
    names = tuple(f"x{column}" for column in range(1, 7))
    best = (
        0.20168951100670543,
        0.15001069182345797,
        0.47687397422189703,
        0.2753324304940561,
        0.31165161660011326,
        0.6573005340656204,
    )
    return Problem(
        name="hartmann6",
        space=Space(**{name: Float(0, 1) for name in names}),
        objective=Formula(hartmann6_values, names),
        noise=0.0,
        goal="maximize",
        optimum=3.322368011415515,
        optimum_point=dict(zip(names, best, strict=True)),
        description="Hartmann: six parameters, four bumps of which two are high",
        worst=0.0,
    )


@problem("drop-wave")
def drop_wave(seed: int = 0) -> Problem:
    """The drop-wave function on [−5.12, 5.12]²: rings around one peak, maximised [lu2022, appendix E]."""
    return Problem(
        name="drop-wave",
        space=Space(x=Float(-5.12, 5.12), y=Float(-5.12, 5.12)),
        objective=Formula(drop_wave_values, ("x", "y")),
        noise=0.0,
        goal="maximize",
        optimum=1.0,
        optimum_point={"x": 0.0, "y": 0.0},
        description="Drop-wave: two parameters, rings around one peak",
        worst=0.0,
    )


@problem("eggholder")
def eggholder(seed: int = 0) -> Problem:
    """The eggholder function on [−512, 512]²: steep hills, the highest at the edge, maximised [lu2022, appendix E]."""
    return Problem(
        name="eggholder",
        space=Space(x=Float(-512, 512), y=Float(-512, 512)),
        objective=Formula(eggholder_values, ("x", "y")),
        noise=0.0,
        goal="maximize",
        optimum=959.640662720851,
        optimum_point={"x": 512.0, "y": 404.23180509},
        description="Eggholder: two parameters, steep hills, the highest at the edge",
        worst=-1071.0,  # both sines at −1 and both factors at their largest: nothing is below it
    )

"""Balls of laws by a divergence: against the primal and the dual problem, by solvers that know no closed form."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from belated.beliefs import GP
from belated.contexts import ChiSquare, DensityBall, Divergence, KullbackLeibler, Sample, TotalVariation
from belated.errors import ParameterError
from belated.policies import drbo_kde, from_json
from belated.space import Array, Float, Space
from tests.builders import processes_of
from tests.tolerance import ROUNDING, SOLVE_TOLERANCE

LINE = Space(demand=Float(10.0, 90.0))
BELIEF, _ = processes_of(LINE)
DIVERGENCES: dict[str, tuple[Divergence, Callable[[Array, Array], float]]] = {
    "total variation": (TotalVariation(), lambda q, p: float(np.abs(q - p).sum())),
    "Kullback-Leibler": (KullbackLeibler(), lambda q, p: float((q[q > 0] * np.log(q[q > 0] / p[q > 0])).sum())),
    "chi-square": (ChiSquare(), lambda q, p: float(((q - p) ** 2 / p).sum())),
}
SMOOTH = ("Kullback-Leibler", "chi-square")
each_smooth = pytest.mark.parametrize("name", SMOOTH)
# What SLSQP leaves of a problem of eight contexts.
PRIMAL = 1e-6


def problem(seed: int, size: int = 8) -> tuple[Array, Array]:
    """Weights and values."""
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(size, 2.0)), rng.normal(2.0, 3.0, size)


def found(name: str, values: Array, weights: Array, radius: float) -> tuple[float, Array]:
    sample = Sample(np.linspace(0.0, 1.0, len(weights))[:, None], weights)
    value, shares = DIVERGENCES[name][0].ball(sample, np.empty((0, 1)), radius).weigh(values[None])
    return float(value[0]), shares[0]


def least(name: str, values: Array, weights: Array, radius: float) -> float:
    """min qᵀg with q ≥ 0, Σq = 1 and D(q, p) ≤ δ, by sequential quadratic programming in r = q/p."""
    phi: dict[str, tuple[Callable[[Array], Array], Callable[[Array], Array]]] = {
        "Kullback-Leibler": (lambda r: r * np.log(np.maximum(r, 1e-300)), lambda r: np.log(np.maximum(r, 1e-300)) + 1),
        "chi-square": (lambda r: (r - 1) ** 2, lambda r: 2 * (r - 1)),
    }
    value, slope = phi[name]
    options: Any = {"ftol": 1e-12, "maxiter": 500}
    solved = minimize(  # type: ignore[call-overload]
        lambda r: float(weights @ (r * values)),
        np.ones(len(values)),
        jac=lambda r: weights * values,
        method="SLSQP",
        bounds=[(1e-12, None)] * len(values),
        constraints=[
            {"type": "eq", "fun": lambda r: weights @ r - 1.0, "jac": lambda r: weights},
            {"type": "ineq", "fun": lambda r: radius - weights @ value(r), "jac": lambda r: -weights * slope(r)},
        ],
        options=options,
    )
    return float(solved.fun)


def dual(name: str, values: Array, weights: Array, radius: float, alpha: float, beta: float) -> float:
    """−β − δα − α Σ_j p_j φ*(−(g_j + β)/α), which no law of the ball is below [huang2024, eq. 16]."""
    s = -(values + beta) / alpha
    conjugate = np.exp(s - 1.0) if name == "Kullback-Leibler" else np.where(s >= -2.0, s + s**2 / 4.0, -1.0)
    return float(-beta - radius * alpha - alpha * weights @ conjugate)


@pytest.mark.parametrize("radius", [1e-3, 0.1, 0.6, 1.5])
@pytest.mark.parametrize("seed", [3, 17, 91])
@each_smooth
def test_the_worst_law_of_a_ball_is_that_of_the_primal_problem(name: str, seed: int, radius: float) -> None:
    weights, values = problem(seed)
    value, shares = found(name, values, weights, radius)
    assert value == pytest.approx(least(name, values, weights, radius), abs=PRIMAL * float(np.ptp(values)))
    assert shares.min() >= 0.0
    assert shares.sum() == pytest.approx(1.0, abs=ROUNDING)
    assert DIVERGENCES[name][1](shares, weights) <= radius * (1.0 + 1e-9)


@pytest.mark.parametrize("seed", [3, 17, 91])
@each_smooth
def test_the_dual_of_the_paper_comes_up_to_it_and_never_above(name: str, seed: int) -> None:
    weights, values = problem(seed, 300)
    value, _ = found(name, values, weights, 0.3)
    options: Any = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 4000}
    best = minimize(  # type: ignore[call-overload]
        lambda z: -dual(name, values, weights, 0.3, math.exp(z[0]), z[1]),
        [math.log(float(np.std(values))), -float(weights @ values)],
        method="Nelder-Mead",
        options=options,
    )
    assert -best.fun == pytest.approx(value, abs=PRIMAL)
    rng = np.random.default_rng(seed)
    for alpha, beta in zip(rng.gamma(2.0, 2.0, 50), rng.normal(-2.0, 4.0, 50), strict=True):
        assert dual(name, values, weights, 0.3, alpha, beta) <= value + SOLVE_TOLERANCE


@each_smooth
def test_a_small_ball_takes_off_what_the_variance_says(name: str) -> None:
    weights, values = problem(5, 200)
    mean = float(weights @ values)
    deviation = math.sqrt(float(weights @ (values - mean) ** 2))
    radius = 1e-6
    factor = math.sqrt(2.0 * radius) if name == "Kullback-Leibler" else math.sqrt(radius)
    assert mean - found(name, values, weights, radius)[0] == pytest.approx(factor * deviation, rel=5e-3)


@each_smooth
def test_a_ball_that_holds_the_least_context_alone_is_its_value(name: str) -> None:
    weights, values = problem(7)
    values[[2, 5]] = values.min() - 1.0  # two of them are least
    share = weights[[2, 5]].sum()
    limit = -math.log(share) if name == "Kullback-Leibler" else 1.0 / share - 1.0
    value, shares = found(name, values, weights, limit * 1.001)
    assert value == pytest.approx(values.min(), abs=ROUNDING)
    assert_allclose(shares[[2, 5]], weights[[2, 5]] / share, rtol=1e-12)
    inside = found(name, values, weights, limit * 0.999)[0]
    assert values.min() < inside < values.min() + 0.1 * float(np.ptp(values))


@pytest.mark.parametrize("gap", [1e-3, 1e-9, 1e-14])
@each_smooth
def test_values_that_are_nearly_the_least_are_told_apart_or_not_without_harm(name: str, gap: float) -> None:
    weights, values = np.full(50, 0.02), np.linspace(1.0, 2.0, 50)
    values[1] = values[0] + gap
    for radius in (2.0, 3.0, 3.2, 3.6, 20.0, 40.0):
        value, shares = found(name, values, weights, radius)
        assert values.min() <= value <= values.mean()
        assert shares.sum() == pytest.approx(1.0, abs=ROUNDING)
        assert DIVERGENCES[name][1](shares, weights) <= radius * (1.0 + 1e-6)


@pytest.mark.parametrize("distance", [0.02, 0.3, 1.0])
@pytest.mark.parametrize("name", DIVERGENCES)
def test_the_usual_ball_of_each_divergence_lies_in_that_of_the_paper(name: str, distance: float) -> None:
    divergence, far = DIVERGENCES[name]
    radius = divergence.radius(distance)
    for seed in range(20):
        weights, values = problem(seed)
        _, shares = found(name, values, weights, radius)
        assert np.abs(shares - weights).sum() <= distance * (1.0 + 1e-9)
        assert far(shares, weights) <= radius * (1.0 + 1e-9) + ROUNDING


@each_smooth
def test_a_ball_by_another_divergence_looks_at_the_sample_alone(name: str) -> None:
    seen = np.random.default_rng(4).random((30, 1))
    aim = DensityBall(divergence=DIVERGENCES[name][0])
    views = aim.views(seen, LINE, BELIEF, np.random.default_rng(1))
    assert [len(view.contexts) for view in views] == [24, 192, 1024]
    assert len(views[0].glance().contexts) == 8
    assert aim.distance(30, LINE) == DIVERGENCES[name][0].radius(30 ** (-2 / 5))
    assert DensityBall(radius=0.2, divergence=DIVERGENCES[name][0]).distance(30, LINE) == 0.2


@pytest.mark.parametrize("divergence", [TotalVariation(), KullbackLeibler(), ChiSquare()])
def test_a_divergence_is_kept_in_the_log(divergence: Divergence) -> None:
    recipe = drbo_kde(divergence=divergence, belief=GP())
    assert from_json(recipe.to_json()) == recipe


@pytest.mark.parametrize("divergence", [None, "kl", KullbackLeibler])
def test_what_is_no_divergence_is_refused(divergence: object) -> None:
    with pytest.raises(ParameterError, match=r"^DensityBall\(divergence="):
        DensityBall(divergence=divergence)  # type: ignore[arg-type]

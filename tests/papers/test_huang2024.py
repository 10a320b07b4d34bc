"""Policies for contexts seen after the decision against [huang2024], by plain formulas that share no code with the
library: a Gaussian process in NumPy, the kernel density by dense quadrature, and solvers of SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import linprog, minimize

from belated.beliefs import GP, Memory
from belated.contexts import KernelDensity, Observed
from belated.log import Query
from belated.policies import (
    Recipe,
    drbo_kde,
    drbo_mmd,
    drbo_mmd_minimax,
    gp_ucb,
    gp_ucb_blind,
    sbo_kde,
    stableopt,
)
from belated.rules import Ground, Situation
from belated.search import Across, MomentScore
from belated.space import Candidates, Context, Float, Space
from belated.study import Study
from tests.builders import Clock
from tests.pairs import first
from tests.tolerance import QUADRATURE_TOLERANCE, ROUNDING, SOLVE_TOLERANCE

Array = npt.NDArray[np.float64]

SPACE = Space(x=Float(-2.0, 6.0))
AFTER = Context(c=Float(10.0, 90.0), seen="after")
SCALE, VARIANCE, NOISE, MEAN, WIDTH = 0.3, 1.3, 0.01, 0.2, 1.5
BELIEF = GP(kernel="matern52", lengthscale=SCALE, variance=VARIANCE, noise=NOISE, mean=MEAN)
LINE = np.linspace(0.0, 1.0, 81)  # the points that are compared
SEEDS = first(1, 3, 17, 91)


# The plain problem: everything in unit coordinates.


def data_of(seed: int, n: int) -> tuple[Array, Array, Array]:
    """Contexts (n,), points (n,) and answers (n,)."""
    rng = np.random.default_rng(seed)
    contexts = np.clip(rng.normal(0.55, 0.2, n), 0.0, 1.0)
    points = rng.random(n)
    return contexts, points, np.sin(7.0 * points) * np.cos(4.0 * contexts) + 0.3 * contexts + 0.1 * rng.normal(size=n)


def kernel(first: Array, second: Array) -> Array:
    """The Matérn 5/2 kernel of rows."""
    distances = np.sqrt(((first[:, None, :] - second[None, :, :]) ** 2).sum(axis=2))
    r = math.sqrt(5.0) * distances / SCALE
    return np.asarray(VARIANCE * (1.0 + r + r**2 / 3.0) * np.exp(-r))


class Plain:
    """The posterior of the process after some answers."""

    def __init__(self, contexts: Array, points: Array, values: Array) -> None:
        self.rows = np.stack([contexts, points], axis=1)
        self.inverse = np.linalg.inv(kernel(self.rows, self.rows) + NOISE * np.eye(len(values)))
        self.weights = self.inverse @ (values - MEAN)

    def mean(self, contexts: Array, x: float) -> Array:
        """The mean at one point in some contexts."""
        return np.asarray(MEAN + kernel(pairs(contexts, x), self.rows) @ self.weights)

    def covariance(self, contexts: Array, x: float) -> Array:
        """The covariance of f at one point in some contexts."""
        rows = pairs(contexts, x)
        across = kernel(rows, self.rows)
        return np.asarray(kernel(rows, rows) - across @ self.inverse @ across.T)

    def bound(self, contexts: Array, x: float) -> Array:
        """ucb(x, c) = μ + √β σ."""
        across = kernel(pairs(contexts, x), self.rows)
        variance = VARIANCE - np.einsum("ij,jk,ik->i", across, self.inverse, across)
        return np.asarray(MEAN + across @ self.weights + WIDTH * np.sqrt(np.maximum(variance, 0.0)))


def pairs(contexts: Array, x: float) -> Array:
    return np.stack([contexts, np.full(len(contexts), x)], axis=1)


def smoothed(seen: Array, size: int = 401) -> tuple[Array, Array]:
    """The kernel density, clipped to its box, as masses on a grid of contexts."""
    n = len(seen)
    h = (4.0 / 3.0) ** 0.2 * float(np.sqrt(np.mean((seen - seen.mean()) ** 2))) * n**-0.2
    grid = np.linspace(0.0, 1.0, size)
    edges = (grid[1:] + grid[:-1]) / 2.0
    below = np.array([np.mean([0.5 * math.erfc(-(edge - c) / h / math.sqrt(2.0)) for c in seen]) for edge in edges])
    # What is beyond an end is moved to it.
    return grid, np.diff(np.concatenate([[0.0], below, [1.0]]))


def study_of(policy: Recipe, contexts: Array, points: Array, values: Array, goal: Any = "maximize") -> Study:
    study = Study.in_memory(SPACE, policy=policy, context=AFTER, goal=goal, seed=7, clock=Clock(), notices=False)
    sign = 1.0 if goal == "maximize" else -1.0
    for c, x, y in zip(contexts, points, values, strict=True):
        study.add({"x": -2.0 + 8.0 * float(x)}, sign * float(y), context={"c": 10.0 + 80.0 * float(c)})
    return study


def asked(study: Study) -> float:
    """The point that is asked, in unit coordinates."""
    query = study.ask()
    assert isinstance(query, Query)
    return (float(query.point["x"]) + 2.0) / 8.0


def assert_best(x: float, objective: Callable[[float], float], tolerance: float) -> None:
    """No point of the line is better by more than this."""
    heights = [objective(float(other)) for other in LINE]
    assert max(heights) - min(heights) > 20.0 * tolerance  # or any point would do
    assert objective(x) >= max(heights) - tolerance


# Algorithm 1: the expectation under the kernel density.


@pytest.mark.parametrize("seed", SEEDS)
def test_sbo_kde_asks_the_highest_expected_bound_under_the_kernel_density(seed: int) -> None:
    data = data_of(seed, 14)
    plain = Plain(*data)
    grid, masses = smoothed(data[0])
    x = asked(study_of(sbo_kde(belief=BELIEF, width=WIDTH), *data))
    assert_best(x, lambda x: float(masses @ plain.bound(grid, x)), 2.0 * QUADRATURE_TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_sampled_expectation_is_that_of_dense_quadrature(seed: int) -> None:
    data = data_of(seed, 14)
    plain = Plain(*data)
    grid, masses = smoothed(data[0])
    study = study_of(sbo_kde(belief=BELIEF, width=WIDTH), *data)
    moment = study.policy.moment(study.evidence(), 1000.0, 7, Memory())
    view = Ground(moment).views[-1]
    assert len(view.contexts) == 1024
    score = study.policy.rule.score(Situation(moment))  # type: ignore[attr-defined]
    assert isinstance(score, MomentScore)
    found = Across(score, view).values(LINE[:, None])
    expected = [masses @ plain.bound(grid, float(x)) for x in LINE]
    assert np.abs(found - expected).max() <= QUADRATURE_TOLERANCE


# Algorithm 2: the worst law near the kernel density.


def least_in_ball(values: Array, masses: Array, radius: float) -> float:
    """min qᵀg with q ≥ 0, Σq = 1, Σ|q − p| ≤ δ, by a linear program in the parts of q − p above and below zero."""
    k = len(values)
    solved = linprog(
        np.concatenate([values, -values]),
        A_ub=np.ones((1, 2 * k)),
        b_ub=[radius],
        A_eq=np.concatenate([np.ones(k), -np.ones(k)])[None],
        b_eq=[0.0],
        bounds=[(0.0, None)] * k + [(0.0, float(mass)) for mass in masses],
    )
    assert solved.success
    assert solved.fun is not None
    return float(masses @ values + solved.fun)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("radius", [None, 0.1])
def test_drbo_kde_asks_the_highest_bound_under_the_worst_law_near_the_kernel_density(
    seed: int, radius: float | None
) -> None:
    data = data_of(seed, 14)
    plain = Plain(*data)
    grid, masses = smoothed(data[0], 201)
    x = asked(study_of(drbo_kde(belief=BELIEF, width=WIDTH, radius=radius), *data))
    delta = 14.0 ** (-2.0 / 5.0) if radius is None else radius
    assert_best(x, lambda x: least_in_ball(plain.bound(grid, x), masses, delta), 2.0 * QUADRATURE_TOLERANCE)


# The others of section 4.


@pytest.mark.parametrize("seed", SEEDS)
def test_stableopt_asks_the_highest_bound_in_the_worst_context_within_a_deviation(seed: int) -> None:
    data = data_of(seed, 14)
    plain = Plain(*data)
    mean, deviation = data[0].mean(), np.sqrt(np.mean((data[0] - data[0].mean()) ** 2))
    within = np.linspace(max(0.0, mean - deviation), min(1.0, mean + deviation), 401)
    x = asked(study_of(stableopt(belief=BELIEF, width=WIDTH), *data))
    assert_best(x, lambda x: float(plain.bound(within, x).min()), QUADRATURE_TOLERANCE)


def on_grid(seen: Array, size: int) -> tuple[Array, Array, Array, float]:
    """A grid of contexts, the empirical law on it, the matrix of its kernel, and the radius of the ball."""
    grid = np.linspace(0.0, 1.0, size)
    law = np.zeros(size)
    for c in seen:
        law[int(np.argmin(np.abs(grid - c)))] += 1.0 / len(seen)
    matrix = kernel(grid[:, None], grid[:, None]) / VARIANCE
    return grid, law, matrix, (2.0 + math.sqrt(2.0 * math.log(10.0))) / math.sqrt(len(seen))


def least_by_discrepancy(values: Array, law: Array, matrix: Array, radius: float) -> float:
    """min wᵀg with w ≥ 0, Σw = 1, (w − ŵ)ᵀM(w − ŵ) ≤ ε², from the mixture that touches the ball."""
    lowest = np.eye(len(law))[int(np.argmin(values))]
    reach = math.sqrt((lowest - law) @ matrix @ (lowest - law))
    start = law + min(1.0, radius / reach) * (lowest - law)
    constraints: list[Any] = [
        {"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": lambda w: np.ones(len(law))},
        {
            "type": "ineq",
            "fun": lambda w: radius**2 - (w - law) @ matrix @ (w - law),
            "jac": lambda w: -2.0 * matrix @ (w - law),
        },
    ]
    options: Any = {"ftol": 1e-10, "maxiter": 300}
    solved = minimize(  # type: ignore[call-overload]
        lambda w: float(w @ values),
        start,
        jac=lambda w: values,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(law),
        constraints=constraints,
        options=options,
    )
    return float(solved.fun)


@pytest.mark.parametrize("seed", SEEDS)
def test_drbo_mmd_asks_the_highest_bound_under_the_worst_law_on_its_grid(seed: int) -> None:
    pytest.importorskip("clarabel", reason="needs clarabel, of the extra `robust`")
    data = data_of(seed, 40)
    plain = Plain(*data)
    grid, law, matrix, radius = on_grid(data[0], 12)
    x = asked(study_of(drbo_mmd(belief=BELIEF, width=WIDTH, grid=12), *data))

    def objective(x: float) -> float:
        return least_by_discrepancy(plain.bound(grid, x), law, matrix, radius)

    assert_best(x, objective, 1e-4)


def halfway_between_bounds(values: Array, law: Array, matrix: Array, radius: float) -> float:
    """The three cases of the minimax approximation."""
    ones, inverse = np.ones(len(law)), np.linalg.inv(matrix)
    place, average, low = int(np.argmin(values)), float(law @ values), float(values.min())
    lowest = np.eye(len(law))[place]
    largest = math.sqrt((lowest - law) @ matrix @ (lowest - law))
    spread = values @ inverse @ values - (ones @ inverse @ values) ** 2 / (ones @ inverse @ ones)
    steepness, slope = math.sqrt(spread), (low - average) / largest
    if radius <= (average - low) / steepness:
        return average + radius * (slope - steepness) / 2.0
    return (average + radius * slope + low) / 2.0 if radius <= largest else low


@pytest.mark.parametrize("radius", [None, 0.02, 0.2])
@pytest.mark.parametrize("seed", SEEDS)
def test_drbo_mmd_minimax_asks_the_highest_approximation(seed: int, radius: float | None) -> None:
    data = data_of(seed, 40)
    plain = Plain(*data)
    grid, law, matrix, usual = on_grid(data[0], 24)
    epsilon = usual if radius is None else radius
    x = asked(study_of(drbo_mmd_minimax(belief=BELIEF, width=WIDTH, grid=24, radius=radius), *data))

    def objective(x: float) -> float:
        return halfway_between_bounds(plain.bound(grid, x), law, matrix, epsilon)

    assert_best(x, objective, 1e-3)


# Without the context.


@pytest.mark.parametrize(
    "domain", [SPACE, Candidates(np.linspace(-2.0, 6.0, 41)[:, None], names=["x"])], ids=["box", "table"]
)
def test_gp_ucb_blind_is_gp_ucb_on_the_points_alone(domain: Space | Candidates) -> None:
    blind = Study.in_memory(domain, policy=gp_ucb_blind(), context=AFTER, seed=7, clock=Clock())
    plain = Study.in_memory(domain, policy=gp_ucb(width=WIDTH), seed=7, clock=Clock())
    for step in range(7):
        queries = [study.ask() for study in (blind, plain)]
        points = [query.point["x"] for query in queries if isinstance(query, Query)]
        assert points[0] == points[1]
        value = math.sin(points[0]) + 0.1 * step
        plain.tell(step + 1, value)
        blind.tell(step + 1, value)  # the context comes later, or never
        if step % 2:
            blind.tell(step, context={"c": 10.0 + 9.0 * step})
    assert blind.recommend() == plain.recommend()


# What is recommended.


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_recommendation_has_the_highest_expected_mean_and_its_deviation(seed: int, goal: str) -> None:
    data = data_of(seed, 12)
    sign = 1.0 if goal == "maximize" else -1.0
    belief = GP(kernel="matern52", lengthscale=SCALE, variance=VARIANCE, noise=NOISE, mean=sign * MEAN)
    study = study_of(sbo_kde(belief=belief, law=Observed()), *data, goal=goal)
    study.ask(2)  # what waits has no part in it
    plain, seen = Plain(*data), data[0]
    found = study.recommend()
    x = (found.point["x"] + 2.0) / 8.0
    assert_best(x, lambda x: float(plain.mean(seen, x).mean()), 1e-3)
    assert sign * found.mean == pytest.approx(plain.mean(seen, x).mean(), abs=SOLVE_TOLERANCE)
    deviation = math.sqrt(plain.covariance(seen, x).mean())
    assert found.deviation == pytest.approx(deviation, abs=1e-6)
    means, deviations = study.expect([found.point, {"x": 1.0}])
    assert means[0] == pytest.approx(found.mean, abs=ROUNDING)
    assert deviations[0] == pytest.approx(found.deviation, abs=ROUNDING)
    assert sign * means[1] == pytest.approx(plain.mean(seen, 3.0 / 8.0).mean(), abs=SOLVE_TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_under_a_kernel_density_the_recommendation_is_that_of_dense_quadrature(seed: int) -> None:
    data = data_of(seed, 12)
    found = study_of(sbo_kde(belief=BELIEF, law=KernelDensity()), *data).recommend()
    plain, (grid, masses) = Plain(*data), smoothed(data[0], 201)
    x = (found.point["x"] + 2.0) / 8.0
    assert_best(x, lambda x: float(masses @ plain.mean(grid, x)), 2.0 * QUADRATURE_TOLERANCE)
    assert found.mean == pytest.approx(masses @ plain.mean(grid, x), abs=QUADRATURE_TOLERANCE)
    deviation = math.sqrt(masses @ plain.covariance(grid, x) @ masses)
    assert found.deviation == pytest.approx(deviation, abs=QUADRATURE_TOLERANCE)


@pytest.mark.parametrize("seed", SEEDS)
def test_under_the_worst_law_the_recommendation_has_the_highest_least_mean(seed: int) -> None:
    data = data_of(seed, 12)
    found = study_of(drbo_kde(belief=BELIEF), *data).recommend()
    plain, (grid, masses) = Plain(*data), smoothed(data[0], 201)
    x, delta = (found.point["x"] + 2.0) / 8.0, 12.0 ** (-2.0 / 5.0)
    assert_best(x, lambda x: least_in_ball(plain.mean(grid, x), masses, delta), 2.0 * QUADRATURE_TOLERANCE)
    assert found.mean == pytest.approx(least_in_ball(plain.mean(grid, x), masses, delta), abs=QUADRATURE_TOLERANCE)

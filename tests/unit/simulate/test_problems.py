"""The problems: their optima are where they say, and nothing is better."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

from belated import Choice, Int, Space
from belated.errors import ParameterError, PointError, UnknownNameError
from belated.simulate import Problem, functions, problems
from belated.simulate.problems import Tabulated

# A local search ends within this of the optimum, relative to the range of values that matter.
SEARCH_TOLERANCE = 1e-7


def best_found(problem: Problem) -> float:
    """The best value that a fine search finds: all rows of a table; of a box many samples, the best ones refined."""
    if isinstance(problem.objective, Tabulated):
        return float(np.max(problem.objective.values))
    space = problem.space
    assert isinstance(space, Space)
    continuous = [column for column, levels in enumerate(space.levels) if levels is None]
    discrete = [column for column, levels in enumerate(space.levels) if levels is not None]
    levels = [(np.arange(space.levels[column] or 0) + 0.5) / (space.levels[column] or 1) for column in discrete]
    best = -np.inf
    for combination in itertools.product(*levels):

        def score(coordinates: np.ndarray, combination: tuple[float, ...] = combination) -> float:
            unit = np.empty(space.dimension)
            unit[continuous], unit[discrete] = np.clip(coordinates, 0.0, 1.0), combination
            return -problem.sign * problem.objective(space.decode(unit))

        starts = np.random.default_rng(5).random((400 if discrete else 3000, len(continuous)))
        order = np.argsort([score(start) for start in starts])
        for start in starts[order[: 2 if discrete else 8]]:
            bounds = [(0.0, 1.0)] * len(continuous)
            found = minimize(score, start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15})
            best = max(best, -found.fun)
    return float(problem.sign * best)


@pytest.mark.parametrize("name", problems.names())
def test_the_optimum_is_at_its_point_and_a_fine_search_finds_nothing_better(name: str) -> None:
    problem = problems.build(name, seed=4)
    assert problem.objective(problem.optimum_point) == pytest.approx(problem.optimum, rel=1e-12, abs=1e-12)
    found = best_found(problem)
    assert problem.sign * (problem.optimum - found) >= -1e-9
    if name != "ackley":  # no slope leads a local search to the bottom of its funnel
        assert found == pytest.approx(problem.optimum, abs=SEARCH_TOLERANCE * max(1.0, abs(problem.optimum)))


@pytest.mark.parametrize("name", problems.names())
def test_no_sampled_point_is_worse_than_the_worst_value(name: str) -> None:
    problem = problems.build(name, seed=4)
    assert problem.worst is not None
    units = problem.space.sample(500, np.random.default_rng(2))
    values = np.array([problem.objective(problem.space.decode(unit)) for unit in units])
    assert np.all(problem.sign * (values - problem.worst) >= -1e-9)


def test_the_worst_value_of_branin_is_at_a_corner() -> None:
    assert functions.branin(np.array([[-5.0, 0.0]]))[0] == problems.build("branin").worst


def test_hartmann_and_branin_have_their_published_optima() -> None:
    assert problems.build("hartmann6").optimum == pytest.approx(3.32237, abs=5e-6)
    assert problems.build("branin").optimum == pytest.approx(0.397887, abs=5e-7)


def test_the_tables_of_the_paper_have_its_sizes_and_noise() -> None:
    rosenbrock, cosines = problems.build("rosenbrock-grid"), problems.build("cosines-grid")
    assert isinstance(rosenbrock.objective, Tabulated)
    assert isinstance(cosines.objective, Tabulated)
    assert len(rosenbrock.objective.table) == len(cosines.objective.table) == 31 * 31
    assert (rosenbrock.objective.values.min(), rosenbrock.objective.values.max()) == (0.0, 1.0)
    assert rosenbrock.optimum_point == {"x": 1.0, "y": 1.0}
    assert rosenbrock.noise**2 == pytest.approx(0.01)
    drawn = problems.build("gp-se", seed=1)
    assert isinstance(drawn.objective, Tabulated)
    assert len(drawn.objective.table) == 1000
    assert drawn.noise**2 == pytest.approx(0.025)


def test_the_cosines_follow_their_formula() -> None:
    u, v = 1.6 * 0.3 - 0.5, 1.6 * 0.7 - 0.5
    expected = 1 - (u**2 + v**2 - 0.3 * np.cos(3 * np.pi * u) - 0.3 * np.cos(3 * np.pi * v))
    assert functions.cosines(np.array(0.3), np.array(0.7)) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("name", ["gp-se", "gp-matern32"])
def test_a_function_drawn_from_a_prior_depends_on_the_seed_alone(name: str) -> None:
    first, again, other = (problems.build(name, seed=seed).objective for seed in (3, 3, 4))
    assert isinstance(first, Tabulated)
    assert isinstance(again, Tabulated)
    assert isinstance(other, Tabulated)
    assert np.array_equal(first.values, again.values)
    assert not np.allclose(first.values, other.values)


def test_functions_from_a_prior_have_its_variance_and_correlation() -> None:
    grid = np.linspace(0.0, 1.0, 5)[:, None]
    n_draws = 2000
    values = np.array([functions.prior_draw("matern32", 0.1, 0.5, grid, [seed]) for seed in range(n_draws)])
    assert np.all(np.abs(values.var(axis=0) - 0.5) <= 5.0 * 0.5 * np.sqrt(2.0 / n_draws))
    scaled = np.sqrt(3.0) * 0.25 / 0.1
    correlation = (1.0 + scaled) * np.exp(-scaled)
    measured = np.mean(values[:, 0] * values[:, 1]) / 0.5
    assert abs(measured - correlation) <= 5.0 * np.sqrt((1.0 + correlation**2) / n_draws)


def test_the_yield_where_both_reactions_are_equally_fast_is_the_limit() -> None:
    near = functions._relative_gain(np.array([0.0, 1e-13, 1e-6, -1e-6]))
    assert near == pytest.approx([1.0, 1.0, 1.0, 1.0], abs=1e-6)


def test_the_laboratory_is_a_mixed_space() -> None:
    space = problems.build("coupling").space
    assert isinstance(space, Space)
    assert isinstance(space["solvent"], Choice)
    assert isinstance(space["steps"], Int)


def test_an_unknown_problem_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match="'branin'"):
        problems.build("brainin")
    with pytest.raises(UnknownNameError, match="no problem"):
        problems.describe("nothing like it")


def test_every_problem_says_what_it_is() -> None:
    assert all(problems.describe(name) for name in problems.names())
    assert all(problems.build(name).name.startswith(name) for name in problems.names())


@pytest.mark.parametrize(
    "change",
    [
        {"space": "a box"},
        {"objective": 3.0},
        {"goal": "maximise"},
        {"noise": -1.0},
        {"noise": np.nan},
        {"optimum": np.inf},
        {"worst": 0.0},
        {"worst": np.inf},
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="Problem\\('branin'\\)"):
        replace(problems.build("branin"), **change)


def test_an_optimum_outside_the_space_is_refused() -> None:
    with pytest.raises(PointError, match="optimum_point"):
        replace(problems.build("branin"), optimum_point={"x": 11.0, "y": 0.0})

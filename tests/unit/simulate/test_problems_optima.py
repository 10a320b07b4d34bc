"""The optima of boxes and of drawn tables are where they say, and nothing is better."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import minimize

from belated import Space
from belated.simulate import Problem, problems
from belated.simulate.problems import Formula, Tabulated, analytic, dimensions
from tests.pairs import first

# A local search ends within this of the optimum, relative to the range of values that matter.
SEARCH_TOLERANCE = 1e-7

BOXES = [
    *("ackley", "ackley-unit", "branin", "coupling", "drop-wave", "eggholder", "hartmann3", "hartmann6", "levy"),
    *("michalewicz", "rosenbrock", "zakharov"),
]
# No slope leads a local search to the bottom of a funnel of dents, nor from one hill or ring to the highest.
RUGGED = ["ackley", "drop-wave", "eggholder"]
NUMBERED = [
    "ackley-9",
    "ackley-unit-9",
    "levy-1",
    "levy-9",
    "michalewicz-9",
    "rosenbrock-9",
    "zakharov-1",
    "zakharov-9",
]
TABLES = ["cosines-grid", "electrodes", "gp-matern32", "gp-se", "gp-unit", "rkhs-f1", "rkhs-f2", "rosenbrock-grid"]
SEPARABLE = first(
    4, "michalewicz-1", "michalewicz-10", "levy-1", "levy-5", "levy-20", "michalewicz-5", "michalewicz-30"
)


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

        starts = np.random.default_rng(5).random((400 if discrete else 1500, len(continuous)))
        order = np.argsort([score(start) for start in starts])
        for start in starts[order[: 2 if discrete else 8]]:
            bounds = [(0.0, 1.0)] * len(continuous)
            found = minimize(score, start, method="L-BFGS-B", bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-9})
            best = max(best, -found.fun)
    return float(problem.sign * best)


@pytest.mark.parametrize("name", BOXES + TABLES)
def test_the_optimum_is_at_its_point_and_a_fine_search_finds_nothing_better(name: str) -> None:
    problem = problems.build(name, seed=4)
    assert problem.proven
    assert problem.value(problem.optimum_point) == pytest.approx(problem.optimum, rel=1e-12, abs=1e-12)
    found = best_found(problem)
    assert problem.sign * (problem.optimum - found) >= -1e-9
    if name not in RUGGED:
        assert found == pytest.approx(problem.optimum, abs=SEARCH_TOLERANCE * max(1.0, abs(problem.optimum)))


@pytest.mark.parametrize("name", SEPARABLE)
def test_no_change_of_one_parameter_betters_a_function_that_is_a_sum_over_parameters(name: str) -> None:
    problem = problems.build(name)
    assert isinstance(problem.objective, Formula)
    best = np.array(list(problem.optimum_point.values()))
    corners = [list(problem.space.decode(np.full(len(best), end)).values()) for end in (0.0, 1.0)]
    for column, (low, high) in enumerate(zip(*corners, strict=True)):
        others = np.tile(best, (20_003, 1))
        others[:, column] = np.linspace(low, high, len(others))
        assert problem.objective.function(others).min() >= problem.optimum - 1e-12


@pytest.mark.parametrize("name", ["ackley-1", "ackley-9", "levy-9", "rosenbrock-3", "rosenbrock-9"])
def test_a_function_that_is_never_negative_is_zero_at_its_optimum_in_any_dimension(name: str) -> None:
    problem = problems.build(name)
    assert problem.optimum == 0.0
    assert problem.value(problem.optimum_point) == pytest.approx(0.0, abs=1e-12)
    units = problem.space.sample(500, np.random.default_rng(3))
    assert min(problem.value(problem.space.decode(unit)) for unit in units) > 0.0


@pytest.mark.parametrize("name", ["drop-wave", "eggholder"])
def test_no_point_of_a_fine_grid_is_better_than_the_optimum_and_the_best_of_them_leads_to_it(name: str) -> None:
    problem = problems.build(name)
    assert isinstance(problem.objective, Formula)
    axis = np.linspace(0.0, 1.0, 1501)
    low, high = (np.array(list(problem.space.decode(np.full(2, end)).values())) for end in (0.0, 1.0))
    grid = low + (high - low) * np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    values = problem.objective.function(grid)
    assert values.max() <= problem.optimum + 1e-9
    nearest = grid[np.argmax(values)]
    assert nearest == pytest.approx(list(problem.optimum_point.values()), abs=float(high[0] - low[0]) / 1500)
    steps = np.linspace(-1.0, 1.0, 801) * float(high[0] - low[0]) / 1500
    around = nearest + np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)
    found = problem.objective.function(np.clip(around, low, high)).max()
    assert problem.optimum - 1e-4 <= found <= problem.optimum + 1e-9


@pytest.mark.parametrize("dimension", [1, 2, 3, 5, 6, 9, 20, 100])
def test_ackley_upwards_is_no_higher_where_inner_parameters_have_two_values_of_which_one_occurs_once(
    dimension: int,
) -> None:
    problem = problems.build("ackley-unit", dimension=dimension)
    inner, single = np.meshgrid(np.linspace(0.0, 1.0, 201), np.linspace(0.0, 1.0, 201), indexing="ij")
    for at_one in range(dimension):
        others = dimension - at_one - 1
        squares = (at_one + others * inner**2 + single**2) / dimension
        cosines = (at_one + others * np.cos(2 * np.pi * inner) + np.cos(2 * np.pi * single)) / dimension
        heights = 20 + np.e - 20 * np.exp(-0.2 * np.sqrt(squares)) - np.exp(cosines)
        assert heights.max() <= problem.optimum + 1e-12
    assert problem.value(problem.optimum_point) == problem.optimum


def test_the_printed_optimum_of_ackley_upwards_is_a_local_one() -> None:
    printed = dict(zip(["x1", "x2", "x3", "x4", "x5"], [0.6231, 0.6231, 1.0, 0.6231, 0.6231], strict=True))
    problem = problems.build("ackley-unit")
    assert problem.value(printed) == pytest.approx(4.6930, abs=5e-4)
    assert sorted(problem.optimum_point.values()) == pytest.approx([0.5767, 0.5767, 0.5767, 1.0, 1.0], abs=5e-5)
    assert problem.optimum > problem.value(printed) + 0.01


def test_the_functions_of_lu2022_follow_their_formulas_term_by_term() -> None:
    x = np.array([0.3, -2.1, 1.7, 4.0])
    tilt = sum(0.5 * (i + 1) * x[i] for i in range(4))
    assert dimensions.zakharov_values(x[None])[0] == pytest.approx(-sum(x**2) - tilt**2 - tilt**4, rel=1e-13)
    a, b = 1.3, -2.2
    wave = (1 + np.cos(12 * np.sqrt(a**2 + b**2))) / (0.5 * (a**2 + b**2) + 2)
    assert analytic.drop_wave_values(np.array([[a, b]]))[0] == pytest.approx(wave, rel=1e-13)
    a, b = 130.0, -220.0
    egg = (b + 47) * np.sin(np.sqrt(abs(b + a / 2 + 47))) + a * np.sin(np.sqrt(abs(a - b - 47)))
    assert analytic.eggholder_values(np.array([[a, b]]))[0] == pytest.approx(egg, rel=1e-13)


@pytest.mark.parametrize("name", ["zakharov-1", "zakharov-9"])
def test_zakharovs_hill_is_highest_at_the_origin_in_any_dimension(name: str) -> None:
    problem = problems.build(name)
    assert problem.value(problem.optimum_point) == problem.optimum == 0.0
    units = problem.space.sample(300, np.random.default_rng(3))
    assert max(problem.value(problem.space.decode(unit)) for unit in units) < 0.0


@pytest.mark.parametrize("name", [*BOXES, *TABLES, *NUMBERED])
def test_no_sampled_point_is_worse_than_the_worst_value(name: str) -> None:
    problem = problems.build(name, seed=4)
    assert problem.worst is not None
    units = problem.space.sample(500, np.random.default_rng(2))
    corners = np.round(units) if isinstance(problem.space, Space) else units
    values = np.array([problem.value(problem.space.decode(unit)) for unit in [*units, *corners]])
    assert np.all(problem.sign * (values - problem.worst) >= -1e-9)


def test_the_worst_values_of_branin_and_rosenbrock_are_at_corners() -> None:
    assert analytic.branin_values(np.array([[-5.0, 0.0]]))[0] == problems.build("branin").worst
    assert dimensions.rosenbrock_values(np.array([[10.0, -5.0]]))[0] == problems.build("rosenbrock").worst


@pytest.mark.parametrize(
    "name, published",
    [
        ("branin", 0.397887),
        ("ackley-unit-5", 4.71097),
        ("eggholder", 959.6407),
        ("hartmann3", 3.86278),
        ("hartmann6", 3.32237),
        ("michalewicz-2", -1.8013),
        ("michalewicz-5", -4.687658),
        ("michalewicz-10", -9.66015),
    ],
)
def test_the_optima_are_those_that_are_published(name: str, published: float) -> None:
    digits = len(str(published).partition(".")[2])
    assert problems.build(name).optimum == pytest.approx(published, abs=10.0**-digits)


def test_levy_rosenbrock_and_michalewicz_follow_their_formulas_term_by_term() -> None:
    x = np.array([0.3, 2.1, 1.7])
    w = 1 + (x - 1) / 4
    levy = np.sin(np.pi * w[0]) ** 2 + (w[2] - 1) ** 2 * (1 + np.sin(2 * np.pi * w[2]) ** 2)
    levy += sum((w[i] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[i] + 1) ** 2) for i in (0, 1))
    rosenbrock = sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in (0, 1))
    michalewicz = -sum(np.sin(x[i]) * np.sin((i + 1) * x[i] ** 2 / np.pi) ** 20 for i in (0, 1, 2))
    assert dimensions.levy_values(x[None])[0] == pytest.approx(levy, rel=1e-13)
    assert dimensions.rosenbrock_values(x[None])[0] == pytest.approx(rosenbrock, rel=1e-13)
    assert dimensions.michalewicz_values(x[None])[0] == pytest.approx(michalewicz, rel=1e-13)

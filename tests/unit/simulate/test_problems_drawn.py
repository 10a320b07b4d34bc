"""The tables of the papers: their sizes and noise, and functions drawn by the seed alone."""

from __future__ import annotations

import numpy as np
import pytest

from belated.simulate import Problem, problems
from belated.simulate.problems import Tabulated, grids
from belated.simulate.problems.priors import interpolated, prior_draw
from belated.space import Array, Candidates

DRAWN = ["electrodes", "gp-matern32", "gp-se", "gp-unit", "rkhs-f1", "rkhs-f2"]


def values(problem: Problem) -> Array:
    assert isinstance(problem.objective, Tabulated)
    return problem.objective.values


@pytest.mark.parametrize(
    "name, rows, variance",
    [
        ("rosenbrock-grid", 31 * 31, 0.01),
        ("cosines-grid", 31 * 31, 0.01),
        ("electrodes", 116, 0.0463),
        ("gp-se", 1000, 0.025),
        ("gp-matern32", 1000, 0.025),
        ("gp-unit", 1000, 0.0),
        ("rkhs-f1", 2500, 0.02**2),
        ("rkhs-f2", 2500, 0.02**2),
    ],
)
def test_the_tables_have_the_sizes_and_the_noise_of_their_papers(name: str, rows: int, variance: float) -> None:
    problem = problems.build(name, seed=1)
    assert len(values(problem)) == rows
    assert problem.noise**2 == pytest.approx(variance)


@pytest.mark.parametrize("name", DRAWN)
def test_a_function_drawn_from_a_prior_depends_on_the_seed_alone(name: str) -> None:
    first, again, other = (values(problems.build(name, seed=seed)) for seed in (3, 3, 4))
    assert np.array_equal(first, again)
    assert not np.allclose(first, other)


@pytest.mark.parametrize("name", ["rosenbrock-grid", "gp-unit"])
def test_a_rescaled_table_goes_from_zero_to_one(name: str) -> None:
    scaled = values(problems.build(name, seed=6))
    assert (scaled.min(), scaled.max()) == (0.0, 1.0)


def test_the_best_of_the_rosenbrock_grid_is_its_corner() -> None:
    assert problems.build("rosenbrock-grid").optimum_point == {"x": 1.0, "y": 1.0}


def test_the_cosines_follow_their_formula() -> None:
    u, v = 1.6 * 0.3 - 0.5, 1.6 * 0.7 - 0.5
    expected = 1 - (u**2 + v**2 - 0.3 * np.cos(3 * np.pi * u) - 0.3 * np.cos(3 * np.pi * v))
    assert grids.peaks(np.array(0.3), np.array(0.7)) == pytest.approx(expected, rel=1e-14)


def test_functions_from_a_prior_have_its_variance_and_correlation() -> None:
    grid = np.linspace(0.0, 1.0, 5)[:, None]
    n_draws = 2000
    drawn = np.array([prior_draw("matern32", 0.1, 0.5, grid, [seed]) for seed in range(n_draws)])
    assert np.all(np.abs(drawn.var(axis=0) - 0.5) <= 5.0 * 0.5 * np.sqrt(2.0 / n_draws))
    scaled = np.sqrt(3.0) * 0.25 / 0.1
    correlation = (1.0 + scaled) * np.exp(-scaled)
    measured = np.mean(drawn[:, 0] * drawn[:, 1]) / 0.5
    assert abs(measured - correlation) <= 5.0 * np.sqrt((1.0 + correlation**2) / n_draws)


def test_pairs_of_electrodes_are_on_the_array_and_vary_by_the_printed_kernel() -> None:
    domain = problems.build("electrodes", seed=0).space
    assert isinstance(domain, Candidates)
    pairs = [tuple(domain.point(row).values()) for row in range(len(domain))]
    assert len(set(pairs)) == 116
    assert all(pair[:2] != pair[2:] and max(pair[0], pair[2]) <= 2 and max(pair[1], pair[3]) <= 8 for pair in pairs)
    n_draws, first, second = 2000, np.array(pairs[0]), np.array(pairs[1])
    drawn = np.array([values(problems.build("electrodes", seed=seed))[:2] for seed in range(n_draws)])
    expected = np.exp(-0.5 * np.sum(((first - second) / np.array([0.988, 1.5337, 1.0051, 1.5868])) ** 2))
    assert np.all(np.abs(drawn.var(axis=0) - 1.0384) <= 5.0 * 1.0384 * np.sqrt(2.0 / n_draws))
    measured = np.mean(drawn[:, 0] * drawn[:, 1]) / 1.0384
    assert abs(measured - expected) <= 5.0 * np.sqrt((1.0 + expected**2) / n_draws)


@pytest.mark.parametrize("lengthscale", [0.8, 1.0])
def test_an_interpolated_surface_has_the_values_it_was_given_and_its_kernel_between(lengthscale: float) -> None:
    known = np.array([[-5.0, 2.5], [0.0, 0.0], [2.5, 0.0]])
    given = np.array([0.3, -1.2, 0.7])
    assert interpolated("se", lengthscale, known, given, known) == pytest.approx(given, abs=1e-12)
    # Given one value, the surface is the kernel about its place.
    alone = interpolated("se", lengthscale, known[:1], np.ones(1), np.array([[-5.0, 2.5 + lengthscale]]))
    assert alone == pytest.approx([np.exp(-0.5)], rel=1e-12)

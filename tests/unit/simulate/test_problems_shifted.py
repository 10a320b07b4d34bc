"""Problems that the seed draws: landscapes around an optimum, fences, tables, recipes and contexts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from belated.errors import ParameterError, UnknownNameError
from belated.simulate import problems
from belated.simulate.problems import Tabulated, landscapes, shifted, tuned
from belated.space import Array, Candidates
from tests.tolerance import ROUNDING, STANDARD_ERRORS

NAMES = sorted(landscapes.MAKERS)


def drawn(name: str, dimension: int, seed: int = 3) -> landscapes.Landscape:
    return landscapes.landscape(name, dimension, np.random.default_rng(seed))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dimension", [2, 3, 20])
def test_a_landscape_is_0_at_0_and_above_elsewhere(name: str, dimension: int) -> None:
    values = drawn(name, dimension)
    rng = np.random.default_rng(1)
    scales = 10.0 ** rng.uniform(-6.0, 1.0, (400, 1))
    assert abs(float(values(np.zeros((1, dimension)))[0])) < ROUNDING
    assert values(scales * rng.uniform(-1.0, 1.0, (400, dimension))).min() >= 0.0


def test_landscapes_follow_their_formulas_term_by_term() -> None:
    z = np.array([[1.5, -0.7, 2.2]])
    row = z[0].tolist()
    mean = sum(x * x for x in row) / 3
    expected = {
        "well": 1 - np.exp(-mean / 16),
        "powers": (abs(row[0] / 5) ** 2 + abs(row[1] / 5) ** 4 + abs(row[2] / 5) ** 6) / 3,
        "softbowl": sum(np.log(np.cosh(x)) for x in row) / 3,
        "crater": (mean / 8) / (1 + mean / 8),
        "steps": (4 + 1 + 4) / 3,
        "cusps": sum(abs(x) ** 0.5 for x in row) / 3,
        "sawtooth": sum(abs(x) + 4 * abs(1.5 * x - round(1.5 * x)) for x in row) / 3,
        "ellipsoid": (row[0] ** 2 + 100 * row[1] ** 2 + 1e4 * row[2] ** 2) / 10101,
        "cigar": row[0] ** 2 / 1e4 + (row[1] ** 2 + row[2] ** 2) / 2,
        "snake": row[0] ** 2 / 100 + ((row[1] - 2 * np.sin(row[0])) ** 2 + (row[2] - 2 * np.sin(row[1])) ** 2) / 2,
    }
    for name, value in expected.items():
        assert drawn(name, 3)(z)[0] == pytest.approx(value), name


def test_the_highest_of_the_peaks_and_the_deeper_of_the_funnels_is_at_0() -> None:
    peaks, funnels = drawn("peaks", 4), drawn("funnels", 4)
    assert isinstance(peaks, landscapes.Peaks)
    assert isinstance(funnels, landscapes.Funnels)
    assert np.all(peaks(peaks.places[1:]) > 0.5)
    assert float(funnels(funnels.other[None])[0]) >= 0.5


@pytest.mark.parametrize("dimension", [2, 7, 50])
def test_a_rotation_keeps_lengths_and_the_place_of_the_optimum_does_not_depend_on_it(dimension: int) -> None:
    turn = shifted.rotation(dimension, np.random.default_rng(2))
    assert np.allclose(turn @ turn.T, np.eye(dimension), atol=ROUNDING)
    turned, straight = (
        problems.build("shifted", 5, dimension=dimension, function="ellipsoid", rotated=rotated)
        for rotated in (True, False)
    )
    assert turned.optimum_point == straight.optimum_point
    assert turned.value(dict.fromkeys(turned.space.names, 1.0)) != straight.value(
        dict.fromkeys(straight.space.names, 1.0)
    )


def test_rotations_have_no_preferred_direction() -> None:
    turns = np.array([shifted.rotation(3, np.random.default_rng(seed)) for seed in range(600)])
    # An entry of a uniform rotation has mean 0 and variance 1/3.
    assert np.abs(turns.mean(axis=0)).max() <= STANDARD_ERRORS * np.sqrt(1 / 3 / 600)


@pytest.mark.parametrize("fence", sorted(shifted.FENCES))
@pytest.mark.parametrize("share", [0.15, 0.5])
def test_a_fence_fails_in_its_share_of_the_box_and_not_at_the_optimum(fence: str, share: float) -> None:
    posed = problems.build("fenced", 4, fence=fence, share=share, dimension=4, function="powers")
    units = posed.space.sample(2000, np.random.default_rng(8))
    failing = np.mean([posed.fails(posed.space.decode(unit)) for unit in units])
    # Both shares are of samples: that of the box's own points, and this one.
    error = np.sqrt(share * (1 - share) * (1 / 2000 + 1 / shifted.POINTS))
    assert abs(failing - share) <= STANDARD_ERRORS * error
    assert not posed.fails(posed.optimum_point)


@pytest.mark.parametrize("law", ["prior", "prototypes"])
@pytest.mark.parametrize("numbers, categories", [(3, 0), (0, 4), (2, 2)])
def test_a_catalogue_has_its_columns_and_values_of_mean_0_and_deviation_1(
    law: str, numbers: int, categories: int
) -> None:
    posed = problems.build("catalogue", 1, rows=300, numbers=numbers, categories=categories, law=law)
    assert isinstance(posed.space, Candidates)
    assert posed.space.categorical == (False,) * numbers + (True,) * categories
    assert len(posed.space) == 300
    values = tabulated_values(posed)
    assert (values.mean(), values.std()) == (pytest.approx(0.0, abs=ROUNDING), pytest.approx(1.0))
    assert posed.optimum == values.max()


@pytest.mark.parametrize("law", ["prior", "prototypes"])
def test_a_jagged_catalogue_varies_more_among_neighbours_than_a_smooth_one(law: str) -> None:
    def roughness(texture: str) -> float:
        posed = problems.build("catalogue", 2, rows=800, numbers=2, texture=texture, law=law)
        assert isinstance(posed.space, Candidates)
        units, values = posed.space.table, tabulated_values(posed)
        nearest = np.argsort(np.sum((units[:, None] - units[None]) ** 2, axis=2), axis=1)[:, 1]
        return float(np.mean((values - values[nearest]) ** 2))

    assert roughness("jagged") > 2.0 * roughness("smooth")


def test_a_catalogue_without_enough_distinct_rows_is_refused() -> None:
    with pytest.raises(ParameterError, match="no 500 distinct rows"):
        problems.build("catalogue", rows=500, numbers=0, categories=2)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_other_option_of_a_recipe_is_worse_whatever_the_numbers(seed: int) -> None:
    posed = problems.build("recipe", seed, floats=1, logs=1, ints=1, choices=2)
    rng = np.random.default_rng(seed)
    for unit in posed.space.sample(300, rng):
        point = posed.space.decode(unit)
        wrong = any(point[name] != posed.optimum_point[name] for name in ("choice1", "choice2"))
        # The least penalty is a fifth of the numbers' deviation, over √2 for two choices.
        assert posed.value(point) >= (0.01 if wrong else 0.0)


def test_the_tables_of_scores_are_whole_and_each_seed_leaves_a_fold_out() -> None:
    for name in tuned.tuned_tables():
        posed, next_fold, again = (problems.build("tuned", seed, table=name) for seed in (0, 1, 4))
        assert isinstance(posed.space, Candidates)
        values = tabulated_values(posed)
        assert 150 <= len(values) <= 500
        assert -1.0 <= values.min() < values.max() <= 1.0
        assert np.array_equal(values, tabulated_values(again))
        assert not np.array_equal(values, tabulated_values(next_fold))


@pytest.mark.parametrize("goal", ["minimize", "maximize"])
@pytest.mark.parametrize("rhythm", ["cycle", "drawn", "blocks"])
def test_the_best_value_of_a_context_is_reached_where_it_moves_the_optimum(goal: Any, rhythm: str) -> None:
    posed = problems.build("moving", 6, function="softbowl", dimension=3, contexts=2, rhythm=rhythm, goal=goal)
    assert posed.circumstances is not None
    function = posed.objective.function  # type: ignore[attr-defined]
    for number in (1, 7, 30):
        context = posed.circumstances.at(number)
        assert context == posed.circumstances.at(number)
        posed.context.encode(context)  # type: ignore[union-attr]
        where = function.still.centre + np.sin(np.pi * np.array(list(context.values()))) @ function.moves.T
        point = dict(zip(posed.space.names, where.tolist(), strict=True))
        posed.space.encode(point)
        assert posed.value(point, context) == pytest.approx(posed.best(context))
        assert posed.sign * posed.best(context) <= posed.sign * posed.optimum


def test_blocks_of_contexts_hold_for_ten_rounds_and_a_day_has_24() -> None:
    blocks, cycle = (problems.build("moving", 6, rhythm=rhythm).circumstances for rhythm in ("blocks", "cycle"))
    assert blocks is not None
    assert cycle is not None
    assert blocks.at(1) == blocks.at(10) != blocks.at(11)
    assert cycle.at(6) == {"c1": 0.25} == cycle.at(30)


@pytest.mark.parametrize("distribution", ["normal", "skewed", "two-peaks"])
def test_what_sways_answers_leaves_their_expectation(distribution: str) -> None:
    posed = problems.build("swayed", 2, distribution=distribution)
    assert posed.chance is not None
    rng = np.random.default_rng(4)
    point = {"x1": 1.0, "x2": -2.0}
    outcomes = np.array([posed.chance.outcome(point, posed.chance.draw(rng)) for _ in range(2000)])
    assert outcomes.std() > 0.0
    assert abs(outcomes.mean() - posed.value(point)) <= STANDARD_ERRORS * outcomes.std() / np.sqrt(2000)


@pytest.mark.parametrize(
    "name, parameters",
    [
        ("shifted", {"function": "wel"}),
        ("fenced", {"fence": "moat"}),
        ("catalogue", {"texture": "silky"}),
        ("catalogue", {"law": "of the land"}),
        ("tuned", {"table": "svm-cancers"}),
        ("moving", {"rhythm": "waltz"}),
        ("swayed", {"distribution": "levy"}),
    ],
)
def test_an_unknown_kind_is_refused_with_those_that_there_are(name: str, parameters: dict[str, Any]) -> None:
    with pytest.raises(UnknownNameError):
        problems.build(name, **parameters)


def tabulated_values(posed: problems.Problem) -> Array:
    assert isinstance(posed.objective, Tabulated)
    return posed.objective.values

"""A score across contexts: its gradient against differences, its maximum against a dense grid or a whole table."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, Belief, Combined, Description, Ensemble, Features, Memory
from belated.contexts import (
    Aim,
    DensityBall,
    Expectation,
    KernelDensity,
    MeanDiscrepancyBall,
    MinimaxDiscrepancy,
    View,
    WithinDeviation,
)
from belated.evidence import Evidence
from belated.search import Across, MomentScore, maximise_across, pairs
from belated.search.across import PAIRS, WHOLE
from belated.space import Array, Candidates, Choice, Context, Float, Int, Space
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, STEP

pytest.importorskip("clarabel", reason="needs clarabel, of the extra `robust`")

PLANE = Space(heat=Float(-30.0, 170.0), dose=Float(1e-4, 10.0, log=True))
LINE = Space(heat=Float(-30.0, 170.0))
MIXED = Space(heat=Float(-30.0, 170.0), steps=Int(1, 5), solvent=Choice("DMF", "THF", "water"))
CONTEXT = Context(demand=Float(10.0, 90.0), shift=Int(1, 3), site=Choice("north", "south"), seen="before")
SE = GP(kernel="se", lengthscale=0.35, variance=1.2, noise=0.02, mean=0.1)
MATERN = GP(kernel="matern52", lengthscale=0.6, variance=0.8, noise=0.05, mean="zero")
BELIEFS: dict[str, Description] = {
    "process": SE,
    "features": Ensemble((Features(SE, 8), Features(MATERN, 8))),
    "processes": Ensemble((SE, MATERN)),
}
AIMS: dict[str, Aim] = {
    "expectation": Expectation(samples=300),
    "density ball": DensityBall(samples=300, infimum=100),
    "within deviation": WithinDeviation(samples=300),
    "discrepancy ball": MeanDiscrepancyBall(grid=5, radius=0.3),
    "minimax": MinimaxDiscrepancy(grid=30, radius=0.3),
}
every_aim = pytest.mark.parametrize("aim", AIMS)
every_belief = pytest.mark.parametrize("belief", BELIEFS)


def upper_bound(mean: Array, deviation: Array) -> Combined:
    return Combined(mean + 1.5 * deviation, np.ones_like(mean), np.full_like(mean, 1.5))


def belief_over(space: Space | Candidates, belief: str = "process", n_answers: int = 20, seed: int = 4) -> Belief:
    """A belief over (context, point), after some random answers."""
    prior = BELIEFS[belief].prior(Evidence.none(space, CONTEXT), Memory())
    rng = np.random.default_rng(seed)
    points = np.concatenate([CONTEXT.space.sample(n_answers, rng), space.sample(n_answers, rng)], axis=1)
    return prior.condition(points, np.sin(5.0 * points.sum(axis=1)) + rng.normal(0.0, 0.3, n_answers))


def views_of(aim: Aim, belief: Belief, seed: int = 4) -> tuple[View, ...]:
    rng = np.random.default_rng(seed)
    seen = CONTEXT.space.snap(0.15 + 0.6 * rng.random((30, CONTEXT.space.dimension)))
    return aim.views(seen, CONTEXT.space, belief, rng)


def brute(score: MomentScore, view: View, points: Array) -> Array:
    """What the view makes of each point, one context after another."""
    values = np.empty((len(points), len(view.contexts)))
    for place, context in enumerate(view.contexts):
        values[:, place] = score.values(np.column_stack([np.tile(context, (len(points), 1)), points]))
    return view.weigh(values).value


# Values and gradients.


@every_belief
@every_aim
def test_the_value_across_contexts_is_that_of_all_pairs_whatever_the_blocks(aim: str, belief: str) -> None:
    believed = belief_over(PLANE, belief)
    view, score = views_of(AIMS[aim], believed)[-1], MomentScore(believed, upper_bound)
    points = PLANE.sample(2 + PAIRS // len(view.contexts), np.random.default_rng(2))[:60]
    across = Across(score, view)
    assert_allclose(across.values(points), brute(score, view, points), atol=1e-9)
    assert across.values(points[:0]).shape == (0,)
    assert_allclose(across.slopes(points)[0], across.values(points), atol=1e-7)


@every_belief
@every_aim
def test_the_gradient_across_contexts_is_that_of_differences_away_from_ties(aim: str, belief: str) -> None:
    believed = belief_over(PLANE, belief)
    views, score = views_of(AIMS[aim], believed), MomentScore(believed, upper_bound)
    points = 0.05 + 0.9 * np.random.default_rng(3).random((12, 2))
    for view in views:
        across = Across(score, view)
        values, gradients = across.slopes(points)
        expected = np.empty_like(gradients)
        # The solver's minimum is exact to 1e-8 of its range, which a difference divides by twice the step.
        tolerance = 5e-3 if aim == "discrepancy ball" else 10.0 * SLOPE_TOLERANCE
        smooth = np.ones(len(points), dtype=bool)
        for column, step in enumerate(STEP * np.eye(2)):
            above, below = across.values(points + step), across.values(points - step)
            expected[:, column] = (above - below) / (2.0 * STEP)
            # At a tie between contexts the slope jumps.
            smooth &= np.abs(above - 2.0 * values + below) / STEP <= 2.0 * tolerance
        assert smooth.sum() > 8
        assert_allclose(gradients[smooth], expected[smooth], atol=tolerance)


def test_pairs_come_point_by_point_with_the_context_first() -> None:
    found = pairs(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0], [6.0]]))
    assert found.tolist() == [[1.0, 2.0, 5.0], [3.0, 4.0, 5.0], [1.0, 2.0, 6.0], [3.0, 4.0, 6.0]]


# The search.


def searched(score: MomentScore, views: tuple[View, ...], domain: Space | Candidates, seed: int = 1) -> Array:
    return maximise_across(score, views, domain, np.random.default_rng(seed), np.zeros((0, domain.dimension)))


def raster(space: Space) -> Array:
    """Points of a space, densely: 300 of a line, 60 × 60 of a plane, 120 for each setting of discrete columns."""
    if space is LINE:
        return np.linspace(0.0, 1.0, 300)[:, None]
    if space is PLANE:
        axis = np.linspace(0.0, 1.0, 60)
        return np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    levels = [np.linspace(0.0, 1.0, 120), (np.arange(5) + 0.5) / 5, (np.arange(3) + 0.5) / 3]
    return space.snap(np.stack(np.meshgrid(*levels, indexing="ij"), axis=-1).reshape(-1, 3))


FINE: dict[str, Aim] = {
    "expectation": Expectation(samples=512),
    "density ball": DensityBall(samples=512, infimum=128),
    "within deviation": WithinDeviation(samples=512),
    "minimax": MinimaxDiscrepancy(grid=64, radius=0.3),
}


@pytest.mark.longest
def test_the_search_finds_what_a_dense_grid_does_but_for_a_few_cases() -> None:
    cases = list(itertools.product(FINE, ("line", "plane", "mixed"), (4, 5)))
    missed = [case for case in cases if not is_found(*case)]
    # Over 96 other cases it missed four. If it misses one in sixteen, more than seven of 24 come once in 10,000 times.
    assert len(missed) <= 7


def is_found(aim: str, space: str, seed: int) -> bool:
    """Whether the search of a score comes to a point as high as the best of a dense grid."""
    domain = {"line": LINE, "plane": PLANE, "mixed": MIXED}[space]
    belief = belief_over(domain, seed=seed)
    views, score = views_of(FINE[aim], belief, seed), MomentScore(belief, upper_bound)
    point = searched(score, views, domain)
    assert_array_equal(domain.snap(point[None])[0], point)
    found = brute(score, views[-1], point[None])[0]
    # Looked for on the grid with few contexts, and then closely where these are high.
    grid = raster(domain)
    rough = Across(score, views[min(1, len(views) - 1)]).values(grid)
    best = grid[np.argsort(-rough)[:60]]
    heights = brute(score, views[-1], best)
    # The approximation has jumps, at whose edge a climb may stop.
    slack = 0.02 if aim == "minimax" else 2e-3
    return bool(found >= heights.max() - slack * np.ptp(rough))


@pytest.mark.parametrize("aim", AIMS)
def test_a_small_table_is_searched_whole(aim: str) -> None:
    domain = Candidates(np.random.default_rng(1).random((60, 2)))
    belief = belief_over(domain)
    views, score = views_of(AIMS[aim], belief), MomentScore(belief, upper_bound)
    heights = brute(score, views[-1], domain.table)
    row = domain.index(domain.decode(searched(score, views, domain)))
    assert heights[row] >= heights.max() - 1e-7


@dataclass(frozen=True)
class Ramps:
    """A score without a belief: s(c, x) is linear in x, and bends with the context."""

    def values(self, points: Array) -> Array:
        return np.asarray(points[:, 3] * (1.0 + 0.3 * points[:, 0]) + 0.01 * np.sin(40.0 * points[:, 4]))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        raise AssertionError("a table has no slopes")


@pytest.mark.parametrize("aim", FINE)
def test_a_large_table_is_searched_by_few_contexts_first_and_the_best_row_is_found(aim: str) -> None:
    domain = Candidates(np.random.default_rng(1).random((3000, 2)))
    belief = belief_over(domain)
    views = views_of(FINE[aim], belief)
    assert len(domain.table) * len(views[-1].contexts) > WHOLE
    score: Any = Ramps()
    row = domain.index(domain.decode(searched(score, views, domain)))
    heights = Across(score, views[-1]).values(domain.table)
    assert heights[row] == pytest.approx(heights.max(), abs=ROUNDING)


@pytest.mark.parametrize(
    "make", [lambda: LINE, lambda: MIXED, lambda: Candidates(np.random.default_rng(1).random((60, 2)))]
)
def test_the_same_generator_finds_the_same_point(make: Callable[[], Space | Candidates]) -> None:
    domain = make()
    belief = belief_over(domain)
    views, score = views_of(Expectation(KernelDensity(), samples=64), belief), MomentScore(belief, upper_bound)
    assert_array_equal(searched(score, views, domain), searched(score, views, domain))


def test_anchors_are_looked_at() -> None:
    # A needle that no sample meets.
    @dataclass(frozen=True)
    class Needle:
        def values(self, points: Array) -> Array:
            return np.asarray(np.exp(-0.5 * ((points[:, 3] - 0.123456) / 1e-5) ** 2))

        def slopes(self, points: Array) -> tuple[Array, Array]:
            values, gradients = self.values(points), np.zeros_like(points)
            gradients[:, 3] = -(points[:, 3] - 0.123456) / 1e-10 * values
            return values, gradients

    views = views_of(Expectation(samples=64), belief_over(LINE))
    score: Any = Needle()
    anchors = np.array([[0.123456]])
    found = maximise_across(score, views, LINE, np.random.default_rng(1), anchors)
    assert found[0] == pytest.approx(0.123456, abs=1e-6)

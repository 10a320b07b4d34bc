"""Every aim, through every view it offers: what any value of a point in unseen contexts has to obey."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.contexts import (
    Aim,
    ChiSquare,
    ContextLaw,
    DensityBall,
    Expectation,
    KullbackLeibler,
    MeanDiscrepancyBall,
    MinimaxDiscrepancy,
    Sample,
    View,
    WithinDeviation,
)
from belated.contexts.discrepancy import Approximate
from belated.contexts.grid import Interpolated
from belated.space import Array, Choice, Float, Int, Space
from tests.builders import processes_of
from tests.tolerance import CONIC_TOLERANCE, ROUNDING

pytest.importorskip("clarabel", reason="needs clarabel, of the extra `robust`")


@dataclass(frozen=True)
class Uneven:
    """A law of contexts that knows nothing: quasi-random points with uneven weights."""

    def sample(self, seen: Array, space: Space, count: int, rng: np.random.Generator) -> Sample:
        """As many points as wanted."""
        weights = rng.random(count) + 0.01
        return Sample(space.sample(count, rng), weights / weights.sum())


LAW: ContextLaw = Uneven()
AIMS: dict[str, Callable[[], Aim]] = {
    "expectation": lambda: Expectation(LAW, samples=300),
    "density ball": lambda: DensityBall(LAW, samples=300, infimum=200),
    "wide density ball": lambda: DensityBall(LAW, samples=40, infimum=20, radius=2.5),
    "point density ball": lambda: DensityBall(LAW, samples=40, infimum=20, radius=0.0),
    "Kullback-Leibler ball": lambda: DensityBall(LAW, samples=300, infimum=20, divergence=KullbackLeibler()),
    "wide Kullback-Leibler ball": lambda: DensityBall(LAW, 40, 20, radius=4.5, divergence=KullbackLeibler()),
    "point Kullback-Leibler ball": lambda: DensityBall(LAW, 40, 20, radius=0.0, divergence=KullbackLeibler()),
    "chi-square ball": lambda: DensityBall(LAW, samples=300, infimum=20, divergence=ChiSquare()),
    "wide chi-square ball": lambda: DensityBall(LAW, 40, 20, radius=30.0, divergence=ChiSquare()),
    "within deviation": lambda: WithinDeviation(samples=300),
    "discrepancy ball": lambda: MeanDiscrepancyBall(grid=30),
    "small discrepancy ball": lambda: MeanDiscrepancyBall(grid=30, radius=0.05),
    "point discrepancy ball": lambda: MeanDiscrepancyBall(grid=30, radius=0.0),
    "minimax": lambda: MinimaxDiscrepancy(grid=300),
    "small minimax": lambda: MinimaxDiscrepancy(grid=300, radius=0.02),
    "point minimax": lambda: MinimaxDiscrepancy(grid=30, radius=0.0),
}
SPACES = {
    "line": Space(demand=Float(10.0, 90.0)),
    "plane": Space(demand=Float(10.0, 90.0), price=Float(1e-3, 1.0, log=True)),
    "mixed": Space(demand=Float(10.0, 90.0), shift=Int(1, 4), supplier=Choice("north", "south")),
    "choices": Space(supplier=Choice("north", "south", "sea"), open=Choice(True, False)),
}
each_aim = pytest.mark.parametrize("aim", AIMS)
each_space = pytest.mark.parametrize("space", SPACES)
each_count = pytest.mark.parametrize("n_seen", [0, 1, 60])

# Random smooth functions have values and slopes of order one, and values on a line of steps of 1e-4 differ by less.
STEP = 1e-4
SLOPE_TOLERANCE = 5e-3


def views_of(aim: str, space: str, n_seen: int = 60) -> tuple[View, ...]:
    """The views of an aim whose contexts crowd in one corner, the glance first, with a belief over (context, point)."""
    contexts = SPACES[space]
    rng = np.random.default_rng(8)
    seen = contexts.snap(0.1 + 0.6 * rng.random((n_seen, contexts.dimension)))
    pairs = zip(contexts.names, contexts.parameters, strict=True)
    belief, _ = processes_of(Space.from_parameters([*pairs, ("heat", Float(0.0, 1.0))]))
    views = AIMS[aim]().views(seen, contexts, belief, np.random.default_rng(5))
    return views[0].glance(), *views


def approximates(view: View) -> bool:
    """Whether it is midway between two bounds of a minimum, which is no minimum."""
    return isinstance(view.view if isinstance(view, Interpolated) else view, Approximate)


def smooth(seed: int, count: int = 6) -> Callable[[Array], Array]:
    """So many random smooth functions of a context; values (count, k)."""

    def values(contexts: Array) -> Array:
        rng = np.random.default_rng(seed)
        frequencies = rng.normal(0.0, 2.5, (count, 3, contexts.shape[1]))
        phases, heights = rng.uniform(0.0, 6.0, (count, 3, 1)), rng.normal(0.0, 1.0, (count, 3, 1))
        waves = heights * np.cos(frequencies @ contexts.T + phases)
        return np.asarray(waves.sum(axis=1))

    return values


def tolerance(values: Array) -> Array:
    """What the least exact view, the solver's, may be off by. (m,)"""
    return np.asarray(CONIC_TOLERANCE * (1.0 + np.ptp(values, axis=1)))


@each_count
@each_space
@each_aim
def test_a_value_lies_between_the_lowest_and_the_highest_and_is_the_sum_of_its_shares(
    aim: str, space: str, n_seen: int
) -> None:
    for view in views_of(aim, space, n_seen):
        values = smooth(1)(view.contexts)
        value, shares = view.weigh(values)
        assert value.shape == (6,)
        assert shares.shape == values.shape
        assert np.all(value >= values.min(axis=1) - tolerance(values))
        assert np.all(value <= values.max(axis=1) + tolerance(values))
        assert_allclose(shares.sum(axis=1), 1.0, atol=CONIC_TOLERANCE)
        assert np.all(np.abs((shares * values).sum(axis=1) - value) <= tolerance(values))


@each_space
@each_aim
def test_shares_are_a_law_except_those_of_the_approximation(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        if not approximates(view):
            assert view.weigh(smooth(2)(view.contexts)).shares.min() >= 0.0


@each_space
@each_aim
def test_a_constant_more_in_every_context_is_that_much_more(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        values = smooth(3)(view.contexts)
        raised = view.weigh(values + 40.0).value
        assert np.all(np.abs(raised - 40.0 - view.weigh(values).value) <= tolerance(values))


@each_space
@each_aim
def test_in_other_units_the_value_is_the_same_in_those_units(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        values = smooth(4)(view.contexts)
        for factor in (1e-6, 1e6):
            scaled = view.weigh(factor * values).value / factor
            assert np.all(np.abs(scaled - view.weigh(values).value) <= tolerance(values))


@each_space
@each_aim
def test_what_is_the_same_in_every_context_is_worth_that(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        value, shares = view.weigh(np.full((2, len(view.contexts)), [[3.7], [0.0]]))
        assert_allclose(value, [3.7, 0.0], rtol=ROUNDING, atol=ROUNDING)
        assert shares.min() >= 0.0


@each_space
@each_aim
def test_a_value_that_is_not_finite_spoils_its_own_row_alone(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        values = smooth(15)(view.contexts)
        spoiled = values.copy()
        spoiled[1] = -np.inf
        spoiled[3, :2] = -np.inf
        spoiled[4, -1] = np.nan
        found = view.weigh(spoiled).value
        assert not np.isfinite(found[[1, 3]]).any()
        others = [0, 2, 5]
        assert_allclose(found[others], view.weigh(values).value[others], atol=ROUNDING)


@each_space
@each_aim
def test_better_in_every_context_is_no_worse_except_for_the_approximation(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        values = smooth(5)(view.contexts)
        better = values + np.abs(smooth(6)(view.contexts))
        if not approximates(view):
            assert np.all(view.weigh(better).value >= view.weigh(values).value - 2 * tolerance(better))


@each_space
@each_aim
def test_a_value_is_concave_and_its_shares_bound_it_from_above_except_for_the_approximation(
    aim: str, space: str
) -> None:
    # A least expectation over laws is at most that under the law that is least for other values.
    for view in views_of(aim, space):
        values, others = smooth(7)(view.contexts), smooth(8)(view.contexts)
        value, shares = view.weigh(values)
        bound = value + (shares * (others - values)).sum(axis=1)
        if not approximates(view):
            assert np.all(view.weigh(others).value <= bound + 4 * tolerance(values) + 4 * tolerance(others))


@each_space
@each_aim
def test_shares_are_the_gradient(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        values, direction = smooth(9)(view.contexts), smooth(10)(view.contexts)
        above, below = (view.weigh(values + sign * STEP * direction).value for sign in (1.0, -1.0))
        expected = (above - below) / (2 * STEP)
        found = (view.weigh(values).shares * direction).sum(axis=1)
        assert_allclose(found, expected, atol=SLOPE_TOLERANCE)


@each_space
@each_aim
def test_rows_are_weighed_alone_and_again_alike(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        values = smooth(11)(view.contexts)
        together = view.weigh(values)
        for row in reversed(range(len(values))):
            alone = view.weigh(values[row : row + 1])
            assert_allclose(alone.value, together.value[row : row + 1], rtol=0.0, atol=ROUNDING)
        assert_array_equal(view.weigh(values).value, together.value)
        assert view.weigh(values[:0]).shares.shape == (0, len(view.contexts))


@each_space
@each_aim
def test_a_narrowed_view_has_fewer_contexts_and_weighs_the_same_rows_the_same(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        values = smooth(12)(view.contexts)
        narrowed = view.narrowed(values)
        assert len(narrowed.contexts) <= len(view.contexts)
        known = {row.tobytes() for row in view.contexts}
        assert all(row.tobytes() in known for row in narrowed.contexts)
        found = narrowed.weigh(smooth(12)(narrowed.contexts))
        assert_allclose(found.value, view.weigh(values).value, atol=ROUNDING)
        assert (narrowed is view) == (len(narrowed.contexts) == len(view.contexts))
        assert len(view.narrowed(values[:0]).contexts) <= len(view.contexts)


@each_space
@each_aim
def test_elsewhere_a_narrowed_view_promises_no_less(aim: str, space: str) -> None:
    for view in views_of(aim, space):
        narrowed = view.narrowed(smooth(12)(view.contexts))
        whole = view.weigh(smooth(14)(view.contexts)).value
        assert np.all(narrowed.weigh(smooth(14)(narrowed.contexts)).value >= whole - ROUNDING)


@each_count
@each_space
@each_aim
def test_views_grow_finer_and_look_at_valid_contexts(aim: str, space: str, n_seen: int) -> None:
    views = views_of(aim, space, n_seen)
    sizes = [len(view.contexts) for view in views]
    assert sizes == sorted(sizes)
    assert sizes[0] > 0
    for view in views:
        assert_array_equal(SPACES[space].snap(view.contexts), view.contexts)


@each_aim
def test_the_same_generator_gives_the_same_views(aim: str) -> None:
    for first, second in zip(views_of(aim, "mixed"), views_of(aim, "mixed"), strict=True):
        assert_array_equal(first.contexts, second.contexts)
        values = smooth(13)(first.contexts)
        assert_array_equal(first.weigh(values).value, second.weigh(values).value)

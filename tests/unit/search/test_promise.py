"""Scores that are weighed by the chance of success, over boxes, tables and contexts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import Combined
from belated.contexts import View
from belated.contexts.aims import Weighed
from belated.search import Across, BoxSearch, MomentScore, Odds, Promise, TableSearch, Taken
from belated.space import Array, Candidates, Float, Space
from tests.builders import box
from tests.tolerance import ROUNDING


class Hill:
    """−|x − summit|²."""

    def __init__(self, summit: Any) -> None:
        self.summit = np.array(summit)

    def values(self, points: Array) -> Array:
        return np.asarray(-np.sum((points - self.summit) ** 2, axis=1))

    def slopes(self, points: Array) -> tuple[Array, Array]:
        return self.values(points), -2.0 * (points - self.summit)


class Wall:
    """log P falls by ten for each unit beyond a half in the first column."""

    def values(self, points: Array) -> Array:
        return -10.0 * np.maximum(points[:, 0] - 0.5, 0.0)

    def slopes(self, points: Array) -> tuple[Array, Array]:
        gradients = np.zeros_like(points)
        gradients[:, 0] = np.where(points[:, 0] > 0.5, -10.0, 0.0)
        return self.values(points), gradients


@dataclass(frozen=True)
class Mean:
    """The mean over some contexts."""

    contexts: Array

    def weigh(self, values: Array) -> Weighed:
        return Weighed(values.mean(axis=1), np.full(values.shape, 1.0 / values.shape[1]))

    def narrowed(self, values: Array) -> Mean:
        return self

    def glance(self) -> Mean:
        return self


ODDS = Odds(Wall(), deviation=0.5)


def test_a_chance_that_is_enough_takes_nothing_away() -> None:
    points = np.array([[0.3, 0.2], [0.51, 0.9], [0.9, 0.1]])
    lost, gradients = ODDS.slopes(points)
    assert_array_equal(lost[:2], 0.0)
    assert_array_equal(gradients[:2], 0.0)
    assert lost[2] == pytest.approx(-4.0 - np.log(0.9))
    assert_array_equal(gradients[2], [-10.0, 0.0])


def test_each_halving_of_the_chance_costs_a_deviation_and_logarithms_have_a_unit_of_their_own() -> None:
    def level(mean: Array, deviation: Array) -> Combined:
        return Combined(0.0 * mean, 0.0 * mean, 0.0 * mean)

    assert ODDS.unit(Hill([0.0])) * np.log(2.0) == pytest.approx(0.5)
    score: Any = MomentScore(None, level, logarithmic=True)  # type: ignore[arg-type]
    assert ODDS.unit(score) == 8.0


def test_a_promise_is_the_score_and_what_the_chance_takes_away() -> None:
    hill, points = Hill([0.9, 0.3]), np.random.default_rng(0).random((20, 2))
    values, gradients = ODDS.promise(hill, hill).slopes(points)
    unit = ODDS.unit(hill)
    assert_allclose(values, hill.values(points) + unit * ODDS.values(points), atol=ROUNDING)
    assert_allclose(gradients, hill.slopes(points)[1] + unit * ODDS.slopes(points)[1], atol=ROUNDING)
    assert_array_equal(Promise(hill, ODDS, unit).values(points), values)


def test_a_box_is_searched_for_what_promises_most() -> None:
    none = np.empty((0, 2))
    free, weighed = (BoxSearch(box(), np.empty(0), none, None, odds) for odds in (None, ODDS))
    hill, rng = Hill([0.9, 0.3]), np.random.default_rng
    assert free.best(hill, rng(0))[0] == pytest.approx(0.9, abs=1e-4)
    # Up to a chance of nine in ten, at 0.5105, nothing is lost; beyond, the wall is steeper than the hill.
    assert weighed.best(hill, rng(0))[0] == pytest.approx(0.5 - np.log(0.9) / 10.0, abs=1e-3)


@pytest.mark.parametrize("n", [1, 5, 3000])
def test_of_a_table_only_rows_that_could_win_are_asked_for_their_chance(n: int) -> None:
    rows = np.random.default_rng(1).random((n, 2))
    table = Candidates(rows, names=["a", "b"])
    looked: list[int] = []

    class Counting(Wall):
        def values(self, points: Array) -> Array:
            looked.append(len(points))
            return super().values(points)

    hill = Hill([0.4, 0.3])
    search = TableSearch(table, table.table, None, Odds(Counting(), 0.5))
    best = search.best(hill, np.random.default_rng(0))
    promised = hill.values(table.table) + ODDS.unit(hill) * ODDS.values(table.table)
    assert_array_equal(best, table.table[np.argmax(promised)])
    assert sum(looked) <= max(n, 256)


def test_taken_rows_stay_taken_whatever_they_promise() -> None:
    table = Candidates(np.random.default_rng(1).random((40, 2)), names=["a", "b"])
    hill, rng = Hill([0.4, 0.3]), np.random.default_rng(0)
    first = TableSearch(table, table.table, None, ODDS).best(hill, rng)
    taken = Taken(first[None], np.zeros(2))
    second = TableSearch(table, table.table, taken, ODDS).best(hill, rng)
    promised = hill.values(table.table) + ODDS.unit(hill) * ODDS.values(table.table)
    assert_array_equal(second, table.table[np.argsort(-promised)[1]])


def test_across_contexts_the_chance_is_that_of_the_point() -> None:
    space = Space(a=Float(0, 1), b=Float(0, 1))
    points = space.sample(8, np.random.default_rng(0))
    view: View = Mean(np.array([[0.1], [0.8]]))
    hill = Hill([0.3, 0.9, 0.3])
    free, weighed = Across(hill, view), Across(hill, view, ODDS, Taken(points[:1], np.zeros(2)))
    lost = ODDS.unit(hill) * ODDS.values(points)
    assert_allclose(weighed.values(points)[1:], (free.values(points) + lost)[1:], atol=ROUNDING)
    assert weighed.values(points)[0] == -np.inf
    values, gradients = weighed.slopes(points)
    assert_array_equal(values, weighed.values(points))
    inclines = free.slopes(points)[1] + ODDS.unit(hill) * ODDS.slopes(points)[1]
    assert_allclose(gradients[1:], inclines[1:], atol=ROUNDING)

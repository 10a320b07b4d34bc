"""What is asked again, and what is not: tables, finite spaces and boxes, with noise and without."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

import belated as bl
from belated.evidence import Data, Errors
from belated.rules.repeats import VERY_SAME, answers_differ, worths
from belated.search import Elsewhere, Taken, alike, every_point, maximise_box, number_of_points, resolution
from belated.space import Array, Candidates, Choice, Float, Int, Space
from tests.builders import Clock, Domain
from tests.pairs import every_pair, first

Objective = Callable[[Mapping[str, Any]], float]
FINITE: dict[str, Domain] = {
    "table": Candidates([{"a": a, "b": b} for a, b in itertools.product(range(9), "uvw")]),
    "space": Space(a=Int(0, 8), b=Choice("u", "v", "w")),
    "logarithmic": Space(a=Int(1, 100, log=True), b=Choice("u", "v", "w")),
}


def smooth(point: Mapping[str, Any]) -> float:
    return float(-((point["a"] - 3.0) ** 2) + 2.0 * (point["b"] == "v"))


def played(study: bl.Study, objective: Objective, batches: int, size: int) -> list[tuple[Any, ...]]:
    """The points of so many batches, answered after each."""
    points = []
    for _ in range(batches):
        asked = study.ask(size)
        if isinstance(asked, bl.Balk):
            break
        points += [tuple(query.point.values()) for query in asked]
        study.tell_many({query.id: objective(query.point) for query in asked})
    return points


@every_pair(kind=FINITE, size=[1, 4], repeats=["never", "if worth it"])
def test_without_noise_every_point_of_a_finite_set_is_asked_at_most_once(kind: str, size: int, repeats: Any) -> None:
    study = bl.Study.in_memory(FINITE[kind], policy=bl.policies.auto(repeats=repeats), seed=2, notices=False)
    points = played(study, smooth, 24 // size, size)
    assert len(points) == len(set(points)) == 24


@pytest.mark.parametrize("kind", ["table", "space"])
def test_what_is_used_up_balks_and_says_how_many_are_waited_for(kind: str) -> None:
    study = bl.Study.in_memory(FINITE[kind], seed=1, notices=False)
    assert len(set(played(study, smooth, 5, 5))) == 25
    last = list(study.ask(2))
    balk = study.ask()
    what = "rows of the table" if kind == "table" else "points of the space"
    assert balk == bl.Balk(
        f"all 27 {what} were asked (2 are still waited for), and none is worth asking again; "
        "if answers vary, add() a second one at some point to show it"
    )
    study.abandon(last[0])
    again = study.ask()
    assert isinstance(again, bl.Query)
    assert again.point == last[0].point


def test_a_run_ends_when_the_space_is_used_up() -> None:
    study = bl.Study.in_memory(FINITE["space"], seed=1, notices=False)
    ran = study.run(smooth, queries=40, workers=1)
    assert (ran.asked, ran.answered, study.evidence().n_answered) == (27, 27, 27)
    assert "all 27 points of the space were asked" in ran.reason


@pytest.mark.parametrize(("repeats", "again"), [("never", False), ("if worth it", True)])
def test_where_answers_vary_points_are_asked_again_and_never_means_never(repeats: Any, again: bool) -> None:
    chance = np.random.default_rng(5)
    rows = Candidates([{"a": a} for a in range(6)])
    study = bl.Study.in_memory(rows, policy=bl.policies.auto(repeats=repeats), seed=3, notices=False)
    noisy = [math.sin(a) + float(chance.normal(0.0, 0.5)) for a in (2, 2)]
    study.add_many([({"a": 2}, value) for value in noisy])
    points = played(study, lambda point: math.sin(point["a"]) + float(chance.normal(0.0, 0.5)), 19, 1)
    # Five rows were never asked: what is more is asked again.
    assert len(points) >= 5
    assert (len(points) > 5) is again


@pytest.mark.parametrize(("noise", "asked"), [(0.5, 20), (0.0, 6)])
def test_a_table_that_is_under_way_whole_is_asked_again_only_where_answers_vary(noise: float, asked: int) -> None:
    chance = np.random.default_rng(5)
    study = bl.Study.in_memory(Candidates([{"a": a} for a in range(6)]), seed=3, notices=False)
    study.add_many([({"a": a}, math.sin(a) + float(chance.normal(0.0, noise))) for a in (2, 2, 3, 3, 4, 4) if noise])
    assert len(list(study.ask(20))) == asked


def test_a_corner_of_a_box_that_was_answered_is_not_asked_again_to_the_digit() -> None:
    space = Space(x=Float(0.0, 1.0), b=Choice("u", "v"))
    study = bl.Study.in_memory(space, seed=0, notices=False)
    points = played(study, lambda point: point["x"] + (point["b"] == "v"), 6, 4)
    assert len(points) == len(set(points)) == 24
    assert (1.0, "v") in points


@pytest.mark.parametrize("seed", first(1, 0, 1, 2))
def test_no_two_of_a_batch_in_a_box_are_the_same_to_the_resolution(seed: int) -> None:
    space = Space(x=Float(-5.0, 5.0), y=Float(1.0, 1e3, log=True), b=Choice("u", "v"))
    study = bl.Study.in_memory(space, seed=seed, notices=False)
    for _ in range(5):
        batch = list(study.ask(8))
        units = np.array([space.encode(query.point) for query in batch])
        for row, unit in enumerate(units):
            assert not alike(unit[None], np.delete(units, row, axis=0), resolution(space.levels))[0]
        study.tell_many({query.id: -abs(query.point["x"] - 1.0) - 0.1 * math.log(query.point["y"]) for query in batch})


@pytest.mark.parametrize("seed", first(1, 0, 1))
@pytest.mark.parametrize(
    ("policy", "given"),
    [
        ("gp-bucb", {}),
        ("gp-bucb-init", {"batch": 8}),
        ("gp-bts", {}),
        ("gp-ucb-sdf", {"floor": 0.0}),
        ("gp-ts-sdf", {"floor": 0.0}),
        ("sm-ucb", {"batch": 8, "paths": 3}),
    ],
)
def test_in_a_box_no_policy_that_knows_what_is_pending_asks_that_very_point(
    policy: str, given: dict[str, Any], seed: int
) -> None:
    # The best point is in a corner, and silence counts as better than any answer: all of them want to go there again.
    space = Space(x=Float(0.0, 1.0), y=Float(20.0, 120.0))
    study = bl.Study.in_memory(space, policy=bl.policies.build(policy, **given), seed=seed, notices=False)
    for _ in range(2):
        batch = list(study.ask(8))
        units = np.array([space.encode(query.point) for query in batch])
        gaps = np.abs(units[:, None] - units).max(axis=2)[np.triu_indices(len(batch), 1)]
        assert gaps.min() > VERY_SAME
        study.tell_many({query.id: -5.0 - query.point["x"] - query.point["y"] / 120.0 for query in batch})


@pytest.mark.parametrize("policy", ["gp-ucb-sdf", "gp-ts-sdf"])
def test_a_censoring_policy_goes_nowhere_near_what_has_left_its_window(policy: str) -> None:
    # Silence counts as better than any answer, so that all of them want to go where a query waits in vain.
    clock, space = Clock(), Space(x=Float(0.0, 1.0), solvent=Choice("DMF", "THF"))
    made = bl.policies.build(policy, window=bl.Window(seconds=10.0), floor=0.0)
    study = bl.Study.in_memory(space, policy=made, seed=1, clock=clock, notices=False)
    for query in study.ask(8):
        study.tell(query, -5.0 - query.point["x"])
    late = np.array([space.encode(query.point) for query in study.ask(6)])
    clock.now += 11.0
    new = np.array([space.encode(query.point) for query in study.ask(12)])
    apart = np.array([0.01, 0.0])
    assert not alike(new, late, apart).any()


@pytest.mark.parametrize("repeats", ["never", "if worth it"])
def test_another_context_is_another_question_and_a_decision_is_made_in_each(repeats: Any) -> None:
    context = bl.Context(hour=Choice("day", "night"), seen="before")
    policy = bl.policies.auto(repeats=repeats)
    space = Space(a=Int(0, 4), b=Choice("u", "v", "w"))
    study = bl.Study.in_memory(space, policy=policy, context=context, seed=1, notices=False)
    for hour in ("day", "night"):
        seen = set()
        for _ in range(15):
            query = study.ask(context={"hour": hour})
            assert isinstance(query, bl.Query)
            seen.add(tuple(query.point.values()))
            study.tell(query, smooth(query.point))
        assert len(seen) == 15
        last = study.ask(context={"hour": hour})
        if repeats == "never":
            assert isinstance(last, bl.Balk)
        else:  # who comes at that hour needs a decision, and the best is known
            assert isinstance(last, bl.Query)
            assert last.point == {"a": 3, "b": "v"}


# What an answer is worth.


def test_an_answer_is_worth_what_it_adds_to_the_highest_mean() -> None:
    chance = np.random.default_rng(7)
    mean, deviation, noise, count = chance.normal(size=5), chance.uniform(0.1, 1.0, 5), 0.3, 400_000
    draws = chance.standard_normal(count)
    for row, worth in enumerate(worths(mean, deviation, noise)):
        step = deviation[row] ** 2 / math.sqrt(deviation[row] ** 2 + noise)
        others = np.delete(mean, row).max()
        gains = np.maximum(mean[row] + step * draws, others) - mean.max()
        assert abs(gains.mean() - worth) < 5.0 * gains.std() / math.sqrt(count)


def test_where_nothing_is_uncertain_an_answer_is_worth_nothing() -> None:
    assert_array_equal(worths(np.array([1.0, 0.0]), np.zeros(2), 0.0), [0.0, 0.0])
    assert_array_equal(worths(np.array([1.0, 0.0]), np.zeros(2), 1.0), [0.0, 0.0])
    # A single point has no other that it could beat.
    assert worths(np.array([1.0]), np.ones(1), 0.0)[0] == pytest.approx(norm.pdf(0.0))


def test_answers_at_one_point_tell_whether_there_is_noise() -> None:
    points = np.array([[0.0], [1.0], [0.0], [2.0], [0.0], [1.0]])
    assert answers_differ(Data(points[:4], np.array([1.0, 5.0, 1.0, 2.0]))) is None
    assert answers_differ(Data(points, np.array([1.0, 5.0, 1.0, 2.0, 1.0, 5.0]))) is False
    assert answers_differ(Data(points, np.array([1.0, 5.0, 1.0, 2.0, 1.5, 5.0]))) is True
    assert answers_differ(Data(points[[0, 1, 3]], np.array([1.0, 5.0, 2.0]))) is None
    assert answers_differ(Data(np.empty((0, 1)), np.empty(0))) is None


def test_repeats_and_told_errors_tell_whether_there_is_noise() -> None:
    points, values = np.array([[0.0], [1.0]]), np.array([1.0, 5.0])

    def said(sd: float = np.nan, repeats: float = 1.0, scatter: float = 0.0) -> bool | None:
        errors = Errors(np.array([np.nan, sd]), np.array([1.0, repeats]), np.array([0.0, scatter]))
        return answers_differ(Data(points, values, errors))

    assert said() is None
    assert said(sd=0.1) is True
    assert said(sd=1e-12) is None
    assert said(repeats=3.0, scatter=0.02) is True
    assert said(repeats=3.0) is None
    assert said(repeats=4.0) is False


# Where to go instead.


class Slope:
    """A score that rises along the first column."""

    def values(self, points: Array) -> Array:
        return points[:, 0] - 0.1 * points[:, 1]

    def slopes(self, points: Array) -> tuple[Array, Array]:
        return self.values(points), np.broadcast_to([1.0, -0.1], points.shape).copy()


def test_elsewhere_is_the_best_point_that_can_be_told_from_those_taken() -> None:
    space = Space(x=Float(0.0, 1.0), y=Float(0.0, 1.0))
    apart = resolution(space.levels)
    taken = np.array([[1.0, 0.0], [1.0, apart[1] * 2.0]])
    found = maximise_box(Elsewhere(Slope(), Taken(taken, apart)), space, np.random.default_rng(0), anchors=taken)
    assert not alike(found[None], taken, apart)[0]
    # Just above both, at a loss of four resolutions of the second column, or just left of them.
    best = 1.0 - 0.1 * 3.0 * apart[1]
    assert Slope().values(found[None])[0] == pytest.approx(best, abs=0.1 * apart[1])


def test_elsewhere_finds_the_best_free_point_of_a_finite_space() -> None:
    space = Space(a=Int(0, 8), b=Choice("u", "v", "w"))
    points = every_point(space)
    values = Slope().values(points)
    taken = points[np.argsort(-values)[:5]]
    found = maximise_box(Elsewhere(Slope(), Taken(taken, np.zeros(2))), space, np.random.default_rng(0))
    assert Slope().values(found[None])[0] == np.sort(values)[-6]


def test_a_taken_point_has_no_score_and_no_slope() -> None:
    points = np.array([[0.5, 0.5], [0.5, 0.501], [0.5, 0.6]])
    score = Elsewhere(Slope(), Taken(np.array([[0.5, 0.5]]), np.full(2, 2e-3)))
    assert_array_equal(score.values(points), [-np.inf, -np.inf, Slope().values(points)[2]])
    values, slopes = score.slopes(points)
    assert_array_equal(values, score.values(points))
    assert_array_equal(slopes, [[0.0, 0.0], [0.0, 0.0], [1.0, -0.1]])


def test_minus_zero_is_zero() -> None:
    assert alike(np.array([[-0.0, 1.0]]), np.array([[0.0, 1.0]]), np.zeros(2))[0]


def test_every_point_of_a_finite_space_is_listed_once() -> None:
    space = Space(a=Int(1, 100, log=True), b=Choice("u", "v", "w"), c=Int(3, 3))
    points = every_point(space)
    assert number_of_points(space) == len(points) == len(np.unique(points, axis=0)) == 300
    assert {tuple(space.decode(point).values()) for point in points} == set(
        itertools.product(range(1, 101), "uvw", [3])
    )
    assert_allclose(space.snap(points), points, atol=0.0)
    assert number_of_points(Space(x=Float(0, 1), c=Int(3, 3))) is None


# What failed or was abandoned.

POLICIES = ["auto", "random", "gp-ucb", "gp-ts", "gp-bucb", "gp-ucb-sdf", "sm-ucb", "banditbo"]


@every_pair(policy=POLICIES, kind=FINITE, end=["fail", "abandon"])
def test_what_failed_or_was_abandoned_is_not_asked_again_while_others_are_left(
    policy: str, kind: str, end: str
) -> None:
    study = bl.Study.in_memory(FINITE[kind], policy=policy, seed=2, notices=False)
    ended: set[tuple[Any, ...]] = set()
    answered: set[tuple[Any, ...]] = set()
    for number in range(9):
        query = study.ask()
        assert isinstance(query, bl.Query)
        point = tuple(query.point.values())
        # Policies of papers may measure a row again, and then it is known to work now and then.
        assert point not in ended - answered
        if number % 3 == 2:
            study.tell(query, smooth(query.point))
            answered.add(point)
        else:
            getattr(study, end)(query)
            ended.add(point)


@pytest.mark.parametrize("policy", ["auto", "gp-ucb", "gp-bucb", "random"])
@pytest.mark.parametrize("end", ["fail", "abandon"])
def test_in_a_box_too_the_next_point_is_another_one(policy: str, end: str) -> None:
    space = bl.Space(x=bl.Float(-3, 7), y=bl.Float(1e-3, 1e3, log=True))
    study = bl.Study.in_memory(space, policy=policy, seed=2, notices=False)
    for begun in study.ask(6):
        study.tell(begun, -((begun.point["x"] - 6.0) ** 2))
    ended: list[Array] = []
    for _ in range(5):
        query = study.ask()
        assert isinstance(query, bl.Query)
        point = space.encode(query.point)
        assert not any(np.all(np.abs(point - other) <= resolution(space.levels)) for other in ended)
        getattr(study, end)(query)
        ended.append(point)


def test_an_abandoned_row_is_asked_again_when_nothing_else_is_left_and_a_failed_one_is_not() -> None:
    study = bl.Study.in_memory(Candidates([{"a": a} for a in range(4)]), seed=0, notices=False)
    asked = list(study.ask(4))
    study.fail(asked[0])
    study.abandon(asked[1])
    for each in asked[2:]:
        study.tell(each, float(each.point["a"]))
    again = study.ask()
    assert isinstance(again, bl.Query)
    assert again.point == asked[1].point
    study.tell(again, 0.5)
    assert isinstance(study.ask(), bl.Balk)


def test_a_table_that_has_failed_altogether_says_so() -> None:
    study = bl.Study.in_memory(Candidates([{"a": a} for a in range(3)]), policy="gp-ucb", seed=0, notices=False)
    study.fail(list(study.ask(3)))
    balk = study.ask()
    assert isinstance(balk, bl.Balk)
    assert balk.reason == "all 3 rows of the table have failed; add() an answer at one to show that it works"


def test_a_row_that_was_answered_too_may_be_measured_again() -> None:
    study = bl.Study.in_memory(Candidates([{"a": a} for a in range(3)]), policy="gp-ucb", seed=0, notices=False)
    for query in study.ask(3):
        study.tell(query, float(query.point["a"]))
    best = study.ask()
    assert isinstance(best, bl.Query)
    study.abandon(best, "lost")
    again = study.ask()
    assert isinstance(again, bl.Query)
    assert again.point == best.point

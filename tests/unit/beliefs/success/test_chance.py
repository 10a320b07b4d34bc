"""The chance of success that failures and answers of a study speak for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import belated as bl
from belated.beliefs import ENOUGH, Memory, success_chance
from belated.beliefs.success.chance import MOST
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, STEP

SPACE = bl.Space(a=bl.Float(-3, 5), b=bl.Float(1e-4, 1e2, log=True), kind=bl.Choice("u", "v", "w"))


def studied(fails: Callable[[Any], bool], queries: int, domain: bl.Space | bl.Candidates = SPACE) -> bl.Study:
    """A study that asked anywhere, with what came of it."""
    study = bl.Study.in_memory(domain, policy="random", seed=1, notices=False)
    for query in study.ask(queries):
        if fails(query.point):
            study.fail(query, "crashed")
        else:
            study.tell(query, 1.0)
    return study


def test_without_failures_there_is_none() -> None:
    assert success_chance(studied(lambda point: False, 9).evidence(), Memory()) is None


def test_gradients_are_those_of_differences() -> None:
    chance = success_chance(studied(lambda point: point["a"] > 2.0, 25).evidence(), Memory())
    assert chance is not None
    points = SPACE.sample(9, np.random.default_rng(3))
    values, gradients = chance.slopes(points)
    assert_allclose(values, chance.values(points), atol=ROUNDING)
    for column in range(2):
        step = STEP * np.eye(3)[column]
        differences = (chance.values(points + step) - chance.values(points - step)) / (2.0 * STEP)
        assert_allclose(gradients[:, column], differences, atol=SLOPE_TOLERANCE)
    assert_array_equal(gradients[:, 2], 0.0)


@pytest.mark.parametrize("kind, fails", [("number", lambda p: p["a"] > 2.0), ("choice", lambda p: p["kind"] == "v")])
def test_it_tells_what_fails_from_what_works(kind: str, fails: Callable[[Any], bool]) -> None:
    chance = success_chance(studied(fails, 60).evidence(), Memory())
    assert chance is not None
    points = SPACE.sample(500, np.random.default_rng(4))
    truth = np.array([fails(SPACE.decode(point)) for point in points])
    assert np.mean((chance.values(points) < np.log(0.5)) == truth) > 0.9


def test_one_failure_among_successes_is_bad_luck() -> None:
    unlucky = iter([False] * 12 + [True] + [False] * 40)
    study = studied(lambda point: next(unlucky), 40)
    chance = success_chance(study.evidence(), Memory())
    assert chance is not None
    points = SPACE.sample(200, np.random.default_rng(4))
    assert np.median(chance.values(points)) > np.log(ENOUGH)
    assert chance.values(study.evidence().points[[12]])[0] > np.log(0.5)


def test_failures_alone_say_where_not_to_go() -> None:
    study = studied(lambda point: True, 3)
    chance, points = success_chance(study.evidence(), Memory()), study.evidence().points
    assert chance is not None
    far = SPACE.sample(200, np.random.default_rng(4))
    assert chance.values(points).max() < np.median(chance.values(far))


def test_a_doubtful_pending_query_counts_as_failed() -> None:
    study = studied(lambda point: point["a"] > 2.0, 30)
    known = success_chance(study.evidence(), Memory())
    pending = [query.point for query in study.ask(20)]
    now = success_chance(study.evidence(), Memory())
    assert known is not None
    assert now is not None
    points = np.array([SPACE.encode(point) for point in pending])
    doubtful = known.values(points) < np.log(ENOUGH)
    assert doubtful.any()
    assert not doubtful.all()
    assert np.all(now.values(points[doubtful]) < known.values(points[doubtful]))


def test_a_memory_changes_nothing_but_the_time() -> None:
    study, memory = studied(lambda point: point["a"] > 2.0, 20), Memory()
    points = SPACE.sample(50, np.random.default_rng(4))
    for _ in range(3):
        query = study.ask()
        study.fail(query)
        warm, cold = (success_chance(study.evidence(), each) for each in (memory, Memory()))
        assert warm is not None
        assert cold is not None
        assert_array_equal(warm.values(points), cold.values(points))


def test_of_thousands_of_answers_those_near_failures_are_looked_at() -> None:
    study = studied(lambda point: point["a"] > 4.9, 3 * MOST)
    n_failed = study.record().counts.failed
    chance = success_chance(study.evidence(), Memory())
    assert chance is not None
    assert 0 < n_failed < MOST
    assert len(chance.points) == MOST + n_failed

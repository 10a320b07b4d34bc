"""What is recommended, and how sure that is, against slow references."""

from __future__ import annotations

import math

import numpy as np
import pytest

from belated.beliefs import GP
from belated.policies import gp_bucb
from belated.rules import Moment
from belated.space import Array, Candidates, Choice, Context, Float, Space
from belated.study import Study
from belated.study.insight.chance import DRAWS, NEGLIGIBLE
from belated.study.insight.recommendation import CAUTION
from tests.builders import Clock

KNOWN = GP(kernel="matern52", lengthscale=0.2, variance=1.0, noise=0.04, mean="zero")
BOX = Space(x=Float(0, 1))
# A chance by draws is off by five standard errors at most, and so is the reference.
SLACK = 5.0 * math.sqrt(0.25 / DRAWS)


def moment_of(study: Study) -> Moment:
    return study._knowledge.answered_moment("recommend()", 0.0, np.empty(0))


def played(space: Space | Candidates, seed: int, count: int, goal: str = "maximize") -> Study:
    """Noisy answers at random points."""
    study = Study.in_memory(space, policy=gp_bucb(belief=KNOWN), seed=seed, goal=goal, clock=Clock())  # type: ignore[arg-type]
    rng = np.random.default_rng(seed)
    sign = 1.0 if goal == "maximize" else -1.0
    for point in space.sample(count, rng):
        study.add(space.decode(point), sign * (math.sin(9.0 * point[0]) + 0.2 * float(rng.standard_normal())))
    return study


def slow_reference(study: Study, grid: Array) -> tuple[float, float]:
    """Over a fine grid: the highest lower bound, and the mean at the best answer."""
    moment = moment_of(study)
    mean, deviation = moment.settled.moments(grid)
    answers = np.where(moment.evidence.answered_mask, moment.evidence.values, -np.inf)
    best = moment.evidence.points[[int(np.nanargmax(answers))]]
    return float(np.max(mean - CAUTION * deviation)), float(moment.settled.moments(best).mean[0])


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
@pytest.mark.parametrize("seed", range(8))
def test_it_has_the_highest_lower_bound_anywhere_or_is_the_best_answer(seed: int, goal: str) -> None:
    study = played(BOX, seed, 6, goal)
    belief, found = moment_of(study).settled, study.recommend()
    bound, at_best = slow_reference(study, np.linspace(0.0, 1.0, 4001)[:, None])
    [mean], [deviation] = belief.moments(np.array([[found.point["x"]]]))
    if found.point == study.best().point:
        assert mean - CAUTION * deviation >= bound - 1e-5 or mean >= at_best - 1e-9
    else:
        assert mean - CAUTION * deviation >= bound - 1e-5
        assert mean > at_best


def test_both_kinds_of_points_are_recommended() -> None:
    studies = [played(BOX, seed, 6) for seed in range(12)]
    n_best = sum(study.recommend().point == study.best().point for study in studies)
    assert 0 < n_best < 12


def test_a_lucky_answer_beside_worse_ones_is_not_recommended() -> None:
    study = Study.in_memory(BOX, policy=gp_bucb(belief=KNOWN), seed=1, clock=Clock())
    for x, value in [(0.2, 0.9), (0.2, 0.9), (0.2, 0.9), (0.8, 1.3), (0.8, -0.2), (0.8, 0.0)]:
        study.add({"x": x}, value)
    assert study.best().point == {"x": 0.8}
    assert study.recommend().point["x"] == pytest.approx(0.2, abs=0.05)


def test_a_high_mean_of_which_little_is_known_is_not_recommended() -> None:
    slope = GP(kernel="linear", lengthscale=1.0, variance=1.0, noise=0.01, mean="zero")
    study = Study.in_memory(BOX, policy=gp_bucb(belief=slope), seed=1, clock=Clock())
    study.add({"x": 0.1}, 0.10)
    study.add({"x": 0.3}, 0.14)
    mean, deviation = moment_of(study).settled.moments(np.array([[0.3], [1.0]]))
    bound = mean - CAUTION * deviation
    assert mean[1] > mean[0]
    assert bound[1] < bound[0]
    assert study.recommend().point["x"] < 0.5


@pytest.mark.parametrize("seed", range(4))
def test_the_chance_is_that_of_joint_draws(seed: int) -> None:
    table = Candidates(np.linspace(0.0, 1.0, 41)[:, None], names=["x"])
    study = played(table, seed, 12)
    moment, found = moment_of(study), study.recommend()
    belief, rng = moment.settled, np.random.default_rng(99)
    tried = moment.evidence.points[moment.evidence.answered_mask]
    places = [int(np.flatnonzero(np.all(table.table == row, axis=1))[0]) for row in tried]
    own = int(np.flatnonzero(table.table[:, 0] == table.encode(found.point)[0])[0])
    drawn = np.array([belief.draw(rng).values(table.table) for _ in range(DRAWS)])
    best = np.mean(drawn[:, places].max(axis=1) <= drawn[:, own] + NEGLIGIBLE * belief.scale)
    assert found.chance == pytest.approx(best, abs=2.0 * SLACK)


def test_the_chance_against_one_other_point_is_in_closed_form() -> None:
    far = GP(kernel="se", lengthscale=0.01, variance=1.0, noise=0.25, mean="zero")
    study = Study.in_memory(Candidates(np.array([[0.0], [1.0]]), names=["x"]), policy=gp_bucb(belief=far), seed=3)
    study.add({"x": 0.0}, 1.0)
    study.add({"x": 1.0}, 0.8)
    lead, spread = 0.2 / 1.25, math.sqrt(2.0 * (1.0 - 1.0 / 1.25))
    expected = 0.5 * math.erfc(-(lead + NEGLIGIBLE) / spread / math.sqrt(2.0))
    assert study.recommend().chance == pytest.approx(expected, abs=SLACK)


def test_the_first_answer_is_the_best_for_sure_and_draws_repeat() -> None:
    study = played(Candidates(np.linspace(0.0, 1.0, 41)[:, None], names=["x"]), 5, 1)
    assert study.recommend().chance == 1.0
    more = played(BOX, 5, 9)
    assert more.recommend() == more.recommend()
    assert more.recommend().to_json()["chance"] == more.recommend().chance


def test_a_chance_is_of_what_was_tried_in_the_same_context() -> None:
    ads = Study.in_memory(BOX, context=Context(hour=Choice("am", "pm"), seen="before"), policy="gp-bucb", seed=2)
    for x, hour, value in [(0.1, "am", 0.3), (0.9, "am", 0.2), (0.5, "am", 0.9)]:
        ads.add({"x": x}, value, context={"hour": hour})
    morning, evening = (ads.recommend(context={"hour": hour}).chance for hour in ("am", "pm"))
    assert morning is not None
    assert 0.0 <= morning <= 1.0
    assert evening is None


def test_across_contexts_there_is_no_chance() -> None:
    shop = Study.in_memory(BOX, context=Context(demand=Float(0, 1), seen="after"), policy="sbo-kde", seed=2)
    for x in (0.1, 0.5, 0.9):
        shop.add({"x": x}, x, context={"demand": x})
    assert shop.recommend().chance is None

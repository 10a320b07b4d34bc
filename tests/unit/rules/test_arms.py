"""Bandits over beliefs: which arm asks, what it knows, and that the log keeps it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import belated as bl
from belated.beliefs import Memory
from belated.errors import LogError, ParameterError
from belated.log import Added, Answered, Asked, Event
from belated.policies import banditbo, exp3bo
from belated.rules import ExponentialWeights, HighestDraw
from belated.rules.arms import rescaled
from belated.space import Array
from belated.study import Study, differences
from tests.builders import box, situation_of, table
from tests.logbook import number_in

KNOWN = (
    bl.GP(kernel="se", lengthscale=0.2, variance=1.0, noise=0.01, mean="zero"),
    bl.GP(kernel="matern32", lengthscale=0.5, variance=1.0, noise=0.01, mean="zero"),
    bl.GP(kernel="matern12", lengthscale=0.4, variance=0.5, noise=0.01, mean="zero"),
)


def played(policy: bl.policies.Recipe, rounds: int = 24, late: int = 3, seed: int = 4) -> Study:
    """A study in which answers come some queries late, every fifth never."""
    study = Study.in_memory(box(), policy=policy, seed=seed)
    waiting: list[bl.Query] = []
    for _ in range(rounds):
        query = study.ask()
        assert isinstance(query, bl.Query)
        waiting.append(query)
        if len(waiting) > late:
            first = waiting.pop(0)
            if first.id % 5:
                study.tell(first.id, 1.0 - abs(first.point["heat"] - 40.0) / 60.0)
    return study


def chances_of(study: Study, exploration: float) -> Array:
    """The chances that the rule gives the arms now."""
    evidence = study.evidence()
    return ExponentialWeights(KNOWN, exploration).chances(evidence.plays(), evidence.arrivals().values)


def plain_chances(study: Study, n_arms: int, gamma: float) -> Array:
    """EXP3 written out from the queries, with weights as products and not as sums of logarithms."""
    asked, events = [query for query in study.queries() if query.arm is not None], list(study.events)
    number_of = {event.body.query: event.number for event in events if isinstance(event.body, Asked)}
    chance_of = dict[int, float]()

    def chances(before: float) -> list[float]:
        told = {
            event.body.query: number_in(event.body)
            for event in events
            if isinstance(event.body, Answered | Added) and event.number < before
        }
        weights = [1.0] * n_arms
        for query in asked:
            if query.id in told:
                low, high = min(told.values()), max(told.values())
                reward = (told[query.id] - low) / (high - low) if low < high else 0.5
                weights[query.arm] *= np.exp(gamma / n_arms * reward / chance_of[query.id])  # type: ignore[index]
        return [(1 - gamma) * weight / sum(weights) + gamma / n_arms for weight in weights]

    for query in asked:
        assert query.arm is not None
        chance_of[query.id] = chances(number_of[query.id])[query.arm]
    return np.array(chances(np.inf))


@pytest.mark.parametrize("exploration", [0.1, 0.5])
def test_the_chances_of_the_arms_are_those_of_exp3(exploration: float) -> None:
    study = played(exp3bo(KNOWN, features=20, exploration=exploration, initial=3))
    expected = plain_chances(study, len(KNOWN), exploration)
    assert_allclose(chances_of(study, exploration), expected, rtol=1e-12)
    assert expected.std() > 0.01  # the arms have been told apart


@pytest.mark.parametrize("extreme", [-50.0, 70.0])
def test_a_reward_is_weighed_by_the_chance_of_its_time_whatever_has_come_since(extreme: float) -> None:
    study = played(exp3bo(KNOWN, features=20, exploration=0.5, initial=3))
    drawn_by = chances_of(study, 0.5)
    query = study.ask()
    assert isinstance(query, bl.Query)
    assert query.arm is not None
    study.tell(query.id, extreme)
    study.add({"heat": 20.0, "dose": study.queries()[0].point["dose"]}, extreme * 2.0)
    expected = plain_chances(study, len(KNOWN), 0.5)
    assert_allclose(chances_of(study, 0.5), expected, rtol=1e-12)
    assert np.abs(expected - drawn_by).max() > 0.01


def test_before_any_reward_all_arms_are_alike() -> None:
    assert_allclose(chances_of(Study.in_memory(box(), policy="random"), 0.3), np.full(3, 1.0 / 3.0))


def test_rewards_go_from_the_smallest_answer_to_the_largest() -> None:
    assert_allclose(rescaled(np.array([3.0, 5.0]), np.array([1.0, 5.0, 3.0])), [0.5, 1.0])
    assert_allclose(rescaled(np.array([3.0]), np.array([3.0, 3.0])), [0.5])


@pytest.mark.parametrize("build", [banditbo, exp3bo])
def test_the_initial_design_is_nobodys_and_every_later_query_has_its_arm(build: object) -> None:
    study = played(build(KNOWN, features=20, initial=5))  # type: ignore[operator]
    arms = [query.arm for query in study.queries()]
    assert arms[:5] == [None] * 5
    assert all(arm in range(len(KNOWN)) for arm in arms[5:])
    assert len(set(arms[5:])) > 1


def test_an_arm_knows_its_own_answers_and_nobodys() -> None:
    study = played(banditbo(KNOWN, features=20, initial=5))
    evidence = study.evidence()
    for arm in range(len(KNOWN)):
        seen = evidence.played_by(arm)
        expected = [query for query in study.queries() if query.arm in (None, arm)]
        assert_array_equal(seen.points, evidence.points[[query.id - 1 for query in expected]])
        assert seen.n_asked == evidence.n_asked
        assert seen.n_answered == sum(query.answer is not None for query in expected)


@pytest.mark.parametrize("domain", [box(), table()], ids=["box", "table"])
def test_the_highest_of_all_draws_is_asked(domain: bl.Space | bl.Candidates) -> None:
    study = Study.in_memory(domain, policy="random", seed=2)
    for value in (0.3, -0.2, 0.9, 0.1):
        query = study.ask()
        assert isinstance(query, bl.Query)
        study.tell(query.id, value)
    situation = situation_of(study.evidence(), KNOWN[0], seed=7, memory=Memory())
    rule = HighestDraw(KNOWN)
    choice = rule.choose(situation)
    tops = [rule.top(situation, arm) for arm in range(len(KNOWN))]
    assert choice.arm == int(np.argmax([value for _, value in tops]))
    assert_array_equal(choice.point, tops[choice.arm][0])


@pytest.mark.parametrize("build", [banditbo, exp3bo])
def test_a_replay_plays_the_same_arms_with_and_without_a_memory(build: object) -> None:
    study = played(build(KNOWN, features=20, initial=5))  # type: ignore[operator]
    assert not list(differences(study.events))
    assert not list(differences(study.events, forgetful=True))


def test_a_replay_notices_another_arm() -> None:
    events = list(played(banditbo(KNOWN, features=20, initial=5)).events)
    place = next(index for index, event in enumerate(events) if getattr(event.body, "arm", None) is not None)
    changed = events[place].to_json()
    changed["arm"] = (changed["arm"] + 1) % 3
    events[place] = Event.from_json(json.loads(json.dumps(changed)))
    assert [difference.query for difference in differences(events)][:1] == [changed["query"]]


@pytest.mark.parametrize("arm", [-1, 2**31, True, "first", 0.5])
def test_a_log_with_an_arm_that_is_no_count_is_refused(arm: object) -> None:
    events = [event.to_json() for event in played(banditbo(KNOWN, features=20, initial=1), rounds=3).events]
    asked = next(event for event in events if event["event"] == "asked")
    asked["arm"] = arm
    with pytest.raises(LogError, match="has the arm"):
        Study.restore("memory://", "again", [Event.from_json(event) for event in events])


@pytest.mark.parametrize("exploration", [0.0, 1.5, "much"])
def test_a_share_of_even_draws_is_above_zero_and_at_most_one(exploration: object) -> None:
    with pytest.raises(ParameterError, match="exploration must be a finite number at most 1 and more than 0"):
        exp3bo(exploration=exploration)  # type: ignore[arg-type]


@pytest.mark.parametrize("build", [banditbo, exp3bo])
def test_what_an_earlier_policy_asked_teaches_every_arm(build: object) -> None:
    study = played(build(KNOWN, features=20, initial=2))  # type: ignore[operator]
    assert {query.arm for query in study.queries()} >= {0, 1, 2}
    study.change(policy=build(KNOWN[:2], features=20, initial=2))  # type: ignore[operator]
    evidence = study.evidence()
    assert not len(evidence.plays().arms)
    assert len(evidence.played_by(0)) == len(evidence.played_by(1)) == len(evidence)
    query = study.ask()
    assert isinstance(query, bl.Query)
    assert query.arm in (0, 1)
    assert study.evidence().plays().arms.tolist() == [query.arm]
    assert not list(differences(study.events))


def test_a_policy_that_is_named_again_keeps_its_arms() -> None:
    policy = exp3bo(KNOWN, features=20, initial=2)
    study = played(policy)
    before = study.evidence().plays()
    study.change(policy=policy)
    assert_array_equal(study.evidence().plays().arms, before.arms)

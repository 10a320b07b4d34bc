"""What nature adds after the decision: told with the answer, the same for everybody, and no part of the regret."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import simulate
from belated.errors import ParameterError
from belated.log import State
from belated.simulate import Problem, problems
from belated.simulate.nature import Nature
from belated.simulate.problems import Chance
from belated.simulate.randomness import Purpose
from belated.study import differences

LATE = simulate.poisson(3)


@dataclass(frozen=True)
class Rain:
    """Rain that is even on [0, 1]; the outcome is how far from it we are."""

    @property
    def context(self) -> bl.Context:
        return bl.Context(rain=bl.Float(0, 1), seen="after")

    def draw(self, rng: np.random.Generator) -> Mapping[str, Any]:
        return {"rain": float(rng.random())}

    def outcome(self, point: Mapping[str, Any], context: Mapping[str, Any]) -> float:
        return -float((point["x"] - context["rain"]) ** 2)


@dataclass(frozen=True)
class Forecast:
    """The same rain, seen before the decision."""

    @property
    def context(self) -> bl.Context:
        return bl.Context(rain=bl.Float(0, 1), seen="before")

    def draw(self, rng: np.random.Generator) -> Mapping[str, Any]:
        return {"rain": float(rng.random())}

    def outcome(self, point: Mapping[str, Any], context: Mapping[str, Any]) -> float:
        return -float((point["x"] - context["rain"]) ** 2)

    def at(self, number: int) -> Mapping[str, Any]:
        return {"rain": 0.5}

    def best(self, context: Mapping[str, Any]) -> float:
        return 0.0


def expectation(point: Mapping[str, Any]) -> float:
    return -float((point["x"] - 0.5) ** 2) - 1.0 / 12.0


def outdoors(**changes: Any) -> Problem:
    problem = Problem(
        name="outdoors",
        space=bl.Space(x=bl.Float(0, 1)),
        objective=expectation,
        noise=0.0,
        goal="maximize",
        optimum=-1.0 / 12.0,
        optimum_point={"x": 0.5},
        chance=Rain(),
    )
    return replace(problem, **changes)


def test_an_answer_is_the_outcome_in_the_context_that_is_told_with_it() -> None:
    run = simulate.run(outdoors(), "random", LATE, rounds=30, seed=2)
    queries = {query.id: query for query in run.study.queries()}
    answered = 0
    for outcome in run.outcomes:
        assert outcome.context is not None
        assert outcome.query.context is None
        assert outcome.answer == -((outcome.query.point["x"] - outcome.context["rain"]) ** 2)
        query = queries[outcome.query.id]
        if query.state is State.ANSWERED:
            answered += 1
            assert query.answer is not None
            assert (query.context, query.answer.value) == (outcome.context, outcome.answer)
        else:
            assert query.context is None
    assert 20 < answered < 30


def test_value_and_regret_are_those_of_the_expectation() -> None:
    run = simulate.run(outdoors(), "random", LATE, rounds=30, seed=2)
    points = np.array([point["x"] for point in run.points])
    assert run.values == pytest.approx(-((points - 0.5) ** 2) - 1.0 / 12.0, abs=1e-12)
    assert run.regrets == pytest.approx((points - 0.5) ** 2, abs=1e-12)


def test_every_policy_meets_the_same_context_delay_and_noise_of_its_nth_query() -> None:
    noisy = outdoors(noise=0.3)
    eager = simulate.run(noisy, "random", LATE, rounds=12, seed=5)
    other = simulate.run(noisy, bl.policies.build("sbo-kde"), LATE, rounds=12, seed=5, initial=4)
    assert [ours.context for ours in eager.outcomes] == [theirs.context for theirs in other.outcomes]
    assert len({str(outcome.context) for outcome in eager.outcomes}) == 12
    for ours, theirs in zip(eager.outcomes, other.outcomes, strict=True):
        assert ours.delay == theirs.delay
        noises = []
        for outcome in (ours, theirs):
            assert outcome.context is not None
            noises.append(outcome.answer - Rain().outcome(outcome.query.point, outcome.context))
        assert noises[0] == pytest.approx(noises[1], abs=1e-12)
        assert noises[0] != 0.0


def test_the_initial_points_have_contexts_of_their_own() -> None:
    run = simulate.run(outdoors(), "random", LATE, rounds=1, seed=5, initial=6)
    again = simulate.run(outdoors(), bl.policies.build("sbo-kde"), LATE, rounds=1, seed=5, initial=6)
    first, second = (each.study.queries()[:6] for each in (run, again))
    contexts = []
    for query, same in zip(first, second, strict=True):
        assert query.context is not None
        assert query.answer is not None
        assert (query.point, query.context, query.answer) == (same.point, same.context, same.answer)
        assert query.answer.value == Rain().outcome(query.point, query.context)
        contexts.append(query.context["rain"])
    assert len({*contexts, *(str(outcome.context) for outcome in run.outcomes)}) == 7


def test_without_chance_nothing_is_seen_after_the_decision() -> None:
    nature = Nature(problems.build("branin"), simulate.none(), 3)
    assert nature.initial(1).context is None
    assert all(outcome.context is None for outcome in simulate.run("branin", "random", rounds=3, seed=3).outcomes)


def test_the_sources_of_randomness_keep_their_numbers() -> None:
    # A number that changed would change every simulation that was ever run.
    assert [(purpose.name, purpose.value) for purpose in Purpose] == [
        *(("STUDY", 0), ("FUNCTION", 1), ("DELAY", 2), ("NOISE", 3), ("INITIAL", 4)),
        *(("CONTEXT", 5), ("FAILURE", 6)),
    ]


@pytest.mark.parametrize("name", ["newsvendor", "ackley-context-4"])
def test_a_simulated_study_with_late_contexts_replays_and_travels(name: str) -> None:
    run = simulate.run(name, "sbo-kde", simulate.lost(0.1, LATE), rounds=8, seed=4, initial=3)
    assert list(differences(run.study.events)) == []
    copy = pickle.loads(pickle.dumps(run))
    assert np.array_equal(copy.regrets, run.regrets)
    assert copy.study.queries() == run.study.queries()


def drawn(point: Mapping[str, Any], rng: np.random.Generator) -> float:
    return 0.0


@pytest.mark.parametrize("changes", [{"circumstances": Forecast()}, {"draw": drawn}], ids=["circumstances", "draw"])
def test_a_problem_has_one_source_of_chance(changes: Mapping[str, Any]) -> None:
    with pytest.raises(ParameterError, match="at most one of the three"):
        outdoors(**changes)


def test_chance_is_declared_as_seen_after_the_decision() -> None:
    chance: Chance = Forecast()
    with pytest.raises(ParameterError, match=r"declare it with seen='after'"):
        outdoors(chance=chance)


def test_a_problem_declares_the_context_of_its_chance_or_of_its_circumstances() -> None:
    assert outdoors().context == Rain().context
    assert outdoors(chance=None, circumstances=Forecast()).context == Forecast().context
    assert outdoors(chance=None).context is None

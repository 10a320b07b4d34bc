"""How trials of every state are read: what is pending, what is answered, what is as if it had never been."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

from belated.errors import AnswerError
from belated.integrations.optuna.shared import TrialDecision, share, shared_decision
from belated.integrations.optuna.spaces import Translation, column_of
from belated.integrations.optuna.trials import Counting, TrialsReading, counted
from belated.log import Answered, Asked, Event, Record, State

NOON = datetime(2026, 3, 1, 12)
X: dict[str, BaseDistribution] = {"x": FloatDistribution(0, 10)}
COUNTING = Counting()


def trial(
    number: int,
    state: TrialState,
    value: float | None = None,
    *,
    minutes: tuple[float, float] = (0, 0),
    params: Mapping[str, Any] | None = None,
    attributes: Mapping[str, Any] | None = None,
) -> FrozenTrial:
    """A trial that started and ended so many minutes past noon."""
    given = {"x": float(number)} if params is None else dict(params)
    return FrozenTrial(
        number=number,
        trial_id=number,
        state=state,
        value=value,
        datetime_start=NOON + timedelta(minutes=minutes[0]),
        datetime_complete=NOON + timedelta(minutes=minutes[1]) if state.is_finished() else None,
        params=given,
        distributions={name: X[name] for name in given},
        user_attrs={},
        system_attrs=dict(attributes or {}),
        intermediate_values={},
    )


def read(*trials: FrozenTrial, counting: Counting = COUNTING, sign: float = -1.0) -> TrialsReading:
    return TrialsReading.empty(Translation.of(X), sign, seed=0).of("read()", trials, counting)


def answers(record: Record) -> list[tuple[float, float]]:
    """The points and values that were answered, in the order of arrival."""
    found = [(query.answer.at, query.point["x"], query.answer.value) for query in record.queries if query.answer]
    return [(x, value) for _, x, value in sorted(found)]


def test_complete_trials_are_answers_running_ones_pending_and_failed_ones_failed() -> None:
    reading = read(
        trial(0, TrialState.COMPLETE, 3.0, minutes=(0, 9)),
        trial(1, TrialState.RUNNING, minutes=(1, 0)),
        trial(2, TrialState.FAIL, minutes=(2, 3)),
        trial(3, TrialState.COMPLETE, 1.0, minutes=(4, 5)),
    )
    states = [(query.point["x"], query.state) for query in reading.record.queries]
    assert states == [(0, State.ANSWERED), (1, State.PENDING), (2, State.FAILED), (3, State.ANSWERED)]
    assert answers(reading.record) == [(3, 1.0), (0, 3.0)], "in the order in which they came"
    assert [query.id for query in reading.record.best()] == [4], "the smallest is the best"
    assert reading.record.queries[0].asked_at == NOON.timestamp()


def test_a_failed_trial_says_why_as_far_as_that_is_known_and_nothing_if_it_is_not_to_count() -> None:
    unsaid, said = trial(0, TrialState.FAIL), trial(1, TrialState.FAIL)
    said.user_attrs = {"fail_reason": "out of memory"}
    record = read(unsaid, said).record
    assert [(query.state, query.reason) for query in record.queries] == [
        (State.FAILED, "failed"),
        (State.FAILED, "out of memory"),
    ]
    left_out = read(unsaid, said, counting=Counting(failed=False)).record
    assert [query.state for query in left_out.queries] == [State.ABANDONED] * 2


def test_a_complete_trial_may_say_the_standard_error_of_its_value() -> None:
    unsaid, said = trial(0, TrialState.COMPLETE, 1.0), trial(1, TrialState.COMPLETE, 2.0)
    pruned = trial(2, TrialState.PRUNED, 1.5)
    for each in (said, pruned):
        each.user_attrs = {"belated:sd": 0.25}
    record = read(unsaid, said, pruned).record
    told = [query.answer.sd for query in record.queries if query.answer]
    assert told == [None, 0.25, None], "of a pruned trial an earlier report counts"
    assert record.queries[1].answer is not None
    assert record.queries[1].answer.value == 2.0
    for wrong in (0.0, -1.0, "0.1", True, math.nan):
        said.user_attrs = {"belated:sd": wrong}
        with pytest.raises(
            AnswerError, match=r"trial 1 has the standard error .* in its attribute 'belated:sd'; it is a"
        ):
            read(said)


def test_the_order_is_that_of_the_clock_and_not_that_of_the_storage() -> None:
    trials = [
        trial(0, TrialState.COMPLETE, 3.0, minutes=(5, 6)),
        trial(1, TrialState.COMPLETE, 2.0, minutes=(1, 6)),
        trial(2, TrialState.COMPLETE, 1.0, minutes=(1, 1)),
    ]
    there, back = read(*trials), read(*reversed(trials))
    assert there.events == back.events
    happened = [
        (type(event.body), event.body.query) for event in there.events if isinstance(event.body, Asked | Answered)
    ]
    assert happened == [(Asked, 1), (Asked, 2), (Answered, 2), (Asked, 3), (Answered, 1), (Answered, 3)]
    assert [query.point["x"] for query in there.record.queries] == [1, 2, 0]


def test_a_pruned_trial_counts_with_its_last_report_within_the_values_of_completed_ones() -> None:
    trials = [
        trial(0, TrialState.COMPLETE, 1.0, minutes=(0, 1)),
        trial(1, TrialState.COMPLETE, 2.0, minutes=(0, 2)),
        trial(2, TrialState.PRUNED, 1.5, minutes=(0, 3)),
        trial(3, TrialState.PRUNED, 90.0, minutes=(0, 4)),
        trial(4, TrialState.PRUNED, 0.5, minutes=(0, 5)),
        trial(5, TrialState.PRUNED, None, minutes=(0, 6)),
    ]
    assert answers(read(*trials).record) == [(0, 1.0), (1, 2.0), (2, 1.5), (3, 2.0), (4, 1.0)]
    assert answers(read(*trials, counting=Counting(pruned=False)).record) == [(0, 1.0), (1, 2.0)]
    assert answers(read(trials[3]).record) == [(3, 90.0)], "nothing to compare with"


def test_an_infinite_value_counts_as_the_worst_or_the_best_that_is_finite() -> None:
    trials = [
        trial(0, TrialState.COMPLETE, float("inf"), minutes=(0, 1)),
        trial(1, TrialState.COMPLETE, -2.0, minutes=(0, 2)),
        trial(2, TrialState.COMPLETE, 5.0, minutes=(0, 3)),
        trial(3, TrialState.COMPLETE, float("-inf"), minutes=(0, 4)),
        trial(4, TrialState.COMPLETE, 1e200, minutes=(0, 5)),
    ]
    assert answers(read(*trials).record) == [(0, 5.0), (1, -2.0), (2, 5.0), (3, -2.0), (4, 5.0)]
    assert answers(read(trials[0]).record) == [(0, 0.0)]


def test_trials_without_a_point_in_the_space_are_not_read() -> None:
    reading = read(
        trial(0, TrialState.COMPLETE, 1.0, params={}),
        trial(1, TrialState.COMPLETE, 1.0, params={"x": 11.0}),
        trial(2, TrialState.RUNNING, params={}),
    )
    assert len(reading.record) == 0


def test_a_running_trial_is_where_it_will_be_as_soon_as_that_is_decided() -> None:
    study = optuna.create_study()
    for _ in range(2):
        study.add_trial(trial(0, TrialState.RUNNING, params={}))
    study.enqueue_trial({"x": 7.0})
    study.ask()
    share(study, study.trials[0], TrialDecision({"x": 4.5}))
    reading = read(*study.trials)
    assert [(query.point["x"], query.state) for query in reading.record.queries] == [
        (4.5, State.PENDING),
        (7.0, State.PENDING),
    ]


def test_what_the_objective_took_counts_more_than_what_was_decided() -> None:
    attributes = {"belated:decision:0": '{"numbers": {"x": 4.5}, "arm": 2}'}
    reading = read(trial(0, TrialState.RUNNING, params={"x": 5.0}, attributes=attributes))
    assert [(query.point["x"], query.arm) for query in reading.record.queries] == [(5.0, 2)]


def test_a_long_decision_is_kept_in_pieces_and_read_when_it_is_whole() -> None:
    study = optuna.create_study()
    decision = TrialDecision({f"parameter {number}": number / 7 for number in range(200)}, arm=3)
    asked = study.ask()
    share(study, study.trials[asked.number], decision)
    kept = study.trials[asked.number].system_attrs
    assert {len(piece) for piece in list(kept.values())[:-1]} == {2045}
    assert len(kept) > 2
    assert shared_decision(study.trials[asked.number]) == decision
    cut = dict(list(kept.items())[:-1])
    assert shared_decision(trial(0, TrialState.RUNNING, attributes=cut)) == TrialDecision()


def test_a_reading_goes_on_from_the_last_and_says_the_same_as_a_new_one() -> None:
    rng = np.random.default_rng(5)
    trials: list[FrozenTrial] = []
    going, extended = read(), 0
    for step in range(60):
        state = [TrialState.COMPLETE, TrialState.RUNNING, TrialState.FAIL, TrialState.PRUNED][rng.integers(4)]
        started = step + rng.normal() / 3
        value = float(rng.normal()) if state in (TrialState.COMPLETE, TrialState.PRUNED) else None
        place = int(rng.integers(0, 10))
        trials.append(
            trial(len(trials), state, value, minutes=(started, started + place / 5), params={"x": float(place)})
        )
        before = going.events
        going = going.of("read()", trials, COUNTING)
        afresh = read(*trials)
        assert going.events == afresh.events
        assert going.record.queries == afresh.record.queries
        extended += going.events[: len(before)] == before
    assert 5 < extended < 55, "some go on, some begin anew"


@pytest.mark.parametrize("number", [0, 1, 2, 7])
def test_the_next_ask_has_the_number_of_the_trial_whatever_is_known_of_the_others(number: int) -> None:
    reading = read(trial(0, TrialState.COMPLETE, 1.0), trial(1, TrialState.RUNNING))
    record = counted(reading.record, number, at=NOON.timestamp())
    assert record.counts.asked == max(number, 2)
    assert record.counts.answered == 1
    assert [query.state for query in record.queries[2:]] == [State.ABANDONED] * (len(record) - 2)
    assert counted(record, number, at=NOON.timestamp()) is record


@pytest.mark.parametrize(
    "distribution",
    [
        FloatDistribution(-3.5, 2.0),
        FloatDistribution(1e-7, 1e3, log=True),
        FloatDistribution(-10.2, 10.2, step=0.1),
        FloatDistribution(0, 0.9, step=0.3),
        IntDistribution(-7, 9),
        IntDistribution(1, 1000, log=True),
        IntDistribution(-7, 9, step=4),
        CategoricalDistribution(("a", None, 2, 0.5, True)),
    ],
    ids=str,
)
def test_values_go_in_and_come_out_as_they_were(distribution: BaseDistribution) -> None:
    translation = Translation.of({"p": distribution})
    rng = np.random.default_rng(1)
    reached = set()
    for unit in rng.random(200):
        params = translation.outward(translation.space.decode(np.array([unit])))
        number = distribution.to_internal_repr(params["p"])
        assert distribution._contains(number)
        assert type(params["p"]) is not np.float64
        point = translation.inward(translation.numbers(params))
        assert point is not None
        assert translation.outward(point) == params
        reached.add(number)
    bounds = [translation.outward(translation.space.decode(np.array([unit])))["p"] for unit in (0.0, 1.0)]
    if isinstance(distribution, FloatDistribution | IntDistribution):
        assert bounds[0] == distribution.low
        assert bounds[1] == pytest.approx(distribution.high, rel=1e-12)
    else:
        assert len(reached) == 5


@pytest.mark.parametrize(
    "distribution",
    [
        FloatDistribution(1, 1),
        FloatDistribution(2, 2, step=0.5),
        IntDistribution(3, 3),
        CategoricalDistribution(("only",)),
        FloatDistribution(1e300, np.nextafter(1e300, np.inf), log=True),
        IntDistribution(1, 2**41, log=True),
    ],
    ids=str,
)
def test_what_has_one_value_or_too_many_is_left_to_optuna(distribution: BaseDistribution) -> None:
    assert column_of(distribution) is None


def test_a_value_between_two_steps_has_no_place() -> None:
    translation = Translation.of({"p": FloatDistribution(0, 1, step=0.25)})
    assert translation.inward({"p": 0.5}) == {"p": 2}
    assert translation.inward({"p": 0.6}) is None


def test_events_are_numbered_on_from_the_seed() -> None:
    reading = read(trial(0, TrialState.RUNNING))
    assert reading.events == [Event(2, NOON.timestamp(), Asked(1, {"x": 0.0}))]
    assert reading.record.settings.seed == 0

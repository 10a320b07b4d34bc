"""Studies that move between Optuna and Belated, and come back as they were."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Literal

import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import FrozenTrial, TrialState

import belated as bl
from belated.integrations.optuna import BelatedSampler, UnsupportedStudyError, from_optuna, to_optuna
from belated.integrations.optuna.spaces import Translation
from belated.integrations.optuna.trials import Counting, TrialsReading
from belated.study import differences
from tests.integrations.constraints import SHOWN, constrain
from tests.serving import serving

SEARCHED: dict[str, BaseDistribution] = {
    "depth": IntDistribution(1, 64, log=True),
    "loss": CategoricalDistribution(("mean", 3, 0.5, True)),
    "rate": FloatDistribution(1e-4, 1.0, log=True),
}
LINE: dict[str, BaseDistribution] = {"x": FloatDistribution(0, 1)}
NOON = datetime(2026, 3, 1, 12, 0, 0, 123457)


def told(trial: FrozenTrial) -> tuple[Any, ...]:
    """All that is to be kept of a trial."""
    reports = list(trial.intermediate_values.items())[-1:]
    when = (trial.datetime_start, trial.datetime_complete)
    return trial.params, trial.distributions, trial.state, trial.values, *when, reports


def trial(
    state: TrialState = TrialState.COMPLETE,
    value: float | None = None,
    *,
    minute: int = 0,
    params: dict[str, Any] | None = None,
    distributions: dict[str, BaseDistribution] | None = None,
    reports: dict[int, float] | None = None,
) -> FrozenTrial:
    """A trial that took a minute and a half, if it has ended."""
    started = NOON + timedelta(minutes=minute)
    return FrozenTrial(
        number=-1,
        trial_id=-1,
        state=state,
        value=value,
        datetime_start=started,
        datetime_complete=started + timedelta(seconds=90) if state.is_finished() else None,
        params={"x": 0.5} if params is None else params,
        distributions=LINE if distributions is None else distributions,
        user_attrs={},
        system_attrs={},
        intermediate_values=reports or {},
    )


def lively(direction: Literal["minimize", "maximize"] = "minimize") -> optuna.Study:
    """A study with trials of every state that has a point."""
    study = optuna.create_study(study_name="lively", direction=direction)
    points: list[dict[str, Any]] = [
        {"depth": 3, "loss": "mean", "rate": 0.1},
        {"depth": 64, "loss": 3, "rate": 1e-4},
        {"depth": 1, "loss": 0.5, "rate": 1.0},
        {"depth": 7, "loss": True, "rate": 0.012345678901234567},
        {"depth": 9, "loss": 3, "rate": 0.5},
        {"depth": 9, "loss": 3, "rate": 0.25},
        {"depth": 8, "loss": 3, "rate": 0.25},
    ]
    outcomes: list[tuple[TrialState, float | None, dict[int, float]]] = [
        (TrialState.COMPLETE, 0.1 + 0.2, {}),
        (TrialState.RUNNING, None, {}),
        (TrialState.FAIL, None, {}),
        (TrialState.PRUNED, 0.7, {2: 0.9, 5: 0.7}),
        (TrialState.PRUNED, None, {}),
        (TrialState.COMPLETE, float("-inf"), {}),
        (TrialState.COMPLETE, -4.0, {}),
    ]
    for minute, (params, (state, value, reports)) in enumerate(zip(points, outcomes, strict=True)):
        study.add_trial(trial(state, value, minute=minute, params=params, distributions=SEARCHED, reports=reports))
    return study


# From Optuna.


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_study_of_optuna_keeps_points_values_times_and_states(
    address: str, direction: Literal["minimize", "maximize"]
) -> None:
    there = lively(direction)
    study = from_optuna(there, address, "moved", policy="gp-ucb", seed=11)
    assert (study.goal, study.seed, study.name) == (direction, 11, "moved")
    assert study.recipe == bl.policies.gp_ucb()
    assert study.space == bl.Space(
        depth=bl.Int(1, 64, log=True), loss=bl.Choice("mean", 3, 0.5, True), rate=bl.Float(1e-4, 1.0, log=True)
    )
    queries = study.queries()
    assert [query.point for query in queries] == [trial.params for trial in there.trials]
    assert [query.asked_at for query in queries] == [(NOON + timedelta(minutes=m)).timestamp() for m in range(7)]
    assert [(query.answer.value, query.answer.at) if query.answer else query.reason for query in queries] == [
        (0.1 + 0.2, (NOON + timedelta(seconds=90)).timestamp()),
        None,
        "failed",
        "pruned at step 5 with 0.7",
        "pruned",
        "complete with -inf",
        (-4.0, (NOON + timedelta(minutes=6, seconds=90)).timestamp()),
    ]
    assert [query.key for query in study.pending()] == ["trial 1"]
    assert study.best().value == (-4.0 if direction == "minimize" else 0.1 + 0.2)
    study.tell(study.pending()[0], 1.0)
    assert study.ask()


def test_what_was_running_is_told_and_found_by_the_number_of_its_trial(sqlite: str) -> None:
    there = optuna.create_study(sampler=BelatedSampler(seed=3))
    there.tell(there.ask(LINE), 0.25)
    running = there.ask(LINE)
    study = from_optuna(there, sqlite, "moved")
    query = study.ask(key=f"trial {running.number}")
    assert isinstance(query, bl.Query)
    assert query.point == running.params
    study.tell(query, 0.5)
    assert study.record().n_answers == 2


def test_the_arm_of_a_policy_that_plays_with_arms_is_kept(sqlite: str) -> None:
    policy = bl.policies.banditbo(features=5, initial=1)
    there = optuna.create_study(sampler=BelatedSampler(policy, seed=3, search_space=LINE))
    for _ in range(4):
        there.tell(there.ask(LINE), 0.25)
    study = from_optuna(there, sqlite, "moved", policy=policy, seed=3)
    assert [query.arm is None for query in study.queries()] == [True, False, False, False]
    assert list(differences(study.events)) == [], "the sampler asked what the study asks again"


def test_a_reason_that_the_user_gave_is_kept_by_every_storage(address: str) -> None:
    failed = [trial(TrialState.FAIL, minute=minute) for minute in range(3)]
    for each, reason in zip(failed, ["out of memory", "zero \0, half \ud800", 7], strict=True):
        each.user_attrs = {"fail_reason": reason}
    study = from_optuna(study_of(*failed), address, "moved")
    assert [query.reason for query in study.queries()] == ["out of memory", "zero \\0, half \\ud800", "failed"]


def test_trials_that_never_came_to_a_point_are_left_out(sqlite: str) -> None:
    there = optuna.create_study()
    there.add_trials(
        [
            trial(TrialState.FAIL, params={}, distributions={}),
            trial(value=1.0, minute=1),
            trial(TrialState.RUNNING, minute=2, params={}, distributions={}),
            trial(TrialState.PRUNED, minute=3, params={}, distributions={}),
        ]
    )
    assert [query.key for query in from_optuna(there, sqlite, "moved").queries()] == ["trial 1"]


def test_a_constant_becomes_a_choice_of_one(sqlite: str) -> None:
    constant: dict[str, BaseDistribution] = {
        "f": FloatDistribution(2, 2),
        "g": FloatDistribution(2, 2, step=0.5),
        "i": IntDistribution(3, 3),
        "j": IntDistribution(3, 3, step=2),
    }
    there = optuna.create_study()
    there.add_trial(trial(value=1.0, params={"f": 2.0, "g": 2.0, "i": 3, "j": 3}, distributions=constant))
    study = from_optuna(there, sqlite, "moved")
    assert study.space == bl.Space(f=bl.Choice(2.0), g=bl.Choice(2.0), i=bl.Int(3, 3), j=bl.Int(3, 3))
    assert study.best().point == {"f": 2.0, "g": 2.0, "i": 3, "j": 3}


def test_a_given_space_takes_the_place_of_steps_and_of_ranges_that_changed(sqlite: str) -> None:
    there = optuna.create_study()
    there.add_trial(trial(value=1.0, params={"x": 4}, distributions={"x": IntDistribution(0, 8, step=2)}))
    there.add_trial(trial(value=2.0, params={"x": 9}, distributions={"x": IntDistribution(0, 9, step=3)}))
    study = from_optuna(there, sqlite, "moved", space=bl.Space(x=bl.Int(0, 10)))
    assert [query.point["x"] for query in study.queries()] == [4, 9]


def constrained() -> optuna.Study:
    study = optuna.create_study()
    asked = study.ask(LINE)
    constrain(asked)
    study.tell(asked, 0.5)
    return study


def study_of(*trials: FrozenTrial) -> optuna.Study:
    study = optuna.create_study()
    study.add_trials(trials)
    return study


def of(*trials: FrozenTrial) -> Callable[[], optuna.Study]:
    return lambda: study_of(*trials)


def with_parameter(kind: BaseDistribution, value: Any) -> Callable[[], optuna.Study]:
    return of(trial(value=1.0, params={"x": value}, distributions={"x": kind}))


@pytest.mark.parametrize(
    "there, message",
    [
        (
            lambda: optuna.create_study(directions=["minimize", "minimize"], study_name="two"),
            "from_optuna('moved'): the study 'two' has 2 objectives; Belated optimises one; give a study with one "
            "direction, or combine the objectives into one value.",
        ),
        (
            constrained,
            f"from_optuna('moved'): trial 0 has the constraints {SHOWN}; Belated does not know constraints; leave them "
            "out and return a bad value where one is broken, or use GPSampler.",
        ),
        (
            of(),
            "from_optuna('moved'): no trial of the study has a parameter; a space has at least one; give "
            "space=bl.Space(…).",
        ),
        (
            of(
                trial(value=1.0, minute=1),
                trial(value=1.0, params={"x": 0.5, "y": 2}, distributions={**LINE, "y": IntDistribution(1, 2)}),
            ),
            "from_optuna('moved'): of the trials 0 and 1, only one has the parameter 'y'; a space of Belated has all "
            "its parameters in every point; leave conditional studies to Optuna.",
        ),
        (
            of(trial(value=1.0, minute=1), trial(value=1.0, distributions={"x": FloatDistribution(0.0, 2.0)})),
            "from_optuna('moved'): trial 1 has 'x' in another range than trial 0 (FloatDistribution(high=2.0, "
            "log=False, low=0.0, step=None) instead of FloatDistribution(high=1.0, log=False, low=0.0, step=None)); a "
            "parameter has one range; give space=bl.Space(…) with a range for all.",
        ),
        (
            with_parameter(IntDistribution(0, 8, step=2), 4),
            "from_optuna('moved'): the parameter 'x' is IntDistribution(high=8, log=False, low=0, step=2); a parameter "
            "of Belated has no step; give space=bl.Space(…) with a parameter of your choice in its place.",
        ),
        (
            with_parameter(FloatDistribution(0, 1, step=0.5), 0.5),
            "from_optuna('moved'): the parameter 'x' is FloatDistribution(high=1.0, log=False, low=0.0, step=0.5); a "
            "parameter of Belated has no step; give space=bl.Space(…) with a parameter of your choice in its place.",
        ),
        (
            with_parameter(CategoricalDistribution(("a", None)), "a"),
            "from_optuna('moved'): the parameter 'x' cannot be kept (Choice('a', None): None is not a text, a finite "
            "number or a boolean; name it by a text.); options are distinct texts, finite numbers or booleans; give "
            "space=bl.Space(…) with a parameter of your choice in its place, or rename its choices.",
        ),
    ],
    ids=["objectives", "constraints", "empty", "conditional", "ranges", "whole steps", "steps", "options"],
)
def test_what_has_no_translation_is_refused_and_nothing_is_written(
    there: Callable[[], optuna.Study], message: str, memory: str
) -> None:
    with pytest.raises(UnsupportedStudyError) as caught:
        from_optuna(there(), memory, "moved")
    assert str(caught.value) == message
    assert bl.Study.names(memory) == []


def test_a_trial_outside_the_given_space_is_refused_by_its_number(memory: str) -> None:
    there = study_of(trial(value=1.0, minute=1), trial(value=2.0, params={"x": 0.75}))
    with pytest.raises(bl.errors.PointError) as caught:
        from_optuna(there, memory, "moved", space=bl.Space(x=bl.Float(0, 0.6)))
    assert str(caught.value) == ("from_optuna('moved'): trial 1: x=0.75 is outside [0.0, 0.6]; give a number inside.")
    assert bl.Study.names(memory) == []


# To Optuna.


def worked_on(url: str) -> bl.Study:
    """A study with queries of every kind."""
    ticks = (1.7e9 + 0.1234567 * tick for tick in itertools.count())
    space = bl.Space(x=bl.Float(0, 1), n=bl.Int(1, 9, log=True), c=bl.Choice("a", 2, True))
    policy = bl.policies.gp_bucb(window=4)
    study = bl.Study.create(url, "lab", space, policy=policy, goal="maximize", seed=2**100, clock=lambda: next(ticks))
    first, second, third = (study.ask(worker=f"bench-{place}") for place in range(3))
    assert isinstance(first, bl.Query)
    assert isinstance(second, bl.Query)
    assert isinstance(third, bl.Query)
    study.add({"x": 0.125, "n": 3, "c": 2}, 0.7)
    study.ask(key="monday")
    study.tell(third, 0.3)
    study.revise(third, 0.31)
    study.revise(third, 0.32)
    study.abandon(second, "sample lost")
    added = study.add({"x": 0.5, "n": 4, "c": True}, 0.5)
    study.revise(added, 0.25)
    study.tell(first, 1 / 3)
    return study


@pytest.mark.parametrize("closed", [False, True])
def test_a_study_that_went_to_optuna_comes_back_as_it_was(address: str, sqlite: str, closed: bool) -> None:
    study = worked_on(address)
    if closed:
        study.close("good enough")
    there = to_optuna(study, storage=f"{sqlite}.optuna", study_name="gone")
    back = from_optuna(optuna.load_study(storage=f"{sqlite}.optuna", study_name="gone"), address, "back")
    assert back.queries() == study.queries()
    assert back.settings == study.settings
    assert (back.space, back.goal, back.policy) == (study.space, study.goal, study.policy)
    assert there.study_name == "gone"


def test_a_study_of_belated_keeps_points_values_times_and_states(sqlite: str) -> None:
    there = to_optuna(worked_on(sqlite))
    assert there.study_name == "lab"
    assert there.direction is optuna.study.StudyDirection.MAXIMIZE
    states = {"C": TrialState.COMPLETE, "F": TrialState.FAIL, "R": TrialState.RUNNING}
    assert [trial.state for trial in there.trials] == [states[letter] for letter in "CFCCRC"]
    assert [trial.value for trial in there.trials] == [1 / 3, None, 0.32, 0.7, None, 0.25]
    assert there.trials[3].params == {"x": 0.125, "n": 3, "c": 2}
    assert there.trials[0].distributions == {
        "x": FloatDistribution(0, 1),
        "n": IntDistribution(1, 9, log=True),
        "c": CategoricalDistribution(("a", 2, True)),
    }
    asked = bl.Study.open(sqlite, "lab").queries()[0].asked_at
    assert there.trials[0].datetime_start == datetime.fromtimestamp(asked)
    assert there.trials[1].user_attrs["belated"]["events"][-1]["reason"] == "sample lost"
    assert there.best_value == 0.7


def test_optuna_goes_on_where_belated_was(sqlite: str) -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1)), seed=6)
    for _ in range(5):
        query = study.ask()
        assert isinstance(query, bl.Query)
        study.tell(query, query.point["x"] * query.point["y"])
    study.ask()
    there = to_optuna(study, storage=sqlite, study_name="gone")
    trial, query = there.ask(), study.ask()
    assert isinstance(query, bl.Query)
    assert {name: trial.suggest_float(name, 0, 1) for name in ("x", "y")} == query.point


def test_a_study_of_optuna_comes_back_as_it_was(sqlite: str) -> None:
    there = lively()
    back = to_optuna(from_optuna(there, sqlite, "moved"))
    assert [told(trial) for trial in back.trials] == [told(trial) for trial in there.trials]
    assert back.direction == there.direction
    again = from_optuna(back, sqlite, "again")
    assert again.queries() == bl.Study.open(sqlite, "moved").queries()


@pytest.mark.parametrize(
    "reason, state, value",
    [
        ("", TrialState.FAIL, None),
        ("sample lost", TrialState.FAIL, None),
        ("complete with joy", TrialState.FAIL, None),
        ("complete with nan", TrialState.FAIL, None),
        ("complete with inf", TrialState.COMPLETE, float("inf")),
        ("pruned", TrialState.PRUNED, None),
        ("pruned at step 2 with 0.5", TrialState.PRUNED, 0.5),
        ("pruned at step 2 with nan", TrialState.PRUNED, None),
        ("pruned at step 2 with care", TrialState.PRUNED, None),
        ("pruned by frost", TrialState.FAIL, None),
    ],
)
def test_the_reason_of_an_abandoned_query_says_what_its_trial_was_and_comes_back(
    reason: str, state: TrialState, value: float | None, memory: str
) -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=1)
    query = study.ask()
    assert isinstance(query, bl.Query)
    study.abandon(query, reason)
    there = to_optuna(study)
    assert (there.trials[0].state, there.trials[0].value) == (state, value)
    assert from_optuna(there, memory, "back").queries()[0].reason == reason


def eventful(url: str) -> bl.Study:
    """A study with all that can be said of queries."""
    ticks = (1.7e9 + 0.1234567 * tick for tick in itertools.count())
    space = bl.Space(x=bl.Float(0, 1), n=bl.Int(1, 9), c=bl.Choice("a", "b"))
    outcomes: dict[str, Any] = {"yield": bl.Maximize(), "colour": bl.Signal()}
    study = bl.Study.create(url, "lab", space, policy="gp-bucb", outcomes=outcomes, seed=5, clock=lambda: next(ticks))
    queries = list(study.ask(9))
    study.tell(queries[0], {"colour": 0.3})
    study.tell(queries[0], {"yield": 0.83})
    study.tell(queries[1], {"yield": [0.5, 0.25, 0.75], "colour": [1.0, 2.0]})
    study.tell(queries[2], 0.42, sd=0.02)
    study.revise(queries[2], 0.44, sd=0.01)
    study.fail(queries[3], "precipitated")
    study.abandon(queries[4], "the vial broke")
    study.tell(queries[5], 0.9)
    study.retract(queries[5], "contaminated")
    study.tell(queries[6], 0.7, point={"x": 1.25, "n": 4.4, "c": "b"})
    study.fail(queries[7])
    study.retract(queries[7], "it was the wrong flask")
    study.tell(queries[7], 0.2)
    study.tell(queries[8], {"colour": 0.1})
    study.add({"x": 0.5, "n": 4, "c": "a"}, {"yield": 0.25, "colour": 0.5})
    return study


def test_all_that_can_be_said_of_a_query_goes_to_optuna_and_comes_back(address: str, sqlite: str) -> None:
    study = eventful(address)
    there = to_optuna(study, storage=f"{sqlite}.optuna", study_name="gone")
    letters = "".join(trial.state.name[0] for trial in there.trials)
    assert letters == "CCCFFFCCRC"
    assert [trial.value for trial in there.trials] == [0.83, 0.5, 0.44, None, None, None, 0.7, 0.2, None, 0.25]
    signals = [trial.user_attrs.get("colour") for trial in there.trials]
    assert signals == [0.3, 1.5, None, None, None, None, None, None, 0.1, 0.5]
    assert [trial.user_attrs.get("fail_reason") for trial in there.trials[3:6]] == ["precipitated", None, None]
    assert there.trials[6].params == {"x": 1.0, "n": 4, "c": "b"}, "the nearest that Optuna can say"
    back = from_optuna(optuna.load_study(storage=f"{sqlite}.optuna", study_name="gone"), address, "back")
    assert back.queries() == study.queries()
    assert back.outcomes == study.outcomes
    assert back.queries()[6].performed == {"x": 1.25, "n": 4.4, "c": "b"}


def test_what_came_of_a_pending_query_in_optuna_comes_back_with_it(memory: str) -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", outcomes=OUTCOMES, seed=5)
    first, *_ = study.ask(3)
    study.tell(first, {"colour": 0.5})
    there = to_optuna(study)
    there.tell(0, 0.7)
    there.tell(1, state=TrialState.FAIL)
    back = from_optuna(there, memory, "back")
    assert {name: answer.value for name, answer in back.queries()[0].answers.items()} == {"colour": 0.5, "yield": 0.7}
    assert [query.state for query in back.queries()] == ["answered", "failed", "pending"]


OUTCOMES: dict[str, Any] = {"yield": bl.Minimize(), "colour": bl.Signal()}


def test_what_silence_means_goes_and_comes_back(memory: str) -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", silence=0.0, seed=5)
    study.ask()
    back = from_optuna(to_optuna(study), memory, "back")
    assert back.outcomes == study.outcomes
    assert back.outcomes.silence == 0.0


def test_a_sampler_tells_abandoned_queries_from_failed_ones() -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=5)
    for query in study.ask(4):
        study.fail(query, "precipitated") if query.id % 2 else study.abandon(query, "the vial broke")
    there = to_optuna(study)
    reading = TrialsReading.empty(Translation.of(LINE), 1.0, seed=0).of("read()", there.trials, Counting())
    assert [query.state for query in reading.record.queries] == ["failed", "abandoned"] * 2


def test_an_enqueued_trial_is_pending_here_if_all_its_values_are_known(memory: str) -> None:
    there = study_of(trial(value=1.0, params={"x": 0.5, "y": 0.5}, distributions={**LINE, "y": LINE["x"]}))
    there.enqueue_trial({"x": 0.25, "y": 0.75})
    there.enqueue_trial({"x": 0.25})
    with pytest.warns(bl.errors.BelatedWarning) as warned:
        study = from_optuna(there, memory, "moved")
    assert [str(each.message) for each in warned] == [
        "from_optuna('moved'): the enqueued trials 2 are left behind, as they have no value for some parameters; ask() "
        "for queries in their place."
    ]
    (query,) = study.pending()
    assert (query.point, query.key) == ({"x": 0.25, "y": 0.75}, "trial 1")


def test_a_study_that_waits_for_more_than_an_objective_is_refused() -> None:
    outcomes: dict[str, Any] = {"yield": bl.Maximize(), "cost": bl.AtMost(2.0)}
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", outcomes=outcomes, seed=5)
    with pytest.raises(UnsupportedStudyError) as caught:
        to_optuna(study)
    assert str(caught.value) == (
        "to_optuna(''): a query of the study waits for yield, cost; a trial here has one value; keep the study here."
    )


def test_a_study_behind_a_service_goes_to_optuna_too(sqlite: str) -> None:
    here = to_optuna(worked_on(sqlite))
    with serving(sqlite) as address:
        there = to_optuna(bl.RemoteStudy.open(address, "lab"))
    assert [told(trial) for trial in there.trials] == [told(trial) for trial in here.trials]


def test_what_is_no_study_is_refused(memory: str) -> None:
    given: Any = "lab"
    with pytest.raises(bl.errors.ParameterError) as caught:
        from_optuna(given, memory, "moved")
    assert str(caught.value) == (
        "from_optuna('moved'): got 'lab' as the study; give one of Optuna's, as load_study() returns."
    )
    with pytest.raises(bl.errors.ParameterError) as caught:
        to_optuna(given)
    assert str(caught.value) == "to_optuna(): got 'lab' as the study; give a bl.Study, as Study.open() returns."


def test_a_name_that_optuna_has_already_is_refused(sqlite: str) -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=1)
    optuna.create_study(storage=sqlite, study_name="taken")
    with pytest.raises(bl.errors.ConflictError) as caught:
        to_optuna(study, storage=sqlite, study_name="taken")
    assert str(caught.value) == (
        "to_optuna(''): Optuna's storage has a study 'taken' already; nothing was written; choose another study_name."
    )


def test_tables_contexts_and_times_without_a_date_are_refused() -> None:
    space = bl.Space(x=bl.Float(0, 1))
    table = bl.Study.in_memory(bl.Candidates([{"x": 0.0}, {"x": 1.0}]), policy="random", seed=1)
    contextual = bl.Study.in_memory(
        space, policy="random", seed=1, context=bl.Context(hour=bl.Float(0, 24), seen="before")
    )
    timeless = bl.Study.in_memory(space, policy="random", seed=1, clock=lambda: 1e18)
    timeless.ask()
    messages = []
    for study in (table, contextual, timeless):
        with pytest.raises(UnsupportedStudyError) as caught:
            to_optuna(study)
        messages.append(str(caught.value))
    assert messages == [
        "to_optuna(''): the study searches a table of 2 candidates; Optuna's parameters vary on their own; keep the "
        "study here.",
        "to_optuna(''): the study's answers depend on a context (hour); Optuna has no word for it; keep the study "
        "here.",
        "to_optuna(''): the log has an event at 1e+18 seconds, which is no date; Optuna keeps dates; keep the study "
        "here.",
    ]

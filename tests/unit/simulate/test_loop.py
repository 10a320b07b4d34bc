"""The loop: when answers are there, what regret means, and what repeats."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import simulate
from belated.errors import AnswerError, BelatedError, ParameterError, UnknownNameError, UnsupportedError
from belated.log import Answered, Asked, Event
from belated.simulate import DelayLaw, Occasion, Problem, Run, SimulatedOutcome, problems
from belated.simulate.clock import SimulatedClock
from belated.study import differences

LAWS = [
    simulate.none(),
    simulate.constant(4),
    simulate.poisson(3),
    simulate.exponential(2.5),
    simulate.lognormal(2, 1),
    simulate.batch(4),
    simulate.lost(0.3, simulate.geometric(0.4)),
]


@dataclass(frozen=True)
class Listed:
    """Delays as they stand in a list."""

    delays: Sequence[float]

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        return self.delays[(occasion.number - 1) % len(self.delays)]


def is_available(outcome: SimulatedOutcome, round_: int) -> bool:
    return outcome.delay <= round_ - outcome.query.asked_at


def told_before(events: Sequence[Event], query: int) -> set[int]:
    """The queries that were answered before this one was asked."""
    told: set[int] = set()
    for event in events:
        if isinstance(event.body, Answered):
            told.add(event.body.query)
        if isinstance(event.body, Asked) and event.body.query == query:
            return told
    raise AssertionError("never asked")


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_query_knows_exactly_the_answers_whose_delay_has_passed(law: DelayLaw) -> None:
    run = simulate.run("branin", "random", law, rounds=40, seed=3)
    for outcome in run.outcomes:
        now = int(outcome.query.asked_at)
        available = {other.query.id for other in run.outcomes[: now - 1] if is_available(other, now)}
        assert told_before(run.study.events, outcome.query.id) == available


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_the_log_has_the_exact_times_and_never_runs_backwards(law: DelayLaw) -> None:
    run = simulate.run("branin", "random", law, rounds=40, seed=3)
    times = [event.at for event in run.study.events]
    assert times == sorted(times)
    for outcome, query in zip(run.outcomes, run.study.queries(), strict=True):
        assert query.asked_at == query.number
        if query.answer is not None:
            assert query.answer.at == query.asked_at + outcome.delay
            assert query.answer.value == outcome.answer
        else:
            assert not is_available(outcome, run.rounds)


def test_a_delay_of_a_hair_more_than_a_round_misses_that_round() -> None:
    hair = float(np.nextafter(1.0, 2.0))
    run = simulate.run("branin", "random", Listed([1.0, hair, 0.0]), rounds=4, seed=0)
    assert told_before(run.study.events, 2) == {1}
    assert told_before(run.study.events, 3) == {1}
    assert told_before(run.study.events, 4) == {1, 2, 3}


def test_answers_due_at_once_are_told_in_the_order_of_their_queries() -> None:
    run = simulate.run("branin", "random", Listed([2.5, 1.0, 0.5, 9.0]), rounds=4, seed=0)
    answered = [event.body.query for event in run.study.events if isinstance(event.body, Answered)]
    assert answered == [2, 1, 3]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("problem", ["branin", "cosines-grid"])
def test_regret_is_what_a_plain_loop_says(problem: str, law: DelayLaw) -> None:
    run = simulate.run(problem, "random", law, rounds=30, seed=8)
    posed = run.problem
    largest = abs(posed.optimum - (posed.worst or 0.0))
    total = 0.0
    for now in range(1, 31):
        arrived = [outcome.value for outcome in run.outcomes[:now] if is_available(outcome, now)]
        best = min((abs(posed.optimum - value) for value in arrived), default=largest)
        total += abs(posed.optimum - run.outcomes[now - 1].value)
        assert run.simple_regret[now - 1] == pytest.approx(best, abs=1e-12)
        assert run.cumulative_regret[now - 1] == pytest.approx(total, abs=1e-9)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_simple_regret_counts_what_was_known_before_the_first_round(law: DelayLaw) -> None:
    run = simulate.run("cosines-grid", "random", law, rounds=20, seed=8, initial=4)
    bare = simulate.run("cosines-grid", "random", law, rounds=20, seed=8)
    added = [query for query in run.study.queries() if not query.number]
    known = min(abs(run.problem.optimum - run.problem.value(query.point, None)) for query in added)
    assert len(added) == 4
    assert known < bare.simple_regret[0]
    assert run.simple_regret == pytest.approx(np.minimum(bare.simple_regret, known), abs=1e-12)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_simple_regret_is_finite_and_never_grows_even_where_the_worst_value_is_unknown(law: DelayLaw) -> None:
    problem = replace(problems.build("ackley-2"), worst=None)
    run = simulate.run(problem, "random", law, rounds=30, seed=5)
    assert np.all(np.isfinite(run.simple_regret))
    assert np.all(np.diff(run.simple_regret) <= 0)
    assert np.all(run.simple_regret >= 0)


def test_without_delay_the_regret_of_a_round_counts_its_own_query() -> None:
    run = simulate.run("branin", "random", rounds=6, seed=1)
    regrets = run.values - run.problem.optimum
    assert np.array_equal(run.simple_regret, np.minimum.accumulate(regrets))
    assert run.study.record().n_answers == 6


def test_an_answer_that_is_lost_never_comes_and_teaches_no_regret() -> None:
    run = simulate.run("branin", "random", simulate.lost(1.0, simulate.none()), rounds=10, seed=0)
    assert run.study.record().n_answers == 0
    assert len(run.study.pending()) == 10
    assert run.problem.worst is not None
    assert run.simple_regret == pytest.approx(np.full(10, run.problem.worst - run.problem.optimum))


def test_a_balk_adds_nothing_and_is_counted() -> None:
    policy = bl.policies.hbbo_ucb(maximum=1)
    run = simulate.run("branin", policy, simulate.constant(3), rounds=10, seed=0)
    assert run.times.tolist() == [1.0, 4.0, 7.0, 10.0]
    assert run.n_balks == 6
    assert len(run.points) == len(run.values) == 4
    assert np.count_nonzero(np.diff(run.cumulative_regret, prepend=0.0)) == 4


def test_the_same_seed_gives_the_same_run_and_another_one_another() -> None:
    first, again, other = (
        simulate.run("coupling", "gp-bucb", simulate.poisson(3), rounds=12, seed=seed) for seed in (5, 5, 6)
    )
    assert first.points == again.points
    assert [event.to_json() for event in first.study.events] == [event.to_json() for event in again.study.events]
    assert first.points != other.points


def test_every_policy_meets_the_same_noise_and_delay_of_its_nth_query() -> None:
    law = simulate.lost(0.2, simulate.exponential(3))
    eager = simulate.run("gp-se", "random", law, rounds=12, seed=2)
    patient = simulate.run("gp-se", bl.policies.hbbo_ucb(maximum=1, window=4), law, rounds=40, seed=2)
    assert eager.problem.optimum == patient.problem.optimum
    assert len(patient.outcomes) < 40
    for ours, theirs in zip(eager.outcomes, patient.outcomes, strict=False):
        assert ours.delay == theirs.delay
        assert ours.answer - ours.value == pytest.approx(theirs.answer - theirs.value, abs=1e-12)


def test_noise_delays_and_the_study_draw_from_different_sources() -> None:
    quiet, noisy = (replace(problems.build("coupling"), noise=noise) for noise in (0.0, 5.0))
    runs = [simulate.run(problem, "random", simulate.poisson(4), 20, seed=1) for problem in (quiet, noisy)]
    assert runs[0].points == runs[1].points
    assert [outcome.delay for outcome in runs[0].outcomes] == [outcome.delay for outcome in runs[1].outcomes]
    assert all(outcome.answer == outcome.value for outcome in runs[0].outcomes)
    noise = np.array([outcome.answer - outcome.value for outcome in runs[1].outcomes])
    assert 0.0 < abs(noise.mean()) <= 5.0 * 5.0 / np.sqrt(20)


def test_a_finished_study_goes_on_and_its_log_replays() -> None:
    run = simulate.run("branin", "gp-bucb", simulate.poisson(2), rounds=12, seed=4)
    assert list(differences(run.study.events)) == []
    assert run.study.ask()
    assert (run.policy, run.problem.name, run.study.goal) == ("gp-bucb", "branin", "minimize")


def test_a_run_travels_between_processes() -> None:
    run = simulate.run("coupling", "gp-bucb", simulate.lost(0.2, simulate.poisson(3)), rounds=12, seed=4)
    copy = pickle.loads(pickle.dumps(run))
    assert isinstance(copy, Run)
    assert np.array_equal(copy.simple_regret, run.simple_regret)
    assert copy.study.events == run.study.events
    assert copy.study.queries() == run.study.queries()


def test_who_watches_sees_every_round() -> None:
    seen: list[tuple[int, int]] = []
    simulate.run("branin", "random", rounds=3, watch=lambda now, study: seen.append((now, study.record().counts.asked)))
    assert seen == [(1, 1), (2, 2), (3, 3)]


def test_delays_in_time_meet_windows_in_time() -> None:
    policy = bl.policies.gp_bucb(window=bl.Window(seconds=3))
    run = simulate.run("branin", policy, simulate.lost(1.0, simulate.none()), rounds=8, seed=0)
    states = [query.state for query in run.study.queries()]
    assert states == [bl.State.OVERDUE] * 4 + [bl.State.PENDING] * 4


def test_known_hyperparameters_go_in_with_the_policy() -> None:
    belief = bl.GP(kernel="se", lengthscale=0.2, variance=0.5, noise=0.025, mean="zero")
    run = simulate.run("gp-se", bl.policies.gp_bucb(belief=belief), simulate.constant(5), 25, seed=0)
    assert run.simple_regret[-1] < run.simple_regret[0]


@pytest.mark.parametrize(
    "arguments, kind",
    [
        ({"rounds": 0}, ParameterError),
        ({"rounds": 2.5}, ParameterError),
        ({"rounds": True}, ParameterError),
        ({"seed": -1}, ParameterError),
        ({"seed": None}, ParameterError),
        ({"delay": 3}, ParameterError),
        ({"delay": simulate.poisson}, ParameterError),
        ({"problem": "brannin"}, UnknownNameError),
        ({"problem": 7}, ParameterError),
        ({"policy": "gp-bucbb"}, UnknownNameError),
        ({"policy": 7}, ParameterError),
        ({"policy": "bpe"}, ParameterError),
        ({"policy": "gp-aucb-local"}, UnsupportedError),
    ],
    ids=repr,
)
def test_bad_input_is_refused_before_anything_runs(arguments: dict[str, Any], kind: type[BelatedError]) -> None:
    asked: list[object] = []

    def objective(point: object) -> float:
        asked.append(point)
        return 1.0

    problem = replace(problems.build("branin"), objective=objective)
    with pytest.raises(kind):
        simulate.run(**{"problem": problem, "rounds": 3, **arguments})
    assert not asked


@pytest.mark.parametrize("delay", [-1.0, float("nan")])
def test_a_law_that_draws_an_impossible_delay_is_refused(delay: float) -> None:
    with pytest.raises(ParameterError, match="query 1; a delay is at least 0"):
        simulate.run("branin", "random", Listed([delay]), rounds=3)


def test_an_objective_that_is_not_finite_is_refused() -> None:
    problem = replace(problems.build("branin"), objective=lambda point: float("nan"))
    with pytest.raises(AnswerError, match="must be finite"):
        simulate.run(problem, "random", rounds=3)


def test_an_optimum_that_a_query_beats_is_reported_and_not_hidden() -> None:
    problem: Problem = replace(problems.build("branin"), optimum=100.0)
    with pytest.raises(ParameterError, match="better than the optimum"):
        simulate.run(problem, "random", rounds=20)


def test_a_value_beyond_an_optimum_that_nobody_has_proven_has_no_regret() -> None:
    problem: Problem = replace(problems.build("branin"), optimum=100.0, proven=False)
    run = simulate.run(problem, "random", rounds=20)
    beaten = run.values < 100.0
    assert beaten.any()
    assert np.array_equal(run.regrets == 0.0, beaten)


def test_a_clock_never_runs_backwards() -> None:
    clock = SimulatedClock()
    for instant, now in ((2.0, 2.0), (1.0, 2.0), (3.5, 3.5)):
        clock.move_to(instant)
        assert clock() == now

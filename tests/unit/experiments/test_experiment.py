"""What an arm is, what is refused before anything runs, common random numbers, and the measures of regret."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import belated as bl
from belated import simulate
from belated.errors import BelatedError, ParameterError, UnknownNameError, UnsupportedError
from belated.experiments import MEASURES, Arm, Experiment, Job, Runs, RunsDone, conduct, conductor, write_csv
from belated.experiments.archive import dumped
from belated.experiments.runs import KeptCurves, gathered
from belated.simulate import Occasion, Run
from belated.simulate.laws import registry
from belated.simulate.loop import LARGEST_SEED
from tests.tolerance import ROUNDING
from tests.unit.experiments.experiments import DELAY, arm, built, experiment

NAN = np.nan
TOO_MUCH = 1e30  # for single precision when squared


@dataclass(frozen=True)
class Hasty:
    """Answers that come before they are asked for, from the third on."""

    by: float

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        return -self.by if occasion.number > 2 else 0.0


def runs_of(regrets: list[list[float]]) -> Runs:
    table = np.array(regrets)
    return Runs(
        np.arange(len(table), dtype=np.uint64), table, np.zeros_like(table), np.zeros_like(table), np.ones(len(table))
    )


def simulated(chosen: Arm, seed: int) -> Run:
    return simulate.run(
        chosen.problem, chosen.policy, chosen.delay, chosen.rounds, seed, initial=chosen.initial, every=chosen.every
    )


def curves(run: Run, seconds: float = 0.5) -> KeptCurves:
    return KeptCurves.of(Job(arm(), run.seed, "file"), run, seconds)


# Arms


def test_arms_that_differ_in_their_label_alone_share_their_results() -> None:
    assert arm("one").digest == arm("another").digest


@pytest.mark.parametrize(
    "changed",
    [
        {"problem": "hartmann6"},
        {"policy": "one by one"},
        {"delay": simulate.poisson(2)},
        {"rounds": 9},
        {"initial": 1},
        {"every": 2.0},
        {"noise": 0.5},
        {"lazy": True},
        {"problem": "ackley", "parameters": {"dimension": 3}},
    ],
    ids=lambda changed: "+".join(changed),
)
def test_whatever_changes_the_results_changes_the_definition(changed: dict[str, Any]) -> None:
    assert arm(**changed).digest != arm().digest
    assert arm(**changed).digest == arm("other", **changed).digest


def test_parameters_of_a_policy_and_of_a_problem_are_part_of_the_definition() -> None:
    policies = [bl.policies.gp_bucb(window=window) for window in (5, 6)]
    arms = [Arm("a", "ackley", policy, parameters={"dimension": size}) for policy in policies for size in (2, 3)]
    assert len({chosen.digest for chosen in arms}) == 4


def test_runs_of_another_version_are_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    heard: list[RunsDone] = []
    conduct(experiment(), tmp_path, workers=0)
    monkeypatch.setattr(conductor, "version", lambda package: "99.0")
    conduct(experiment(), tmp_path, 0, heard.append)
    assert heard[0] == RunsDone("random", done=0, total=4, found=0)


@pytest.mark.parametrize(
    "changed, reason",
    [
        ({"rounds": 0}, "rounds must be a whole number of at least 1"),
        ({"rounds": 2.5}, "rounds must be a whole number"),
        ({"initial": -1}, "initial must be a whole number of at least 0"),
        ({"every": 0.0}, "every must be a finite number more than 0"),
        ({"delay": "soon"}, "as the law of delays"),
        ({"delay": Hasty(1.0)}, "can be written as text"),
        ({"label": ""}, "a label is a text"),
        ({"parameters": {"dimension": {1, 2}}}, "no JSON values"),
    ],
)
def test_an_arm_that_makes_no_sense_is_refused_at_once(changed: dict[str, Any], reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        arm(**changed)


@pytest.mark.parametrize(
    "policy", ["random", built("random").beginning(bl.Space(x=bl.Float(0, 1)))], ids=["name", "no recipe"]
)
def test_a_policy_that_cannot_be_named_is_refused(policy: Any) -> None:
    with pytest.raises(ParameterError, match="kept by its name and parameters"):
        Arm("a", "branin", policy)


@pytest.mark.parametrize(
    "arms, seeds, reason",
    [
        ((), range(3), "give at least one"),
        ((arm(), arm()), range(3), "each its own"),
        ((arm(),), (), "give at least one"),
        ((arm(),), (1, 1), "none of them twice"),
        ((arm(),), (-1,), "seeds must be a whole number of at least 0"),
    ],
)
def test_an_experiment_that_makes_no_sense_is_refused(arms: Any, seeds: Any, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        Experiment("odd", arms, seeds)


def _hasty(monkeypatch: pytest.MonkeyPatch) -> Arm:
    monkeypatch.setitem(registry.LAWS.entries, "Hasty", Hasty)
    return arm("late", delay=Hasty(1.0))


@pytest.mark.parametrize(
    "kind, changed",
    [
        (UnsupportedError, {"policy": bl.policies.bpe(horizon=20)}),
        (UnknownNameError, {"problem": "brannin"}),
        (ParameterError, {"parameters": {"colour": "red"}}),
        (ParameterError, {"delay": Hasty}),
    ],
    ids=["bpe on a box", "unknown problem", "unknown parameter", "negative delays"],
)
def test_what_cannot_run_is_refused_before_anything_runs(
    kind: type[BelatedError], changed: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = _hasty(monkeypatch) if changed.get("delay") is Hasty else replace(arm("late"), **changed)
    with pytest.raises(kind):
        conduct(experiment(range(3), arm("first"), wrong), tmp_path, workers=0)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("workers", [-1, 1.5, True])
def test_the_number_of_processes_is_a_count(workers: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="workers must be a whole number"):
        conduct(experiment(), tmp_path, workers)


# Common random numbers


@pytest.mark.parametrize("problem", ["gp-se", "coupling"])
def test_with_the_same_seed_all_arms_meet_the_same_function_noise_delays_and_initial_points(problem: str) -> None:
    arms = [arm(name, name, problem=problem, initial=3) for name in ("random", "one by one", "gp-bucb")]
    first, *others = (simulated(chosen, seed=5) for chosen in arms)
    for other in others:
        assert other.problem.value(other.problem.optimum_point) == first.problem.value(first.problem.optimum_point)
        for ours, theirs in zip(other.outcomes, first.outcomes, strict=False):
            assert ours.delay == theirs.delay
            assert_allclose(ours.answer - ours.value, theirs.answer - theirs.value, atol=ROUNDING * abs(ours.answer))
        assert _added(other) == _added(first)


def _added(run: Run) -> list[tuple[Any, Any]]:
    return [(query.point, query.answer and query.answer.value) for query in run.study.queries() if not query.number]


# Measures


def test_a_balk_adds_no_regret_and_no_query_to_the_average() -> None:
    runs = runs_of([[4.0, NAN, 2.0, 6.0], [NAN, NAN, 3.0, 1.0]])
    np.testing.assert_array_equal(runs.cumulative_regret, [[4, 4, 6, 12], [0, 0, 3, 4]])
    np.testing.assert_array_equal(runs.average_regret, [[4, 4, 3, 4], [NAN, NAN, 3, 2]])
    np.testing.assert_array_equal(runs.minimum_regret, [[4, 4, 2, 2], [NAN, NAN, 3, 1]])
    np.testing.assert_array_equal(runs.balks, [[0, 1, 1, 1], [1, 2, 2, 2]])


@pytest.mark.parametrize("policy", ["random", "one by one"])
def test_what_is_kept_of_a_run_is_what_the_run_says(policy: str) -> None:
    run = simulated(arm(policy, policy, rounds=12), seed=3)
    kept = gathered([curves(run, 0.5)])
    single = float(np.finfo(np.float32).eps)
    assert_allclose(kept.regrets[0], run.regrets, rtol=single)
    assert_allclose(kept.simple_regret[0], run.simple_regret, rtol=single)
    assert_allclose(kept.cumulative_regret[0], run.cumulative_regret, rtol=single)
    there = [sum(1 <= number <= by for number in run.arrived) for by in range(1, 13)]
    assert kept.answers[0].tolist() == there
    assert (kept.balks[0, -1], kept.seconds[0]) == (run.n_balks, 0.5)


def test_regrets_that_single_precision_cannot_hold_are_kept_whole() -> None:
    run = simulated(arm(), seed=3)
    large = replace(run, outcomes=tuple(replace(found, regret=found.regret * TOO_MUCH**2) for found in run.outcomes))
    kept = curves(large)
    assert kept.regrets.tolist() == large.regrets.tolist()
    again = KeptCurves.read(json.loads(dumped(kept.line())))
    assert again is not None
    assert again.regrets.tolist() == large.regrets.tolist()


@pytest.mark.parametrize("policy", ["random", "one by one"])
def test_a_line_says_all_that_is_kept_of_a_run(policy: str) -> None:
    kept = curves(simulated(arm(policy, policy, rounds=12), seed=3), 0.123456789)
    again = KeptCurves.read(json.loads(dumped(kept.line())))
    assert again is not None
    assert (again.key, again.definition, again.seconds) == (kept.key, kept.definition, kept.seconds)
    for name in ("regrets", "simple_regret", "answers"):
        np.testing.assert_array_equal(getattr(again, name), getattr(kept, name))


def test_the_largest_seed_is_a_seed() -> None:
    runs = gathered([curves(simulated(arm(), LARGEST_SEED))])
    assert runs.of([LARGEST_SEED]).seeds.tolist() == [LARGEST_SEED]


def test_runs_are_taken_by_seed_in_the_given_order() -> None:
    runs = replace(runs_of([[1.0], [2.0], [3.0]]), seeds=np.array([0, 1, 7], dtype=np.uint64))
    assert runs.of([7, 0]).regrets.tolist() == [[3.0], [1.0]]


def test_every_measure_has_a_name_and_an_unknown_one_suggests_the_nearest() -> None:
    runs = runs_of([[4.0, 2.0]])
    assert all(runs.measure(name).shape == (1, 2) for name in MEASURES)
    with pytest.raises(UnknownNameError, match="did you mean 'simple'"):
        runs.measure("simpel")


def test_the_law_of_the_small_experiments_can_be_written() -> None:
    assert arm().definition["delay"] == simulate.laws.text(DELAY)


@pytest.mark.parametrize("rounds, most, expected", [(7, None, 7), (7, 7, 7), (100, 50, 50), (101, 50, 34), (3, 1, 1)])
def test_a_table_has_evenly_spaced_rounds_and_the_last_among_them(
    tmp_path: Path, rounds: int, most: int | None, expected: int
) -> None:
    one = Arm("random", "branin", bl.policies.random(), rounds=rounds)
    results = conduct(Experiment("one", (one,), (0,)), tmp_path / "runs", workers=0)
    lines = write_csv(tmp_path / "table.csv", results, ("simple",), most).read_text().splitlines()[1:]
    assert len(lines) == expected
    assert lines[-1].split(",")[3] == str(rounds)
    assert len(set(np.diff([int(line.split(",")[3]) for line in lines]))) <= 1

"""The sampler in Optuna's hands: branches, beginnings, pruners, threads, processes, and what is refused."""

from __future__ import annotations

import ast
import inspect
import logging
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import BaseDistribution, FloatDistribution, IntDistribution
from optuna.samplers import RandomSampler
from optuna.trial import FrozenTrial, TrialState

import belated as bl
from belated.integrations.optuna import BelatedSampler, UnsupportedStudyError
from tests.builders import recipe_of
from tests.forks import fork
from tests.integrations.constraints import SHOWN, constrain

LINE: dict[str, BaseDistribution] = {"x": FloatDistribution(0, 1)}
PLANE: dict[str, BaseDistribution] = {"x": FloatDistribution(0, 1), "y": FloatDistribution(0, 1)}


class Listening(RandomSampler):
    """A random sampler that writes down how it was called."""

    def __init__(self) -> None:
        super().__init__(seed=1)
        self.calls: list[str] = []

    def reseed_rng(self) -> None:
        self.calls.append("reseed_rng")

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self.calls.append(f"before_trial {trial.number}")

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        self.calls.append(f"after_trial {trial.number}")

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        self.calls.append(f"sample_independent {trial.number} {param_name}")
        return super().sample_independent(study, trial, param_name, param_distribution)


# What is decided together, and what is not.


def test_a_parameter_of_one_branch_is_sampled_by_the_other_sampler_and_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    listening = Listening()
    study = optuna.create_study(sampler=BelatedSampler("random", seed=2, independent_sampler=listening))

    def objective(trial: optuna.Trial) -> float:
        value = trial.suggest_float("x", 0, 1)
        return value + trial.suggest_float("depth", 0, 1) if trial.number % 3 == 1 else value

    with caplog.at_level(logging.WARNING, logger="belated"):
        study.optimize(objective, n_trials=9)
    asked = [call for call in listening.calls if call.startswith("sample_independent")]
    assert asked[0] == "sample_independent 0 x", "before a first trial has shown what there is to search"
    assert asked[1:] == [f"sample_independent {number} depth" for number in (1, 4, 7)]
    assert [record.getMessage() for record in caplog.records] == [
        "BelatedSampler: the parameter 'depth' is sampled independently, and the policy does not learn from it: it is "
        "not in the search space that was given, or not in all completed trials with the same range."
    ]


def test_nothing_is_said_of_a_trial_that_began_before_there_was_anything_to_decide(
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = optuna.create_study(sampler=BelatedSampler(seed=2))
    early = study.ask()
    early.suggest_float("x", 0, 1)
    study.tell(study.ask(PLANE), 1.0)
    early.suggest_float("y", 0, 1)
    assert caplog.records == []


def test_the_other_sampler_hears_of_every_trial() -> None:
    listening = Listening()
    study = optuna.create_study(sampler=BelatedSampler(seed=2, independent_sampler=listening, search_space=LINE))
    study.tell(study.ask(LINE), 0.5)
    study.sampler.reseed_rng()
    assert listening.calls == ["before_trial 0", "after_trial 0", "reseed_rng"]


def test_with_a_given_search_space_the_policy_decides_from_the_first_trial() -> None:
    ours = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1)), seed=9)
    query = ours.ask()
    assert isinstance(query, bl.Query)
    study = optuna.create_study(sampler=BelatedSampler(seed=9, search_space=PLANE))
    assert study.ask(PLANE).params == query.point


def test_the_first_trials_to_complete_are_sampled_one_by_one() -> None:
    listening = Listening()
    sampler = BelatedSampler(seed=2, independent_sampler=listening, n_startup_trials=3, search_space=LINE)
    study = optuna.create_study(sampler=sampler)
    for _ in range(5):
        study.tell(study.ask(LINE), 0.5)
    study.tell(study.ask(LINE), state=TrialState.FAIL)
    asked = [call for call in listening.calls if call.startswith("sample_independent")]
    assert asked == [f"sample_independent {number} x" for number in range(3)]


def test_what_is_sampled_at_random_depends_on_the_seed_and_the_trial_alone() -> None:
    drawn: list[list[tuple[float, float]]] = []
    for seed in (1, 1, 2):
        study = optuna.create_study(sampler=BelatedSampler(seed=seed))
        trials = [study.ask() for _ in range(3)]
        order = trials if drawn else trials[::-1]
        points = {trial.number: (trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)) for trial in order}
        drawn.append([points[trial.number] for trial in trials])
        study.sampler.reseed_rng()
    assert drawn[0] == drawn[1] != drawn[2]
    assert len({number for point in drawn[0] for number in point}) == 6


def test_a_constant_is_left_to_optuna() -> None:
    space: dict[str, BaseDistribution] = {**PLANE, "fixed": IntDistribution(3, 3)}
    sampler = BelatedSampler(seed=1)
    study = optuna.create_study(sampler=sampler)
    study.tell(study.ask(space), 1.0)
    trial = study.ask()
    assert sampler.infer_relative_search_space(study, study.trials[trial.number]) == PLANE
    assert trial.suggest_int("fixed", 3, 3) == 3


# Pending trials.


def test_a_running_trial_is_seen_before_its_parameters_are_written(sqlite: str) -> None:
    def opened() -> optuna.Study:
        sampler = BelatedSampler(bl.policies.gp_bucb(initial=0), seed=1, search_space=PLANE)
        return optuna.create_study(storage=sqlite, study_name="shared", sampler=sampler, load_if_exists=True)

    first, second = opened(), opened()
    for x, y in ((0.1, 0.2), (0.9, 0.3), (0.5, 0.9)):
        first.add_trial(optuna.create_trial(params={"x": x, "y": y}, distributions=PLANE, value=x + y))
    running = first.ask()
    running.suggest_float("x", 0, 1)
    assert first.trials[running.number].params.keys() == {"x"}
    other = second.ask(PLANE)
    point = {"x": running.suggest_float("x", 0, 1), "y": running.suggest_float("y", 0, 1)}
    assert max(abs(point[name] - other.params[name]) for name in PLANE) > 0.05
    # Without it, the same point would have been asked: two samplers with the same trials and seed agree.
    alone = optuna.create_study(sampler=BelatedSampler(bl.policies.gp_bucb(initial=0), seed=1, search_space=PLANE))
    alone.add_trials([trial for trial in first.trials if trial.state is TrialState.COMPLETE])
    assert alone.ask(PLANE).params == point


@dataclass(frozen=True)
class Interrupted:
    """A rule during which something happens elsewhere, once."""

    rule: bl.rules.Rule
    happening: list[Callable[[], object]]

    def choose(self, situation: bl.rules.Situation) -> bl.rules.Choice:
        if self.happening:
            self.happening.pop()()
        return self.rule.choose(situation)


def test_two_processes_that_decide_at_the_same_moment_decide_differently() -> None:
    policy = bl.policies.gp_bucb(initial=0)
    parts = policy.beginning(bl.Space(x=bl.Float(0, 1), y=bl.Float(0, 1)))
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(storage=storage, study_name="shared")
    elsewhere = optuna.load_study(
        storage=storage, study_name="shared", sampler=BelatedSampler(policy, seed=8, search_space=PLANE)
    )
    for x, y in ((0.1, 0.2), (0.9, 0.3), (0.5, 0.9)):
        study.add_trial(optuna.create_trial(params={"x": x, "y": y}, distributions=PLANE, value=x + y))
    others: list[optuna.Trial] = []
    rule = Interrupted(parts.rule, [lambda: others.append(elsewhere.ask(PLANE))])
    study.sampler = BelatedSampler(recipe_of(replace(parts, rule=rule)), seed=1, search_space=PLANE)
    mine = study.ask(PLANE)
    assert (mine.number, others[0].number) == (3, 4)
    assert max(abs(mine.params[name] - others[0].params[name]) for name in PLANE) > 0.05


def test_a_trial_that_has_long_had_no_point_is_waited_for_by_nobody() -> None:
    suggestions = []
    for hours in (None, 0, 1):
        study = optuna.create_study(sampler=BelatedSampler(bl.policies.gp_bucb(initial=0), seed=1, search_space=PLANE))
        for x, y in ((0.1, 0.2), (0.9, 0.3), (0.5, 0.9)):
            study.add_trial(optuna.create_trial(params={"x": x, "y": y}, distributions=PLANE, value=x + y))
        if hours is not None:
            lost = optuna.create_trial(state=TrialState.RUNNING)
            lost.datetime_start = datetime.now() - timedelta(hours=hours)
            study.add_trial(lost)
        suggestions.append(study.ask(PLANE).params)
    nobody, lately, long_ago = suggestions
    assert max(abs(nobody[name] - lately[name]) for name in PLANE) > 0.05
    assert long_ago == pytest.approx(nobody, abs=0.01)


@pytest.mark.parametrize("policy", [bl.policies.gp_bucb(initial=6), bl.policies.asy_ts(initial=0)])
def test_trials_that_overtake_one_another_do_not_draw_the_same(policy: bl.policies.Recipe) -> None:
    study = optuna.create_study(sampler=BelatedSampler(policy, seed=4, search_space=PLANE))
    trials = [study.ask() for _ in range(5)]
    points = {
        (trials[place].suggest_float("x", 0, 1), trials[place].suggest_float("y", 0, 1)) for place in (4, 1, 2, 0, 3)
    }
    assert len(points) == 5


def test_threads_see_one_another() -> None:
    together = threading.Barrier(4)

    def objective(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        together.wait(timeout=120)
        return (x - 0.3) ** 2 + (y - 0.6) ** 2

    # With little noise, a point beside a pending one is always worth more than the pending one itself.
    policy = bl.policies.gp_bucb(belief=bl.GP(lengthscale=0.3, variance=1.0, noise=1e-6))
    study = optuna.create_study(sampler=BelatedSampler(policy, seed=3, search_space=PLANE))
    study.optimize(objective, n_trials=16, n_jobs=4)
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 16
    assert len({tuple(trial.params.values()) for trial in study.trials}) == 16


WORKER = """
import sys
import optuna
from belated.integrations.optuna import BelatedSampler

storage = optuna.storages.RDBStorage(sys.argv[1], engine_kwargs={"connect_args": {"timeout": 100}})
study = optuna.load_study(study_name="shared", storage=storage, sampler=BelatedSampler("random", seed=1))
study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + trial.suggest_int("n", 1, 9), n_trials=4)
"""


@pytest.mark.longest
def test_processes_with_the_same_seed_share_a_study_and_never_draw_the_same(sqlite: str, tmp_path: Path) -> None:
    study = optuna.create_study(study_name="shared", storage=sqlite)
    imported = ("optuna.storages", "belated.integrations.optuna", "sqlalchemy.dialects.sqlite")
    workers = [fork(WORKER, tmp_path, None, words=[sqlite], modules=imported) for _ in range(2)]
    for worker in workers:
        with worker.stdout:
            printed = worker.stdout.read()
        assert worker.wait() == 0, printed
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 8
    assert len({trial.params["x"] for trial in study.trials}) == 8


# Pruners.


@pytest.mark.parametrize(
    "pruner",
    [optuna.pruners.MedianPruner(n_startup_trials=2), optuna.pruners.HyperbandPruner(1, 4, 2)],
    ids=["median", "hyperband"],
)
def test_it_goes_with_pruners(pruner: optuna.pruners.BasePruner) -> None:
    def objective(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", -1, 1)
        for step in range(4):
            trial.report(x**2 + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return x**2

    study = optuna.create_study(sampler=BelatedSampler(seed=2), pruner=pruner)
    study.optimize(objective, n_trials=12)
    states = {trial.state for trial in study.trials}
    assert states == {TrialState.COMPLETE, TrialState.PRUNED}


def test_pruned_trials_can_be_left_out() -> None:
    suggestions = []
    for considered in (True, False):
        sampler = BelatedSampler(bl.policies.gp_bucb(initial=0), seed=2, consider_pruned_trials=considered)
        study = optuna.create_study(sampler=sampler)
        for x in (0.0, 0.4, 1.0):
            study.add_trial(optuna.create_trial(params={"x": x}, distributions=LINE, value=(x - 0.6) ** 2))
        study.add_trial(
            optuna.create_trial(params={"x": 0.65}, distributions=LINE, value=0.36, state=TrialState.PRUNED)
        )
        suggestions.append(study.ask(LINE).params["x"])
    assert suggestions[0] != suggestions[1]


# What is refused.


def test_several_objectives_are_refused() -> None:
    study = optuna.create_study(directions=["minimize", "maximize"], study_name="two", sampler=BelatedSampler(seed=1))
    with pytest.raises(UnsupportedStudyError) as caught:
        study.ask(LINE)
    assert str(caught.value) == (
        "BelatedSampler(): the study 'two' has 2 objectives; Belated optimises one; give a study with one direction, "
        "or combine the objectives into one value."
    )
    assert isinstance(caught.value, ValueError)


def test_constraints_are_refused_when_the_trial_ends_and_its_value_is_kept() -> None:
    study = optuna.create_study(sampler=BelatedSampler(seed=1))
    trial = study.ask(LINE)
    constrain(trial)
    message = (
        f"BelatedSampler(): trial 0 has the constraints {SHOWN}; Belated does not know constraints; leave them out and "
        "return a bad value where one is broken, or use GPSampler."
    )
    with pytest.raises(UnsupportedStudyError) as caught:
        study.tell(trial, 0.5)
    assert str(caught.value) == message
    assert study.trials[0].value == 0.5
    with pytest.raises(UnsupportedStudyError) as caught:
        study.ask(LINE)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            {"policy": 3},
            "BelatedSampler(): got 3 as the policy; give a name or one of bl.policies.",
        ),
        (
            {"policy": "gp-bucbb"},
            "build(): no policy is named 'gp-bucbb'; did you mean 'gp-bucb' or 'gp-ucb' or 'gp-aucb'?",
        ),
        (
            {"policy": "gp-aucb-local"},
            "BelatedSampler(): got 'gp-aucb-local' as the policy, which looks at every candidate; a search space of "
            "Optuna has no table of them; give a policy for boxes, as 'gp-bucb'.",
        ),
        (
            {"seed": -1},
            "BelatedSampler(): got seed -1; a seed is a whole number from 0 to 2**128 − 1; leave it out to draw one.",
        ),
        (
            {"n_startup_trials": 1.5},
            "BelatedSampler(n_startup_trials=1.5): n_startup_trials must be a whole number of at least 0.",
        ),
        (
            {"search_space": {"x": (0, 1)}},
            "BelatedSampler(): got {'x': (0, 1)} as the search space; it maps names to distributions; give "
            "{'x': FloatDistribution(0, 1)} or the like, or leave it out to have it learned.",
        ),
        (
            {"independent_sampler": "random"},
            "BelatedSampler(): got 'random' as the independent sampler; give one of optuna.samplers, or leave it out "
            "to sample at random.",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(bl.BelatedError) as caught:
        BelatedSampler(**arguments)
    assert str(caught.value) == message


def test_the_page_names_every_parameter_with_its_default() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "integrations" / "optuna.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (.+) \|$", page, re.MULTILINE)
    named = {name: ast.literal_eval(default[1:-1]) if default.startswith("`") else None for name, default in rows}
    expected = inspect.signature(BelatedSampler).parameters
    states = dict.fromkeys(state.name for state in TrialState)
    assert {**named, **states} == {**{name: given.default for name, given in expected.items()}, **states}


def test_without_optuna_the_error_names_the_extra() -> None:
    code = "import sys; sys.modules['optuna'] = None; import belated.integrations.optuna"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        "belated.errors.MissingPackageError: belated.integrations.optuna: needs the package optuna, which is not "
        "installed; Belated's extra 'optuna' brings it."
    )


# Spaces of finitely many points.


def combination(trial: optuna.Trial) -> float:
    return trial.suggest_int("a", 0, 2) + float(trial.suggest_categorical("b", ["u", "v"]) == "u")


def test_in_a_finite_space_every_point_is_tried_once_before_any_is_tried_again(
    caplog: pytest.LogCaptureFixture,
) -> None:
    study = optuna.create_study(sampler=BelatedSampler(seed=0))
    study.optimize(combination, n_trials=9)
    tried = [tuple(trial.params.values()) for trial in study.trials]
    assert len(tried) == 9
    assert len(set(tried[:6])) == 6
    said = [record.message for record in caplog.records if "tried again" in record.message]
    assert len(said) == 1
    assert said[0].startswith("BelatedSampler: all 6 points of the space were asked (0 are still waited for)")

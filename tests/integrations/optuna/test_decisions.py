"""What the sampler decides: the same as a study of Belated with the same log."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.storages.journal import JournalFileBackend
from optuna.trial import TrialState

import belated as bl
from belated.integrations.optuna import BelatedSampler
from belated.rules import Need

SEARCHED: dict[str, BaseDistribution] = {
    "depth": IntDistribution(1, 9),
    "loss": CategoricalDistribution(("mean", None, 3)),
    "rate": FloatDistribution(1e-4, 1.0, log=True),
    "share": FloatDistribution(0.0, 1.0, step=0.25),
}
SPACE = bl.Space(
    depth=bl.Int(1, 9), loss=bl.Choice("0", "1", "2"), rate=bl.Float(1e-4, 1.0, log=True), share=bl.Int(0, 4)
)


def loss(params: dict[str, Any]) -> float:
    """A value that depends on every parameter."""
    at = {"mean": 0.5, None: 1.5, 3: 0.0}[params["loss"]]
    return float((params["depth"] - 4) ** 2 / 4 + at + np.log10(params["rate"] / 0.01) ** 2 + params["share"])


def as_params(point: Any) -> dict[str, Any]:
    """A point of SPACE in Optuna's values."""
    choices = ("mean", None, 3)
    return {**point, "loss": choices[int(point["loss"])], "share": point["share"] / 4}


@pytest.mark.parametrize(
    "policy, goal",
    [
        (bl.policies.gp_bucb(), "minimize"),
        (bl.policies.gp_bucb(window=2), "maximize"),
        (bl.policies.asy_ts(), "minimize"),
        # Arms, and features that are drawn from the seed.
        (bl.policies.exp3bo(features=8, initial=3), "maximize"),
    ],
)
def test_trials_are_where_a_study_of_belated_would_ask(policy: bl.policies.Recipe, goal: Any) -> None:
    sampler = BelatedSampler(policy, seed=5, search_space=SEARCHED)
    theirs = optuna.create_study(sampler=sampler, direction=goal)
    ours = bl.Study.in_memory(SPACE, policy=policy, goal=goal, seed=5)
    trials, queries = [], []
    for number in range(12):
        trials.append(theirs.ask(SEARCHED))
        queries.append(ours.ask())
        assert isinstance(queries[-1], bl.Query)
        assert trials[-1].params == as_params(queries[-1].point)
        # Three are under way at any time, the last to come is told first, and every fifth fails.
        if number % 3 == 2:
            for place in (number, number - 1, number - 2):
                trial, query = trials[place], queries[place]
                assert isinstance(query, bl.Query)
                if place % 5 == 4:
                    theirs.tell(trial, state=TrialState.FAIL)
                    ours.fail(query)
                else:
                    theirs.tell(trial, loss(trial.params))
                    ours.tell(query, loss(trial.params))


def test_the_same_trials_and_seed_give_the_same_suggestion_whatever_is_remembered(sqlite: str) -> None:
    warm = BelatedSampler("gp-bucb", seed=3)
    study = optuna.create_study(storage=sqlite, study_name="tuning", sampler=warm)
    for _ in range(9):
        trial = study.ask(SEARCHED)
        study.tell(trial, loss(trial.params))
    study.ask(SEARCHED)
    number = study.ask().number
    suggestions = []
    cold = BelatedSampler("gp-bucb", seed=3)
    for sampler in (warm, cold, pickle.loads(pickle.dumps(warm))):
        opened = optuna.load_study(storage=sqlite, study_name="tuning", sampler=sampler)
        frozen = opened.trials[number]
        searched = sampler.infer_relative_search_space(opened, frozen)
        suggestions.append(sampler.sample_relative(opened, frozen, searched))
    assert suggestions[0].keys() == SEARCHED.keys()
    assert suggestions[0] == suggestions[1] == suggestions[2]
    other = BelatedSampler("gp-bucb", seed=4)
    opened = optuna.load_study(storage=sqlite, study_name="tuning", sampler=BelatedSampler("random", seed=4))
    assert other.sample_relative(opened, opened.trials[number], SEARCHED) != suggestions[0]


def test_a_study_asks_the_same_in_every_storage(sqlite: str, tmp_path: Path) -> None:
    journal = JournalFileBackend(str(tmp_path / "journal.log"))
    asked = []
    for storage in (None, sqlite, optuna.storages.JournalStorage(journal)):
        study = optuna.create_study(storage=storage, sampler=BelatedSampler(seed=3))
        trials = [study.ask(SEARCHED)]
        for _ in range(7):
            trials.append(study.ask(SEARCHED))
            study.tell(trials[-2], loss(trials[-2].params))
        asked.append([trial.params for trial in trials])
    assert asked[0] == asked[1] == asked[2]


def regret(sampler: optuna.samplers.BaseSampler) -> float:
    """How far the best of 30 trials on Branin's function is from the best there is, four under way at any time."""
    study = optuna.create_study(sampler=sampler)
    waiting: list[tuple[optuna.Trial, float]] = []
    for _ in range(30):
        trial = study.ask()
        x, y = trial.suggest_float("x", -5, 10), trial.suggest_float("y", 0, 15)
        bowl = (y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6) ** 2
        waiting.append((trial, float(bowl + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10 - 0.397887)))
        if len(waiting) == 4:
            study.tell(*waiting.pop(1))
    return study.best_value


def test_with_four_trials_under_way_it_beats_random_sampling() -> None:
    seeds = range(4)
    ours = [regret(BelatedSampler(seed=seed)) for seed in seeds]
    random = [regret(optuna.samplers.RandomSampler(seed=seed)) for seed in seeds]
    # Measured: better on all of eight, with medians of 0.1 and 2.5.
    assert sum(mine < theirs for mine, theirs in zip(ours, random, strict=True)) == 4
    assert np.median(ours) < np.median(random) / 3


REQUIRED: dict[str, dict[str, Any]] = {
    "bpe": {"horizon": 20},
    "bpe-delay": {"horizon": 20, "mean_delay": 1.0, "xi": 1.0, "b": 0.2},
}


@pytest.mark.parametrize("name", bl.policies.names())
def test_a_policy_for_boxes_samples_and_any_other_is_refused(name: str) -> None:
    policy = bl.policies.build(name, **REQUIRED.get(name, {}))
    beginning = policy.beginning(SPACE)
    if Need.TABLE in beginning.needs or beginning.across is not None:
        with pytest.raises(bl.errors.UnsupportedError, match=rf"^BelatedSampler\(\): got .*{name!r}"):
            BelatedSampler(policy)
        return
    study = optuna.create_study(sampler=BelatedSampler(policy, seed=1, search_space={"x": FloatDistribution(0, 1)}))
    # Only the first is answered: what would balk goes on all the same, since a worker is free.
    first = study.ask({"x": FloatDistribution(0, 1)})
    study.tell(first, first.params["x"])
    trials = [study.ask({"x": FloatDistribution(0, 1)}) for _ in range(4)]
    assert all(0 <= trial.params["x"] <= 1 for trial in trials)

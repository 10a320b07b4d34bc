"""The move: a team comes from Optuna with 500 trials; one call, and the work goes on, here or there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import belated as bl

optuna = pytest.importorskip("optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

from belated.integrations.optuna import BelatedSampler, from_optuna, to_optuna  # noqa: E402

SEARCHED = {
    "rate": FloatDistribution(1e-5, 1.0, log=True),
    "depth": IntDistribution(1, 12),
    "loss": CategoricalDistribution(("squared", "absolute")),
}


def loss_of(params: dict[str, Any]) -> float:
    """What the team's training ends with."""
    error = (np.log10(params["rate"]) + 2.5) ** 2 + 0.05 * (params["depth"] - 6) ** 2
    return float(error + (params["loss"] == "squared"))


def crashes(params: dict[str, Any]) -> bool:
    """Whether it diverges, or the machine has not enough memory."""
    return bool(params["rate"] > 0.3 or params["depth"] > 10)


def team_study() -> Any:
    """What the team has: 500 trials, of which many have failed or were pruned, and some run or wait at this moment."""
    study = optuna.create_study(study_name="training", sampler=optuna.samplers.RandomSampler(seed=3))
    for number in range(500):
        if number >= 497:
            study.enqueue_trial({"rate": 10.0 ** (number - 501), "depth": 6, "loss": "absolute"})
            continue
        trial = study.ask(SEARCHED)
        if number >= 492:
            continue
        if crashes(trial.params):
            study.tell(trial, state=TrialState.FAIL)
        elif number % 7 == 0:
            trial.report(5.0 + loss_of(trial.params), step=1)
            study.tell(trial, state=TrialState.PRUNED)
        else:
            study.tell(trial, loss_of(trial.params))
    return study


@pytest.fixture
def moved(tmp_path: Path) -> tuple[Any, bl.Study]:
    """The team's study, and the same one here after the one call."""
    there = team_study()
    return there, from_optuna(there, f"sqlite:///{tmp_path}/lab.db", "training")


def test_a_team_moves_with_500_trials_and_goes_on_here(moved: tuple[Any, bl.Study]) -> None:
    there, study = moved
    kinds = Counter(trial.state for trial in there.trials)
    counts = study.record().counts
    assert (counts.asked, counts.answered, counts.failed) == (500, kinds[TrialState.COMPLETE], kinds[TrialState.FAIL])
    assert counts.failed > 50
    assert counts.abandoned == kinds[TrialState.PRUNED]
    assert counts.pending == kinds[TrialState.RUNNING] + kinds[TrialState.WAITING] == 8
    assert (study.goal, study.best().value, study.best().point) == ("minimize", there.best_value, there.best_params)

    # A training that still ran there ends; another crashes.
    running = [trial for trial in there.trials if trial.state is TrialState.RUNNING]
    ended, crashed = (study.ask(key=f"trial {trial.number}") for trial in running[:2])
    assert isinstance(ended, bl.Query)
    assert isinstance(crashed, bl.Query)
    assert dict(ended.point) == running[0].params
    study.tell(ended, loss_of(dict(ended.point)))
    study.fail(crashed, "out of memory")

    # New ones are asked beside those that are still under way.
    ran = study.run(training, queries=3, workers=1)
    assert ran.asked == 3
    assert len(study.pending()) == 6
    assert study.record().counts.asked == 503


def training(point: dict[str, Any]) -> float:
    if crashes(point):
        raise MemoryError
    return loss_of(point)


def test_a_team_that_would_rather_stay_goes_on_there_with_what_was_told_here(moved: tuple[Any, bl.Study]) -> None:
    there, study = moved
    first, second, third = (query for query in study.pending()[:3])
    study.tell(first, [1.0, 1.2, 1.1])
    study.fail(second, "out of memory")
    study.abandon(third, "the machine was switched off")

    back = to_optuna(study, study_name="back", sampler=BelatedSampler(seed=1))
    states = Counter(trial.state for trial in back.trials)
    before = Counter(trial.state for trial in there.trials)
    assert states[TrialState.COMPLETE] == before[TrialState.COMPLETE] + 1
    assert states[TrialState.FAIL] == before[TrialState.FAIL] + 2
    assert states[TrialState.PRUNED] == before[TrialState.PRUNED]
    told, failed, lost = (back.trials[query.id - 1] for query in (first, second, third))
    assert told.value == pytest.approx(1.1)
    assert failed.user_attrs["fail_reason"] == "out of memory"
    assert "fail_reason" not in lost.user_attrs

    def objective(trial: Any) -> float:
        return loss_of(
            {
                "rate": trial.suggest_float("rate", 1e-5, 1.0, log=True),
                "depth": trial.suggest_int("depth", 1, 12),
                "loss": trial.suggest_categorical("loss", ["squared", "absolute"]),
            }
        )

    back.optimize(objective, n_trials=2)
    assert len(back.trials) == 502

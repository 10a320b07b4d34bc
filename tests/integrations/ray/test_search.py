"""Belated as a searcher of Ray Tune, by itself and in a real run."""

from __future__ import annotations

import copy
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated.errors import ParameterError
from belated.log import State

tune = pytest.importorskip("ray.tune")
from ray.tune.search import ConcurrencyLimiter, Searcher  # noqa: E402

from belated.integrations.ray import BelatedSearch  # noqa: E402

SPACE = bl.Space(x=bl.Float(0, 1))
CONFIG = {"x": tune.uniform(0, 1), "model": {"width": tune.qrandint(16, 64, 16)}, "epochs": 3}


def search(**options: Any) -> BelatedSearch:
    return BelatedSearch(**{"space": SPACE, "metric": "loss", "mode": "min", "seed": 0, **options})


def reasons(study: bl.Study) -> list[str]:
    return [f"{query.state}: {query.reason}" for query in study.queries() if query.reason]


# Suggestions.


def test_a_trial_is_a_query_and_its_last_report_the_answer() -> None:
    searcher = search()
    first, second = searcher.suggest("a"), searcher.suggest("b")
    searcher.on_trial_result("a", {"loss": 5.0})
    searcher.on_trial_complete("b", {"loss": 0.5, "accuracy": 1.0})
    record = searcher.study.record()
    assert [query.point for query in record.queries] == [first, second]
    assert [query.state for query in record.queries] == [State.PENDING, State.ANSWERED]
    assert searcher.study.best().value == 0.5
    assert searcher.study.goal == "minimize"


def test_suggestions_are_what_the_study_would_ask() -> None:
    searcher, study = search(policy="gp-bucb"), bl.Study.in_memory(SPACE, policy="gp-bucb", goal="minimize", seed=0)
    for trial in range(8):
        query = study.ask()
        assert isinstance(query, bl.Query)
        assert searcher.suggest(str(trial)) == query.point
        loss = (query.point["x"] - 0.3) ** 2
        study.tell(query, loss)
        searcher.on_trial_complete(str(trial), {"loss": loss})


def test_asked_again_a_trial_gets_the_same() -> None:
    searcher = search()
    assert searcher.suggest("a") == searcher.suggest("a")
    assert searcher.study.record().counts.asked == 1


@pytest.mark.parametrize(
    ("result", "error", "reason"),
    [
        (None, True, "failed: trial a failed"),
        ({"loss": 1.0}, True, "failed: trial a failed"),
        (None, False, "abandoned: trial a reported no loss"),
        ({"accuracy": 1.0}, False, "abandoned: trial a reported no loss"),
        ({"loss": float("nan")}, False, "failed: trial a reported loss=nan"),
        ({"loss": "low"}, False, "failed: trial a reported loss='low'"),
    ],
)
def test_a_trial_without_a_value_has_failed_or_was_stopped(result: Any, error: bool, reason: str) -> None:
    searcher = search()
    searcher.suggest("a")
    searcher.on_trial_complete("a", result, error)
    assert reasons(searcher.study) == [reason]


def test_what_ends_twice_or_belongs_to_others_is_left_alone() -> None:
    searcher = search()
    searcher.suggest("a")
    searcher.on_trial_complete("a", {"loss": 1.0})
    n_events = len(searcher.study.events)
    searcher.on_trial_complete("a", {"loss": 2.0})
    searcher.on_trial_complete("unknown", {"loss": 3.0})
    searcher.suggest("b")
    searcher.study.tell(2, 4.0)
    searcher.on_trial_complete("b", {"loss": 5.0})
    assert len(searcher.study.events) == n_events + 2
    assert [query.answer.value for query in searcher.study.queries() if query.answer] == [1.0, 4.0]


def test_while_the_policy_balks_nothing_is_suggested() -> None:
    searcher = search(policy=bl.policies.hbbo_ucb(maximum=1))
    assert searcher.suggest("a")
    assert searcher.suggest("b") is None
    searcher.on_trial_complete("a", {"loss": 1.0})
    assert searcher.suggest("b")


def test_a_study_that_is_closed_has_finished() -> None:
    searcher = search()
    searcher.suggest("a")
    searcher.study.close("good enough")
    assert searcher.suggest("b") == Searcher.FINISHED
    searcher.on_trial_complete("a", {"loss": 1.0})
    assert searcher.study.best().value == 1.0


def test_a_concurrency_limiter_holds_it_back() -> None:
    limited = ConcurrencyLimiter(search(), max_concurrent=2)
    assert limited.suggest("a")
    assert limited.suggest("b")
    assert limited.suggest("c") is None
    limited.on_trial_complete("a", {"loss": 1.0})
    assert limited.suggest("c")


def test_points_that_were_evaluated_elsewhere_are_added() -> None:
    searcher = BelatedSearch(metric="loss", mode="min", seed=0)
    assert searcher.set_search_properties(None, None, CONFIG)
    known = {"x": 0.5, "model": {"width": 32}, "epochs": 3}
    searcher.add_evaluated_point(known, 0.7)
    searcher.add_evaluated_point(known, 0.0, error=True)
    (added,) = searcher.study.queries()
    assert (added.point, added.number) == ({"x": 0.5, "model/width": 2}, 0)
    assert searcher.study.best().value == 0.7


# What is known, and from whom.


def test_the_tuner_may_say_what_is_searched_and_for_what() -> None:
    searcher = BelatedSearch(seed=0)
    assert searcher.set_search_properties("loss", "max", CONFIG)
    assert searcher.study.goal == "maximize"
    suggested = searcher.suggest("a")
    assert set(suggested) == {"x", "model"}
    assert suggested["model"]["width"] in (16, 32, 48, 64)


def test_a_space_that_is_known_stays() -> None:
    searcher = BelatedSearch(SPACE, seed=0)
    assert not searcher.set_search_properties("loss", "min", CONFIG)
    assert searcher.study.space == SPACE
    assert (searcher.metric, searcher.mode) == ("loss", "min")
    own = BelatedSearch(CONFIG, "error", "min")
    assert own.study.space.names == ("x", "model/width")
    assert not own.set_search_properties("loss", "max", {})
    assert (own.metric, own.mode) == ("error", "min")


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, "no space and no metric and no mode"),
        ({"space": SPACE}, "no metric and no mode"),
        ({"space": SPACE, "metric": "loss"}, "no mode"),
        ({"metric": "loss", "mode": "min"}, "no space"),
    ],
)
def test_a_search_that_knows_too_little_says_what_is_missing(given: Any, missing: str) -> None:
    with pytest.raises(ParameterError) as caught:
        BelatedSearch(**given).suggest("a")
    assert str(caught.value) == (
        f"BelatedSearch: got {missing}; a search needs all of space, metric and mode; give them here, or to the tuner "
        f"as param_space and in tune.TuneConfig."
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mode": "lowest"}, "BelatedSearch(mode='lowest'): a study has one goal; give 'max' or 'min'."),
        (
            {"metric": ["a", "b"], "mode": "min"},
            "BelatedSearch(metric=['a', 'b']): a study has one goal; give the name of one metric.",
        ),
        (
            {"space": {"epochs": 3}},
            "BelatedSearch(space={'epochs': 3}): nothing in it is to be searched; give a bl.Space, or a dict with "
            "ranges and choices of ray.tune.",
        ),
        (
            {"space": 3},
            "BelatedSearch(space=3): nothing in it is to be searched; give a bl.Space, or a dict with ranges and "
            "choices of ray.tune.",
        ),
    ],
)
def test_what_makes_no_search_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        BelatedSearch(**given)
    assert str(caught.value) == message


# Going on later.


def test_a_search_that_was_saved_goes_on_where_it_was(tmp_path: Path) -> None:
    searcher = search(policy="gp-bucb")  # auto also looks at the clock: how long the others are under way
    for trial in range(5):
        searcher.suggest(str(trial))
    for trial in range(3):
        searcher.on_trial_complete(str(trial), {"loss": float(trial)})
    searcher.save(str(tmp_path / "state"))
    restored = BelatedSearch()
    restored.restore(str(tmp_path / "state"))
    copies = [restored, copy.deepcopy(searcher), pickle.loads(pickle.dumps(searcher))]
    for again in copies:
        again.on_trial_complete("4", {"loss": 0.5})
    searcher.on_trial_complete("4", {"loss": 0.5})
    expected = searcher.suggest("5")
    assert [again.suggest("5") for again in copies] == [expected] * 3
    assert len(restored.study.pending()) == 2


def test_a_search_that_knows_nothing_yet_can_be_saved_too() -> None:
    again = pickle.loads(pickle.dumps(BelatedSearch(seed=3)))
    assert again.set_search_properties("loss", "min", CONFIG)
    assert again.study.seed == 3


def test_with_a_storage_the_study_is_there_for_others(sqlite: str) -> None:
    searcher = search(storage=sqlite, name="digits")
    searcher.suggest("a")
    again = pickle.loads(pickle.dumps(searcher))
    again.on_trial_complete("a", {"loss": 0.25})
    assert bl.Study.open(sqlite, "digits").best().value == 0.25
    assert search(storage=sqlite, name="digits").study.best().value == 0.25


# In a real run.


@pytest.mark.usefixtures("cluster")
def test_a_run_of_tune_with_several_processes_fills_the_study(tmp_path: Path) -> None:
    def trainable(config: dict[str, Any]) -> None:
        if config["x"] < 0.3:
            raise ValueError("too small")
        for step in range(2):
            tune.report({"loss": (config["x"] - 0.7) ** 2 + (1 - step), "process": os.getpid()})

    searcher = BelatedSearch(seed=1, policy="random")
    tuner = tune.Tuner(
        trainable,
        param_space=CONFIG,
        tune_config=tune.TuneConfig(
            search_alg=searcher,
            metric="loss",
            mode="min",
            num_samples=5,
            max_concurrent_trials=2,
            reuse_actors=True,
        ),
        run_config=tune.RunConfig(storage_path=str(tmp_path), verbose=0),
    )
    results = tuner.fit()
    study = searcher.study
    record = study.record()
    assert (record.counts.asked, len(study.pending())) == (5, 0)
    small = [query.point["x"] < 0.3 for query in record.queries]
    assert 0 < sum(small) < 5
    assert [query.state is State.FAILED for query in record.queries] == small
    assert results.num_errors == sum(small)
    best = results.get_best_result()
    assert best.metrics["loss"] == study.best().value == (best.config["x"] - 0.7) ** 2
    assert best.config["epochs"] == 3
    processes = {result.metrics["process"] for result in results if result.error is None}
    assert os.getpid() not in processes

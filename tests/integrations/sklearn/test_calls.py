"""Candidates are fitted side by side, in threads and in processes, and none waits for another."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import FitFailedWarning

import belated as bl
from belated.errors import UnsupportedError
from belated.integrations.sklearn import BelatedSearchCV
from belated.log import Answered, Asked, Failed
from tests.meanwhile import PATIENCE

X, Y = np.zeros((4, 1)), np.zeros(4)
SPACE = bl.Space(x=bl.Float(0, 1))
N = 8


class Lateness:
    """What fits that run in threads of one process wait for, and how many have ended."""

    def __init__(self) -> None:
        self.others_done = threading.Event()
        self.started = 0
        self.ended = 0
        self.lock = threading.Lock()


late = Lateness()


@pytest.fixture(autouse=True)
def _afresh() -> None:
    global late
    late = Lateness()


class Slow(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The first to start ends last."""

    def __init__(self, x: float = 0.0) -> None:
        self.x = x

    def fit(self, X: Any, y: Any) -> Slow:
        with late.lock:
            late.started += 1
            first = late.started == 1
        if first and not late.others_done.wait(PATIENCE):
            raise RuntimeError("the others wait for the first")
        with late.lock:
            late.ended += 1
            if late.ended == N - 1:
                late.others_done.set()
        return self

    def score(self, X: Any, y: Any) -> float:
        return -self.x


class Failing(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Cannot be fitted where x is small."""

    def __init__(self, x: float = 0.0) -> None:
        self.x = x

    def fit(self, X: Any, y: Any) -> Failing:
        if self.x < 0.5:
            raise ValueError("too small")
        return self

    def score(self, X: Any, y: Any) -> float:
        return -self.x


class Placed(Failing):
    """Leaves the number of the process that fitted it in a folder."""

    def __init__(self, x: float = 0.0, folder: str = "") -> None:
        super().__init__(x)
        self.folder = folder

    def fit(self, X: Any, y: Any) -> Placed:
        Path(self.folder, str(os.getpid())).touch()
        return self


HALVES = [(np.arange(2), np.arange(2, 4))]


def test_a_slow_fit_does_not_hold_up_the_others() -> None:
    search = BelatedSearchCV(Slow(), SPACE, n_iter=N, n_jobs=2, cv=HALVES, refit=False, random_state=0)
    with joblib.parallel_config(backend="threading"):
        search.fit(X, Y)
    bodies = [event.body for event in search.study_.events]
    answers = [body.query for body in bodies if isinstance(body, Answered)]
    assert len(answers) == N
    # Either of the first two may be the one that started first.
    assert answers[-1] in (1, 2)


@pytest.mark.parametrize("pre_dispatch", ["n_jobs", "2*n_jobs", 3, "all"])
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
def test_the_next_candidate_is_asked_when_the_last_outcome_was_told(n_jobs: int, pre_dispatch: Any) -> None:
    search = BelatedSearchCV(
        Failing(),
        bl.Space(x=bl.Float(0.5, 1)),
        n_iter=N,
        n_jobs=n_jobs,
        cv=HALVES,
        random_state=0,
        policy="random",
        pre_dispatch=pre_dispatch,
    )
    with joblib.parallel_config(backend="threading"):
        search.fit(X, Y)
    kinds = [type(event.body) for event in search.study_.events[1:]]
    ahead = {"n_jobs": n_jobs, "2*n_jobs": 2 * n_jobs, 3: 3, "all": N}[pre_dispatch]
    assert kinds == [Asked] * ahead + [Answered, Asked] * (N - ahead) + [Answered] * ahead


def test_fits_run_in_the_processes_of_joblib(tmp_path: Path) -> None:
    estimator = Placed(folder=str(tmp_path))
    search = BelatedSearchCV(estimator, SPACE, n_iter=6, n_jobs=2, cv=HALVES, refit=False, random_state=0)
    search.fit(X, Y)
    processes = {int(path.name) for path in tmp_path.iterdir()}
    assert os.getpid() not in processes
    assert 1 <= len(processes) <= 2
    assert search.study_.record().n_answers == 6


def test_a_policy_that_balks_is_asked_again_after_the_next_answer() -> None:
    policy = bl.policies.hbbo_ucb(maximum=1)
    search = BelatedSearchCV(Failing(), bl.Space(x=bl.Float(0.5, 1)), n_iter=5, n_jobs=2, cv=HALVES, policy=policy)
    with joblib.parallel_config(backend="threading"):
        search.set_params(random_state=0).fit(X, Y)
    kinds = [type(event.body) for event in search.study_.events[1:]]
    assert kinds == [Asked, Answered] * 5


def test_a_backend_that_keeps_outcomes_to_the_end_is_refused() -> None:
    search = BelatedSearchCV(Failing(), SPACE, n_iter=2, n_jobs=2, cv=HALVES)
    with joblib.parallel_config(backend="multiprocessing"), pytest.raises(UnsupportedError) as caught:
        search.fit(X, Y)
    message = str(caught.value)
    assert message.startswith("BelatedSearchCV.fit(): joblib refuses (Backend ")
    assert message.endswith(
        "does not support return_as=generator_unordered); a search needs outcomes one by one, as they come; choose the "
        "backend 'loky', 'threading' or 'dask'."
    )


# Fits that fail.


def failing(error_score: Any, n_jobs: int) -> BelatedSearchCV:
    return BelatedSearchCV(
        Failing(), SPACE, n_iter=N, n_jobs=n_jobs, cv=HALVES, policy="random", random_state=1, error_score=error_score
    )


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_candidate_that_cannot_be_fitted_has_failed(n_jobs: int) -> None:
    search = failing(np.nan, n_jobs)
    with (
        joblib.parallel_config(backend="threading"),
        pytest.warns(FitFailedWarning, match="fits failed out of a total of 8"),
        pytest.warns(UserWarning, match="non-finite"),
    ):
        search.fit(X, Y)
    failed = [parameters["x"] < 0.5 for parameters in search.cv_results_["params"]]
    assert 0 < sum(failed) < N
    assert list(np.isnan(search.cv_results_["mean_test_score"])) == failed
    bodies = [event.body for event in search.study_.events]
    reasons = {body.query: body.reason for body in bodies if isinstance(body, Failed)}
    assert reasons == {place + 1: "a fit failed: ValueError: too small" for place, lost in enumerate(failed) if lost}
    assert search.best_params_["x"] >= 0.5


def test_an_error_score_that_is_a_number_is_told() -> None:
    search = failing(-2.0, 1)
    with pytest.warns(FitFailedWarning):
        search.fit(X, Y)
    answers = [query.answer.value for query in search.study_.queries() if query.answer is not None]
    assert answers == [
        -2.0 if parameters["x"] < 0.5 else -parameters["x"] for parameters in search.cv_results_["params"]
    ]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_where_errors_are_to_be_raised_the_search_ends_with_the_first(n_jobs: int) -> None:
    search = failing("raise", n_jobs)
    with joblib.parallel_config(backend="threading"), pytest.raises(ValueError, match=r"^too small$"):
        search.fit(X, Y)
    assert not hasattr(search, "cv_results_")
    # What had come back before is still there.
    assert search.study_.record().counts.asked >= 1


def test_if_no_fit_succeeds_the_error_is_that_of_scikit_learn() -> None:
    search = BelatedSearchCV(Failing(), bl.Space(x=bl.Float(0, 0.4)), n_iter=2, cv=HALVES, random_state=0)
    with pytest.raises(ValueError, match="All the 2 fits failed"):
        search.fit(X, Y)


class Endless(Failing):
    """Has no score."""

    def fit(self, X: Any, y: Any) -> Endless:
        return self

    def score(self, X: Any, y: Any) -> float:
        return np.inf if self.x < 0.5 else 1.0


def test_a_score_that_is_not_finite_is_none() -> None:
    search = BelatedSearchCV(Endless(), SPACE, n_iter=N, cv=HALVES, policy="random", random_state=1)
    with pytest.warns(UserWarning, match="non-finite"), np.errstate(invalid="ignore"):
        search.fit(X, Y)
    reasons = {event.body.reason for event in search.study_.events if isinstance(event.body, Failed)}
    assert reasons == {"its score is not a finite number"}

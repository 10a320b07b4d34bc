"""A search over the parameters of an estimator, whose candidates are chosen by a study while others are being fitted.

scikit-learn's own searches evaluate lists of candidates; a list is as slow as its slowest fit. This one keeps as many
candidates under way as there are workers, and asks for the next one as soon as one comes back. All else (scores,
splits, metadata, tables of results) is scikit-learn's.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from sklearn import get_config
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.model_selection._search import BaseSearchCV
from sklearn.model_selection._validation import _insert_error_scores, _warn_or_raise_about_fit_failures
from sklearn.utils import check_random_state, indexable
from sklearn.utils.validation import _check_method_params

from belated.checks import as_number, require_count
from belated.errors import ParameterError, UnsupportedError
from belated.integrations.sklearn.calls import Calls
from belated.integrations.sklearn.candidates import Evaluation, Folds, evaluated
from belated.integrations.sklearn.spaces import SearchSpace, search_space
from belated.policies import Recipe, auto
from belated.space import Candidates, Space
from belated.study import DEFAULT_POLICY, Study

CALL = "BelatedSearchCV"
LARGEST_SEED = 2**31 - 1


class BelatedSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Cross-validated search with the look of RandomizedSearchCV, in which a policy chooses the candidates.

    `policy` is the name of a policy or one of bl.policies. `pre_dispatch` is how many candidates are under way at once.
    With several scores, the policy follows `metric` or, if that is None, the one that `refit` names. What it asked and
    was told is in `study_`; a candidate whose score is not a number has failed there. Under the default policy no
    candidate is fitted twice: where there are fewer than `n_iter`, the search ends with a warning once all are tried.
    """

    def __init__(
        self,
        estimator: Any,
        param_distributions: Space | Candidates | Mapping[str, Any],
        *,
        n_iter: int = 10,
        policy: str | Recipe = DEFAULT_POLICY,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: bool | str | Callable[..., int] = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: int | str = "n_jobs",
        random_state: Any = None,
        error_score: Any = np.nan,
        return_train_score: bool = False,
        metric: str | None = None,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.policy = policy
        self.random_state = random_state
        self.metric = metric

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Search, and, if `refit` says so, fit the best candidate on all the data."""
        self._validate_params()
        given = self._checked()
        scorers, refit_metric = self._get_scorers()
        X, y = indexable(X, y)
        routed = self._get_routed_params_for_fit(_check_method_params(X, params=params))
        evaluation = self._evaluation(X, y, scorers, routed)
        seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        self.study_ = Study.in_memory(given.space, policy=_unrepeated(self.policy), goal="maximize", seed=seed)
        flights = Calls(self.n_jobs)
        under_way = _under_way(self.pre_dispatch, flights.workers, self.n_iter)
        found = evaluated(self.study_, given, evaluation, flights, under_way, self._score)
        self.cv_results_ = self._table(found)
        self._choose(found, refit_metric)
        self.scorer_ = getattr(scorers, "_scorers", scorers)
        if self.refit:
            self._fit_best(X, y, routed.estimator.fit)
        return self

    def _checked(self) -> SearchSpace:
        """The space, once what this search takes beyond others of its kind is found to be right."""
        require_count(CALL, "n_iter", self.n_iter)
        if getattr(self, "_skl_callbacks", None) and not hasattr(self, "_parent_callback_ctx"):
            raise UnsupportedError(
                f"{CALL}.fit(): got callbacks of its own, which this search does not call; set them on its estimator."
            )
        if not callable(self.scoring) and isinstance(self.scoring, list | tuple | set | dict):
            self._followed(list(self.scoring))
        elif self.metric is not None and not callable(self.scoring):
            raise ParameterError(
                f"{CALL}(metric={self.metric!r}): there is one score, and nothing to choose; leave metric out, or give "
                f"several scores as scoring."
            )
        return search_space(self.param_distributions)

    def _evaluation(self, X: Any, y: Any, scorers: Any, routed: Any) -> Evaluation:
        splitting = routed.splitter.split
        cv = check_cv(self.cv, y, classifier=is_classifier(self.estimator))
        self.n_splits_ = cv.get_n_splits(X, y, **splitting)
        splits = list(cv.split(X, y, **splitting))
        if len(splits) != self.n_splits_:
            raise ValueError(
                f"cv.split and cv.get_n_splits return inconsistent results. Expected {self.n_splits_} splits, got "
                f"{len(splits)}"
            )
        options = {
            "scorer": scorers,
            "fit_params": routed.estimator.fit,
            "score_params": routed.scorer.score,
            "return_train_score": self.return_train_score,
            "return_n_test_samples": True,
            "return_times": True,
            "error_score": self.error_score,
            "verbose": self.verbose,
        }
        return Evaluation(clone(self.estimator), X, y, splits, options, self.n_iter, get_config())

    def _score(self, folds: Folds) -> float | None:
        """What the study is told of a candidate: the mean of its scores, or None where that is not a number."""
        scores = [fold["test_scores"] for fold in folds]
        named = [score for score in scores if isinstance(score, dict)]
        if named:
            metric = self._followed(list(named[0]))
            # Where a scoring function returns several scores, a failed fit has only one: the error score.
            scores = [score[metric] if isinstance(score, dict) else score for score in scores]
        return as_number(float(np.mean(scores)))

    def _followed(self, names: list[str]) -> str:
        """The score that the policy maximises."""
        metric = self.metric if self.metric is not None or not isinstance(self.refit, str) else self.refit
        if metric not in names:
            raise ParameterError(
                f"{CALL}(metric={self.metric!r}, refit={self.refit!r}): got several scores, {', '.join(names)}; the "
                f"policy follows one of them; name it as metric or as refit."
            )
        return str(metric)

    def _table(self, found: list[tuple[dict[str, Any], Folds]]) -> dict[str, Any]:
        """The results of all candidates in the order in which they were asked."""
        folds = [fold for _, own in found for fold in own]
        _warn_or_raise_about_fit_failures(folds, self.error_score)
        if callable(self.scoring):
            _insert_error_scores(folds, self.error_score)
        self.multimetric_ = isinstance(folds[0]["test_scores"], dict)
        table: dict[str, Any] = self._format_results([parameters for parameters, _ in found], self.n_splits_, folds)
        return table

    def _choose(self, found: list[tuple[dict[str, Any], Folds]], refit_metric: str) -> None:
        """Which candidate is the best, where there is one score or `refit` says by which."""
        if callable(self.scoring) and self.multimetric_:
            self._check_refit_for_multimetric(found[0][1][0]["test_scores"])
            refit_metric = self.refit
        if self.multimetric_ and not self.refit:
            return
        self.best_index_ = self._select_best_index(self.refit, refit_metric, self.cv_results_)
        if not callable(self.refit):
            self.best_score_ = self.cv_results_[f"mean_test_{refit_metric}"][self.best_index_]
        self.best_params_ = self.cv_results_["params"][self.best_index_]

    def _fit_best(self, X: Any, y: Any, options: Mapping[str, Any]) -> None:
        best = clone(self.estimator).set_params(**clone(self.best_params_, safe=False))
        began = time.time()
        self.best_estimator_ = best.fit(X, **options) if y is None else best.fit(X, y, **options)
        self.refit_time_ = time.time() - began
        if hasattr(best, "feature_names_in_"):
            self.feature_names_in_ = best.feature_names_in_

    def __getstate__(self) -> dict[str, Any]:
        """A study holds locks and models; its log is all that need be kept of it."""
        state = dict(super().__getstate__())
        return {**state, "study_": state["study_"].events} if "study_" in state else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        study = {"study_": Study(state["study_"])} if "study_" in state else {}
        super().__setstate__({**state, **study})


def _unrepeated(policy: str | Recipe) -> str | Recipe:
    """The policy; the default one fits no candidate twice, as scikit-learn's own searches do not."""
    return auto(repeats="never") if policy == DEFAULT_POLICY else policy


def _under_way(pre_dispatch: object, workers: int, n_iter: int) -> int:
    """How many candidates are under way at once; with fewer than there are workers, some of these are idle."""
    if pre_dispatch == "all":
        return n_iter
    found = re.fullmatch(r"\s*(?:(\d+)\s*\*\s*)?n_jobs\s*|\s*(\d+)\s*", str(pre_dispatch))
    count = 0
    if found is not None:
        times, alone = found.groups()
        count = int(alone) if alone else int(times or 1) * workers
    if count < 1:
        raise ParameterError(
            f"{CALL}(pre_dispatch={pre_dispatch!r}): it is how many candidates are under way at once; give a whole "
            f"number of at least 1, 'n_jobs', a multiple as '2*n_jobs', or 'all'."
        )
    return count

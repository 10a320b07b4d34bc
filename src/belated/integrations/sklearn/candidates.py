"""One candidate on all folds, at a worker, and all candidates, each asked when it is its turn."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection._validation import _fit_and_score

from belated.errors import BelatedWarning, NoAnswerError
from belated.integrations.sklearn.calls import Calls
from belated.integrations.sklearn.spaces import SearchSpace
from belated.log import Balk, Query
from belated.study import Study

Folds = list[dict[str, Any]]  # what scikit-learn notes of each fold: scores, times, and what went wrong


@dataclass(frozen=True)
class Evaluation:
    """All that a worker needs to know about a search."""

    estimator: Any
    X: Any
    y: Any
    splits: list[tuple[Any, Any]]
    options: Mapping[str, Any]
    n_iter: int
    config: Mapping[str, Any]  # scikit-learn's, which workers do not inherit

    def fold(self, query: int, parameters: Mapping[str, Any], place: int) -> dict[str, Any]:
        """What scikit-learn notes of the candidate on one fold."""
        train, test = self.splits[place]
        fold: dict[str, Any] = _fit_and_score(
            clone(self.estimator),
            self.X,
            self.y,
            train=train,
            test=test,
            parameters=dict(parameters),
            split_progress=(place, len(self.splits)),
            candidate_progress=(query - 1, self.n_iter),
            **self.options,
        )
        return fold


def fitted(evaluation: Evaluation, query: int, parameters: Mapping[str, Any]) -> tuple[int, Folds]:
    """What comes of the candidate of a query on every fold, one after the other."""
    with config_context(**evaluation.config):
        return query, [evaluation.fold(query, parameters, place) for place in range(len(evaluation.splits))]


def evaluated(
    study: Study,
    given: SearchSpace,
    evaluation: Evaluation,
    flights: Calls,
    under_way: int,
    score: Callable[[Folds], float | None],
) -> list[tuple[dict[str, Any], Folds]]:
    """Candidates and what came of them, in the order in which they were asked; the study is told as they come."""
    asked: dict[int, dict[str, Any]] = {}
    found: dict[int, Folds] = {}
    balk: Query | Balk | None = None
    with flights:
        while True:
            while len(asked) < evaluation.n_iter and len(asked) - len(found) < under_way:
                query = study.ask()
                if isinstance(query, Balk):
                    balk = query
                    break
                asked[query.id] = given.parameters(query.point)
                flights.start(fitted, evaluation, query.id, asked[query.id])
            if len(found) == len(asked):
                break
            number, folds = flights.first()
            found[number] = folds
            value = score(folds)
            if value is None:
                study.fail(number, _reason(folds))
            else:
                study.tell(number, value)
    if isinstance(balk, Balk) and found and len(asked) < evaluation.n_iter:
        warnings.warn(
            f"BelatedSearchCV.fit(): {len(asked)} of n_iter={evaluation.n_iter} candidates were tried: {balk.reason}.",
            BelatedWarning,
            stacklevel=3,
        )
    if not found:
        raise NoAnswerError(f"BelatedSearchCV.fit(): the policy asked nothing ({balk}); choose another policy.")
    return [(parameters, found[number]) for number, parameters in asked.items()]


def _reason(folds: Folds) -> str:
    """Why a candidate has no score, in the last words of the first error."""
    errors = [fold["fit_error"] for fold in folds if fold["fit_error"]]
    return f"a fit failed: {errors[0].strip().splitlines()[-1]}" if errors else "its score is not a finite number"

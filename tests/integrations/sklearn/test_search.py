"""BelatedSearchCV has the look and the results of scikit-learn's own searches."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, get_scorer, make_scorer
from sklearn.model_selection import GridSearchCV, GroupKFold, RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import belated as bl
from belated.errors import ParameterError, UnsupportedError
from belated.integrations.sklearn import BelatedSearchCV

X, Y = load_iris(return_X_y=True)
SPACE = {"max_depth": stats.randint(1, 8), "min_impurity_decrease": stats.uniform(0, 0.3)}


def search(**options: Any) -> BelatedSearchCV:
    settings = {"n_iter": 6, "cv": 3, "random_state": 4, "policy": "random", **options}
    return BelatedSearchCV(DecisionTreeClassifier(random_state=0), SPACE, **settings)


def comparable(results: dict[str, Any]) -> dict[str, Any]:
    """What does not depend on how long anything took."""
    return {key: value for key, value in results.items() if not key.endswith("_time")}


def answers(found: BelatedSearchCV) -> list[float]:
    return [query.answer.value for query in found.study_.queries() if query.answer is not None]


# As scikit-learn's own.


@pytest.mark.filterwarnings("ignore")  # the checks misuse estimators on purpose
@pytest.mark.parametrize(
    ("estimator", "space"),
    [
        (LogisticRegression(), {"C": stats.loguniform(1e-2, 1e2)}),
        pytest.param(Ridge(), {"alpha": stats.uniform(0.1, 1)}, marks=pytest.mark.slow),
    ],
    ids=["classifier", "regressor"],
)
def test_it_passes_every_check_that_randomized_search_passes(estimator: Any, space: dict[str, Any]) -> None:
    outcomes = []
    for kind in (RandomizedSearchCV, BelatedSearchCV):
        checked = kind(estimator, space, n_iter=2, cv=2, random_state=0, error_score="raise")
        found = check_estimator(checked, on_fail=None, on_skip=None)
        outcomes.append([(check["check_name"], check["status"]) for check in found])
    theirs, ours = outcomes
    assert ours == theirs
    assert sum(status == "passed" for _, status in ours) > 40


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_its_results_are_those_of_a_grid_of_the_same_candidates(n_jobs: int) -> None:
    ours = search(return_train_score=True, n_jobs=n_jobs, policy="gp-bucb").fit(X, Y)
    grid = [{name: [value] for name, value in parameters.items()} for parameters in ours.cv_results_["params"]]
    theirs = GridSearchCV(ours.estimator, grid, cv=3, return_train_score=True).fit(X, Y)
    assert list(ours.cv_results_) == list(theirs.cv_results_)
    for key, value in comparable(ours.cv_results_).items():
        assert_array_equal(value, theirs.cv_results_[key])
        assert type(value) is type(theirs.cv_results_[key])
    for name in ("best_index_", "best_score_", "best_params_", "n_splits_", "multimetric_"):
        assert getattr(ours, name) == getattr(theirs, name)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.refit_time_ > 0
    assert isinstance(ours.cv_results_["param_max_depth"], np.ma.MaskedArray)


def test_the_study_is_told_the_mean_score_of_every_candidate() -> None:
    found = search().fit(X, Y)
    assert [query.point for query in found.study_.queries()] == found.cv_results_["params"]
    assert_allclose(answers(found), found.cv_results_["mean_test_score"], rtol=1e-15)
    assert found.study_.best().point == found.best_params_
    assert found.study_.goal == "maximize"


def test_with_one_worker_and_a_random_state_it_does_the_same_again() -> None:
    first, second = (search(policy="gp-bucb").fit(X, Y) for _ in range(2))
    assert first.cv_results_["params"] == second.cv_results_["params"]
    assert first.study_.seed == second.study_.seed
    other = search(policy="gp-bucb", random_state=5).fit(X, Y)
    assert other.cv_results_["params"] != first.cv_results_["params"]


def test_a_random_state_that_is_a_generator_is_drawn_from() -> None:
    seeds = [search(random_state=np.random.RandomState(seed)).fit(X, Y).study_.seed for seed in (3, 3, 4)]
    assert seeds[0] == seeds[1] != seeds[2]


def test_a_search_can_be_cloned_set_and_copied() -> None:
    given = search(policy=bl.policies.gp_bucb(width=1.5), n_jobs=2)
    twin = clone(given)
    assert twin.get_params()["n_iter"] == 6
    assert twin.policy == given.policy
    assert twin.set_params(estimator__max_depth=3, n_iter=4).estimator.max_depth == 3
    assert not hasattr(clone(search().fit(X, Y)), "study_")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda given: pickle.loads(pickle.dumps(given))])
def test_a_search_that_was_pickled_predicts_and_keeps_its_study(copied: Any) -> None:
    found = search().fit(X, Y)
    again = copied(found)
    assert_array_equal(again.predict_proba(X), found.predict_proba(X))
    assert again.study_.events == found.study_.events
    assert again.study_.ask()
    assert pickle.loads(pickle.dumps(search())).n_iter == 6


def test_a_pipeline_is_searched_by_the_names_of_its_steps() -> None:
    pipeline = make_pipeline(StandardScaler(), SVC())
    space = bl.Space(svc__C=bl.Float(1e-3, 1e2, log=True), standardscaler__with_mean=bl.Choice(True))
    found = BelatedSearchCV(pipeline, space, n_iter=4, random_state=0).fit(X, Y)
    assert found.best_params_["svc__C"] == found.best_estimator_[-1].C
    assert list(found.classes_) == [0, 1, 2]
    assert found.n_features_in_ == 4


def test_options_that_are_no_scalars_reach_the_estimator_as_they_are() -> None:
    weights = {0: 1.0, 1: 2.0, 2: 1.0}
    given = {"class_weight": [None, "balanced", weights], "max_features": [None, 2]}
    found = BelatedSearchCV(DecisionTreeClassifier(random_state=0), given, n_iter=8, policy="random", random_state=1)
    found.fit(X, Y)
    assert set(map(str, found.cv_results_["param_class_weight"])) == {"None", "balanced", str(weights)}
    space = found.study_.space
    assert isinstance(space, bl.Space)
    assert space["class_weight"] == bl.Choice("None", "balanced", repr(weights))


def test_a_table_of_candidates_is_searched_row_by_row() -> None:
    rows = [{"max_depth": depth, "criterion": kind} for depth, kind in ((1, "gini"), (2, "entropy"), (5, "gini"))]
    estimator = DecisionTreeClassifier(random_state=0)
    found = BelatedSearchCV(estimator, bl.Candidates(rows), n_iter=3, random_state=0).fit(X, Y)
    assert sorted(map(str, found.cv_results_["params"])) == sorted(map(str, rows))


# Several scores.


def test_with_several_scores_the_policy_follows_the_one_of_the_refit() -> None:
    found = search(scoring=["accuracy", "neg_log_loss"], refit="neg_log_loss").fit(X, Y)
    assert found.multimetric_
    assert_allclose(answers(found), found.cv_results_["mean_test_neg_log_loss"], rtol=1e-15)
    assert found.best_score_ == max(found.cv_results_["mean_test_neg_log_loss"])
    assert found.score(X, Y) == get_scorer("neg_log_loss")(found.best_estimator_, X, Y)


def test_the_score_to_follow_may_be_another_than_that_of_the_refit() -> None:
    found = search(scoring=["accuracy", "neg_log_loss"], refit=False, metric="accuracy").fit(X, Y)
    assert_allclose(answers(found), found.cv_results_["mean_test_accuracy"], rtol=1e-15)
    assert not hasattr(found, "best_params_")
    chosen = search(scoring=["accuracy", "neg_log_loss"], refit=lambda results: 2, metric="accuracy").fit(X, Y)
    assert chosen.best_index_ == 2
    assert not hasattr(chosen, "best_score_")


def both(estimator: Any, features: Any, labels: Any) -> dict[str, float]:
    """Two scores from one function."""
    right = accuracy_score(labels, estimator.predict(features))
    return {"right": right, "wrong": 1 - right}


def test_a_function_may_return_several_scores() -> None:
    found = search(scoring=both, refit="right").fit(X, Y)
    assert found.multimetric_
    assert_allclose(found.cv_results_["mean_test_wrong"], 1 - found.cv_results_["mean_test_right"])
    assert found.best_score_ == found.study_.best().value


@pytest.mark.parametrize("scoring", [["accuracy", "neg_log_loss"], both])
def test_of_several_scores_one_must_be_named(scoring: Any) -> None:
    names = "right, wrong" if callable(scoring) else "accuracy, neg_log_loss"
    with pytest.raises(ParameterError) as caught:
        search(scoring=scoring, refit=False).fit(X, Y)
    assert str(caught.value) == (
        f"BelatedSearchCV(metric=None, refit=False): got several scores, {names}; the policy follows one of them; name "
        f"it as metric or as refit."
    )


def test_of_one_score_none_can_be_chosen() -> None:
    with pytest.raises(ParameterError) as caught:
        search(metric="accuracy").fit(X, Y)
    assert str(caught.value) == (
        "BelatedSearchCV(metric='accuracy'): there is one score, and nothing to choose; leave metric out, or give "
        "several scores as scoring."
    )


# Metadata.


class Weighed(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Notes the sum of the weights that it was fitted with."""

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Weighed:
        self.classes_ = np.unique(y)
        self.total_ = float(np.sum(sample_weight))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


def total(estimator: Any, features: Any, labels: Any, sample_weight: Any = None) -> float:
    return float(estimator.total_ + estimator.offset)


@pytest.mark.parametrize("routing", [True, False])
def test_weights_and_groups_go_where_they_belong(routing: bool) -> None:
    weights, groups = np.arange(150.0), np.arange(150) % 5
    with config_context(enable_metadata_routing=routing):
        estimator = Weighed().set_fit_request(sample_weight=True) if routing else Weighed()
        found = BelatedSearchCV(
            estimator, {"offset": bl.Float(0, 1)}, n_iter=2, cv=GroupKFold(5), scoring=total, random_state=0
        )
        found.fit(X, Y, sample_weight=weights, groups=groups)
    folds = [found.cv_results_[f"split{fold}_test_score"][0] for fold in range(5)]
    offset = found.cv_results_["params"][0]["offset"]
    assert_allclose(sorted(folds), sorted(weights[groups != group].sum() + offset for group in range(5)))
    assert found.best_estimator_.total_ == weights.sum()


def test_scorers_get_what_they_asked_for() -> None:
    with config_context(enable_metadata_routing=True):
        scorer = make_scorer(accuracy_score).set_score_request(sample_weight=True)
        estimator = DecisionTreeClassifier(max_depth=1, random_state=0).set_fit_request(sample_weight=False)
        space = {"max_depth": [1, 2]}
        weights = (Y == 0).astype(float)
        found = BelatedSearchCV(estimator, space, n_iter=2, scoring=scorer, random_state=0)
        found.fit(X, Y, sample_weight=weights)
    assert_allclose(found.cv_results_["mean_test_score"], 1.0)


# What is refused.


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_of_fewer_candidates_than_asked_for_fits_each_once_and_says_so(n_jobs: int) -> None:
    few = {"C": [0.1, 1.0, 10.0], "kernel": ["rbf", "poly"]}
    found = BelatedSearchCV(SVC(), few, n_iter=12, random_state=0, n_jobs=n_jobs, cv=3)
    with pytest.warns(
        bl.errors.BelatedWarning, match="6 of n_iter=12 candidates were tried: all 6 points of the space"
    ):
        found.fit(X, Y)
    tried = [tuple(candidate.values()) for candidate in found.cv_results_["params"]]
    assert len(tried) == len(set(tried)) == 6


@pytest.mark.parametrize("n_iter", [0, 2.5, "many"])
def test_a_number_of_candidates_is_a_count(n_iter: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        search(n_iter=n_iter).fit(X, Y)
    assert str(caught.value) == (f"BelatedSearchCV(n_iter={n_iter!r}): n_iter must be a whole number of at least 1.")


@pytest.mark.parametrize("pre_dispatch", [0, "n_jobs**2", "some"])
def test_how_many_candidates_are_under_way_is_a_count_or_a_multiple(pre_dispatch: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        search(pre_dispatch=pre_dispatch).fit(X, Y)
    assert str(caught.value) == (
        f"BelatedSearchCV(pre_dispatch={pre_dispatch!r}): it is how many candidates are under way at once; give a "
        f"whole number of at least 1, 'n_jobs', a multiple as '2*n_jobs', or 'all'."
    )


def test_what_scikit_learn_checks_it_checks_here_too() -> None:
    with pytest.raises(ValueError, match="The 'error_score' parameter of BelatedSearchCV must be"):
        search(error_score="ignore").fit(X, Y)


def test_splits_that_contradict_their_number_are_refused() -> None:
    class Torn(StratifiedKFold):  # type: ignore[misc]
        def get_n_splits(self, *_: Any, **__: Any) -> int:
            return 4

    with pytest.raises(ValueError, match=r"inconsistent results\. Expected 4 splits, got 3"):
        search(cv=Torn(3)).fit(X, Y)


def test_callbacks_of_the_search_itself_are_refused_rather_than_forgotten() -> None:
    callback = pytest.importorskip("sklearn.callback", reason="came with scikit-learn 1.9")
    with pytest.raises(UnsupportedError) as caught:
        search().set_callbacks(callback.ScoringMonitor(scoring="accuracy")).fit(X, Y)
    assert str(caught.value) == (
        "BelatedSearchCV.fit(): got callbacks of its own, which this search does not call; set them on its estimator."
    )


def test_without_scikit_learn_the_error_names_the_extra() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "from belated.errors import MissingPackageError\n"
        "try:\n    import belated.integrations.sklearn\nexcept MissingPackageError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "belated.integrations.sklearn: needs the package scikit-learn, which is not installed; "
        "Belated's extra 'sklearn' brings it.\n"
    )

"""Tables of cross-validated scores: learners of scikit-learn over grids of settings, on scikit-learn's own data sets.

    python -m benchmarks.tuning_tables

writes `src/belated/simulate/problems/tuned.json.gz`, which the problem `tuned` reads. Each setting is judged on each of
four folds, stratified where classes are told apart: the accuracy there, or R². It takes about five minutes of one
processor; a table that the file has already is not computed again.
"""

from __future__ import annotations

import gzip
import itertools
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets, decomposition, ensemble, kernel_ridge, neighbors, neural_network, preprocessing, svm
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

KEPT = Path(__file__).resolve().parents[1] / "src" / "belated" / "simulate" / "problems" / "tuned.json.gz"
FOLDS = 4
# A table of digits learns from so many of the 1797: the settings differ as much, and a fit takes a third of the time.
DIGITS = 600
# What is worse than the mean of all answers is not told apart: below that R² has no floor.
FLOOR = -1.0
UNIT = 1e4  # scores are kept as whole numbers of ten-thousandths

Learner = Callable[..., Any]


@dataclass(frozen=True)
class Grid:
    """A learner, the data that it learns from, and the values of each of its settings."""

    learner: Learner
    data: str
    settings: Mapping[str, Sequence[Any]]


def logarithms(low: float, high: float, count: int) -> list[float]:
    """Equal steps of the logarithm, to three digits."""
    return [float(f"{value:.3g}") for value in np.geomspace(low, high, count)]


def standardised(model: Any) -> Any:
    return make_pipeline(preprocessing.StandardScaler(), model)


def machine(penalty: float, gamma: float, kernel: str) -> Any:
    return standardised(svm.SVC(C=penalty, gamma=gamma, kernel=kernel, degree=3))


def regressing_machine(penalty: float, gamma: float, epsilon: float, kernel: str) -> Any:
    return standardised(svm.SVR(C=penalty, gamma=gamma, epsilon=epsilon, kernel=kernel))


def near(neighbours: int, components: int, metric: str, weights: str) -> Any:
    near = neighbors.KNeighborsClassifier(neighbours, metric=metric, weights=weights)
    return make_pipeline(decomposition.PCA(components, random_state=0), near)


SCALERS: dict[str, Learner] = {
    "none": preprocessing.FunctionTransformer,
    "standard": preprocessing.StandardScaler,
    "range": preprocessing.MinMaxScaler,
    "quartiles": preprocessing.RobustScaler,
}


def near_scaled(neighbours: int, power: float, weights: str, scaler: str) -> Any:
    return make_pipeline(SCALERS[scaler](), neighbors.KNeighborsClassifier(neighbours, p=power, weights=weights))


def forest(trees: int, features: int, leaf: int, criterion: str) -> Any:
    return ensemble.RandomForestClassifier(
        trees, max_features=features, min_samples_leaf=leaf, criterion=criterion, random_state=0
    )


def extra_trees(trees: int, features: int, leaf: int, criterion: str) -> Any:
    return ensemble.ExtraTreesClassifier(
        trees, max_features=features, min_samples_leaf=leaf, criterion=criterion, random_state=0
    )


def boosted_regression(rate: float, trees: int, depth: int, loss: str) -> Any:
    return ensemble.GradientBoostingRegressor(
        learning_rate=rate, n_estimators=trees, max_depth=depth, loss=loss, subsample=0.7, random_state=0
    )


def boosted(rate: float, trees: int, depth: int, subsample: float) -> Any:
    return ensemble.GradientBoostingClassifier(
        learning_rate=rate, n_estimators=trees, max_depth=depth, subsample=subsample, max_features=5, random_state=0
    )


def perceptron(nodes: int, rate: float, alpha: float, activation: str) -> Any:
    return standardised(
        neural_network.MLPClassifier(
            (nodes,), activation=activation, alpha=alpha, learning_rate_init=rate, max_iter=40, random_state=0
        )
    )


def ridge(alpha: float, gamma: float, offset: float, kernel: str) -> Any:
    return standardised(kernel_ridge.KernelRidge(alpha=alpha, gamma=gamma, coef0=offset, kernel=kernel))


PERCEPTRON: dict[str, Sequence[Any]] = {
    "nodes": [2, 4, 8, 16],
    "rate": logarithms(1e-4, 0.3, 6),
    "alpha": logarithms(1e-5, 3.0, 4),
    "activation": ["relu", "tanh", "logistic"],
}
GRIDS = {
    "svm-cancer": Grid(
        machine,
        "cancer",
        {"penalty": logarithms(0.01, 1000, 9), "gamma": logarithms(1e-5, 1, 9), "kernel": ["rbf", "poly", "sigmoid"]},
    ),
    "neighbours-digits": Grid(
        near,
        "digits",
        {
            "neighbours": [1, 2, 3, 5, 8, 13, 21],
            "components": [2, 4, 8, 16, 32],
            "metric": ["euclidean", "manhattan", "chebyshev", "cosine"],
            "weights": ["uniform", "distance"],
        },
    ),
    "forest-wine": Grid(
        forest,
        "wine",
        {
            "trees": [2, 5, 10, 20],
            "features": [1, 2, 4, 8, 13],
            "leaf": [1, 2, 4, 8, 16],
            "criterion": ["gini", "entropy"],
        },
    ),
    "boosting-diabetes": Grid(
        boosted_regression,
        "diabetes",
        {
            "rate": logarithms(0.01, 1.0, 8),
            "trees": [5, 10, 20, 40, 80],
            "depth": [1, 2, 3, 4],
            "loss": ["squared_error", "huber"],
        },
    ),
    "perceptron-wine": Grid(perceptron, "wine", PERCEPTRON),
    "machine-diabetes": Grid(
        regressing_machine,
        "diabetes",
        {
            "penalty": logarithms(0.1, 1000, 8),
            "gamma": logarithms(1e-4, 1, 6),
            "epsilon": logarithms(0.1, 50, 4),
            "kernel": ["rbf", "sigmoid"],
        },
    ),
    "svm-digits": Grid(
        machine,
        "digits",
        {"penalty": logarithms(0.01, 100, 8), "gamma": logarithms(1e-5, 0.3, 8), "kernel": ["rbf", "poly", "sigmoid"]},
    ),
    "neighbours-wine": Grid(
        near_scaled,
        "wine",
        {
            "neighbours": [1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 40, 60],
            "power": [1.0, 1.5, 2.0, 4.0],
            "weights": ["uniform", "distance"],
            "scaler": list(SCALERS),
        },
    ),
    "trees-digits": Grid(
        extra_trees,
        "digits",
        {
            "trees": [2, 4, 8, 16],
            "features": [1, 4, 8, 16, 32],
            "leaf": [1, 2, 4, 8, 16],
            "criterion": ["gini", "entropy"],
        },
    ),
    "boosting-cancer": Grid(
        boosted,
        "cancer",
        {
            "rate": logarithms(0.01, 1.0, 7),
            "trees": [5, 10, 20, 40],
            "depth": [1, 2, 3, 5],
            "subsample": [0.3, 0.6, 1.0],
        },
    ),
    "perceptron-cancer": Grid(perceptron, "cancer", PERCEPTRON),
    "ridge-diabetes": Grid(
        ridge,
        "diabetes",
        {
            "alpha": logarithms(0.01, 100, 8),
            "gamma": logarithms(1e-4, 0.3, 8),
            "offset": [0.1, 1.0, 3.0],
            "kernel": ["rbf", "polynomial"],
        },
    ),
}
LOADERS = {
    "cancer": datasets.load_breast_cancer,
    "digits": datasets.load_digits,
    "wine": datasets.load_wine,
    "diabetes": datasets.load_diabetes,
}


def scores(grid: Grid) -> list[list[int]]:
    """The score of every setting on every fold, in ten-thousandths; the last setting of a grid changes quickest."""
    features, labels = LOADERS[grid.data](return_X_y=True)
    features, labels = (features[:DIGITS], labels[:DIGITS]) if grid.data == "digits" else (features, labels)
    kinds = KFold if grid.data == "diabetes" else StratifiedKFold
    folds = kinds(FOLDS, shuffle=True, random_state=0)
    found = []
    for chosen in itertools.product(*grid.settings.values()):
        model = grid.learner(**dict(zip(grid.settings, chosen, strict=True)))
        each = cross_val_score(model, features, labels, cv=folds)
        found.append([round(UNIT * max(score, FLOOR)) for score in each])
    return found


def main() -> None:
    """Compute what is not there, and keep it after each table."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    kept = json.loads(gzip.decompress(KEPT.read_bytes())) if KEPT.exists() else {}
    for name, grid in GRIDS.items():
        settings = {setting: list(values) for setting, values in grid.settings.items()}
        if kept.get(name, {}).get("settings") != settings:
            kept[name] = {"settings": settings, "scores": scores(grid)}
            # Without a time in its head, the file is the same whenever it is made.
            KEPT.write_bytes(gzip.compress(json.dumps(kept, separators=(",", ":")).encode(), mtime=0))
        print(name, len(kept[name]["scores"]), flush=True)


if __name__ == "__main__":
    main()

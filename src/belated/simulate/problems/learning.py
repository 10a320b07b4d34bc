"""Data to learn from, divided once and for all, and how often a learner is right on what it has not seen.

Every problem of this kind trains on seven tenths of the rows and tells its accuracy on the others, so that a value is
a whole number of rows over their count.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from belated.errors import MissingPackageError
from belated.simulate.problems.data import DataFile, numbers, read
from belated.simulate.problems.problem import Circumstances, Objective, Problem
from belated.space import Array, Indices, Space

DIABETES = DataFile(
    path="pima_diabetes/diabetes.csv",
    rows=768,
    columns=9,
    sha256="698c203a14aa31941d2251175330c9199f3ccdb31597abbba2a3e35416257a72",
    published="clinical_data/diabetes.csv of github.com/daizhongxiang/BO-SDF, and before that on Kaggle as "
    "uciml/pima-indians-diabetes-database",
)
MEASUREMENTS = (
    "Pregnancies",
    "Glucose",
    "BloodPressure",
    "SkinThickness",
    "Insulin",
    "BMI",
    "DiabetesPedigreeFunction",
    "Age",
)


@dataclass(frozen=True, eq=False)
class Split:
    """Rows to train on, and others to judge by."""

    train: Array  # (n, d)
    train_labels: Indices  # (n,)
    test: Array  # (m, d)
    test_labels: Indices  # (m,)

    def accuracy(self, labels: Indices) -> float:
        """The share of the other rows that these labels (m,) get right."""
        return float(np.mean(labels == self.test_labels))

    def standardised(self) -> Split:
        """The same rows, each column less its mean over its deviation, both of the rows to train on."""
        mean, deviation = self.train.mean(axis=0), self.train.std(axis=0)
        return Split(
            (self.train - mean) / deviation, self.train_labels, (self.test - mean) / deviation, self.test_labels
        )


def split(call: str, features: Array, labels: Indices) -> Split:
    """Seven tenths to train on, with every class in its share [verma2022, appendix C.2]; the seed is the authors'."""
    divided = scikit_learn(call, "model_selection").train_test_split
    train, test, train_labels, test_labels = divided(features, labels, test_size=0.3, stratify=labels, random_state=0)
    return Split(train, train_labels, test, test_labels)


def diabetes(call: str, folder: str | None) -> tuple[Array, Indices]:
    """Eight measurements of 768 patients, missing ones coded 0, and whether each has diabetes."""
    rows = read(DIABETES, call, folder)
    return numbers(rows, MEASUREMENTS), numbers(rows, ["Outcome"])[:, 0].astype(np.intp)


@lru_cache(maxsize=3)
def cancer(call: str) -> Split:
    """Thirty measurements of 569 tumours, and whether each is benign: scikit-learn's breast cancer data."""
    return split(call, *scikit_learn(call, "datasets").load_breast_cancer(return_X_y=True))


@lru_cache(maxsize=1)
def iris(call: str) -> Split:
    """Four measurements of 150 flowers, and which iris each is: scikit-learn's iris data."""
    return split(call, *scikit_learn(call, "datasets").load_iris(return_X_y=True))


@lru_cache(maxsize=1)
def wine(call: str) -> Split:
    """Thirteen measurements of 178 wines, and which grower each is from: scikit-learn's wine data."""
    return split(call, *scikit_learn(call, "datasets").load_wine(return_X_y=True))


@lru_cache(maxsize=2)
def digits(call: str) -> Split:
    """1797 handwritten digits of 8 × 8 pixels from 0 to 1: scikit-learn's digits, in place of MNIST."""
    features, labels = scikit_learn(call, "datasets").load_digits(return_X_y=True)
    return split(call, features / 16.0, labels)


def accuracy_problem(
    name: str,
    space: Space,
    objective: Objective,
    best: tuple[int, int],
    best_point: Mapping[str, Any],
    description: str,
    circumstances: Circumstances | None = None,
) -> Problem:
    """The problem to maximise an accuracy; the optimum is the share of rows right that a fine search found."""
    right, rows = best
    return Problem(
        name=name,
        space=space,
        objective=objective,
        noise=0.0,
        goal="maximize",
        optimum=right / rows,
        optimum_point=best_point,
        description=description,
        worst=0.0,
        circumstances=circumstances,
        proven=right == rows,
    )


def scikit_learn(call: str, part: str) -> Any:
    """A part of scikit-learn, which is asked for only when a problem needs it."""
    try:
        return importlib.import_module(f"sklearn.{part}")
    except ImportError:
        raise MissingPackageError(
            f"{call}: needs the package scikit-learn, which is not installed; Belated's extra 'problems' brings it."
        ) from None

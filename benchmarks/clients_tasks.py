"""Two models of scikit-learn to tune, of different character, and how a worker evaluates and times a point.

Both losses are cross-validated on data that ship with scikit-learn. The seed of a run splits the data and is the
model's own, so that within a run a point always has the same loss, whichever tool asks for it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import belated as bl

FOLDS = 10


@dataclass(frozen=True)
class Task:
    """What is tuned: its space, its loss as a function of a point and a seed, and how figures show the loss."""

    title: str
    loss_name: str
    space: bl.Space
    loss: Callable[[Mapping[str, Any], int], float]
    log: bool


class Evaluation(NamedTuple):
    """When a worker began and ended, in seconds, the processor time that it took, and the loss."""

    began: float
    ended: float
    processor: float
    loss: float


@cache
def data(name: str) -> tuple[Any, Any]:
    """Rows and targets, read once in each worker."""
    from sklearn import datasets

    rows, targets = getattr(datasets, f"load_{name}")(return_X_y=True)
    return (rows / 16.0, targets) if name == "digits" else (rows, targets)


def support_vectors(point: Mapping[str, Any], seed: int) -> float:
    """Errors in 100 of a support vector machine that reads the principal components of digits."""
    from sklearn.decomposition import PCA
    from sklearn.model_selection import StratifiedKFold, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    components = PCA(point["components"], svd_solver="full")
    model = make_pipeline(components, SVC(C=point["C"], gamma=point["gamma"]))
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    return float(100.0 - 100.0 * cross_val_score(model, *data("digits"), cv=folds).mean())


def boosting(point: Mapping[str, Any], seed: int) -> float:
    """The root mean squared error of gradient boosting that foresees the course of diabetes."""
    from sklearn.ensemble import GradientBoostingRegressor
    from sklearn.model_selection import KFold, cross_val_score

    model = GradientBoostingRegressor(**point, random_state=seed)
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    scores = cross_val_score(model, *data("diabetes"), cv=folds, scoring="neg_mean_squared_error")
    return float((-scores.mean()) ** 0.5)


TASKS = {
    "svm-digits": Task(
        "A support vector machine on digits",
        "errors in 100",
        bl.Space(C=bl.Float(1e-2, 1e3, log=True), gamma=bl.Float(1e-4, 1e1, log=True), components=bl.Int(5, 64)),
        support_vectors,
        log=True,
    ),
    "boosting-diabetes": Task(
        "Gradient boosting on diabetes",
        "root mean squared error",
        bl.Space(
            learning_rate=bl.Float(1e-2, 1.0, log=True),
            n_estimators=bl.Int(20, 400, log=True),
            max_depth=bl.Int(1, 8),
            subsample=bl.Float(0.3, 1.0),
            min_samples_leaf=bl.Int(1, 50, log=True),
            max_features=bl.Float(0.1, 1.0),
        ),
        boosting,
        log=False,
    ),
}


@dataclass(frozen=True)
class Evaluate:
    """The objective that workers call: the loss at a point, with a line in `notes` that says when and how long.

    Some clients hand back the value alone, so that the worker itself must note the rest.
    """

    task: str
    seed: int
    notes: Path
    rehearsal: bool = False

    def __call__(self, point: Mapping[str, Any]) -> float:
        """The loss at a point."""
        began, processor = time.time(), time.process_time()
        task = TASKS[self.task]
        # A rehearsal costs nothing, but loads what the worker needs.
        loss = rehearsed(self.task, point) if self.rehearsal else task.loss(point, self.seed)
        line = json.dumps(Evaluation(began, time.time(), time.process_time() - processor, loss))
        # One write to a file opened for appending is not torn apart by those of other workers.
        file = os.open(self.notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(file, f"{line}\n".encode())
        os.close(file)
        return loss

    def evaluations(self) -> list[Evaluation]:
        """What the workers noted, in the order of their ends."""
        lines = self.notes.read_text().splitlines()
        return sorted((Evaluation(*json.loads(line)) for line in lines), key=lambda evaluation: evaluation.ended)


def rehearsed(task: str, point: Mapping[str, Any]) -> float:
    """A loss that costs nothing; on the way, all that the true one needs is imported and read."""
    _imported(task)
    return float(((TASKS[task].space.encode(point) - 0.4) ** 2).sum())


@cache
def _imported(task: str) -> float:
    """A first true evaluation in this worker, in the middle of the space."""
    space = TASKS[task].space
    return TASKS[task].loss(space.decode(np.full(space.dimension, 0.5)), 0)

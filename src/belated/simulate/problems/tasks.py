"""Fifty tasks one after the other: SVM configurations whose accuracy is known from a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from belated.simulate.problems.data import DataFile, numbers, read
from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.space import Array, Candidates, Context, Float

PUBLISHED = "data/svm of github.com/wistuba/TST (50 files, regrouped into three tables)"
CONFIGURATIONS = DataFile(
    path="tst_svm/tst_svm_configs.csv",
    rows=288,
    columns=7,
    sha256="d8fe7d600ce5d606ad581f353a47dc0e060c59ccbe443c86221eb104b1a20b60",
    published=PUBLISHED,
)
ACCURACIES = DataFile(
    path="tst_svm/tst_svm_accuracy.csv",
    rows=288,
    columns=51,
    sha256="3f71414d9c5e8f9c2c55cb051a0ccde261897ae4a4697a43f5ea739260fb3ae0",
    published=PUBLISHED,
)
META_FEATURES = DataFile(
    path="tst_svm/tst_svm_metafeatures.csv",
    rows=50,
    columns=23,
    sha256="80b521171d0239085b219c6885fba35c2ee1a336b69efb96aec00cd767f44caa",
    published=PUBLISHED,
)
PARAMETERS = ("is_rbf", "is_poly", "is_linear", "log2_c_over_6", "log10_gamma_over_4", "log10_degree")
# The first six of 22 are the context [verma2022, appendix C.3].
FEATURES = ("mf1", "mf2", "mf3", "mf4", "mf5", "mf6")
ROUNDS_EACH = 30


@dataclass(frozen=True, eq=False)
class Tasks:
    """Tasks known by their features; they come in order, each for 30 rounds, and after the last the first again."""

    features: Array  # (tasks, 6)
    accuracies: Array  # (configurations, tasks)

    @property
    def context(self) -> Context:
        """The features, each scaled to [0, 1] over the tasks."""
        return Context(**{name: Float(0, 1) for name in FEATURES}, seen="before", outside="refuse")

    def at(self, number: int) -> Mapping[str, Any]:
        """The features of the task of round `number`, from 1."""
        task = (number - 1) // ROUNDS_EACH % len(self.features)
        return dict(zip(FEATURES, self.features[task].tolist(), strict=True))

    def best(self, context: Mapping[str, Any]) -> float:
        """The best accuracy of the task with these features."""
        return float(self.accuracies[:, self.task(context)].max())

    def task(self, context: Mapping[str, Any]) -> int:
        """The place of the task with these features."""
        return self._places[tuple(context[name] for name in FEATURES)]

    @cached_property
    def _places(self) -> dict[tuple[float, ...], int]:
        return {tuple(row): place for place, row in enumerate(self.features.tolist())}


@dataclass(frozen=True, eq=False)
class TaskAccuracy:
    """The accuracy of a configuration in a task."""

    table: Candidates
    tasks: Tasks

    def __call__(self, point: Mapping[str, Any]) -> float:
        """The entry of the table; the point holds the features too."""
        configuration = self.table.index({name: point[name] for name in PARAMETERS})
        return float(self.tasks.accuracies[configuration, self.tasks.task(point)])


@problem("svm-tasks")
def svm_tasks(seed: int = 0, *, data: str | None = None) -> Problem:
    """288 SVM configurations on 50 data sets in turn, a table to be fetched [wistuba2015], [verma2022, section 6.3]."""
    call = "build('svm-tasks')"
    table = Candidates(numbers(read(CONFIGURATIONS, call, data), PARAMETERS), names=PARAMETERS)
    rows = read(META_FEATURES, call, data)
    accuracies = numbers(read(ACCURACIES, call, data), [row["task"] for row in rows])
    tasks = Tasks(_distinct(numbers(rows, FEATURES)), accuracies)
    best = int(np.argmax(accuracies.max(axis=1)))
    return Problem(
        name="svm-tasks",
        space=table,
        objective=TaskAccuracy(table, tasks),
        noise=0.0,
        goal="maximize",
        optimum=float(accuracies.max()),
        optimum_point=table.point(best),
        description="288 SVM configurations on 50 data sets, one after the other",
        worst=float(accuracies.min()),
        circumstances=tasks,
    )


def _distinct(features: Array) -> Array:
    """The same features, with the last digit of a task's first moved where an earlier task has them all.

    Two pairs of tasks share their six features. No learner notices that digit, and a context names one task.
    """
    moved = features.copy()
    for task in range(1, len(moved)):
        while (moved[:task] == moved[task]).all(axis=1).any():
            moved[task, 0] = np.nextafter(moved[task, 0], 0.5)
    return moved

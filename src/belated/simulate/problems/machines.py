"""Support vector machines: how often they are right, by their penalty C and the rate γ of their kernel.

The ranges are the paper's, and linear as in the authors' code, although good values of γ lie only at its lower end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from belated.simulate.problems.learning import Split, accuracy_problem, cancer, diabetes, scikit_learn, split
from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.space import Context, Float, Int, Space

BEST, BEST_POINT = (182, 231), {"penalty": 8.5, "gamma": 1.1e-4}  # of svm-diabetes: rows right, of how many

# While data grow: rounds for each data set, and the best that a search found for each.
ROUNDS_EACH = 30
BEST_WHILE_GROWING = (
    *((9, 12), (16, 24), (27, 35), (36, 47), (40, 58), (51, 69), (61, 81), (72, 93), (68, 104), (86, 116)),
    *((97, 127), (105, 139), (115, 150), (127, 162), (135, 173), (141, 185), (149, 196), (153, 208), (171, 219), BEST),
)


@dataclass(frozen=True, eq=False)
class MachineAccuracy:
    """The accuracy of a support vector machine with the kernel exp(−γ |a − b|²), from its C and γ."""

    split: Split

    def __call__(self, point: Mapping[str, Any]) -> float:
        """Train, and judge."""
        return _accuracy(self.split, point["penalty"], point["gamma"])


@dataclass(frozen=True, eq=False)
class GrowingAccuracy:
    """The same for each of some growing data sets."""

    splits: tuple[Split, ...]

    def __call__(self, point: Mapping[str, Any]) -> float:
        """Train on the rows that there are so far, and judge."""
        return _accuracy(self.splits[point["dataset"]], point["penalty"], point["gamma"])


@dataclass(frozen=True)
class GrowingSample:
    """Data sets that come in the order of their size, each for 30 rounds; after the last, the last."""

    @property
    def context(self) -> Context:
        """The number of the data set."""
        return Context(dataset=Int(0, len(BEST_WHILE_GROWING) - 1), seen="before")

    def at(self, number: int) -> Mapping[str, Any]:
        """The data set of round `number`, from 1."""
        return {"dataset": min((number - 1) // ROUNDS_EACH, len(BEST_WHILE_GROWING) - 1)}

    def best(self, context: Mapping[str, Any]) -> float:
        """The best accuracy found there."""
        right, rows = BEST_WHILE_GROWING[int(context["dataset"])]
        return right / rows


@problem("svm-diabetes")
def svm_diabetes(seed: int = 0, *, data: str | None = None) -> Problem:
    """The accuracy of an SVM on the Pima diabetes data, which are to be fetched [verma2022, section 6.2].

    The optimum is the best of 16,000 settings: a grid of 120 × 100, most of it where γ is below 0.01, and 4000 around
    its best.
    """
    call = "build('svm-diabetes')"
    return accuracy_problem(
        "svm-diabetes",
        _space(),
        MachineAccuracy(split(call, *diabetes(call, data))),
        BEST,
        BEST_POINT,
        "an SVM on the Pima diabetes data: two parameters, good in a corner",
    )


@problem("svm-cancer")
def svm_cancer(seed: int = 0) -> Problem:
    """The accuracy of an SVM on scikit-learn's breast cancer data, a stand-in for svm-diabetes.

    The optimum is the best of 16,000 settings, found as for svm-diabetes.
    """
    return accuracy_problem(
        "svm-cancer",
        _space(),
        MachineAccuracy(cancer("build('svm-cancer')")),
        (161, 171),
        {"penalty": 9.0, "gamma": 1.5e-4},
        "an SVM on the breast cancer data: two parameters, good in a corner",
    )


@problem("svm-diabetes-growing")
def svm_diabetes_growing(seed: int = 0, *, data: str | None = None) -> Problem:
    """The same SVM while patients come: 20 growing data sets, each for 30 rounds [verma2022, section 6.3].

    Data set z holds the first (z + 1)/20 of the rows, divided as in svm-diabetes; the paper does not say how.
    The optimum of each is the best of 4200 settings: a grid of 60 × 45, and 1500 around its best.
    """
    call = "build('svm-diabetes-growing')"
    features, labels = diabetes(call, data)
    count = len(BEST_WHILE_GROWING)
    sizes = [round(len(features) * (number + 1) / count) for number in range(count)]
    return accuracy_problem(
        "svm-diabetes-growing",
        _space(),
        GrowingAccuracy(tuple(split(call, features[:size], labels[:size]) for size in sizes)),
        BEST,
        BEST_POINT,
        "an SVM on growing diabetes data: two parameters, and the data set as context",
        GrowingSample(),
    )


def _space() -> Space:
    """C and γ in the ranges of [verma2022, appendix C.2]."""
    return Space(penalty=Float(1e-4, 100.0), gamma=Float(1e-4, 10.0))


@lru_cache(maxsize=4096)
def _accuracy(division: Split, penalty: float, gamma: float) -> float:
    """Kept, since policies that ignore what is pending ask the same again."""
    machine = scikit_learn("svm", "svm").SVC(C=penalty, gamma=gamma)
    return division.accuracy(machine.fit(division.train, division.train_labels).predict(division.test))

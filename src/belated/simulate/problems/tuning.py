"""How large a network to train, and how: two hidden layers, judged by the accuracy on rows not trained on.

The ranges are those of [lu2022, table 2]: nodes per layer, learning rate and batch size, the last two on logarithmic
scales. As in the paper, training is twenty times over the rows by Adam, and an accuracy is the mean of ten networks
that start with other weights and take the rows in another order. The ten are the same for every setting, so that a
setting always has the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.simulate.problems.descent import Schedule, adam
from belated.simulate.problems.learning import Split, accuracy_problem, cancer, digits, iris, wine
from belated.simulate.problems.perceptrons import Shape
from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.space import Array, Float, Indices, Int, Space

EPOCHS, NETWORKS = 20, 10


@dataclass(frozen=True, eq=False)
class MeanAccuracy:
    """The mean accuracy of ten networks with two hidden layers."""

    split: Split

    def __call__(self, point: Mapping[str, Any]) -> float:
        """Train from the same ten starts every time, and judge."""
        train, labels = self.split.train.astype(np.float32), self.split.train_labels
        classes = int(labels.max()) + 1
        shape = Shape(NETWORKS, (train.shape[1], point["nodes1"], point["nodes2"], classes))
        rng = np.random.default_rng(0)
        orders = rng.permuted(np.tile(np.arange(len(train)), (NETWORKS, 1)), axis=1)

        def gradients(weights: list[Array], rows: Indices) -> list[Array]:
            chosen = orders[:, rows]
            return [shape.gradients(weights[0], train[chosen], labels[chosen])]

        schedule = Schedule(point["batch_size"], point["learning_rate"], decay=0.0)
        (weights,) = adam([shape.initial(rng)], gradients, schedule, len(train), EPOCHS)
        return self.split.accuracy(shape.labels(weights, self.split.test.astype(np.float32)))


@problem("network-cancer")
def network_cancer(seed: int = 0) -> Problem:
    """The accuracy of a two-layer network on scikit-learn's breast cancer data, by its size and training [lu2022].

    The optimum is the best of 2000 settings, 512 of them spread over the box and the others around the best so far.
    """
    best = {"nodes1": 66, "nodes2": 10, "learning_rate": 0.02279524560310702, "batch_size": 50}
    return _problem(
        "network-cancer", cancer("build('network-cancer')").standardised(), (1643, 1710), best, "the breast cancer data"
    )


@problem("network-iris")
def network_iris(seed: int = 0) -> Problem:
    """The accuracy of a two-layer network on scikit-learn's iris data, by its size and training [lu2022].

    The optimum is the best of 6000 settings, 3000 of them spread over the box and the others around the best so far.
    """
    best = {"nodes1": 23, "nodes2": 21, "learning_rate": 0.0053538902966559, "batch_size": 21}
    return _problem("network-iris", iris("build('network-iris')").standardised(), (449, 450), best, "the iris data")


@problem("network-wine")
def network_wine(seed: int = 0) -> Problem:
    """The accuracy of a two-layer network on scikit-learn's wine data, by its size and training [lu2022].

    No accuracy is above 1, which one setting in fourteen has.
    """
    best = {"nodes1": 50, "nodes2": 50, "learning_rate": 0.001, "batch_size": 16}
    return _problem("network-wine", wine("build('network-wine')").standardised(), (540, 540), best, "the wine data")


@problem("network-digits")
def network_digits(seed: int = 0) -> Problem:
    """The accuracy of a two-layer network on scikit-learn's digits, in place of MNIST [lu2022].

    Unlike the paper's images, these have 8 × 8 pixels, and there are 1257 to train on. The optimum is the best of 692
    settings, 283 of them spread over the box and the others around the best so far.
    """
    best = {"nodes1": 83, "nodes2": 61, "learning_rate": 0.006960657337843, "batch_size": 25}
    return _problem("network-digits", digits("build('network-digits')"), (5287, 5400), best, "digits")


def _problem(name: str, divided: Split, best: tuple[int, int], best_point: Mapping[str, Any], data: str) -> Problem:
    space = Space(
        nodes1=Int(2, 100),
        nodes2=Int(2, 100),
        learning_rate=Float(1e-6, 1e-1, log=True),
        batch_size=Int(4, 64, log=True),
    )
    return accuracy_problem(
        name,
        space,
        MeanAccuracy(divided),
        best,
        best_point,
        f"a two-layer network on {data}: three counts and a number",
    )

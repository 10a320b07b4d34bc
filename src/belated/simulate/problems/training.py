"""How to train: batch size, learning rate and its decay, judged by the accuracy on rows not trained on.

The ranges are those of [verma2022, appendix C.2], linear as in the SVM's experiment. The paper leaves open how the rate
decays and how long training takes: here it is rate/(1 + decay · step), and ten or twenty times over the rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.simulate.problems import network
from belated.simulate.problems.descent import Schedule, adam
from belated.simulate.problems.learning import Split, accuracy_problem, cancer, digits
from belated.simulate.problems.problem import Problem
from belated.simulate.problems.registry import problem
from belated.space import Array, Float, Indices, Int, Space

LOGISTIC_EPOCHS, NETWORK_EPOCHS = 10, 20


@dataclass(frozen=True, eq=False)
class LogisticAccuracy:
    """The accuracy of logistic regression, P(1 | x) = 1/(1 + exp(−xᵀw − b))."""

    split: Split

    def __call__(self, point: Mapping[str, Any]) -> float:
        """Train from zero weights, and judge."""
        start = [np.zeros(self.split.train.shape[1]), np.zeros(1)]
        weights, offset = adam(start, self.gradients, Schedule(**point), len(self.split.train), LOGISTIC_EPOCHS)
        return self.split.accuracy((self.split.test @ weights + offset > 0.0).astype(np.intp))

    def gradients(self, weights: list[Array], rows: Indices) -> list[Array]:
        """The slopes of the mean of −log P(label) over some rows."""
        features = self.split.train[rows]
        # tanh has no overflow: 1/(1 + exp(−s)) = (1 + tanh(s/2))/2.
        probabilities = 0.5 * (1.0 + np.tanh(0.5 * (features @ weights[0] + weights[1])))
        errors = (probabilities - self.split.train_labels[rows]) / len(rows)
        return [features.T @ errors, np.array([errors.sum()])]


@dataclass(frozen=True, eq=False)
class NetworkAccuracy:
    """The accuracy of the small convolutional network."""

    windows: Array  # (n, patches, 9, 9), of the images to train on
    split: Split

    def __call__(self, point: Mapping[str, Any]) -> float:
        """Train from the same weights every time, and judge."""
        start = network.initial_weights(np.random.default_rng(0))
        weights = adam(start, self.gradients, Schedule(**point), len(self.windows), NETWORK_EPOCHS)
        return self.split.accuracy(network.forward(weights, network.windows(self.split.test)).labels)

    def gradients(self, weights: list[Array], rows: Indices) -> list[Array]:
        """The slopes of the loss over some images."""
        return network.gradients(weights, self.windows[rows], self.split.train_labels[rows])


@problem("logistic-cancer")
def logistic_cancer(seed: int = 0) -> Problem:
    """The accuracy of logistic regression on scikit-learn's breast cancer data, by how it is trained [verma2022].

    The optimum is the best of 10,000 settings, half of them spread over the box and half around the best of those.
    """
    return accuracy_problem(
        "logistic-cancer",
        _space(32, 128),
        LogisticAccuracy(cancer("build('logistic-cancer')").standardised()),
        (166, 171),
        {"batch_size": 50, "learning_rate": 0.017, "decay": 1e-3},
        "logistic regression on the breast cancer data: a count and two numbers",
    )


@problem("cnn-digits")
def cnn_digits(seed: int = 0) -> Problem:
    """The accuracy of a small convolutional network on scikit-learn's digits, in place of MNIST [verma2022].

    Unlike the paper's images, these have 8 × 8 pixels, and there are 1257 to train on. The optimum is the best of 5000
    settings, half of them spread over the box and half around the best of those.
    """
    divided = digits("build('cnn-digits')")
    return accuracy_problem(
        "cnn-digits",
        _space(128, 512),
        NetworkAccuracy(network.windows(divided.train), divided),
        (512, 540),
        {"batch_size": 134, "learning_rate": 0.037289386668931335, "decay": 0.0006956953838571997},
        "a small convolutional network on digits: a count and two numbers",
    )


def _space(smallest: int, largest: int) -> Space:
    return Space(batch_size=Int(smallest, largest), learning_rate=Float(1e-6, 1.0), decay=Float(1e-6, 1.0))

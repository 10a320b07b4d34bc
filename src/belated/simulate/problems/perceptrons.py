"""Networks of two hidden layers, several trained at once: forwards and backwards in plain arrays.

    features → nodes → ReLU → nodes → ReLU → classes
[lu2022, section 6.3]. All arrays have the networks along their first axis. The weights of all layers lie in one array,
layer after layer, so that a step of training is a few operations on it and not some on every layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import prod

import numpy as np

from belated.space import Array, Indices


@dataclass(frozen=True)
class Shape:
    """How many networks there are, and the sizes of their layers, features first and classes last."""

    networks: int
    sizes: tuple[int, ...]

    def initial(self, rng: np.random.Generator) -> Array:
        """Weights and offsets, uniform within 1/√(inputs of a node) of 0, in single precision."""
        weights = []
        for inputs, outputs in pairwise(self.sizes):
            bound = 1.0 / np.sqrt(inputs)
            weights.append(rng.uniform(-bound, bound, self.networks * (inputs + 1) * outputs))
        return np.concatenate(weights).astype(np.float32)

    def layers(self, weights: Array) -> list[tuple[Array, Array]]:
        """Views of each layer's weights (networks, inputs, outputs) and offsets (networks, 1, outputs)."""
        views, start = [], 0
        for inputs, outputs in pairwise(self.sizes):
            both = []
            for shape in ((self.networks, inputs, outputs), (self.networks, 1, outputs)):
                both.append(weights[start : start + prod(shape)].reshape(shape))
                start += prod(shape)
            views.append((both[0], both[1]))
        return views

    def passes(self, weights: Array, features: Array) -> list[Array]:
        """What every layer makes of some rows (…, n, features), the last being the scores (networks, n, classes)."""
        made = [features]
        for number, (matrix, offset) in enumerate(self.layers(weights), start=2):
            values = made[-1] @ matrix
            values += offset
            made.append(values if number == len(self.sizes) else np.maximum(values, 0.0, out=values))
        return made

    def labels(self, weights: Array, features: Array) -> Indices:
        """The class with the highest score, for every network and row."""
        return np.asarray(np.argmax(self.passes(weights, features)[-1], axis=-1))

    def loss(self, weights: Array, features: Array, labels: Indices) -> float:
        """The mean cross-entropy over rows, −log of the probability given to the right class; summed over networks."""
        chosen = np.take_along_axis(_probabilities(self.passes(weights, features)[-1]), labels[..., None], axis=-1)
        return float(-np.log(chosen).mean(axis=1).sum())

    def gradients(self, weights: Array, features: Array, labels: Indices) -> Array:
        """The slopes of the loss in every weight, by the chain rule from the last layer to the first."""
        made, slopes = self.passes(weights, features), np.empty_like(weights)
        errors = _probabilities(made[-1])
        errors -= labels[..., None] == np.arange(self.sizes[-1])
        errors /= labels.shape[-1]
        layers, layer_slopes = self.layers(weights), self.layers(slopes)
        for number in reversed(range(len(layers))):
            seen, (matrix_slopes, offset_slopes) = made[number], layer_slopes[number]
            np.matmul(seen.swapaxes(1, 2), errors, out=matrix_slopes)
            np.sum(errors, axis=1, keepdims=True, out=offset_slopes)
            if number > 0:
                errors = errors @ layers[number][0].swapaxes(1, 2)
                errors *= seen > 0.0
        return slopes


def _probabilities(scores: Array) -> Array:
    """exp(s)/Σ exp(s) along the last axis."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    powers /= powers.sum(axis=-1, keepdims=True)
    return np.asarray(powers)

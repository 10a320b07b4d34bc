"""A small convolutional network, forwards and backwards, in plain arrays.

    image 8 × 8 → 8 channels of 3 × 3 windows → ReLU → the largest of each 3 × 3 patch → 8 nodes → ReLU → 10 classes
[verma2022, appendix C.2]; on MNIST's 28 × 28 pixels the paper's network is the same, with more patches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.space import Array, Indices

PIXELS, WINDOW, CHANNELS, POOL, NODES, CLASSES = 8, 3, 8, 3, 8, 10
SIDE = PIXELS - WINDOW + 1  # of a channel
PATCHES = (SIDE // POOL) ** 2


def initial_weights(rng: np.random.Generator) -> list[Array]:
    """Weights and offsets of the three layers, uniform within 1/√(inputs of a node) of 0."""
    shapes = ((WINDOW**2, CHANNELS), (PATCHES * CHANNELS, NODES), (NODES, CLASSES))
    weights = []
    for inputs, outputs in shapes:
        bound = 1.0 / np.sqrt(inputs)
        weights += [rng.uniform(-bound, bound, (inputs, outputs)), rng.uniform(-bound, bound, outputs)]
    return weights


def windows(images: Array) -> Array:
    """The 3 × 3 windows of images (n, 64), grouped by the patch that they end in, as (n, patches, 9, 9)."""
    square = images.reshape(-1, PIXELS, PIXELS)
    views = np.lib.stride_tricks.sliding_window_view(square, (WINDOW, WINDOW), axis=(1, 2))
    across = SIDE // POOL
    grouped = views.reshape(len(images), across, POOL, across, POOL, WINDOW**2).transpose(0, 1, 3, 2, 4, 5)
    return np.ascontiguousarray(grouped.reshape(len(images), PATCHES, POOL**2, WINDOW**2))


@dataclass(frozen=True)
class Pass:
    """What the network makes of some images, with what its gradient needs."""

    winners: Array  # (n, patches, channels, 9): the window with the largest response, for each patch and channel
    pooled: Array  # (n, patches · channels)
    hidden: Array  # (n, nodes)
    scores: Array  # (n, classes)

    @property
    def labels(self) -> Indices:
        """The class with the highest score."""
        return np.asarray(np.argmax(self.scores, axis=1))


def forward(weights: list[Array], seen: Array) -> Pass:
    """What the network makes of images, given by their windows."""
    kernel, offset, inner, inner_offset, outer, outer_offset = weights
    responses = seen @ kernel + offset  # (n, patches, 9, channels)
    best = np.argmax(responses, axis=2)  # (n, patches, channels)
    highest = np.take_along_axis(responses, best[:, :, None, :], axis=2)[:, :, 0, :]
    winners = np.take_along_axis(seen, best[..., None], axis=2)
    # ReLU grows with its argument, so that it may come after the largest of a patch is taken.
    pooled = np.maximum(highest, 0.0).reshape(len(seen), -1)
    hidden = np.maximum(pooled @ inner + inner_offset, 0.0)
    return Pass(winners, pooled, hidden, hidden @ outer + outer_offset)


def loss(weights: list[Array], seen: Array, labels: Indices) -> float:
    """The mean cross-entropy, −log of the probability given to the right class."""
    return float(-np.mean(np.log(_probabilities(forward(weights, seen).scores)[np.arange(len(labels)), labels])))


def gradients(weights: list[Array], seen: Array, labels: Indices) -> list[Array]:
    """The slopes of the loss in every weight, by the chain rule from the last layer to the first."""
    made = forward(weights, seen)
    _, _, inner, _, outer, _ = weights
    scores = _probabilities(made.scores)
    scores[np.arange(len(labels)), labels] -= 1.0
    scores /= len(labels)
    hidden = (scores @ outer.T) * (made.hidden > 0.0)
    pooled = (hidden @ inner.T) * (made.pooled > 0.0)
    responses = pooled.reshape(len(seen), PATCHES, CHANNELS)
    return [
        np.einsum("npcw,npc->wc", made.winners, responses, optimize=True),
        responses.sum(axis=(0, 1)),
        made.pooled.T @ hidden,
        hidden.sum(axis=0),
        made.hidden.T @ scores,
        scores.sum(axis=0),
    ]


def _probabilities(scores: Array) -> Array:
    """exp(s)/Σ exp(s) along rows."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))

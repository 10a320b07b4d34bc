"""Training by stochastic gradients: minibatches in a fixed order, and Adam with a learning rate that decays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from belated.space import Array, Indices

# The constants that Adam's authors suggest [kingma2015, algorithm 1].
MEMORY, SQUARE_MEMORY, SMALLEST = 0.9, 0.999, 1e-8

Gradients = Callable[[list[Array], Indices], list[Array]]


@dataclass(frozen=True)
class Schedule:
    """What is tuned: rows per step, the first learning rate, and its decay."""

    batch_size: int
    learning_rate: float
    decay: float

    def rate(self, step: int) -> float:
        """The learning rate of a step, from 0: rate/(1 + decay · step)."""
        return self.learning_rate / (1.0 + self.decay * step)

    def batches(self, n_rows: int, epochs: int) -> Iterator[Indices]:
        """The rows of each step: every epoch takes all rows once, in an order of its own that is always the same."""
        rng = np.random.default_rng(0)
        for _ in range(epochs):
            order = rng.permutation(n_rows)
            for start in range(0, n_rows, self.batch_size):
                yield order[start : start + self.batch_size]


def adam(weights: list[Array], gradients: Gradients, schedule: Schedule, n_rows: int, epochs: int) -> list[Array]:
    """The weights after training.

    With g the gradient of step t, m ← β₁ m + (1 − β₁) g and v ← β₂ v + (1 − β₂) g²,
        w ← w − rate_t (m/(1 − β₁ᵗ)) / (√(v/(1 − β₂ᵗ)) + ε)   [kingma2015, algorithm 1].
    """
    weights = [weight.copy() for weight in weights]
    states = [(weight, *np.zeros((4, *weight.shape), weight.dtype)) for weight in weights]
    for step, rows in enumerate(schedule.batches(n_rows, epochs)):
        rate = schedule.rate(step) / (1.0 - MEMORY ** (step + 1))
        correction = 1.0 - SQUARE_MEMORY ** (step + 1)
        # In place: to find room for large arrays takes longer than to compute them.
        for slope, (weight, mean, square, change, scale) in zip(gradients(weights, rows), states, strict=True):
            mean *= MEMORY
            mean += np.multiply(slope, 1.0 - MEMORY, out=change)
            square *= SQUARE_MEMORY
            square += np.multiply(np.square(slope, out=change), 1.0 - SQUARE_MEMORY, out=change)
            np.sqrt(np.divide(square, correction, out=scale), out=scale)
            scale += SMALLEST
            weight -= np.divide(np.multiply(mean, rate, out=change), scale, out=change)
    return weights

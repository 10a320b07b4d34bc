"""Expected improvement on an unknown best, from the joint law of f at incumbents and probes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tests.reference.gp import Array, PlainGP
from tests.reference.policies import log_improvement_factor


class Estimate(NamedTuple):
    """A mean over draws, and its standard error."""

    value: Array  # (m,)
    error: Array  # (m,)


def improvement(
    gp: PlainGP, points: Array, values: Array, incumbents: Array, probes: Array, draws: int, seed: int
) -> Estimate:
    """E[max(f(x) − max_i f(x_i), 0)] as a plain mean over joint draws of all of them, given the answers."""
    mean, covariance = gp.posterior(points, values, np.concatenate([incumbents, probes]))
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    normals = np.random.default_rng(seed).standard_normal((draws, len(mean)))
    drawn = mean + normals @ root.T
    best = drawn[:, : len(incumbents)].max(axis=1)
    gains = np.maximum(drawn[:, len(incumbents) :] - best[:, None], 0.0)
    return Estimate(gains.mean(axis=0), gains.std(axis=0) / np.sqrt(draws))


def log_improvement_given(
    gp: PlainGP, points: Array, values: Array, known: Array, drawn: Array, bests: Array, probes: Array
) -> Array:
    """The log of the mean closed form over scenarios, in each of which f is `drawn` (S, r) at the points `known`.

    Every scenario is conditioned on the answers and on its values, which have no noise, one matrix at a time.
    """
    everything = np.concatenate([known, probes])
    mean, covariance = gp.posterior(points, values, everything)
    r = len(known)
    logs = []
    for v, best in zip(drawn, bests, strict=True):
        weights = np.linalg.solve(covariance[:r, :r], covariance[:r, r:]) if r else np.empty((0, len(probes)))
        given = mean[r:] + weights.T @ (v - mean[:r])
        variance = np.diagonal(covariance)[r:] - np.sum(covariance[:r, r:] * weights, axis=0)
        deviation = np.sqrt(variance)
        z = (given - best) / deviation
        logs.append([np.log(d) + log_improvement_factor(float(each)) for d, each in zip(deviation, z, strict=True)])
    highest = np.max(logs, axis=0)
    return np.asarray(highest + np.log(np.mean(np.exp(np.array(logs) - highest), axis=0)))

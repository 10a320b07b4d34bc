"""What it costs to reach a regret, when rounds and actions have prices [desautels2014, section 7.3].

    C(r̄, w) = (1 − w) τ(r̄) + w ā(τ(r̄)),
where τ(r̄) is the first round in which the mean average regret is at most r̄, and ā(τ) the mean number of actions by
then.
"""

from __future__ import annotations

import numpy as np

from belated.experiments import Runs
from belated.space import Array


def costs(runs: Runs, levels: Array, weight: float) -> Array:
    """C(r̄, w) for each level r̄; infinite where the level is never reached. (levels,)"""
    regret = runs.average_regret
    rounds = np.arange(1, regret.shape[1] + 1)
    actions = rounds - runs.balks.mean(axis=0)
    mean = np.nanmean(regret, axis=0)
    reached = mean[None, :] <= levels[:, None]
    first = np.argmax(reached, axis=1)
    price = (1.0 - weight) * rounds[first] + weight * actions[first]
    return np.where(reached.any(axis=1), price, np.inf)


def levels_of(curves: dict[str, Runs], count: int = 60) -> Array:
    """Regrets from the largest that every policy falls below to the smallest that some policy reaches. (count,)"""
    means = [np.nanmean(runs.average_regret, axis=0) for runs in curves.values()]
    highest, lowest = min(float(np.max(mean)) for mean in means), min(float(np.min(mean)) for mean in means)
    return np.geomspace(highest, max(lowest, 1e-6 * highest), count)

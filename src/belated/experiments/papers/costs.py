"""What it costs to reach a regret, when rounds and actions have prices [desautels2014, section 7.3].

    C(r̄, w) = (1 − w) τ(r̄) + w ā(τ(r̄)),
where τ(r̄) is the first round in which the mean average regret is at most r̄, and ā(τ) the mean number of actions by
then. Section 7.3 prints the average regret as R_T/T with T rounds, and says that its curves are those of the figures
before, which are per action [desautels2014, caption of figure 6]. A round without an action adds nothing to R_T, so
the two readings differ wherever a policy balks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from belated.experiments import Results, Runs
from belated.experiments.papers.paper import Relation, Span
from belated.space import Array

WEIGHTS = np.linspace(0.0, 1.0, 51)
# Prices that differ by rounding alone are the same price.
ROUNDING = 1e-9

Reading = Literal["regret per action", "regret per round"]


def _per_round(runs: Runs) -> Array:
    return np.asarray(runs.cumulative_regret / np.arange(1, runs.regrets.shape[1] + 1))


READINGS: dict[Reading, Callable[[Runs], Array]] = {
    "regret per action": lambda runs: runs.average_regret,
    "regret per round": _per_round,
}


class CostCurve(NamedTuple):
    """The average regret after each round, and the actions by then, both on average over trials. (rounds,) each"""

    regret: Array
    actions: Array


def cost_curve(runs: Runs, reading: Reading) -> CostCurve:
    """What a policy has reached and done after each round."""
    regret = READINGS[reading](runs)
    actions = np.arange(1, regret.shape[1] + 1) - runs.balks
    return CostCurve(np.nanmean(regret, axis=0), actions.mean(axis=0))


def costs(curve: CostCurve, levels: Array, weight: float | Array) -> Array:
    """C(r̄, w) for each weight w and level r̄; infinite where the level is never reached. (…, levels)"""
    reached = curve.regret[None, :] <= levels[:, None]
    first = np.argmax(reached, axis=1)
    w = np.asarray(weight)[..., None]
    price = (1.0 - w) * (first + 1.0) + w * curve.actions[first]
    return np.where(reached.any(axis=1), price, np.inf)


def levels_of(curves: Mapping[str, CostCurve], count: int = 60) -> Array:
    """Regrets from the largest that every policy falls below to the smallest that some policy reaches. (count,)"""
    means = [curve.regret for curve in curves.values()]
    highest, lowest = min(float(np.max(mean)) for mean in means), min(float(np.min(mean)) for mean in means)
    return np.geomspace(highest, max(lowest, 1e-6 * highest), count)


def shares(curves: Mapping[str, CostCurve], levels: Array, weights: Array = WEIGHTS) -> dict[str, float]:
    """On which share of the grid of levels and weights each policy is the cheapest; ties are shared out."""
    price = np.array([costs(curve, levels, weights) for curve in curves.values()])
    least = price.min(axis=0)
    cheapest = (price <= least * (1.0 + ROUNDING)) & np.isfinite(least)
    parts = cheapest / np.maximum(cheapest.sum(axis=0), 1)
    found = parts.sum(axis=(1, 2)) / max(int(np.isfinite(least).sum()), 1)
    return dict(zip(curves, found.tolist(), strict=True))


@dataclass(frozen=True)
class CheapestClaim:
    """One policy is the cheapest on less of the trade-off than another, for these weights of an action.

    The shares are of mean curves, so a trial has no number of its own; it is given θ + (n − 1) (m − θ'), with θ the
    share of all n trials, θ' that without it, and m the mean of those: their mean is θ, and their spread that of the
    jackknife, which tells how sure θ is [tukey1958].
    """

    relation: ClassVar[Relation] = "below"

    lower: str  # labels of arms
    higher: str
    reading: Reading
    least: float = 0.0  # w
    most: float = 1.0
    span: Span = "over all rounds"

    @property
    def labels(self) -> tuple[str, str]:
        """The policies compared."""
        return self.lower, self.higher

    @property
    def spans(self) -> tuple[Span, ...]:
        """The whole run."""
        return (self.span,)

    @property
    def words(self) -> str:
        """The claim as a page has it."""
        where = "" if (self.least, self.most) == (0.0, 1.0) else f" for w from {self.least:g} to {self.most:g}"
        return f"{self.lower} < {self.higher}, share of the trade-off where it is cheapest{where}, {self.reading}"

    def numbers(self, results: Results, span: Span) -> tuple[Array, Array]:
        """The shares of both, and how much each trial sways them."""
        middle, reach = (self.least + self.most) / 2.0, (self.most - self.least) / 2.0
        weights = WEIGHTS[np.abs(WEIGHTS - middle) <= reach + ROUNDING]
        whole = {label: cost_curve(runs, self.reading) for label, runs in results.runs.items()}
        levels, seeds = levels_of(whole), list(results.experiment.seeds)
        share, n = shares(whole, levels, weights), len(seeds)
        if n == 1:
            return np.array([share[self.lower]]), np.array([share[self.higher]])
        without = [
            shares(
                {
                    label: cost_curve(runs.of(seeds[:out] + seeds[out + 1 :]), self.reading)
                    for label, runs in results.runs.items()
                },
                levels,
                weights,
            )
            for out in range(n)
        ]
        left = {label: np.array([one[label] for one in without]) for label in self.labels}
        lower, higher = (share[label] + (n - 1) * (left[label].mean() - left[label]) for label in self.labels)
        return lower, higher

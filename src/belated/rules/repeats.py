"""Which points may be asked again: none that is under way, and answered ones only where noise makes it worth it.

Another measurement of x, with posterior deviation σ and noise variance v, moves the mean there by a normal step of
deviation s = σ² / √(σ² + v). With m the highest mean of the other points, it is worth what it adds to the point used
in the end,
    s (φ(z) + z Φ(z)) − max(μ − m, 0),   z = (μ − m)/s,
the knowledge gradient of a point by itself [frazier2009]. Without noise, σ is 0 at an answered point, and so is this.
A fit takes what it cannot explain for noise. So the answers must speak for noise, too: they must be likelier, by far,
under the belief than under one that is fitted without any.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from belated.beliefs import GP, GaussianProcess
from belated.beliefs.evidence import log_marginal_likelihood
from belated.errors import ParameterError
from belated.log import Balk
from belated.randomness import Stream
from belated.rules.rule import Choice, Rule, point_of
from belated.rules.situation import Situation
from belated.space import Array, Candidates, Mask

Allowed = Literal["never", "if worth it"]
# Another measurement must be worth this share of the prior deviation of f, whatever else is left: a fit without noise
# still leaves a little, and where the best is known all other rows are worth nothing at all.
LEAST = 1e-2
# In nats: likelier by a factor of twenty.
FAR = 3.0


@dataclass(frozen=True)
class Repeats:
    """Whether a point of a finite set that was answered may be asked again: "never", or only "if worth it"."""

    allowed: Allowed = "if worth it"

    def __post_init__(self) -> None:
        if self.allowed not in get_args(Allowed):
            raise ParameterError(
                f"Repeats(allowed={self.allowed!r}): a point is asked again 'never' or 'if worth it'; give one of them."
            )

    def chosen(self, rule: Rule, situation: Situation) -> Choice | Balk:
        """What the rule chooses of the points that may be asked; a balk where none is left."""
        pending, domain = situation.under_way, situation.domain
        if not isinstance(domain, Candidates):
            return rule.choose(replace(situation, taken=pending)) if len(pending) else rule.choose(situation)
        waiting = _marked(domain, pending)
        unasked = ~(waiting | _marked(domain, situation.answered_alike))
        choice = _among(rule, situation, domain, ~waiting)
        if choice is not None:
            row = int(domain.rows(point_of(choice)[None])[0])
            if unasked[row] or (self.allowed == "if worth it" and _is_worth(situation, row, unasked)):
                return choice
        again = _among(rule, situation, domain, unasked)
        return Balk(_used_up(len(domain), int(np.count_nonzero(waiting)))) if again is None else again


def _marked(domain: Candidates, points: Array) -> Mask:
    """The rows of a table at which these points lie. (N,)"""
    marked = np.zeros(len(domain), dtype=bool)
    marked[domain.rows(points)] = True
    return marked


def _among(rule: Rule, situation: Situation, domain: Candidates, free: Mask) -> Choice | None:
    """What the rule chooses of the free rows; one of them at random where it draws another; None if none is free."""
    if not free.any():
        return None
    choice = rule.choose(situation if free.all() else replace(situation, taken=domain.table[~free]))
    if free[domain.rows(point_of(choice)[None])[0]]:
        return choice
    drawn: Array = domain.table[situation.random(Stream.CHOICE, None, 1).choice(np.flatnonzero(free))]
    return drawn


def _is_worth(situation: Situation, row: int, unasked: Mask) -> bool:
    """Whether another answer at this row is worth more than one at the best row that was never asked."""
    known = situation.known
    if isinstance(known, GaussianProcess) and not _is_noisy(situation, known):
        return False
    worth = worths(*known.moments(situation.candidates), known.noise)
    return float(worth[row]) > max(float(worth[unasked].max(initial=0.0)), LEAST * known.scale)


def _is_noisy(situation: Situation, known: GaussianProcess) -> bool:
    """Whether the answers are likelier by far with this noise than with none."""
    history, memory = situation.history, situation.memory
    points, values = history.arrivals()
    fitted = GP(noise=0.0).hyperparameters(history, memory, slot="without noise")
    noisy = log_marginal_likelihood(points, values, known.kernel, known.noise).value
    return noisy > log_marginal_likelihood(points, values, fitted.kernel, fitted.noise).value + FAR


def _used_up(rows: int, waiting: int) -> str:
    return f"all {rows} rows of the table were asked ({waiting} are still waited for), and none is worth asking again"


def worths(mean: Array, deviation: Array, noise: float) -> Array:
    """What one more answer at each point adds to the highest mean, if it changes the mean there alone. (m,)"""
    from scipy.special import ndtr  # as long to import as a whole room, and not every study needs it

    highest, second = _two_highest(mean)
    others = np.where(np.arange(len(mean)) == np.argmax(mean), second, highest)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        step = deviation**2 / np.sqrt(deviation**2 + noise)
        z = (mean - others) / step
        gain = step * (np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi) + z * ndtr(z)) - np.maximum(mean - others, 0.0)
    return np.asarray(np.nan_to_num(np.maximum(gain, 0.0), nan=0.0))


def _two_highest(values: Array) -> tuple[float, float]:
    """The highest value and the next; the same twice where there is one."""
    if len(values) == 1:
        return float(values[0]), float(values[0])
    second, first = np.sort(np.partition(values, len(values) - 2)[-2:]).tolist()
    return first, second

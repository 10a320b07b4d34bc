"""Optuna's samplers as rules: before each ask a study of Optuna is put together from the log.

Pending queries are running trials in it, and both samplers know of them. On a table a suggestion goes to the nearest
candidate.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from belated.evidence import Evidence
from belated.randomness import Stream
from belated.rules import Situation
from belated.space import Array, Candidates, Choice, Float, Int, Space

if TYPE_CHECKING:
    from optuna import Study
    from optuna.distributions import BaseDistribution
    from optuna.samplers import BaseSampler


@dataclass(frozen=True)
class Sampler:
    """What a sampler of Optuna would ask, with its own defaults and its own random start."""

    kind: Literal["gp", "tpe"]
    evidence: Evidence

    def choose(self, situation: Situation) -> Array:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        domain, seed = situation.domain, int(situation.random(Stream.CHOICE).integers(2**32))
        distributions = _distributions(domain)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of Optuna call themselves experimental
            study = optuna.create_study(direction="maximize", sampler=_sampler(self.kind, seed))
            _recount(study, self.evidence, distributions)
            suggested = study.ask(distributions).params
        if isinstance(domain, Candidates):
            wanted = np.array([suggested[name] for name in domain.names])
            return nearest(domain.table, wanted)
        return domain.encode(suggested)


def nearest(table: Array, wanted: Array) -> Array:
    """The row of a table that is nearest to a point. (d,)"""
    row: Array = table[int(np.argmin(np.sum((table - wanted) ** 2, axis=1)))]
    return row


def _sampler(kind: Literal["gp", "tpe"], seed: int) -> BaseSampler:
    from optuna.samplers import GPSampler, TPESampler

    return GPSampler(seed=seed) if kind == "gp" else TPESampler(seed=seed, constant_liar=True)


def _recount(study: Study, evidence: Evidence, distributions: dict[str, BaseDistribution]) -> None:
    """Tell a study of Optuna all that was asked, answered or not."""
    from optuna.trial import TrialState, create_trial

    answered, pending = evidence.answered_mask, evidence.pending_mask
    for row in np.flatnonzero(answered | pending):
        study.add_trial(
            create_trial(
                state=TrialState.COMPLETE if answered[row] else TrialState.RUNNING,
                params=_params(evidence, int(row)),
                distributions=distributions,
                value=float(evidence.values[row]) if answered[row] else None,
            )
        )


def _params(evidence: Evidence, row: int) -> dict[str, Any]:
    """A point in Optuna's words: its values, or its unit coordinates on a table."""
    point = evidence.points[row, -evidence.domain.dimension :]  # a context seen before the decision stands before it
    if isinstance(evidence.domain, Candidates):
        return dict(zip(evidence.domain.names, point.tolist(), strict=True))
    return evidence.domain.decode(point)


def _distributions(domain: Space | Candidates) -> dict[str, BaseDistribution]:
    """A space in Optuna's words."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if isinstance(domain, Candidates):
        return {name: FloatDistribution(0.0, 1.0) for name in domain.names}
    found: dict[str, BaseDistribution] = {}
    for name in domain.names:
        parameter = domain[name]
        if isinstance(parameter, Float):
            found[name] = FloatDistribution(parameter.low, parameter.high, log=parameter.log)
        elif isinstance(parameter, Int):
            found[name] = IntDistribution(parameter.low, parameter.high, log=parameter.log)
        elif isinstance(parameter, Choice):
            found[name] = CategoricalDistribution(parameter.options)
    return found

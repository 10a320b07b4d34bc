"""How the weights of an ensemble went, query by query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from belated.beliefs import Ensemble, Memory, spaced
from belated.errors import UnsupportedError, Way, no_answer
from belated.evidence import Evidence
from belated.space import Array
from belated.study.insight.labels import labels

if TYPE_CHECKING:
    from belated.study.study import Study

MOST_MOMENTS = 100


@dataclass(frozen=True, eq=False)
class WeightHistory:
    """The weights of an ensemble's members as queries were asked, and now."""

    queries: tuple[int, ...]  # (k,) identifiers; the last is that of the query that would be asked now
    labels: tuple[str, ...]  # (M,) the members in words
    weights: Array  # (k, M)
    n_asked: int  # how many queries there are, of which k − 1 were looked at


def has_ensemble(study: Study) -> bool:
    """Whether the policy that decides now believes in an ensemble."""
    return isinstance(study.policy.belief, Ensemble)


def weight_history(study: Study, most: int = MOST_MOMENTS, call: str = "weight_history()") -> WeightHistory:
    """The weights at the asks of at most `most` queries, evenly spaced, and the weights now.

    They are computed with the present policy and seed and with revised answers, whatever policy decided at the time.
    """
    policy = study.policy
    if not isinstance(policy.belief, Ensemble):
        raise UnsupportedError(
            f"{call}: the policy {study.recipe} has no ensemble, and so no members with weights; ",
            Way("change", ("egp-ts",), "change(policy=…) to one whose belief is a bl.Ensemble(…), as 'egp-ts'"),
            ".",
        )
    record, seed, now = study.record(), study.seed, study.now()
    evidence = Evidence.of(record)
    if not record.n_answers:
        raise no_answer(call)
    asked = [query for query in record.queries if query.number]
    drawn = [asked[place] for place in spaced(len(asked), most)]
    memory = Memory()  # of its own: going back in time would make the study's forget its latest fits
    moments = [*(evidence.before(query.number) for query in drawn), evidence]
    return WeightHistory(
        (*(query.id for query in drawn), len(record) + 1),
        labels(policy.belief.members),
        np.array([policy.belief.prior(policy.placed(moment, now, seed, memory), memory).weights for moment in moments]),
        len(asked),
    )

"""A study at a glance: counts, delays, overdue queries, the best answer and the way to it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from belated.evidence import Evidence
from belated.log import Counts, Query, Record, State
from belated.study.insight.missing_contexts import unplaced
from belated.study.insight.recommendation import best_or_none
from belated.study.insight.study_json import study_json
from belated.study.results import Best, Notice

if TYPE_CHECKING:
    from belated.study.study import Study


@dataclass(frozen=True)
class Delay:
    """How long answers took: in queries asked meanwhile, and in seconds."""

    median_queries: float
    longest_queries: int
    median_seconds: float
    longest_seconds: float


@dataclass(frozen=True)
class Summary:
    """A study at a glance."""

    study: Study
    counts: Counts
    delay: Delay | None  # of the answers that came
    overdue: tuple[Query, ...]
    partly_answered: tuple[Query, ...]  # pending, with some outcomes
    failed: tuple[Query, ...]
    without_context: tuple[Query, ...]  # answered, with the context still to be told
    best: Best | None
    progress: tuple[float, ...]  # the best answer after each arrival
    notices: tuple[Notice, ...]

    def to_json(self) -> dict[str, Any]:
        """The summary as JSON."""
        return {
            **study_json(self.study),
            "counts": self.counts.to_json(),
            "delay": None if self.delay is None else asdict(self.delay),
            "overdue": [query.id for query in self.overdue],
            "partly_answered": [query.id for query in self.partly_answered],
            "failed": [query.id for query in self.failed],
            "without_context": [query.id for query in self.without_context],
            "best": None if self.best is None else self.best.to_json(),
            "progress": list(self.progress),
            "notices": [notice.to_json() for notice in self.notices],
        }


def summary(study: Study) -> Summary:
    """The summary of a study as it is now; answered queries, which may be very many, are not built."""
    record = study.record()
    return Summary(
        study,
        record.counts,
        _delay(record),
        tuple(record.overdue()),
        tuple(record.partly_answered()),
        tuple(record.ended(State.FAILED)),
        tuple(unplaced(record)),
        best_or_none(record),
        record.progress(),
        tuple(study.notices()),
    )


def _delay(record: Record) -> Delay | None:
    found = Evidence.of(record).waits(0.0)
    queries = [int(length) for length in found.queries.lengths[found.answered_mask].tolist()]
    seconds = found.seconds.lengths[found.answered_mask].tolist()
    return Delay(median(queries), max(queries), median(seconds), max(seconds)) if queries else None

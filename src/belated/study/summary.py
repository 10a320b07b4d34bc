"""What a study has come to: counts, delays, what is overdue, the best answer and the way to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from belated.log import History, Query, State
from belated.study.notebook import unplaced
from belated.study.results import Best, Notice
from belated.study.shapes import of_best, of_notice, of_study
from belated.study.study import Study


@dataclass(frozen=True)
class Counts:
    """How many queries stand how: asked = answered + pending + abandoned; overdue ones are pending too."""

    asked: int
    answered: int
    pending: int
    overdue: int
    abandoned: int
    added: int


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
    without_context: tuple[Query, ...]  # answered, with the context still to be told
    best: Best | None
    progress: tuple[float, ...]  # the best answer after each arrival
    notices: tuple[Notice, ...]

    def to_json(self) -> dict[str, Any]:
        """The summary as JSON."""
        return {
            **of_study(self.study),
            "counts": asdict(self.counts),
            "delay": None if self.delay is None else asdict(self.delay),
            "overdue": [query.id for query in self.overdue],
            "without_context": [query.id for query in self.without_context],
            "best": None if self.best is None else of_best(self.best),
            "progress": list(self.progress),
            "notices": [of_notice(notice) for notice in self.notices],
        }


def summary(study: Study) -> Summary:
    """The summary of a study as it is now; no record is made of what is answered, which may be very many."""
    history = study.history()
    overdue = tuple(query for query in history.pending() if query.state is State.OVERDUE)
    best = study.best() if history.n_answered else None
    waiting, noticed = tuple(unplaced(history)), tuple(study.notices())
    return Summary(
        study, _counts(history, overdue), _delay(history), overdue, waiting, best, progress(history), noticed
    )


def progress(history: History) -> tuple[float, ...]:
    """The best answer so far, after each answer in the order of arrival."""
    values: list[float] = (history.sign * np.maximum.accumulate(history.arrivals().values)).tolist()
    return tuple(values)


def _counts(history: History, overdue: Sequence[Query]) -> Counts:
    added = len(history) - history.n_asked
    answered, pending = history.n_answered - added, int(np.count_nonzero(history.pending_mask))
    return Counts(
        asked=history.n_asked,
        answered=answered,
        pending=pending,
        overdue=len(overdue),
        abandoned=history.n_asked - answered - pending,
        added=added,
    )


def _delay(history: History) -> Delay | None:
    found = history.waits(0.0)
    queries = [int(length) for length in found.queries.lengths[found.answered_mask].tolist()]
    seconds = found.seconds.lengths[found.answered_mask].tolist()
    return Delay(median(queries), max(queries), median(seconds), max(seconds)) if queries else None

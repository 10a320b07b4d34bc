"""What a study has come to: counts, delays, what is overdue, the best answer and the way to it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

import numpy as np

from belated.log import History, Query, State
from belated.study.notebook import unplaced
from belated.study.results import Best
from belated.study.shapes import of_best, of_study
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
        }


def summary(study: Study) -> Summary:
    """The summary of a study as it is now."""
    history = study.history()
    overdue = tuple(query for query in history.queries if query.state is State.OVERDUE)
    best = study.best() if history.n_answered else None
    waiting = tuple(unplaced(history))
    return Summary(study, _counts(history), _delay(history), overdue, waiting, best, progress(history))


def progress(history: History) -> tuple[float, ...]:
    """The best answer so far, after each answer in the order of arrival."""
    values = np.maximum.accumulate(history.arrivals().values)
    return tuple(history.inward(float(value)) for value in values)


def _counts(history: History) -> Counts:
    states = Counter(query.state for query in history.queries)
    added = len(history) - history.n_asked
    return Counts(
        asked=history.n_asked,
        answered=states[State.ANSWERED] - added,
        pending=states[State.PENDING] + states[State.OVERDUE],
        overdue=states[State.OVERDUE],
        abandoned=states[State.ABANDONED],
        added=added,
    )


def _delay(history: History) -> Delay | None:
    answered = [(query, query.answer) for query in history.queries if query.answer is not None and query.number]
    if not answered:
        return None
    queries = [answer.delay for _, answer in answered]
    seconds = [answer.at - query.asked_at for query, answer in answered]
    return Delay(median(queries), max(queries), median(seconds), max(seconds))

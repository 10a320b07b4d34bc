"""All that a log says about its delays, in one value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from belated.delays.curve import Curve, curve
from belated.delays.dependence import Dependence, dependences
from belated.delays.never import NeverFraction
from belated.errors import ParameterError
from belated.evidence import Evidence, Unit, Waits
from belated.show import card, duration, written
from belated.space import Mask

MOST_LISTED = 200


@dataclass(frozen=True)
class WaitingQuery:
    """A query without an answer: how long it has waited, and the chance that it will still be answered, if known."""

    query: int
    queries: int
    seconds: float
    still: float | None

    def to_json(self) -> dict[str, Any]:
        """The query as plain values."""
        return {"query": self.query, "queries": self.queries, "seconds": self.seconds, "still": self.still}


@dataclass(frozen=True, eq=False, repr=False)
class Delays:
    """How long answers take: in queries asked meanwhile and in seconds, from all that were asked.

    Waits of queries without an answer are right-censored at their present length, those of abandoned ones at the time
    they were abandoned. Without answers nothing fails: curves are empty, and what is not known is None.
    """

    queries: Curve
    seconds: Curve
    _evidence: Evidence
    _waits: Waits

    @property
    def n_asked(self) -> int:
        """How many queries were asked."""
        return len(self._waits)

    @property
    def n_answered(self) -> int:
        """How many of them are answered."""
        return _count(self._waits.answered_mask)

    @property
    def n_waiting(self) -> int:
        """How many still wait, overdue ones included."""
        return _count(self._waits.pending_mask)

    @property
    def n_abandoned(self) -> int:
        """How many were abandoned."""
        return self.n_asked - self.n_answered - self.n_waiting

    @property
    def never(self) -> NeverFraction:
        """The fraction of queries that never get an answer: by the waits in queries or, if those do not determine it,
        in seconds.

        A study that asks no more can still wait, and then time tells what queries cannot.
        """
        return self._telling.never

    @property
    def silence(self) -> float | None:
        """What no answer means; None where it says nothing."""
        evidence = self._evidence
        return None if evidence.silence is None else evidence.sign * evidence.silence

    @property
    def unanswered(self) -> str:
        """What to call those that never get an answer, which is one itself where silence means something."""
        return "never answered" if self.silence is None else f"no answer, which means {written(self.silence)}"

    @cached_property
    def waiting(self) -> tuple[WaitingQuery, ...]:
        """The queries without an answer, in the order asked."""
        pending = np.flatnonzero(self._waits.pending_mask)
        queries, seconds = self._waits.queries.lengths[pending], self._waits.seconds.lengths[pending]
        chances = self._telling.chances(queries if self._telling is self.queries else seconds)
        known = self.never.estimate is not None
        columns = (self._waits.rows[pending] + 1, queries.astype(int), seconds, chances)
        return tuple(
            WaitingQuery(query, age, waited, chance if known else None)
            for query, age, waited, chance in zip(*(column.tolist() for column in columns), strict=True)
        )

    def depends(self, unit: Unit = "seconds") -> tuple[Dependence, ...]:
        """Whether the delay depends on each parameter, on a context, on the answer, or on when the query was asked.

        Delays are in time, or in `queries` asked meanwhile. Nothing is tested before there are ten answers.
        """
        if unit not in ("queries", "seconds"):
            raise ParameterError(f"depends(unit={unit!r}): delays are counted in 'queries' or in 'seconds'; give one.")
        return dependences(self._evidence, self._waits, unit)

    def summary(self) -> str:
        """How long answers take, in one line."""
        if not self.n_answered:
            return "no answer has come yet"
        return "; ".join(self._words())

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values: at most 200 steps of each curve, and the 200 oldest of the waiting queries."""
        return {
            "asked": self.n_asked,
            "answered": self.n_answered,
            "waiting": self.n_waiting,
            "abandoned": self.n_abandoned,
            "queries": self.queries.to_json(),
            "seconds": self.seconds.to_json(),
            "never": self.never.to_json(),
            "depends": [entry.to_json() for entry in self.depends()],
            "oldest": [entry.to_json() for entry in self.waiting[:MOST_LISTED]],
        }

    @property
    def _telling(self) -> Curve:
        """The curve that determines which fraction never answers."""
        in_time = self.queries.never.estimate is None and self.seconds.never.estimate is not None
        return self.seconds if in_time else self.queries

    def __repr__(self) -> str:
        return f"Delays({', '.join(f'{text} {name}' for name, text in self._counts())}; {'; '.join(self._words())})"

    def _repr_html_(self) -> str:
        rows = [(f"{share} answered", _within(self, number)) for share, number in SHARES.items()]
        rows.append((self.unanswered, _fraction(self.never)))
        return card("Delays", ", ".join(f"{text} {name}" for name, text in self._counts()), rows)

    def _counts(self) -> list[tuple[str, str]]:
        counts = {
            "asked": self.n_asked,
            "answered": self.n_answered,
            "waiting": self.n_waiting,
            "abandoned": self.n_abandoned,
        }
        return [(name, f"{count:,}") for name, count in counts.items()]

    def _words(self) -> list[str]:
        within = [f"{share} {_within(self, number)}" for share, number in SHARES.items()]
        name = "never" if self.silence is None else self.unanswered
        return [*within, f"{name}: {_fraction(self.never)}"]


SHARES = {"half": 0.5, "nine in ten": 0.9}


def delays_at(evidence: Evidence, now: float) -> Delays:
    """What a study says about its delays at this time."""
    seen = evidence.waits(now)
    in_queries = curve(seen.queries.lengths, seen.answered_mask)
    in_seconds = curve(seen.seconds.lengths, seen.answered_mask)
    return Delays(in_queries, in_seconds, evidence, seen)


def _count(mask: Mask) -> int:
    return int(np.count_nonzero(mask))


def _within(delays: Delays, share: float) -> str:
    queries, seconds = delays.queries.quantile(share), delays.seconds.quantile(share)
    # What still waits may be young in queries and old in time, or the other way round: then one of the two is known.
    known = [
        *([f"{queries:g} {'query' if queries == 1 else 'queries'}"] if queries is not None else []),
        *([duration(seconds)] if seconds is not None else []),
    ]
    return f"within {' or '.join(known)}" if known else "not reached"


def _fraction(never: NeverFraction) -> str:
    if never.estimate is None:
        return f"not known yet, at most {never.high:.0%}"
    if never.estimate == 0.0:
        return f"no sign of it, at most {never.high:.0%}"
    return f"about {never.estimate:.0%} ({never.low:.0%} to {never.high:.0%})"

"""What delays depend on: the parameters, a context known before the decision, the answer itself, or when it was asked.

Parameters, contexts and the order of asking are known for every query, so these tests are on all queries. The answer is
known only once it came, and long delays are missing among recent queries: that test goes backwards in time (`score`).
All tests use ranks: they find monotone dependence on whatever scale, and not a hump.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from belated.delays.comparison import DelayComparison, better, by_groups, by_numbers
from belated.delays.curve import curve
from belated.delays.multiple_tests import holm
from belated.delays.score import Risk, of_all, of_answered
from belated.evidence import Evidence, Unit, Waits
from belated.show import written
from belated.space import Array, Domain, Indices

Kind = Literal["parameter", "context", "answer", "order"]
# With fewer answers nothing is tested: the χ² law is too far off, and nothing but the coarsest would be found.
FEWEST = 10
RARER = "one of the rarer options"
# Below this corrected p-value a dependence counts as found.
DOUBT = 0.05


@dataclass(frozen=True)
class Dependence:
    """Whether the delay depends on something, and how strongly.

    Of two queries that differ in it, and of which one was answered while the other waited, `strength` is the chance
    that the one with the higher number was the later less the chance that it was the earlier: 0 for no dependence, 1
    for higher and always later, −1 for higher and always sooner. Options have no order; theirs is the order in which
    they were found to be answered, and `slowest` is the last of them.
    """

    kind: Kind
    name: str
    strength: float
    p_value: float  # how likely chance alone does so much
    adjusted: float  # the same, corrected for all that was tested by Holm's method
    n: int  # queries that were compared
    slowest: str | None = None

    @property
    def found(self) -> bool:
        """Whether the dependence is significant: `adjusted` is below 0.05."""
        return self.adjusted < DOUBT

    @property
    def what(self) -> str:
        """What was tested, in words."""
        return {"answer": "the answer", "order": "when the query was asked"}.get(self.kind, self.name)

    def __str__(self) -> str:
        """The finding in words."""
        if not self.found:
            return f"no sign that the delay depends on {self.what} (p = {self.adjusted:.2g})"
        where = f"{self.what} is {'higher' if self.strength > 0 else 'lower'}"
        if self.kind == "order":
            where = f"queries were asked {'later' if self.strength > 0 else 'earlier'}"
        elif self.slowest is not None:
            where = f"{self.what} is {self.slowest}"
        return f"answers take longer where {where} (strength {abs(self.strength):.2f}, p = {self.adjusted:.2g})"

    def to_json(self) -> dict[str, Any]:
        """The finding as plain values."""
        return {**asdict(self), "found": self.found, "text": str(self)}


@dataclass(frozen=True, eq=False)
class _Views:
    """Two views of delays: of all queries, answered or not, and of the answered ones, backwards in time."""

    everybody: Risk
    answered: Risk
    places: Indices  # (e,) the queries with an answer

    def of_numbers(self, numbers: Array) -> DelayComparison | None:
        """The better of two tests: of whether and when answers come, and of the delays of those that came."""
        return better(by_numbers(self.everybody, numbers), by_numbers(self.answered, numbers[self.places]))

    def of_options(self, options: Array) -> DelayComparison | None:
        """The same for the options of a choice."""
        arrived = by_groups(self.answered, options[self.places])
        if arrived is not None:
            arrived = replace(arrived, slowest=self.places[arrived.slowest])
        return better(by_groups(self.everybody, options), arrived)


def dependences(evidence: Evidence, waits: Waits, unit: Unit) -> tuple[Dependence, ...]:
    """All tests that are possible, corrected together [holm1979]; none if there are fewer than ten answers."""
    if np.count_nonzero(waits.answered_mask) < FEWEST:
        return ()
    views = _views(waits, unit)
    values = evidence.outward(evidence.values[waits.rows[views.places]], np.array(0.0))[0]
    tested: list[tuple[Kind, str, DelayComparison | None, int]] = [
        *((kind, name, found, len(waits)) for kind, name, found in _of_points(evidence, waits, views)),
        ("answer", "value", by_numbers(views.answered, values), len(values)),
        ("order", "number", views.of_numbers(np.arange(len(waits), dtype=float)), len(waits)),
    ]
    found = [
        Dependence(kind, name, result.strength, result.p_value, 1.0, n, _slowest(evidence, waits, kind, name, result))
        for kind, name, result, n in tested
        if result is not None
    ]
    adjusted = holm([entry.p_value for entry in found])
    return tuple(replace(entry, adjusted=p) for entry, p in zip(found, adjusted, strict=True))


def _views(waits: Waits, unit: Unit) -> _Views:
    spans, places = waits.spans(unit), np.flatnonzero(waits.answered_mask)
    delays, followed = spans.lengths[places], spans.followed[places]
    chances = 1.0 - curve(spans.lengths, waits.answered_mask).survived(followed)
    return _Views(of_all(spans.lengths, spans.followed, places), of_answered(delays, followed, chances), places)


def _of_points(evidence: Evidence, waits: Waits, views: _Views) -> Iterator[tuple[Kind, str, DelayComparison | None]]:
    """A test for each column of the points, preceded by the context's columns if it is known before the decision."""
    for place, (kind, name, categorical) in enumerate(_columns(evidence)):
        coordinates = evidence.points[waits.rows, place]
        yield kind, name, views.of_options(coordinates) if categorical else views.of_numbers(coordinates)


def _columns(evidence: Evidence) -> list[tuple[Kind, str, bool]]:
    """The names of the columns of the points, and whether they are choices."""
    domains: list[tuple[Kind, Domain]] = [("parameter", evidence.domain)]
    if evidence.context is not None and evidence.context.seen == "before":
        domains = [("context", evidence.context.space), *domains]
    return [
        (kind, name, categorical)
        for kind, domain in domains
        for name, categorical in zip(domain.names, domain.categorical, strict=True)
    ]


def _slowest(evidence: Evidence, waits: Waits, kind: Kind, name: str, found: DelayComparison) -> str | None:
    """The option that takes longest; None if there are no options."""
    if found.slowest is None:
        return None
    column = [entry[:2] for entry in _columns(evidence)].index((kind, name))
    rows = waits.rows[found.slowest]
    if np.ptp(evidence.points[rows, column]) > 0.0:
        return RARER
    return written(_decoded(evidence, int(rows[0]), kind)[name])


def _decoded(evidence: Evidence, row: int, kind: Kind) -> dict[str, Any]:
    """The point of a row, or its context that was known before the decision, in the user's values."""
    n_context = evidence.points.shape[1] - evidence.domain.dimension
    if kind == "parameter":
        return evidence.domain.decode(evidence.points[row, n_context:])
    assert evidence.context is not None, "what is told of a context has one"
    return evidence.context.space.decode(evidence.points[row, :n_context])

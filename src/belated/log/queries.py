"""The queries of a study as a user reads them, built when they are read: a large study has very many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final, overload

from belated.log.events import Added, Asked, Event
from belated.log.notes import Notes
from belated.log.query import Answer, Query, State
from belated.log.rows import Rows
from belated.log.values import Values


@final
class Queries(Sequence[Query]):
    """Every query and every added point, in the order of their identifiers; equal to a sequence of the same queries."""

    def __init__(self, rows: Rows, notes: Notes, sign: float, overdue: frozenset[int]) -> None:
        self._rows, self._notes, self._sign, self._overdue = rows, notes, sign, overdue

    def __len__(self) -> int:
        return self._rows.extent.rows

    @overload
    def __getitem__(self, place: int) -> Query: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Query, ...]: ...
    def __getitem__(self, place: int | slice) -> Query | tuple[Query, ...]:
        rows = range(len(self))[place]
        return self._query(rows) if isinstance(rows, int) else tuple(self._query(row) for row in rows)

    def __iter__(self) -> Iterator[Query]:
        answers, abandonments = self._rows.answer_places.tolist(), self._rows.abandonment_places.tolist()
        return map(self._made, range(len(self)), answers, abandonments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Queries | tuple | list) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def _query(self, row: int) -> Query:
        store = self._rows.store
        return self._made(row, int(store.answer_places.item(row)), int(store.abandonment_places.item(row)))

    def _made(self, row: int, answer_place: int, abandonment_place: int) -> Query:
        """The query of a row with these places; what is settled is made once, what waits is never kept."""
        store, notes, extent = self._rows.store, self._notes, self._rows.extent
        answered, abandoned = answer_place < extent.answers, abandonment_place < extent.abandonments
        context = self._context(row)
        settled = (answered or abandoned) and (context is not None or not self._rows.contexts.shape[1])
        if settled and row in notes.settled:
            return notes.settled[row]
        event, number = notes.events[row], int(store.entries.item(row)["number"])
        if answered:
            query = entered(event, number, State.ANSWERED, self._answer(row, answer_place), context=context)
        elif abandoned:
            reason = notes.reasons[abandonment_place]
            query = entered(event, number, State.ABANDONED, reason=reason, context=context)
        else:
            query = entered(event, number, State.OVERDUE if row in self._overdue else State.PENDING, context=context)
        if settled:
            notes.settled[row] = query
        return query

    def _context(self, row: int) -> Values | None:
        """The context of a row, if it was seen after the decision."""
        place = int(self._rows.store.sighting_places.item(row))
        return self._notes.contexts[place] if place < self._rows.extent.sightings else None

    def _answer(self, row: int, place: int) -> Answer:
        store = self._rows.store
        arrival = store.arrivals.item(place)
        value = self._sign * float(store.arrived_values.item(place))
        earlier = tuple(self._sign * revised for revised in self._notes.earlier.get(row, ()))
        return Answer(value, float(arrival["answered_at"]), int(arrival["delay"]), earlier)


def entered(
    event: Event,
    number: int,
    state: State = State.PENDING,
    answer: Answer | None = None,
    reason: str | None = None,
    context: Values | None = None,
) -> Query:
    """The query that an event brings, with the context seen since; `number` counts the asks, 0 for added data."""
    body = event.body
    assert isinstance(body, Asked | Added)
    asked = (body.key, body.worker, body.arm) if isinstance(body, Asked) else (None, None, None)
    if context is None and body.context is not None:
        context = kept(body.context)
    return Query(body.query, kept(body.point), context, event.at, number, state, answer, reason, *asked)


def kept(values: Mapping[str, Any]) -> Values:
    """Read-only values; those that are read-only already are not copied."""
    return values if isinstance(values, Values) else Values(values)

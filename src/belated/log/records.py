"""The queries of a history as a user reads them, made when they are looked at: a large study has very many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final, overload

from belated.log.events import Added, Asked, Event
from belated.log.query import Answer, Query, State
from belated.log.rows import Rows
from belated.log.values import Values


@final
class Records(Sequence[Query]):
    """Every query and every added point, in the order of their identifiers; equal to a sequence of the same queries."""

    def __init__(self, rows: Rows, sign: float, overdue: frozenset[int]) -> None:
        self._rows, self._sign, self._overdue = rows, sign, overdue

    def __len__(self) -> int:
        return self._rows.extent.rows

    @overload
    def __getitem__(self, place: int) -> Query: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Query, ...]: ...
    def __getitem__(self, place: int | slice) -> Query | tuple[Query, ...]:
        rows = range(len(self))[place]
        return self._record(rows) if isinstance(rows, int) else tuple(self._record(row) for row in rows)

    def __iter__(self) -> Iterator[Query]:
        answers, abandonments = self._rows.answer_places.tolist(), self._rows.abandonment_places.tolist()
        return map(self._made, range(len(self)), answers, abandonments)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Records | tuple | list) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def _record(self, row: int) -> Query:
        store = self._rows.store
        return self._made(row, int(store.answer_places.item(row)), int(store.abandonment_places.item(row)))

    def _made(self, row: int, answer_place: int, abandonment_place: int) -> Query:
        """The query of a row with these places; what is settled is made once, what waits is never kept."""
        store, extent = self._rows.store, self._rows.extent
        answered, abandoned = answer_place < extent.answers, abandonment_place < extent.abandonments
        if (answered or abandoned) and row in store.settled:
            return store.settled[row]
        event, number = store.events[row], int(store.entries.item(row)["number"])
        if answered:
            store.settled[row] = entered(event, number, State.ANSWERED, self._answer(row, answer_place))
        elif abandoned:
            store.settled[row] = entered(event, number, State.ABANDONED, reason=store.reasons[abandonment_place])
        else:
            return entered(event, number, State.OVERDUE if row in self._overdue else State.PENDING)
        return store.settled[row]

    def _answer(self, row: int, place: int) -> Answer:
        store = self._rows.store
        arrival = store.arrivals.item(place)
        value = self._sign * float(store.arrived_values.item(place))
        earlier = tuple(self._sign * revised for revised in store.earlier.get(row, ()))
        return Answer(value, float(arrival["answered_at"]), int(arrival["delay"]), earlier)


def entered(
    event: Event, number: int, state: State = State.PENDING, answer: Answer | None = None, reason: str | None = None
) -> Query:
    """The query that an event brings; `number` counts the asks, and is 0 for added data."""
    body = event.body
    assert isinstance(body, Asked | Added)
    asked = (body.key, body.worker, body.arm) if isinstance(body, Asked) else (None, None, None)
    context = None if body.context is None else _kept(body.context)
    return Query(body.query, _kept(body.point), context, event.at, number, state, answer, reason, *asked)


def _kept(values: Mapping[str, Any]) -> Values:
    """Values that stay as they are, without a copy of those that do anyhow."""
    return values if isinstance(values, Values) else Values(values)

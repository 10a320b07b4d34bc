"""The queries of a study as a user reads them, built when they are read: a large study has very many."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final, overload

from belated.log.events import Added, Asked, Event
from belated.log.notes import Notes
from belated.log.query import Answer, Query, State
from belated.log.rows import ENDINGS, Rows
from belated.log.values import Values

NONE: Values = Values()


@final
class Queries(Sequence[Query]):
    """Every query and every added point, in the order of their identifiers; equal to a sequence of the same queries."""

    def __init__(self, whole: Arrived, parts: Mapping[str, Arrived], overdue: frozenset[int]) -> None:
        """Queries by whether they are answered as a `whole`, and their answers by outcome."""
        self._whole, self._parts, self._overdue = whole, parts, overdue
        self._rows, self._notes = whole.rows, whole.notes

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
        answers, endings = self._rows.answer_places.tolist(), self._rows.ending_places.tolist()
        return map(self._made, range(len(self)), answers, endings)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Queries | tuple | list) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(tuple(self))

    def _query(self, row: int) -> Query:
        store = self._rows.store
        return self._made(row, int(store.answer_places.item(row)), int(store.ending_places.item(row)))

    def _made(self, row: int, answer_place: int, ending_place: int) -> Query:
        """The query of a row with these places; what is settled is made once, what waits is never kept."""
        notes, extent = self._notes, self._rows.extent
        answered, ended = answer_place < extent.answers, ending_place < extent.endings
        context = self._context(row)
        settled = (answered or ended) and (context is not None or not self._rows.contexts.shape[1])
        settled = settled and len(self._parts) == 1
        if settled and row in notes.settled:
            return notes.settled[row]
        state, reason = State.OVERDUE if row in self._overdue else State.PENDING, None
        if answered:
            state = State.ANSWERED
        elif ended:
            state, reason = ENDINGS[int(self._rows.endings["how"].item(ending_place))], notes.reasons[ending_place]
        answers = Values({name: answer for name, part in self._parts.items() if (answer := part.answer(row))})
        query = entered(
            notes.events[row],
            int(self._rows.store.entries.item(row)["number"]),
            state,
            answers.get(self._whole.name) if answered else None,
            reason,
            context,
            notes.performed.get(row),
            answers,
        )
        if settled:
            notes.settled[row] = query
        return query

    def _context(self, row: int) -> Values | None:
        """The context of a row, if it was seen after the decision."""
        place = int(self._rows.store.sighting_places.item(row))
        return self._notes.contexts[place] if place < self._rows.extent.sightings else None


@dataclass(frozen=True, eq=False)
class Arrived:
    """The answers of one outcome: its name, the factor after which large values are good, and where they are kept."""

    name: str
    sign: float
    rows: Rows
    notes: Notes

    def answer(self, row: int) -> Answer | None:
        """The answer of a row, if it has come."""
        store = self.rows.store
        place = int(store.answer_places.item(row))
        if place >= self.rows.extent.answers:
            return None
        arrival = store.arrivals.item(place)
        value = self.sign * float(store.arrived_values.item(place))
        earlier = tuple(self.sign * revised for revised in self.notes.earlier.get(row, ()))
        told = self.notes.errors.get(row)
        error = () if told is None else (told.sd, told.repeats)
        return Answer(value, float(arrival["answered_at"]), int(arrival["delay"]), earlier, *error)


def entered(
    event: Event,
    number: int,
    state: State = State.PENDING,
    answer: Answer | None = None,
    reason: str | None = None,
    context: Values | None = None,
    performed: Values | None = None,
    answers: Mapping[str, Answer] = NONE,
) -> Query:
    """The query that an event brings, with the context seen since; `number` counts the asks, 0 for added data."""
    body = event.body
    assert isinstance(body, Asked | Added)
    asked = (body.key, body.worker, body.arm) if isinstance(body, Asked) else (None, None, None)
    if context is None and body.context is not None:
        context = kept(body.context)
    point = kept(body.point)
    return Query(
        body.query,
        point,
        context,
        event.at,
        number,
        state,
        answer,
        reason,
        *asked,
        performed=performed,
        answers=answers,
    )


def kept(values: Mapping[str, Any]) -> Values:
    """Read-only values; those that are read-only already are not copied."""
    return values if isinstance(values, Values) else Values(values)

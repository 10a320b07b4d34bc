"""The table of queries: the ones wanted, in the order wanted, a page at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from fastapi import Depends, Query

from belated.log import Outcomes, Record, State
from belated.log import Query as Asked
from belated.service.dashboard.words import short

PAGE = 50
STATES = ("pending", "overdue", "answered", "failed", "abandoned", "retracted", "added")
Order = Literal["up", "down"]


@dataclass(frozen=True)
class Wish:
    """Which queries are wanted, and in which order."""

    state: str = ""
    text: str = ""
    sort: str = "query"
    order: Order = "down"
    page: int = 1


@dataclass(frozen=True)
class QueryColumn:
    """What stands in a column, and by what it is sorted; `numeric` is how it is set."""

    key: str
    title: str
    value: Callable[[Asked], Any]
    numeric: bool = False


@dataclass(frozen=True)
class Listing:
    """A page of the table."""

    wish: Wish
    columns: tuple[QueryColumn, ...]
    queries: tuple[Asked, ...]
    first: int  # the place of the first one among those found
    found: int
    total: int
    pages: int
    outcomes: tuple[str, ...]

    @property
    def point_and_context(self) -> tuple[QueryColumn, ...]:
        """The columns between the answers and what else is known of a query."""
        return self.columns[2 + len(self.outcomes) : -3]


def wish_of(
    state: Annotated[str, Query(max_length=20)] = "",
    text: Annotated[str, Query(max_length=200)] = "",
    sort: Annotated[str, Query(max_length=250)] = "query",
    order: Order = "down",
    page: Annotated[int, Query(ge=1, lt=2**31)] = 1,
) -> Wish:
    """The wish that an address holds."""
    return Wish(state if state in STATES else "", text.strip(), sort, order, page)


Wished = Annotated[Wish, Depends(wish_of)]


def listing(record: Record, wish: Wish, now: float) -> Listing:
    """The page of the table that is wanted, or the last one there is."""
    parameters = tuple(_of_point(name) for name in record.domain.names)
    names = record.context.space.names if record.context is not None else ()
    entries = tuple(_of_context(name) for name in names)
    outcomes, fixed = _of_outcomes(record.outcomes), _fixed(now)
    columns = (*fixed[:2], *outcomes, *parameters, *entries, *fixed[2:])
    queries = list(record.queries)
    found = [query for query in queries if _wanted(query, wish)]
    chosen = {column.key: column for column in columns}.get(wish.sort, columns[0])
    ordered = _sorted(found, chosen, wish.order == "down")
    pages = max(1, -(-len(ordered) // PAGE))
    page = min(wish.page, pages)
    first = (page - 1) * PAGE
    kept = replace(wish, page=page, sort=chosen.key)
    shown = tuple(ordered[first : first + PAGE])
    return Listing(kept, columns, shown, first, len(found), len(queries), pages, tuple(record.outcomes))


def waited(query: Asked, now: float) -> float | None:
    """How long a query waited, or has waited so far; None for data that was added and for what ended otherwise."""
    if not query.number or query.state in (State.ABANDONED, State.FAILED, State.RETRACTED):
        return None
    return (query.answer.at if query.answer else now) - query.asked_at


def state_of(query: Asked) -> str:
    """Where a query stands; what was never asked is added."""
    return query.state.value if query.number else "added"


def _fixed(now: float) -> tuple[QueryColumn, ...]:
    return (
        QueryColumn("query", "Query", lambda query: query.id, numeric=True),
        QueryColumn("state", "State", state_of),
        QueryColumn("asked", "Asked", lambda query: query.asked_at),
        QueryColumn("waited", "Waited", lambda query: waited(query, now), numeric=True),
        QueryColumn("worker", "Worker", lambda query: query.worker),
    )


def _of_outcomes(outcomes: Outcomes) -> tuple[QueryColumn, ...]:
    """A column for each outcome; the one of a study that names none is its answer."""
    if not outcomes.named:
        return (QueryColumn("answer", "Answer", lambda query: query.answer and query.answer.value, numeric=True),)
    return tuple(QueryColumn(f"answer.{name}", name, _told_of(name), numeric=True) for name in outcomes)


def _told_of(name: str) -> Callable[[Asked], float | None]:
    return lambda query: query.answers[name].value if name in query.answers else None


def _of_point(name: str) -> QueryColumn:
    return QueryColumn(f"point.{name}", name, lambda query: query.tried[name])


def _of_context(name: str) -> QueryColumn:
    return QueryColumn(f"context.{name}", name, lambda query: None if query.context is None else query.context[name])


def _wanted(query: Asked, wish: Wish) -> bool:
    if wish.state and not (wish.state == state_of(query) or (wish.state == "pending" and query.state == "overdue")):
        return False
    return not wish.text or wish.text.casefold() in _text(query).casefold()


def _text(query: Asked) -> str:
    """All that a table says of a query, for searching in."""
    values = {**query.tried, **(query.context or {})}
    parts = [f"#{query.id}", state_of(query), *(f"{name} {short(value)}" for name, value in values.items())]
    answer = [f"{name} {short(answer.value)}" for name, answer in query.answers.items()]
    return " ".join([*parts, *answer, query.worker or "", query.reason or "", query.key or ""])


def _sorted(queries: list[Asked], column: QueryColumn, descending: bool) -> list[Asked]:
    """Rows with nothing in the column stand last either way; of equal rows, descending order has the later first."""
    pairs = [(column.value(query), query) for query in queries]
    there = [(value, query) for value, query in pairs if value is not None]
    missing = [query for value, query in pairs if value is None]
    there.sort(key=lambda pair: (isinstance(pair[0], str), pair[0], pair[1].id), reverse=descending)
    return [query for _, query in there] + missing

"""How queries look in figures: a mark for each state, and the text under the pointer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from belated.log import Query, State
from belated.report.style import COLOURS, FAILURE, GREY, WARNING, literal
from belated.show import written

# A point of more parameters than this would cover the figure.
MOST_LISTED = 12


@dataclass(frozen=True)
class Mark:
    """How a state is shown: its name, its colour, and the symbol of its queries."""

    label: str
    colour: str
    symbol: str

    def marker(self, size: int = 7) -> dict[str, Any]:
        """The marker of a trace."""
        line = {"color": self.colour, "width": 2} if self.symbol.endswith("-open") else {}
        return {"color": self.colour, "symbol": self.symbol, "size": size, "line": line}


MARKS = {
    State.ANSWERED: Mark("answered", COLOURS[0], "circle"),
    State.PENDING: Mark("pending", COLOURS[3], "circle-open"),
    State.OVERDUE: Mark("overdue", WARNING, "diamond-open"),
    State.FAILED: Mark("failed", FAILURE, "x"),
    State.ABANDONED: Mark("abandoned", GREY, "x"),
    State.RETRACTED: Mark("retracted", GREY, "x-open"),
}
LOST = Mark("overdue: the answer never comes", WARNING, "x")
BEST = Mark("best answer", COLOURS[2], "star")
RECOMMENDED = Mark("recommended", COLOURS[2], "diamond")
GIVEN = Mark("the point given", COLOURS[2], "diamond")


def titled(query: Query) -> str:
    """A query and its answer, in one line."""
    name = f"query {query.id}" if query.number else f"added {query.id}"
    why = f" ({query.reason})" if query.reason else ""
    return f"{name}: {query.answers_text() if query.answer else f'{query.state.value}{why}'}"


def detailed(query: Query) -> str:
    """A query, its answer, its point and its context, one line each."""
    values = {**(query.context or {}), **query.tried}
    asked = {name: f" (asked: {written(query.point[name])})" for name in query.changed}
    lines = [f"{name} = {written(value)}{asked.get(name, '')}" for name, value in list(values.items())[:MOST_LISTED]]
    return "<br>".join(map(literal, [titled(query), *lines, *(["…"] if len(values) > MOST_LISTED else [])]))

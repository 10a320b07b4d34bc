"""A kind of event that nobody has heard of: it says what it does to its query, and every room treats it so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from belated.errors import LogError
from belated.log import (
    Abandoned,
    Answered,
    Asked,
    Effect,
    Event,
    Measurement,
    Revised,
    State,
    events,
    kind,
    kinds,
    standings,
)
from belated.service.dashboard.log_page import told
from belated.storage import connect
from belated.study import Study
from tests.logbook import BEGINNING, POINT, append, events_of, new_log


@dataclass(frozen=True, slots=True)
class Weighed:
    """Said of a query as often as one likes, waited for or not."""

    effect: ClassVar = Effect.NOTES
    query: int
    value: float


@dataclass(frozen=True, slots=True)
class Spilled:
    """It ends the waiting."""

    effect: ClassVar = Effect.ABANDONS
    query: int
    reason: str


@dataclass(frozen=True, slots=True)
class Photographed:
    """It is an answer."""

    effect: ClassVar = Effect.ANSWERS
    query: int
    value: float


@dataclass(frozen=True, slots=True)
class Moved:
    """It is about the study itself."""

    effect: ClassVar = None
    room: str


PAGE = Path(__file__).parents[2] / "docs" / "concepts" / "studies.md"
NEW: dict[str, Any] = {"weighed": Weighed, "spilled": Spilled, "photographed": Photographed, "moved": Moved}
LIFE: list[Any] = [
    *(Asked(query, POINT) for query in range(1, 6)),
    Weighed(1, 3.0),
    Weighed(1, 2.5),
    Spilled(2, "the floor has it"),
    Photographed(3, 0.5),
    Moved("12"),
    Revised(3, 0.75),
    Weighed(3, 9.0),
    Answered(4, 0.25),
    Abandoned(5, "lost"),
    Weighed(5, 1.0),
]


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Logs that hold these kinds too."""
    monkeypatch.setattr(events, "_kinds", dict(events._kinds))
    monkeypatch.setattr(events, "_names", dict(events._names))
    for name, body in NEW.items():
        kind(name)(body)
    yield
    monkeypatch.undo()
    assert not set(NEW) & set(kinds())


def test_storages_know_what_is_waited_for_and_give_it_back(address: str) -> None:
    log = new_log(address)
    append(log, *LIFE)
    assert [event.body for event in events_of(connect(address).open(log.name))[1:]] == LIFE
    with log.reading() as reader:
        unanswered = reader.unanswered()
        assert [(event.query, number) for event, number in unanswered.asks] == [(1, 1)]
        assert unanswered.n_asked == reader.last_query() == 5
        assert [event.body for event in reader.settings(after=1)] == [LIFE[9]]
        assert [event.body for event in reader.about([3])] == [Asked(3, POINT), LIFE[8], LIFE[10], LIFE[11]]


def test_a_study_counts_them_and_goes_on(address: str) -> None:
    log = [*BEGINNING, *(Event(number, 1001.0, body) for number, body in enumerate(LIFE, start=2))]
    study = Study.restore(address, "yield", log, clock=lambda: 1002.0)
    counts = study.record().counts
    assert (counts.asked, counts.answered, counts.pending, counts.abandoned) == (5, 2, 1, 2)
    assert [(query.id, query.state) for query in study.queries()] == [
        (1, State.PENDING),
        (2, State.ABANDONED),
        (3, State.ANSWERED),
        (4, State.ANSWERED),
        (5, State.ABANDONED),
    ]
    assert study.queries()[1].reason == "the floor has it"
    assert study.best().value == 0.75
    assert [query.id for query in study.pending()] == [1]
    study.tell(1, 0.125)
    assert study.ask()


def test_their_standings_are_those_of_what_they_do() -> None:
    found = standings(Event(number, 1001.0, body) for number, body in enumerate(LIFE, start=2))
    assert {query: (standing.state, dict(standing.answers), standing.reason) for query, standing in found.items()} == {
        1: (State.PENDING, {}, ""),
        2: (State.ABANDONED, {}, "the floor has it"),
        3: (State.ANSWERED, {"value": Measurement(0.75)}, ""),
        4: (State.ANSWERED, {"value": Measurement(0.25)}, ""),
        5: (State.ABANDONED, {}, "lost"),
    }


@pytest.mark.parametrize(
    "bodies, message",
    [
        ([Spilled(1, "")], "event 2 is about query 1, and there are 0"),
        ([Asked(1, POINT), Spilled(1, ""), Photographed(1, 0.5)], "event 4 finds query 1 abandoned"),
        ([Asked(1, POINT), Photographed(1, 0.5), Answered(1, 0.5)], "event 4 finds query 1 answered"),
        ([Asked(1, POINT), Photographed(1, float("nan"))], "event 3 has the value nan"),
        ([Asked(1, POINT), Weighed(2, 1.0)], "event 3 is about query 2, and there are 1"),
    ],
)
def test_a_log_in_which_they_cannot_follow_is_refused(bodies: list[Any], message: str) -> None:
    log = [*BEGINNING, *(Event(number, 1001.0, body) for number, body in enumerate(bodies, start=2))]
    with pytest.raises(LogError, match=message):
        Study(log)


def test_pages_have_words_for_them() -> None:
    assert told(Event(2, 1001.0, Spilled(2, "the floor has it"))) == ("spilled query 2", "the floor has it")  # type: ignore[arg-type]
    assert told(Event(2, 1001.0, Weighed(1, 2.5))) == ("weighed query 1", "value 2.5")  # type: ignore[arg-type]


def test_a_kind_that_lacks_what_its_effect_needs_is_none() -> None:
    @dataclass(frozen=True, slots=True)
    class Silent:
        effect: ClassVar = Effect.ANSWERS
        query: int

    with pytest.raises(AssertionError, match="an event that answers has"):
        kind("silent")(Silent)


def test_each_kind_that_there_is_has_its_row_in_the_page_of_studies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    rows = [line.split("|") for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    said = {name.strip() for row in rows for name in row[2].split(",")}
    assert set(kinds()) <= said

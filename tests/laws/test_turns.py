"""Who waits for whom in every storage: writers of a study for each other, askers for askers, nobody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from belated.log import Answered, Asked, Query
from belated.storage import connect, turns
from belated.study import Study, differences
from tests.builders import box
from tests.logbook import BEGINNING, POINT, append, events_of, new_log
from tests.meanwhile import Meanwhile
from tests.reference.logs import query_of


def entering(manager: Callable[[], Any]) -> Meanwhile:
    """Somebody else who enters, and leaves at once."""

    def enter() -> str:
        with manager():
            return "entered"

    return Meanwhile(enter)


def test_asking_keeps_others_from_asking_and_from_nothing_else(address: str) -> None:
    log, other = new_log(address), new_log(address)
    same = connect(address).open(log.name)
    with log.asking():
        waiting = entering(same.asking)
        assert waiting.waits()
        assert entering(same.reading).result() == "entered"
        assert entering(same.writing).result() == "entered"
        assert entering(other.asking).result() == "entered"
        assert Meanwhile(lambda: append(same, Asked(1, POINT))).result()
        assert waiting.waits(0.0)
    assert waiting.result() == "entered"


def test_the_turn_to_ask_passes_on_after_an_error(address: str) -> None:
    log = new_log(address)
    with pytest.raises(ValueError, match="on purpose"), log.asking():
        raise ValueError("on purpose")
    assert entering(log.asking).result() == "entered"


def test_one_writes_to_a_study_at_a_time(address: str) -> None:
    log = new_log(address)
    same = connect(address).open(log.name)
    with log.writing() as writer:
        waiting = Meanwhile(lambda: append(same, Answered(1, 2.0)))
        assert waiting.waits()
        writer.append([Asked(1, POINT)], 1001.0)
    assert [event.number for event in waiting.result()] == [3]


def test_writers_of_another_study_go_on_meanwhile_where_a_study_is_locked_alone(memory: str, postgres: str) -> None:
    for address in (memory, postgres):
        log, other = new_log(address), new_log(address)
        with log.writing() as writer:
            writer.append([Asked(1, POINT)], 1001.0)
            assert Meanwhile(lambda other=other: append(other, Asked(1, POINT))).result()  # type: ignore[misc]


def test_readers_in_a_database_do_not_wait_for_a_writer_and_see_what_was_there(shared: str) -> None:
    log = new_log(shared)
    with log.writing() as writer:
        writer.append([Asked(1, POINT)], 1001.0)
        assert Meanwhile(lambda: events_of(log)).result() == BEGINNING
    assert len(events_of(log)) == 2


def test_threads_that_ask_in_turn_never_give_an_identifier_twice(address: str) -> None:
    log = new_log(address)

    def ask() -> None:
        for _ in range(10):
            with log.asking(), log.writing() as writer:
                writer.append([Asked(writer.last_query() + 1, POINT)], 1001.0)

    for thread in [Meanwhile(ask) for _ in range(4)]:
        thread.result()
    assert [query_of(event) for event in events_of(log)[1:]] == list(range(1, 41))


def test_without_locks_on_files_everybody_goes_at_once_and_no_decision_is_stale(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, place: int) -> None:
        raise OSError("No locks available")

    monkeypatch.setattr(turns, "_take", refuse)
    study = Study.create(sqlite, "yield", box(), policy="gp-bucb", seed=1)

    def ask_and_tell() -> None:
        own = Study.open(sqlite, "yield")
        for _ in range(4):
            query = own.ask()
            assert isinstance(query, Query)
            own.tell(query, query.point["heat"] / 100.0)

    for thread in [Meanwhile(ask_and_tell) for _ in range(4)]:
        thread.result()
    assert [query.id for query in study.queries() if query.answer] == list(range(1, 17))
    assert list(differences(study.events)) == []

"""What every storage does alike with a study by its name: put it away, rename, copy and delete it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any
from unittest import mock

import pytest

from belated.errors import ConflictError, ParameterError, UnknownStudyError
from belated.log import Answered, Archived, Asked, Balk, Query, Unarchived
from belated.policies import Policy
from belated.space import Float, Space
from belated.storage import connect
from belated.study import Study, differences
from tests.logbook import BEGINNING, POINT, append, events_of
from tests.meanwhile import Meanwhile

SPACE = Space(heat=Float(0.0, 1.0))


def begun(address: str, name: str = "lab", policy: str = "random") -> Study:
    """A study with two queries, of which one is answered."""
    study = Study.create(address, name, SPACE, policy=policy, seed=3)
    study.ask(2)
    study.tell(1, 0.25)
    return study


# The archive.


def test_an_archived_study_is_out_of_sight_and_complete(address: str) -> None:
    study = begun(address)
    begun(address, "other")
    before = study.events
    study.archive("the project is over")
    assert Study.names(address) == ["other"]
    assert Study.names(address, archived=True) == ["lab"]
    again = Study.open(address, "lab")
    assert again.archived == "the project is over"
    assert again.events[:-1] == before
    assert again.events[-1].body == Archived("the project is over")
    assert again.best().value == 0.25
    assert [query.id for query in again.pending()] == [2]
    again.unarchive("a second season")
    assert Study.names(address) == ["lab", "other"]
    assert Study.names(address, archived=True) == []
    assert study.archived is None
    assert study.events[-1].body == Unarchived("a second season")
    assert isinstance(study.ask(), Query)


def test_an_archived_study_takes_answers_and_asks_nothing(address: str) -> None:
    study = begun(address)
    study.archive()
    said = "ask(): the study is in the archive (no reason given); unarchive() it to go on asking."
    with pytest.raises(ConflictError, match=f"^{re.escape(said)}$"):
        study.ask()
    study.tell(2, 0.5)
    study.revise(1, 0.75)
    study.add({"heat": 0.5}, 0.1)
    assert study.best().value == 0.75
    assert study.pending() == []


def test_who_mistypes_the_name_of_an_archived_study_is_told_it_and_no_list_has_it(address: str) -> None:
    begun(address).archive()
    with pytest.raises(UnknownStudyError, match=r": no study is named 'lap'; did you mean 'lab'\?$"):
        Study.open(address, "lap")
    with pytest.raises(UnknownStudyError, match=r": no study is named 'q'; all studies are in the archive\.$"):
        Study.open(address, "q")
    begun(address, "other")
    with pytest.raises(UnknownStudyError, match=r": no study is named 'q'; there are 'other'\.$"):
        Study.open(address, "q")


def test_who_archives_twice_archives_once(address: str) -> None:
    study = begun(address)
    study.unarchive()
    before = len(study.events)
    study.archive("first")
    study.archive("second")
    assert study.archived == "first"
    study.unarchive()
    study.unarchive()
    assert len(study.events) == before + 2


def test_an_archived_study_can_be_opened_by_who_would_create_it(address: str) -> None:
    begun(address).archive()
    worker = Study.create(address, "lab", SPACE, policy="random", or_open=True)
    assert worker.archived == ""
    with pytest.raises(ConflictError, match="a study named 'lab' is in the archive; open it, or choose another name"):
        Study.create(address, "lab", SPACE)


def test_a_study_that_is_archived_while_it_decides_asks_nothing(address: str) -> None:
    study = begun(address)
    decide = Policy.decide

    def late(*arguments: Any) -> Any:
        Study.open(address, "lab").archive()
        return decide(*arguments)

    with mock.patch.object(Policy, "decide", late), pytest.raises(ConflictError, match="in the archive"):
        study.ask()
    assert [type(event.body) for event in study.events[-2:]] == [Answered, Archived]


def test_a_log_that_was_archived_replays_and_is_restored_as_it_is(address: str) -> None:
    study = begun(address, policy="gp-ucb")
    study.archive("for the summer")
    study.unarchive()
    study.ask()
    study.archive("again")
    assert list(differences(study.events)) == []
    moved = Study.restore(address, "moved", study.events)
    assert moved.archived == "again"
    assert Study.names(address, archived=True) == ["lab", "moved"]


def test_a_study_that_runs_ends_when_it_is_archived(address: str) -> None:
    study = begun(address)

    def objective(point: Mapping[str, float]) -> float:
        study.archive("enough")
        return point["heat"]

    ran = study.run(objective, queries=5, workers=1)
    assert ran.answered >= 1
    assert ran.reason == "the study is in the archive (enough)"


# Names.


def test_a_renamed_study_keeps_its_place_and_all_that_is_in_it(address: str) -> None:
    for name in ("first", "lab", "last"):
        begun(address, name)
    events = Study.open(address, "lab").events
    Study.rename(address, "lab", "Ångström 水")
    assert Study.names(address) == ["first", "Ångström 水", "last"]
    assert Study.open(address, "Ångström 水").events == events
    with pytest.raises(UnknownStudyError, match="no study is named 'lab'"):
        Study.open(address, "lab")


def test_who_has_a_study_open_goes_on_when_it_is_renamed(address: str) -> None:
    study = begun(address)
    Study.rename(address, "lab", "lab-2026")
    begun(address, "lab")
    study.tell(2, 0.5)
    assert isinstance(study.ask(), Query)
    assert study.name == "lab-2026"
    assert len(Study.open(address, "lab").events) == 4
    assert len(Study.open(address, "lab-2026").events) == 6


def test_a_name_that_is_taken_or_is_none_is_refused_and_nothing_is_renamed(address: str) -> None:
    begun(address, "other").archive()
    begun(address)
    with pytest.raises(ConflictError, match="a study named 'other' is in the archive; open it, or choose another name"):
        Study.rename(address, "lab", "other")
    for bad in ("", " lab", "a/b", "..", "x" * 101, 7):
        with pytest.raises(ParameterError, match="as the study's name"):
            Study.rename(address, "lab", bad)  # type: ignore[arg-type]
    with pytest.raises(UnknownStudyError, match="no study is named 'labs'; did you mean 'lab'"):
        Study.rename(address, "labs", "new")
    Study.rename(address, "lab", "lab")
    assert (Study.names(address), Study.names(address, archived=True)) == (["lab"], ["other"])
    with pytest.raises(UnknownStudyError):
        Study.rename(address, "nobody", "nobody")


# Copies.


def test_a_copy_is_the_same_event_for_event_and_goes_its_own_way(address: str) -> None:
    study = begun(address, policy="gp-ucb")
    copy = Study.copy(address, "lab", "lab-2")
    assert copy.events == study.events
    assert copy.name == "lab-2"
    # From the same log and the same seed comes the same query; then each has its own.
    ours, theirs = study.ask(), copy.ask()
    assert isinstance(ours, Query)
    assert isinstance(theirs, Query)
    assert (theirs.id, theirs.point) == (ours.id, ours.point)
    copy.tell(2, 0.5)
    assert [query.id for query in study.pending()] == [2, 3]
    assert [query.id for query in copy.pending()] == [3]
    assert list(differences(copy.events)) == []


def test_a_copy_may_be_made_in_another_storage_under_the_same_name(
    address: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    study = begun(address)
    elsewhere = f"sqlite:///{tmp_path_factory.mktemp('elsewhere') / 'other.db'}"
    copy = Study.copy(address, "lab", "lab", to=elsewhere)
    assert copy.events == study.events
    assert Study.names(elsewhere) == ["lab"]
    with pytest.raises(ConflictError, match="a study named 'lab' is there already"):
        Study.copy(address, "lab", "lab")
    with pytest.raises(UnknownStudyError):
        Study.copy(address, "nobody", "new")
    with pytest.raises(ParameterError):
        Study.copy(address, "lab", "a/b")
    assert Study.names(address) == ["lab"]


# Gone.

CALLS: dict[str, Callable[[Study], object]] = {
    "ask": lambda study: study.ask(),
    "tell": lambda study: study.tell(2, 0.5),
    "tell_many": lambda study: study.tell_many({2: 0.5}),
    "revise": lambda study: study.revise(1, 0.5),
    "abandon": lambda study: study.abandon(2),
    "add": lambda study: study.add({"heat": 0.5}, 0.5),
    "change": lambda study: study.change(seed=5),
    "close": lambda study: study.close(),
    "archive": lambda study: study.archive(),
    "name": lambda study: study.name,
    "events": lambda study: study.events,
    "pending": lambda study: study.pending(),
    "best": lambda study: study.best(),
    "queries": lambda study: study.queries(),
    "explain": lambda study: study.explain(),
}


def test_a_deleted_study_is_unknown_to_all_and_its_name_is_free(address: str) -> None:
    study = begun(address)
    begun(address, "other")
    Study.delete(address, "lab")
    assert Study.names(address) == ["other"]
    with pytest.raises(UnknownStudyError, match="no study is named 'lab'"):
        Study.open(address, "lab")
    with pytest.raises(UnknownStudyError, match="no study is named 'lab'"):
        Study.delete(address, "lab")
    said = "study('lab'): it was deleted; restore it from an export, or open another one."
    for call in CALLS.values():
        with pytest.raises(UnknownStudyError, match=f"^{re.escape(said)}$"):
            call(study)
    assert repr(study) == "Study(deleted)"
    assert begun(address).events[0].number == 1


def test_a_new_study_is_not_taken_for_the_one_that_was_deleted_last(address: str) -> None:
    begun(address, "other")
    for _ in range(3):
        deleted = begun(address)
        Study.delete(address, "lab")
        new = begun(address)
        before = new.events
        for call in CALLS.values():
            with pytest.raises(UnknownStudyError, match="it was deleted"):
                call(deleted)
        assert new.events == before
        Study.delete(address, "lab")
    assert Study.names(address) == ["other"]


def test_a_study_is_deleted_while_it_decides(address: str) -> None:
    study = begun(address)
    log = connect(address).open("lab")
    with log.asking():
        asking = Meanwhile(study.ask)
        assert asking.waits()
        Study.delete(address, "lab")
    with pytest.raises(UnknownStudyError, match="it was deleted"):
        asking.result()


def test_one_of_many_who_delete_or_rename_a_study_at_once_succeeds(address: str) -> None:
    begun(address)

    def gone(call: Callable[[], None]) -> bool:
        try:
            call()
        except UnknownStudyError:
            return False
        return True

    calls = [lambda: Study.delete(address, "lab"), lambda: Study.rename(address, "lab", "new")] * 3
    waiting = [Meanwhile(lambda call=call: gone(call)) for call in calls]  # type: ignore[misc]
    assert sum(each.result() for each in waiting) == 1
    assert Study.names(address) in ([], ["new"])


def test_who_writes_while_a_study_is_deleted_has_written_all_or_nothing(address: str) -> None:
    log = connect(address).create("lab", BEGINNING)
    with log.writing() as writer:
        writer.append([Asked(1, POINT)], 1001.0)
        deleting = Meanwhile(lambda: connect(address).delete("lab", 1002.0))
        deleting.waits(0.1)
        assert len(writer.append([Asked(2, POINT), Answered(1, 0.5)], 1001.0)) == 2
        assert len(writer.events()) == 4
    deleting.result()
    with pytest.raises(UnknownStudyError):
        events_of(log)
    with pytest.raises(UnknownStudyError):
        append(log, Answered(2, 0.5))
    assert connect(address).names() == connect(address).names(archived=True) == []


def test_reading_a_study_sees_one_moment_though_it_is_deleted_meanwhile(address: str) -> None:
    log = connect(address).create("lab", BEGINNING)
    with log.reading() as reader:
        deleting = Meanwhile(lambda: connect(address).delete("lab", 1002.0))
        deleting.waits(0.1)
        assert reader.events() == BEGINNING
    deleting.result()
    with pytest.raises(UnknownStudyError), log.reading():
        pass


def test_an_archived_study_is_renamed_copied_and_deleted_like_any(address: str) -> None:
    begun(address).archive()
    Study.rename(address, "lab", "old")
    assert Study.copy(address, "old", "copy").archived == ""
    Study.delete(address, "old")
    assert Study.names(address, archived=True) == ["copy"]
    assert Study.names(address) == []
    copy = Study.open(address, "copy")
    copy.unarchive()
    assert not isinstance(copy.ask(), Balk)

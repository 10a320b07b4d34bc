"""Logs as lines of JSON: what is read equals what was written, to the last bit, and what is no log is refused."""

from __future__ import annotations

import io
import json
import os
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import LogError, ParameterError, StorageError
from belated.log import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Closed,
    Created,
    Event,
    Noticed,
    PolicyChanged,
    Query,
    Reopened,
    Revised,
    SeedChanged,
    SeekChanged,
    SilenceChanged,
)
from belated.space import Choice, Float, Int, Space
from belated.study import Study
from belated.study.files import read_lines, write_lines
from tests.builders import Clock

POINT = {"heat": 0.1 + 0.2, "steps": 2**70 + 1, "solvent": "wässer 💧\u2028\x85", "fast": True, "cold": False}
SPACE = Space(
    heat=Float(-1e308, 1e308), steps=Int(2**60, 2**60 + 4), fast=Choice(True, False), name=Choice("\udce4", "\n")
)
EVENTS = [
    Event(1, 1e9, Created(SPACE.to_json(), None, "maximize", {"name": "random", "parameters": {}}, 2**200)),
    Event(2, 1e9 + 1e-6, Asked(1, POINT)),
    Event(3, 1e9 + 2.5, Answered(1, -0.0)),
    Event(4, 1e9 + 3, Revised(1, 5e-324)),
    Event(5, 1e9 + 4, Asked(2, POINT, {"hour": 1 / 3})),
    Event(6, 1e9 + 5, Abandoned(2, "lost\r\n\tin \udcff \x00")),
    Event(7, 1e9 + 6, Added(3, POINT, 1.7976931348623157e308)),
    Event(8, 1e9 + 7, PolicyChanged({"name": "gp-ucb", "parameters": {"width": 2.0}})),
    Event(9, 1e9 + 8, Closed("")),
    Event(10, 1e9 + 9, Reopened("more money")),
    Event(11, 1e9 + 10, SeedChanged(2**64)),
    Event(12, 1e9 + 11, Asked(4, POINT, after=10, key="job 7", worker="robot")),
    Event(13, 1e9 + 11, Noticed("late-answers", "7 of 20 answers came läte")),
    Event(14, 1e9 + 12, SilenceChanged(-0.0)),
    Event(15, 1e9 + 12, SilenceChanged()),
    Event(16, 1e9 + 13, SeekChanged("total")),
]
LINE = '{"version": 1, "number": 9, "at": 8.0, "event": "closed", "reason": ""}'


def through_lines(events: list[Event]) -> list[Event]:
    text = io.StringIO()
    write_lines(text, events)
    return read_lines(io.StringIO(text.getvalue()))


def test_a_log_comes_back_from_a_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    write_lines(path, EVENTS)
    again = read_lines(path)
    assert again == EVENTS
    assert repr(again) == repr(EVENTS)  # the sign of zero and the type of each number too


def test_each_event_has_a_line_of_ascii(tmp_path: Path) -> None:
    write_lines(str(tmp_path / "log.jsonl"), EVENTS)
    data = (tmp_path / "log.jsonl").read_bytes()
    assert data.isascii()
    assert data.endswith(b"}\n")
    assert [json.loads(line) for line in data.splitlines()] == [event.to_json() for event in EVENTS]


finite = st.floats(allow_nan=False, allow_infinity=False)
# A high surrogate before a low one is a character of its own in JSON; any other surrogate stands for itself.
texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\udc80\udce4\udfff"))
scalars = finite | st.integers(-(2**80), 2**80) | st.booleans() | texts


@given(st.lists(st.tuples(st.dictionaries(texts, scalars), finite, finite, texts)))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_no_bit_of_a_number_and_no_character_is_lost(rows: list[tuple[dict[str, Any], float, float, str]]) -> None:
    events = [
        Event(number, at, body)
        for number, (point, value, at, reason) in enumerate(rows, start=1)
        for body in (Added(number, point, value, point), Closed(reason))
    ]
    assert repr(through_lines(events)) == repr(events)


def test_a_study_goes_on_from_its_lines() -> None:
    # No new study has such options; one of an earlier version may.
    created = Created(SPACE.to_json(), None, "maximize", {"name": "random", "parameters": {}}, 3)
    study = Study([Event(1, 1e9, created)], clock=Clock(1e9))
    for step in range(5):
        query = study.ask()
        assert isinstance(query, Query)
        study.tell(query, 10.0**-step)
    again = Study(through_lines(list(study.events)), clock=Clock(1e9))
    assert again.events == study.events
    assert again.ask() == study.ask()


def test_no_events_make_an_empty_file(tmp_path: Path) -> None:
    write_lines(tmp_path / "log.jsonl", [])
    assert (tmp_path / "log.jsonl").read_bytes() == b""
    assert read_lines(tmp_path / "log.jsonl") == []


@pytest.mark.parametrize(
    "text",
    [LINE, f"{LINE}\n", f"{LINE}\n\n \n", f"\n{LINE}\r\n", f"\ufeff{LINE}\n"],
    ids=["no end", "plain", "blank lines", "carriage return", "byte order mark"],
)
def test_blank_lines_and_marks_of_other_programs_are_passed_over(text: str) -> None:
    expected = [Event(9, 8.0, Closed(""))]
    assert read_lines(io.StringIO(text)) == expected
    assert read_lines(io.BytesIO(text.encode())) == expected


def test_a_file_is_replaced_at_once_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("before")
    path.chmod(0o640)
    write_lines(path, EVENTS)
    assert read_lines(path) == EVENTS
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["log.jsonl"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "log.jsonl"
    link.symlink_to(tmp_path / "real" / "log.jsonl")
    write_lines(link, EVENTS)
    assert link.is_symlink()
    assert read_lines(tmp_path / "real" / "log.jsonl") == EVENTS


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="only Unix has devices in the file system")
def test_a_device_is_written_to_and_not_replaced() -> None:
    write_lines("/dev/null", EVENTS)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "log.jsonl"
    write_lines(path, EVENTS)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageError) as caught:
        write_lines(path, EVENTS[:2])
    assert str(caught.value) == (
        f"write_lines({str(path)!r}): cannot be written (No space left on device); name a file in a folder that you "
        f"may write to, on a disk with space."
    )
    assert read_lines(path) == EVENTS
    assert os.listdir(tmp_path) == ["log.jsonl"]


@pytest.mark.parametrize("name", ["absent/log.jsonl", ".", "a\0b"])
def test_a_path_that_cannot_be_written_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"^write_lines\('.*'\): cannot be written \(.*\); name a file in a folder"):
        write_lines(f"{tmp_path}/{name}", EVENTS)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", ["absent.jsonl", ".", "a\0b"])
def test_a_path_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=r"^read_lines\('.*'\): cannot be read \(.*\); name a file that exists and that"):
        read_lines(f"{tmp_path}/{name}")


@pytest.mark.parametrize("call", [read_lines, lambda file: write_lines(file, [])], ids=["read", "write"])
@pytest.mark.parametrize("file", [None, 5, b"log.jsonl", ["log.jsonl"]], ids=repr)
def test_what_is_no_file_is_refused(call: Callable[[Any], object], file: Any) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"({file!r}): neither a path nor an open file; give one of")):
        call(file)


NO_NUMBER = "is not a finite number); give what write_lines() wrote."
FAULTS = {
    "words": (
        "hello",
        ", column 1 is no JSON (Expecting value); each line is one event; give what write_lines() wrote.",
    ),
    "cut short": (LINE[:-4], ", column 68 is no JSON (Expecting value)"),
    "two in a line": (LINE + LINE, ", column 72 is no JSON (Extra data)"),
    "NaN": (LINE.replace("8.0", "NaN"), f" cannot be read (NaN {NO_NUMBER}"),
    "infinity": (LINE.replace("8.0", "-Infinity"), f" cannot be read (-Infinity {NO_NUMBER}"),
    "overflow": (LINE.replace("8.0", "1e999"), f" cannot be read (1e999 {NO_NUMBER}"),
    "too many digits": (LINE.replace("9", "9" * 5000), " cannot be read (Exceeds the limit"),
    "too deep": ("[" * 10**5, " cannot be read (maximum recursion depth exceeded"),
    "a number": ("5", ": Event.from_json(): got 5; an event is a JSON object; give what to_json() wrote."),
    "a list": (f"[{LINE}]", ": Event.from_json(): got ["),
    "another release": (LINE.replace("1,", "3,", 1), ": Event.from_json(): got event 'closed' of version 3; this"),
    "too few fields": (LINE.replace(', "reason": ""', ""), ": Event.from_json(): event 'closed' has wrong fields ("),
}


@pytest.mark.parametrize("line, shown", FAULTS.values(), ids=FAULTS)
def test_the_line_that_is_no_event_is_named(line: str, shown: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(f"{LINE}\n\n{line}\n{LINE}\n")
    with pytest.raises(LogError) as caught:
        read_lines(path)
    assert str(caught.value).startswith(f"read_lines({str(path)!r}): line 3{shown}")


def test_a_line_that_is_not_utf_8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(f"{LINE}\n".encode() + LINE.replace('""', '"ä"').encode("latin-1"))
    message = f"read_lines({str(path)!r}): line 2 is not UTF-8; save the file as UTF-8."
    with pytest.raises(LogError, match=re.escape(message)):
        read_lines(path)
    with path.open(encoding="utf-8") as file, pytest.raises(LogError, match="the text is not UTF-8; save it as UTF-8"):
        read_lines(file)


@pytest.mark.parametrize(
    "event, shown",
    [
        (Event(2, 0.0, Answered(1, float("nan"))), "event 2 cannot be written as JSON (Out of range float values"),
        (Event(2, float("inf"), Closed("")), "event 2 cannot be written as JSON (Out of range float values"),
        (Event(2, 0.0, Asked(1, {"x": object()})), "event 2 cannot be written as JSON (Object of type object"),
        (LINE, f"event 2 is {LINE!r}, which is no event; give what Study.events has."),
    ],
    ids=["NaN", "infinity", "an object", "a text"],
)
def test_what_would_not_come_back_is_not_written(event: Any, shown: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=re.escape(f"log.jsonl'): {shown}")):
        write_lines(tmp_path / "log.jsonl", [EVENTS[0], event])
    assert os.listdir(tmp_path) == []

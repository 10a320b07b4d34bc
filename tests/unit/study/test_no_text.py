"""Control characters and halves of surrogate pairs: refused in what is new, spelled out in what old logs hold."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from belated.checks import harmless
from belated.errors import ParameterError, SpaceError
from belated.log import Abandoned, Answered, Asked, Closed, Created, Event, Values
from belated.space import Candidates, Choice, Context, Float, Space
from belated.storage import connect
from belated.study import Study
from tests.forks import belated
from tests.logbook import append, events_of
from tests.serving import client, serving

BAD = ("\x1b[31mred", "J\udcfcrg", "bell\x07", "nul\0", "c1 \x9b2J", "back\rto")
NASTY = "\x1b[31mJ\udcfcrg\x9b"
LINE = Space(x=Float(0.0, 1.0))
REASON = "a reason has no control characters but newlines and tabs, and no halves of surrogate pairs; leave them out."
NAME = "a name has no control characters and no halves of surrogate pairs; rename it."
LABEL = "such a text has no control characters but newlines and tabs, and no halves of surrogate pairs; rename it."


@pytest.mark.parametrize("bad", BAD)
def test_a_reason_that_is_no_text_is_refused_and_nothing_is_written(bad: str) -> None:
    study = Study.in_memory(LINE, policy="random", seed=1)
    study.ask()
    calls: dict[str, Callable[[], None]] = {
        "abandon(query=1)": lambda: study.abandon(1, bad),
        "close()": lambda: study.close(bad),
        "reopen()": lambda: study.reopen(bad),
    }
    before = len(study.events)
    for call, act in calls.items():
        with pytest.raises(ParameterError) as caught:
            act()
        assert str(caught.value) == f"{call}: got {bad!r} as the reason; {REASON}"
    assert len(study.events) == before


def test_a_reason_of_several_lines_is_taken() -> None:
    study = Study.in_memory(LINE, policy="random", seed=1)
    study.ask()
    study.abandon(1, "lost:\n\tthe vial, für immer")
    assert study.queries()[0].reason == "lost:\n\tthe vial, für immer"


@pytest.mark.parametrize("bad", [*BAD, "two\nlines", "a\ttab"])
def test_names_that_are_no_text_make_no_new_study(bad: str, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    named = Space.from_parameters([(bad, Float(0.0, 1.0))])
    parameters: dict[str, Any] = {bad: Float(0.0, 1.0)}
    for space, context in (
        (named, None),
        (Candidates([[1.0], [2.0]], names=[bad]), None),
        (LINE, Context(seen="before", **parameters)),
    ):
        with pytest.raises(SpaceError) as caught:
            Study.create(storage, "lab", space, policy="random", context=context)
        assert str(caught.value) == f"Study.create('lab'): got the name {bad!r}; {NAME}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize(
    "make", [lambda bad: Space(b=Choice(bad, "c")), lambda bad: Candidates([{"b": bad}, {"b": "c"}])]
)
def test_options_and_labels_that_are_no_text_make_no_new_study(bad: str, make: object, tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    with pytest.raises(SpaceError) as caught:
        Study.create(storage, "lab", make(bad), policy="random")  # type: ignore[operator]
    assert str(caught.value) == f"Study.create('lab'): got {bad!r} for 'b'; {LABEL}"
    assert list(tmp_path.iterdir()) == []


def run(folder: Path, *arguments: str | bytes) -> subprocess.CompletedProcess[bytes]:
    words = map(os.fsdecode, (*arguments, "--storage", "sqlite:///lab.db"))
    done = belated(folder, *words, environment={"COLUMNS": "200"})
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.encode(), done.stderr.encode())


def test_a_byte_of_another_encoding_in_a_reason_is_refused_by_the_command_line(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    Study.create(storage, "lab", LINE, policy="random", seed=1).ask()
    done = run(tmp_path, "abandon", "lab", "1", "--reason", b"f\xfcr immer")
    said = f"belated: query 1: got 'f\\udcfcr immer' as the reason; {REASON}\n"
    assert (done.returncode, done.stderr.decode()) == (ParameterError.exit_code, said)
    assert len(Study.open(storage, "lab").events) == 2


def old_log(storage: str) -> None:
    """A study as earlier versions let it be made: none of its texts would be taken now."""
    space = Space.from_parameters([(NASTY, Float(0.0, 1.0)), ("b", Choice(NASTY, "c"))])
    created = Created(space.to_json(), None, "maximize", {"name": "random", "parameters": {}}, 7)
    log = connect(storage).create("old", [Event(1, 1_700_000_000.0, created)])
    point = Values({NASTY: 0.25, "b": NASTY})
    append(
        log,
        Asked(1, point, worker=NASTY),
        Asked(2, point, worker=NASTY),
        Asked(3, point, worker=NASTY),
        Answered(1, 0.5),
        Abandoned(2, NASTY),
        Closed(NASTY),
        at=1_700_000_001.0,
    )
    assert len(events_of(log)) == 7


@pytest.mark.parametrize("form", [(), ("--json",)], ids=["text", "json"])
@pytest.mark.parametrize("command", ["status", "best", "recommend", "pending"])
def test_the_command_line_spells_out_what_an_old_log_holds(command: str, form: tuple[str, ...], tmp_path: Path) -> None:
    old_log(f"sqlite:///{tmp_path / 'lab.db'}")
    done = run(tmp_path, command, "old", *form)
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode() + done.stderr.decode()
    assert not {"\x1b", "\x9b", "?"} & set(shown)
    assert ("\\u001b[31mJ\\udcfcrg\\u009b" if form else "\\x1b[31mJ\\udcfcrg\\x9b") in shown


@pytest.mark.parametrize(
    "words, code",
    [
        (("status",), 0),
        (("explain", "old"), 0),
        (("delays", "old"), 0),
        (("plot", "old", "progress"), 0),
        (("plot", "old", "timeline"), 0),
        (("report", "old"), 0),
        (("replay", "old"), 4),
        (("tell", "old", "2", "1"), 30),  # the way out is to add the point, names and all
        (("ask", "old"), 30),
        (("add", "old", "b=c", "--value", "1"), 11),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_nothing_that_an_old_log_holds_reaches_a_terminal_or_a_page_as_it_is(
    words: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    old_log(f"sqlite:///{tmp_path / 'lab.db'}")
    done = run(tmp_path, *words)
    assert done.returncode == code, done.stderr
    written = b"".join(path.read_bytes() for path in tmp_path.glob("*.html"))
    for shown in (done.stdout, done.stderr, written):
        assert b"\x1b" not in shown
        assert "\x9b".encode() not in shown
        assert b"\xed\xb3" not in shown  # half of a surrogate pair


def test_no_page_of_an_old_study_fails(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    old_log(storage)
    study = "/studies/old"
    pages = ["/", study, f"{study}/parts", f"{study}/log", f"{study}/table.csv"]
    pages += [f"{study}/queries/{number}" for number in (1, 2, 3)]
    with serving(storage) as address, client(address) as browser:
        drawn = [f"{study}/figures/{kind}" for kind in ("progress", "timeline")]
        for path in [*pages, *drawn]:
            found = browser.get(path)
            assert found.status_code == 200, (path, found.text[-300:])
            if not path.endswith(".csv"):
                assert not {"\x1b", "\x9b"} & set(found.content.decode())


def test_a_notebook_spells_it_out(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    old_log(storage)
    study = Study.open(storage, "old")
    shown = "".join([study._repr_html_(), *(query._repr_html_() for query in study.queries())])
    assert "\\x1b[31mJ\\udcfcrg\\x9b" in shown
    shown.encode()
    assert not {"\x1b", "\x9b"} & set(shown)
    assert harmless("a\nb\tc\x1b\r") == "a\nb\tc\\x1b\\r"

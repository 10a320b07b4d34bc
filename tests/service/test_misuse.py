"""What goes wrong by command line: a clear line on stderr, the exit code of its kind, and the log as it was."""

from __future__ import annotations

import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import IO

import pytest

from belated import errors
from tests.service.conftest import SPACE, Belated

POINT = ("temperature=40", "loading=0.01", "solvent=DMF", "steps=2")
BOX = "{x: {float: [0, 1]}}"
Error = errors.BelatedError


@pytest.mark.parametrize(
    "kind, arguments",
    [
        (errors.SpaceError, ("create", "new", "--space", "{x: {float: [3, 1]}}")),
        (errors.SpaceError, ("create", "new", "--space", "missing.yaml")),
        (errors.PointError, ("add", "lab", *POINT[:3], "steps=9", "--value", 1)),
        (errors.PointError, ("add", "lab", *POINT[:3], "--value", 1)),
        (errors.AnswerError, ("tell", "lab", 1, "nan")),
        (errors.ContextError, ("ask", "lab", "-c", "hour=3")),
        (errors.ContextError, ("ask", "ads")),
        (errors.ParameterError, ("create", "new", "--space", BOX, "--set", "colour=red")),
        (errors.ParameterError, ("create", "new", "--space", BOX, "--goal", "up")),
        (errors.ParameterError, ("create", "a/b", "--space", BOX)),
        (errors.ParameterError, ("status", "--storage", "lab.db")),
        (errors.ParameterError, ("status", "--storage", "mysql://here")),
        (errors.ParameterError, ("change", "lab", "--seed", -1)),
        (errors.UnsupportedError, ("create", "new", "--space", BOX, "--policy", "gp-aucb-local")),
        (errors.LogError, ("import", "missing.jsonl", "new")),
        (errors.TableError, ("import", "missing.csv", "lab")),
        (errors.UnknownNameError, ("create", "new", "--space", BOX, "--policy", "gp-bcub")),
        (errors.UnknownNameError, ("plot", "lab", "progres")),
        (errors.UnknownQueryError, ("tell", "lab", 99, 1)),
        (errors.UnknownQueryError, ("abandon", "lab", 0)),
        (errors.UnknownStudyError, ("tell", "lba", 1, 1)),
        (errors.UnknownStudyError, ("replay", "lba")),
        (errors.ConflictError, ("tell", "lab", 2, 7)),
        (errors.ConflictError, ("revise", "lab", 1, 7)),
        (errors.ConflictError, ("abandon", "lab", 2)),
        (errors.NoAnswerError, ("best", "ads")),
        (errors.NoAnswerError, ("recommend", "ads", "-c", "hour=3")),
        (errors.StorageError, ("export", "lab", "missing/lab.csv")),
        (errors.StorageError, ("status", "--storage", "sqlite:///missing.db")),
    ],
    ids=lambda given: given.__name__ if isinstance(given, type) else " ".join(map(str, given)),
)
def test_an_error_goes_to_stderr_with_its_exit_code_and_changes_nothing(
    belated: Belated, lab: str, kind: type[Error], arguments: tuple[object, ...]
) -> None:
    belated("create", "ads", "--space", BOX, "--context", "{hour: {float: [0, 24]}}", "--seed", 1)
    before = [belated("export", name).out for name in (lab, "ads")]
    done = belated(*arguments, ok=False)
    assert (done.code, done.out) == (kind.exit_code, "")
    assert done.err.startswith("belated: ")
    assert len(done.err) > 30
    assert [belated("export", name).out for name in (lab, "ads")] == before
    assert [study["name"] for study in belated("status", "--json").json] == [lab, "ads"]


@pytest.mark.parametrize(
    "arguments",
    [("status",), ("status", "lab"), ("ask", "lab"), ("tell", "lab", 1, 1), ("pending", "lab"), ("db", "status")],
    ids=str,
)
def test_a_storage_that_is_not_there_is_not_made_by_looking_for_it(
    belated: Belated, tmp_path: Path, arguments: tuple[object, ...]
) -> None:
    assert belated(*arguments, ok=False).code == errors.StorageError.exit_code
    assert list(tmp_path.iterdir()) == []


# A call with or without its arguments, and what only Python has: bl.Candidates, key=….
PYTHON = re.compile(r"\b[a-z_]+\(|\bbl\.|=…|\bStudy\.")
FILLED = {
    "other.csv": "query,value\n2,7\n",
    "lost.csv": "query,value\n3,7\n",
    "percent.csv": "query,value\n1,41%\n",
    "past.csv": "temperature,loading,solvent,steps,value\n300,0.01,DMF,2,1\n",
}


@pytest.mark.parametrize(
    "arguments, said",
    [
        (("tell", "lab", 2, 7), "query 2: already answered with -0.5, and now given 7.0; belated revise lab 2 7.0 "),
        (("tell", "lab", "-f", "other.csv"), "query 2: already answered with -0.5, and now given 7.0; belated revise "),
        (("tell", "lab", 3, 7), "; belated retract lab 3 takes that back first."),
        (("tell", "lab", "-f", "lost.csv"), "; belated retract lab 3 takes that back first."),
        (("tell", "lab", "-f", "percent.csv"), "percent.csv: 1 problem; "),
        (("tell", "lab", "-f", "missing.csv"), "missing.csv: cannot be read "),
        (("tell", "lab", 1, "nan"), "; belated fail lab QUERY says that it cannot be done there."),
        (("tell", "lab", 99, 1), "query 99: the study has queries 1 to 3; belated pending lab "),
        (("tell", "lab", 1, 1, "-c", "hour=3"), "the study declares none; leave it out."),
        (("revise", "lab", 1, 7), "; belated tell lab 1 7.0 "),
        (("revise", "lab", 3, 7), "; belated retract lab 3 takes that back first."),
        (("abandon", "lab", 2), "; belated retract lab 2 takes that back first."),
        (("fail", "lab", 2), "; belated retract lab 2 takes that back first."),
        (("import", "past.csv", "lab"), "past.csv: 1 problem; "),
        (("add", "lab", *POINT[:3], "--value", 1), "missing parameter 'steps'; "),
        (("ask", "ads"), "; give --context hour=VALUE."),
        (("tell", "ads", 1, 1, "-c", "hour=3"), "; it goes with belated ask; leave it out here."),
        (("ask", "late", "-c", "hour=3"), "; leave it out here, and it goes with belated tell."),
        (("best", "ads"), "; belated tell ads QUERY VALUE gives a first one."),
        (("plot", "ads", "belief"), "belief: no query has an answer yet; belated tell ads QUERY VALUE "),
        (("plot", "lab", "weights"), "; belated change lab --policy egp-ts takes one that has."),
        (("plot", "lab", "progres"), "no kind of figure is named 'progres'; "),
        (("ask", "shut"), "the study is closed (done); belated reopen shut lets it go on asking."),
        (("create", "a/b", "--space", BOX), "a/b: got 'a/b' as the study's name; "),
        (("create", "new", "--space", BOX, "--policy", "gp-bcub"), "no policy is named 'gp-bcub'; "),
        (
            ("create", "new", "--space", BOX, "--policy", "gp-aucb-local"),
            "; give a table of candidates, as create --space ",
        ),
        (("create", "new", "--space", BOX, "--policy", "sbo-kde"), "; say seen: after in --context, or "),
        (("create", "new", "--space", BOX, "--policy", "gp-bucb", "--set", "width=-1"), "width=-1: width must be "),
        (("export", "lab", "missing/lab.csv"), "missing/lab.csv: cannot be written "),
        (("simulate", "--problem", "branin", "--policy", "random", "--delay", "foo"), "no law of delays is named "),
    ],
    ids=lambda given: " ".join(map(str, given)) if isinstance(given, tuple) else "",
)
def test_an_error_speaks_of_commands_and_not_of_python(
    belated: Belated, lab: str, arguments: tuple[object, ...], said: str
) -> None:
    belated("abandon", lab, 3, "--reason", "lost")
    context = "{hour: {float: [0, 24]}}"
    belated("create", "ads", "--space", BOX, "--context", context)
    belated(
        "create", "late", "--space", BOX, "--context", "{hour: {float: [0, 24]}, seen: after}", "--policy", "sbo-kde"
    )
    belated("create", "shut", "--space", BOX)
    belated("close", "shut", "--reason", "done")
    for name, text in FILLED.items():
        Path(name).write_text(text)
    refused = belated(*arguments, ok=False).err
    assert said in refused
    assert not PYTHON.search(refused)


def test_the_way_out_can_be_pasted(belated: Belated, tmp_path: Path) -> None:
    elsewhere = ("-s", "sqlite:///other place.db")
    belated("create", "my lab", "--space", "{t: {float: [0, 1]}, s: ['a b', c]}", "--seed", 1, *elsewhere)
    belated("ask", "my lab", *elsewhere)
    belated("tell", "my lab", 1, 0.5, *elsewhere)
    for wrong, rest in ((("tell", "my lab", 1, 0.75), " replaces"), (("abandon", "my lab", 1), " takes that")):
        refused = belated(*wrong, *elsewhere, ok=False).err
        line = refused[refused.index("; belated ") + 2 : refused.index(rest)]
        program, *words = shlex.split(line)
        assert program == "belated"
        belated(*words)
    belated("tell", "my lab", 1, 0.75, *elsewhere)
    assert belated("best", "my lab", "--json", *elsewhere).json["value"] == 0.75
    belated("ask", "my lab", "--json", *elsewhere)
    belated("abandon", "my lab", 2, *elsewhere)
    refused = belated("tell", "my lab", 2, 0.9, *elsewhere, ok=False).err
    back = shlex.split(refused[refused.index("; belated ") + 2 : refused.index(" takes that")])
    assert belated(*back[1:], "--json").json["queries"] == [2]
    belated("tell", "my lab", 2, 0.9, *elsewhere)


def test_an_unknown_study_suggests_the_nearest(belated: Belated, lab: str) -> None:
    assert "did you mean 'lab'?" in belated("ask", "labb", ok=False).err


def test_a_storage_without_a_scheme_gets_a_hint(belated: Belated) -> None:
    assert "sqlite:///lab.db" in belated("status", "-s", "lab.db", ok=False).err


def test_a_file_that_is_no_database_is_corrupt(belated: Belated) -> None:
    Path("notes.db").write_text("no database at all\n" * 100)
    assert belated("status", "-s", "sqlite:///notes.db", ok=False).code == errors.CorruptError.exit_code


def test_a_database_of_a_newer_release_is_left_alone(belated: Belated, lab: str) -> None:
    with sqlite3.connect("belated.db") as connection:
        connection.execute("UPDATE belated_version SET version_num = '9999'")
    connection.close()
    # Another address for the same file, as another process would open it.
    for arguments in (("status",), ("ask", lab), ("db", "upgrade")):
        assert belated(*arguments, "-s", "sqlite:///./belated.db", ok=False).code == errors.SchemaError.exit_code


@pytest.mark.parametrize(
    "arguments",
    [
        ("ask",),
        ("ask", "lab", "--count", 0),
        ("tell", "lab", "x", 1),
        ("tell", "lab", 1, 1, "--jsn"),
        ("db",),
        ("nope",),
    ],
    ids=str,
)
def test_wrong_usage_exits_with_2(belated: Belated, lab: str, arguments: tuple[object, ...]) -> None:
    done = belated(*arguments, ok=False)
    assert done.code == 2


def test_the_storage_is_named_by_the_environment(belated: Belated, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELATED_STORAGE", "sqlite:///team.db")
    belated("create", "lab", "--space", SPACE)
    assert Path("team.db").exists()
    assert not Path("belated.db").exists()
    monkeypatch.delenv("BELATED_STORAGE")
    assert [study["name"] for study in belated("status", "-s", "sqlite:///team.db", "--json").json] == ["lab"]


@pytest.mark.parametrize("arguments", [("status",), ("status", "--json"), ("ask", "lab", "--json"), ("export", "lab")])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_an_output_that_cannot_be_written_is_an_error_in_words(
    belated: Belated, lab: str, arguments: tuple[str, ...]
) -> None:
    with Path("/dev/full").open("w") as full:
        done = run_belated(*arguments, stdout=full)
    assert done.returncode == 50
    assert done.stderr == (
        "belated: the output cannot be written (No space left on device); see that its disk has space.\n"
    )


def test_without_an_output_the_command_does_its_work(belated: Belated, lab: str) -> None:
    closed = subprocess.run(
        ["sh", "-c", f"{shlex.quote(sys.executable)} -m belated ask lab --json >&-"], capture_output=True, text=True
    )
    assert (closed.returncode, closed.stderr) == (0, "")
    assert belated("status", lab, "--json").json["counts"]["asked"] == 4


def test_a_window_is_given_once(belated: Belated, lab: str) -> None:
    refused = belated("change", lab, "--policy", "gp-bucb", "--set", "window=3", "--window", 5, ok=False)
    assert refused.code == 2
    assert "two windows" in refused.err


def test_a_report_is_a_page(belated: Belated, lab: str) -> None:
    refused = belated("report", lab, "--output", "lab.pdf", ok=False)
    assert refused.err == ("belated: lab.pdf: a report is a page; give a name that ends in .html.\n")
    assert not Path("lab.pdf").exists()


def run_belated(*arguments: str, stdout: IO[str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "belated", *arguments]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True)

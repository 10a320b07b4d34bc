"""The life of a study by command: archive, unarchive, rename, copy, delete."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from belated.study import Study
from tests.service.conftest import Belated

LAB = "sqlite:///belated.db"


def answered(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Type that, and nothing more."""
    monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_a_study_is_put_away_and_brought_back(belated: Belated, lab: str) -> None:
    assert belated("archive", lab, "--reason", "the project is over").out == "lab is in the archive\n"
    assert belated("status").out == "All studies are in the archive. belated status --archived lists them.\n"
    assert belated("status", "--json").json == []
    assert belated("status", "--archived").out.splitlines()[1].startswith("lab ")
    (listed,) = belated("status", "--archived", "--json").json
    assert (listed["name"], listed["archived"]) == ("lab", "the project is over")
    assert "archived  the project is over" in belated("status", lab).out
    assert belated("status", lab, "--archived", ok=False).code == 2
    refused = belated("ask", lab, ok=False)
    said = "the study is in the archive (the project is over); belated unarchive lab lets it go on asking."
    assert (refused.code, refused.err) == (30, f"belated: {said}\n")
    belated("tell", lab, 1, 0.5)
    belated("export", lab, "lab.jsonl")
    assert belated("unarchive", lab, "--json").json["archived"] is None
    assert belated("unarchive", lab).out == "lab is back from the archive\n"
    assert belated("status", "--archived").out.startswith("The archive is empty.")
    belated("ask", lab)


def test_a_study_is_renamed(belated: Belated, lab: str) -> None:
    log = belated("export", lab).out
    assert belated("rename", lab, "lab 2026").out == "lab is called lab 2026 now\n"
    assert belated("export", "lab 2026").out == log
    assert belated("rename", "lab 2026", "b", "--json").json["name"] == "b"
    assert belated("status", lab, ok=False).code == 22
    assert belated("rename", lab, "c", ok=False).code == 22
    assert belated("rename", "b", "a/b", ok=False).code == 14
    belated("copy", "b", "c")
    refused = belated("rename", "b", "c", ok=False)
    assert refused.code == 30
    assert "a study named 'c' is there already" in refused.err
    assert belated("rename", "b", "b").out == "b is called b now\n"
    assert Study.names(LAB) == ["b", "c"]


def test_a_study_is_copied_here_and_elsewhere(belated: Belated, lab: str) -> None:
    log = belated("export", lab).out
    assert belated("copy", lab, "lab-2").out == "lab-2 is a copy of lab, with 5 events\n"
    assert belated("export", "lab-2").out == log
    assert belated("copy", lab, "lab-2", ok=False).code == 30
    assert belated("copy", "nobody", "new", ok=False).code == 22
    elsewhere = "sqlite:///other.db"
    assert belated("copy", lab, lab, "--to", elsewhere, "--json").json["name"] == "lab"
    assert belated("export", lab, "--storage", elsewhere).out == log
    belated("archive", lab)
    said = "lab-3 is a copy of lab, with 6 events, and in the archive as that is\n"
    assert belated("copy", lab, "lab-3").out == said
    assert Study.names(LAB) == ["lab-2"]


def test_a_study_is_deleted_when_the_question_is_answered_by_yes(
    belated: Belated, lab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for typed in ("n\n", "\n", ""):
        answered(monkeypatch, typed)
        kept = belated("delete", lab, ok=False)
        assert (kept.code, kept.out) == (1, "")
        question = "Delete lab, with 5 events, for good? (belated export lab FILE would keep its log) [y/N]:"
        assert kept.err.replace("\n", "") == f"{question} nothing was deleted"
    assert Study.names(LAB) == ["lab"]
    answered(monkeypatch, "y\n")
    assert belated("delete", lab).out == "lab is deleted\n"
    assert Study.names(LAB) == []
    assert belated("delete", lab, "--yes", ok=False).code == 22
    assert belated("delete", lab, ok=False).code == 22
    assert belated("delete", "a/b", "--yes", ok=False).code == 14


def test_a_program_deletes_without_a_question(belated: Belated, lab: str) -> None:
    belated("copy", lab, "lab-2")
    assert belated("delete", lab, "--yes", "--json").json == {"deleted": "lab"}
    assert belated("delete", "lab-2", "-y").out == "lab-2 is deleted\n"
    assert belated("status").out.startswith("No studies yet.")


def test_none_of_it_makes_a_database(belated: Belated) -> None:
    for words in (("archive", "lab"), ("rename", "lab", "b"), ("copy", "lab", "b"), ("delete", "lab", "--yes")):
        assert belated(*words, ok=False).code == 50
    assert list(Path.cwd().iterdir()) == []

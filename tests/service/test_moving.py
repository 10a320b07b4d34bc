"""Change, move and check a study by command line: change, close, reopen, export, import, replay, db."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from belated.release import RELEASE
from tests.service.conftest import SPACE, Belated


def test_the_policy_the_window_and_the_seed_are_changed(belated: Belated, lab: str) -> None:
    study = belated("change", lab, "--policy", "gp-ucb-sdf", "--set", "floor=-1", "--json").json
    assert study["policy"] == {"name": "gp-ucb-sdf", "parameters": {"floor": -1}}
    study = belated("change", lab, "--set", "late=accept", "--json").json
    assert study["policy"] == {"name": "gp-ucb-sdf", "parameters": {"floor": -1, "late": "accept"}}
    study = belated("change", lab, "--window", 5, "--window-seconds", 60, "--seed", 9, "--json").json
    window = {"part": "Window", "queries": 5, "seconds": 60.0}
    assert study["policy"]["parameters"] == {"floor": -1, "late": "accept", "window": window}
    assert study["seed"] == 9
    assert "lab goes on with gp-ts, seed 9" in belated("change", lab, "--policy", "gp-ts").out


def test_changing_nothing_is_wrong_usage(belated: Belated, lab: str) -> None:
    assert belated("change", lab, ok=False).code == 2


def test_a_closed_study_asks_nothing_until_it_is_reopened(belated: Belated, lab: str) -> None:
    assert belated("close", lab, "--reason", "enough", "--json").json["closed"] == "enough"
    assert "closed" in belated("status", lab).out
    assert belated("ask", lab, ok=False).code == 30
    belated("tell", lab, 1, 0.5)
    assert belated("reopen", lab, "--json").json["closed"] is None
    belated("ask", lab)
    assert belated("close", lab).out == "lab is closed\n"
    assert belated("reopen", lab).out == "lab is open\n"


def test_a_study_comes_back_exactly_from_its_lines(belated: Belated, lab: str) -> None:
    assert belated("export", lab, "lab.jsonl").out == "lab is written to lab.jsonl\n"
    assert Path("lab.jsonl").read_text() == belated("export", lab).out
    assert belated("import", "lab.jsonl", "copy", "--json").json == {"study": "copy", "events": 5}
    assert belated("export", "copy").out == belated("export", lab).out
    assert belated("import", "lab.jsonl", "copy", ok=False).code == 30


def test_an_export_as_json_is_one_list_of_events(belated: Belated, lab: str) -> None:
    lines = [json.loads(line) for line in belated("export", lab).out.splitlines()]
    assert belated("export", lab, "--json").json == lines
    written = belated("export", lab, "lab.jsonl", "--json").json
    assert written == {"study": "lab", "file": "lab.jsonl", "format": "jsonl", "events": 5}
    assert belated("export", lab, "--format", "csv", "--json", ok=False).code == 2


def test_a_table_is_exported_and_its_answers_can_be_added_to_another_study(belated: Belated, lab: str) -> None:
    belated("export", lab, "lab.csv")
    head, *rows = Path("lab.csv").read_text().splitlines()
    assert head.startswith("id,number,state,temperature,loading,solvent,steps,value,")
    assert len(rows) == 3
    assert belated("export", lab, "--format", "csv").out.replace("\r", "").splitlines() == [head, *rows]
    belated("create", "other", "--space", SPACE, "--policy", "random")
    assert belated("import", "lab.csv", "other").out == "1 result is added to other\n"
    assert belated("best", "other", "--json").json["point"] == belated("best", lab, "--json").json["point"]


def test_past_results_are_added_from_the_column_that_holds_them(belated: Belated, lab: str) -> None:
    Path("past.csv").write_text("temperature,loading,solvent,steps,yield\n40,0.01,DMF,2,0.5\n50,1e-2,THF,3,-1\n")
    assert belated("import", "past.csv", lab, "--value-column", "yield", "--json").json == {"study": lab, "events": 2}
    assert belated("best", lab, "--json").json["value"] == 0.5


def test_wrong_rows_are_named_and_nothing_is_added(belated: Belated, lab: str) -> None:
    before = belated("export", lab).out
    Path("past.csv").write_text("temperature,loading,solvent,steps,value\n40,0.01,DMF,2,0.5\n400,0.01,acid,2,x\n")
    done = belated("import", "past.csv", lab, ok=False)
    assert done.code == 17
    for column in ("temperature", "solvent", "value"):
        assert f"row 2 (line 3), column '{column}'" in done.err
    assert belated("export", lab).out == before


def test_a_replay_asks_the_same_and_says_so(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE, "--seed", 7)
    belated("ask", "lab", "-n", 7)
    for query in range(1, 5):
        belated("tell", "lab", query, query / 10)
    belated("ask", "lab")
    assert belated("replay", "lab").out == "8 queries come out the same\n"
    assert belated("replay", "lab", "--forgetful", "--json").json == {"asks": 8, "difference": None}
    belated("export", "lab", "lab.jsonl")
    assert belated("replay", "lab.jsonl", "--json").json == {"asks": 8, "difference": None}


def test_a_replay_that_differs_shows_the_first_difference_and_exits_with_4(belated: Belated, lab: str) -> None:
    events = belated("export", lab, "--json").json
    events[2]["point"]["steps"] = 9 - events[2]["point"]["steps"]
    Path("other.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    done = belated("replay", "other.jsonl", ok=False)
    assert (done.code, done.out.splitlines()[0], done.err) == (4, "Query 2 comes out otherwise", "")
    difference = belated("replay", "other.jsonl", "--json", ok=False).json["difference"]
    assert (difference["query"], difference["balk"]) == (2, None)
    assert difference["asked"] == events[2]["point"]
    assert difference["now"]["steps"] == 9 - events[2]["point"]["steps"]
    assert difference["release"] == events[2]["release"] == RELEASE


@pytest.mark.parametrize(
    "release, said",
    [
        (RELEASE, f"This release, {RELEASE}, decided it: another machine may have rounded otherwise; if it was this "),
        ("0.0.1", f"Release 0.0.1 decided it, and this is {RELEASE}, which may decide otherwise."),
        (None, "The log is of an earlier release, which may have decided otherwise."),
    ],
)
def test_a_replay_tells_another_release_from_a_log_that_was_changed(
    belated: Belated, lab: str, release: str | None, said: str
) -> None:
    events = belated("export", lab, "--json").json
    events[2] |= {"point": {**events[2]["point"], "steps": 9 - events[2]["point"]["steps"]}, "release": release}
    Path("other.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    assert said in " ".join(belated("replay", "other.jsonl", ok=False).out.split())


@pytest.mark.parametrize(
    "text", ["", "garbage\n", '{"version": 1}\n', '{"version": 99, "event": "created"}\n'], ids=str
)
def test_what_is_no_log_is_refused(belated: Belated, lab: str, text: str) -> None:
    Path("wrong.jsonl").write_text(text)
    assert belated("import", "wrong.jsonl", "new", ok=False).code == 16
    assert belated("replay", "wrong.jsonl", ok=False).code == 16
    assert [study["name"] for study in belated("status", "--json").json] == ["lab"]


def test_the_tables_tell_their_revision(belated: Belated, lab: str) -> None:
    revision = belated("db", "status", "--json").json["revision"]
    assert belated("db", "upgrade", "--json").json == {"before": revision, "after": revision}
    assert revision in belated("db", "status").out
    assert "already" in belated("db", "upgrade").out

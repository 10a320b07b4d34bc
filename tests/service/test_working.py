"""Work on a study by command line: create, ask, tell, revise, abandon, add."""

from __future__ import annotations

import json
import secrets
import shlex
from pathlib import Path

import pytest

from belated import policies
from belated.cli import words
from belated.policies import registry
from belated.space import Float, Space
from belated.study import Study
from tests.service.conftest import SPACE, Belated

POINT = ("temperature=40", "loading=0.01", "solvent=DMF", "steps=2")


def test_a_study_is_created_from_a_file_with_a_policy_and_its_parameters(belated: Belated) -> None:
    Path("space.yaml").write_text("temperature: {float: [20, 120]}\nsolvent: [DMF, THF]\n")
    chosen = ("--policy", "gp-ucb-sdf", "--set", "window=20", "--set", "floor=-1e-3", "--goal", "minimize", "--seed", 7)
    study = belated("create", "lab", "--space", "space.yaml", *chosen, "--json").json
    assert study == {
        "name": "lab",
        "goal": "minimize",
        "outcomes": [{"name": "value", "kind": "minimize"}],
        "policy": {"name": "gp-ucb-sdf", "parameters": {"window": 20, "floor": -0.001}},
        "seek": "best",
        "seed": 7,
        "space": {
            "kind": "space",
            "parameters": [
                {"name": "temperature", "kind": "float", "low": 20.0, "high": 120.0, "log": False},
                {"name": "solvent", "kind": "choice", "options": ["DMF", "THF"]},
            ],
        },
        "context": None,
        "closed": None,
        "archived": None,
    }
    assert Path("belated.db").exists()


def test_creating_says_what_the_study_is_and_what_comes_next(belated: Belated) -> None:
    out = belated("create", "my lab", "--space", SPACE, "--context", "{hour: {float: [0, 24]}}", "--seed", 7).out
    assert out.startswith("my lab: maximize with auto, seed 7\n")
    for line in ("temperature  20 to 120", "loading      0.001 to 0.1, logarithmic", "hour  0 to 24"):
        assert line in out
    assert out.endswith("Next: belated ask 'my lab'\n")


def test_a_table_says_how_many_rows_it_has(belated: Belated) -> None:
    Path("rows.csv").write_text("ligand,dose\nA,1\nB,2\n")
    study = belated("create", "table", "--space", "rows.csv", "--json").json
    assert study["space"] == {"kind": "candidates", "names": ["ligand", "dose"], "rows": 2}
    assert belated("ask", "table", "--json").json["queries"][0]["point"] in [
        {"ligand": "A", "dose": 1},
        {"ligand": "B", "dose": 2},
    ]


def test_a_study_that_is_there_is_a_conflict_unless_that_is_welcome(belated: Belated, lab: str) -> None:
    again = ("create", lab, "--space", SPACE, "--policy", "random", "--seed", 7)
    assert belated(*again, ok=False).code == 30
    assert belated(*again, "--or-open", "--json").json["name"] == lab


def test_asking_shows_the_point_and_how_to_tell_its_answer(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    out = belated("ask", "lab").out
    assert out.startswith("Query 1\n")
    assert all(f"\n  {name}" in out for name in ("temperature", "loading", "solvent", "steps"))
    assert out.endswith("belated tell lab 1 VALUE\n")


def test_several_queries_are_asked_at_once_with_every_digit_in_json(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    asked = belated("ask", "lab", "--count", 2, "--json").json
    assert asked["balk"] is None
    first, second = asked["queries"]
    assert (first["id"], second["id"], first["state"], first["answer"]) == (1, 2, "pending", None)
    logged = [json.loads(line) for line in belated("export", "lab").out.splitlines()]
    assert [event["point"] for event in logged[1:]] == [first["point"], second["point"]]
    assert [event["at"] for event in logged[1:]] == [first["asked_at"], second["asked_at"]]


def test_the_same_key_and_the_same_worker_get_the_same_query(belated: Belated, lab: str) -> None:
    def ask(*options: str) -> int:
        return int(belated("ask", lab, *options, "--json").json["queries"][0]["id"])

    assert [ask("--key", "a"), ask("--key", "a"), ask("--key", "b")] == [4, 4, 5]
    assert [ask("--worker", "w"), ask("--worker", "w"), ask("--worker", "v")] == [6, 6, 7]
    belated("tell", lab, 6, 1)
    assert ask("--worker", "w") == 8


def test_a_balk_tells_its_reason_and_exits_with_3(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE, "--policy", "hbbo-ucb", "--set", "maximum=1", "--seed", 7)
    belated("ask", "lab")
    done = belated("ask", "lab", ok=False)
    assert (done.code, done.out.startswith("Nothing for now: "), done.err) == (3, True, "")
    data = belated("ask", "lab", "--count", 2, "--json", ok=False).json
    assert data["queries"] == []
    assert data["balk"] in done.out


def test_a_context_is_given_with_every_ask(belated: Belated) -> None:
    context = ("--context", "{hour: {float: [0, 24]}, day: [mon, tue]}")
    belated("create", "ads", "--space", "{bid: {float: [0, 5]}}", *context, "--seed", 1)
    asked = belated("ask", "ads", "-c", "hour=13.5", "-c", "day=mon", "--json").json
    assert asked["queries"][0]["context"] == {"hour": 13.5, "day": "mon"}
    belated("tell", "ads", 1, 0.2)
    belated("add", "ads", "bid=1", "--value", "0.1", "-c", "hour=3", "-c", "day=tue")
    assert belated("recommend", "ads", "-c", "hour=9", "-c", "day=mon", "--json").json["point"].keys() == {"bid"}
    assert "hour  0 to 24" in belated("status", "ads").out


@pytest.mark.parametrize("value", ["-0.5", "-1e-3", "-.5", "-3.", "0", "+2", "1e100"])
def test_any_number_can_be_told(belated: Belated, lab: str, value: str) -> None:
    told = {"query": 1, "value": float(value), "context": None}
    assert belated("tell", lab, 1, value, "--json").json == {"answers": [told]}
    assert belated("revise", lab, 2, value, "--json").json == {"query": 2, "value": float(value)}
    assert "is answered" in belated("tell", lab, 1, value).out


@pytest.mark.parametrize("value", ["nan", "-nan", "inf", "-inf", "-Infinity", "1e999", "abc", "1,500", ""])
def test_what_is_no_finite_number_is_no_answer_rather_than_wrong_usage(belated: Belated, lab: str, value: str) -> None:
    for command in (("tell", lab, 1, value), ("revise", lab, 2, value), ("add", lab, *POINT, "--value", value)):
        done = belated(*command, ok=False)
        assert (done.code, done.out) == (12, "")


def test_a_file_of_answers_is_told_whole(belated: Belated, lab: str) -> None:
    Path("answers.csv").write_text("query,value\n1,0.25\n3,-1e-3\n")
    told = [{"query": 1, "value": 0.25, "context": None}, {"query": 3, "value": -0.001, "context": None}]
    assert belated("tell", lab, "--file", "answers.csv").out == "2 queries are answered\n"
    assert belated("tell", lab, "--file", "answers.csv", "--json").json == {"answers": told}
    assert belated("tell", lab, "--file", "answers.csv").out == "0 queries are answered, 2 were before\n"
    assert belated("pending", lab).out == "Nothing is pending\n"


def test_a_file_with_one_wrong_answer_changes_nothing(belated: Belated, lab: str) -> None:
    before = belated("export", lab).out
    for text, code in (("query,value\n1,0.25\n99,1\n", 21), ("query,value\n1,0.25\n3,x\n", 17), ("a,b\n1,2\n", 17)):
        Path("answers.csv").write_text(text)
        assert belated("tell", lab, "--file", "answers.csv", ok=False).code == code
    assert belated("export", lab).out == before


@pytest.mark.parametrize("arguments", [(), (1,), (1, 2, "--file", "x.csv"), ("--file", "x.csv", 1)], ids=str)
def test_telling_neither_or_both_is_wrong_usage(belated: Belated, lab: str, arguments: tuple[object, ...]) -> None:
    assert belated("tell", lab, *arguments, ok=False).code == 2


def test_an_answer_is_revised_and_the_first_stays(belated: Belated, lab: str) -> None:
    assert belated("revise", lab, 2, "-0.25").out == "Query 2 is now answered: -0.25\n"
    values = [event["value"] for event in belated("export", lab, "--json").json if "value" in event]
    assert values == [-0.5, -0.25]


def test_a_query_is_abandoned_with_its_reason(belated: Belated, lab: str) -> None:
    assert belated("abandon", lab, 3, "--reason", "lost", "--json").json == {"queries": [3], "reason": "lost"}
    assert belated("abandon", lab, 3).out == "Query 3 is abandoned\n"
    assert "lost" in belated("tell", lab, 3, 1, ok=False).err


def test_a_result_is_added_by_name_and_value(belated: Belated, lab: str) -> None:
    added = belated("add", lab, *POINT, "--value", "-2.5", "--json").json
    assert (added["id"], added["number"], added["answer"]["value"]) == (4, 0, -2.5)
    assert added["point"] == {"temperature": 40.0, "loading": 0.01, "solvent": "DMF", "steps": 2}
    assert belated("add", lab, *POINT, "-v", 1).out.startswith("Added as query 5: temperature 40, ")


@pytest.mark.parametrize("wrong", [("temperature",), ("temperature=1", "temperature=2")], ids=str)
def test_what_is_no_pair_is_wrong_usage(belated: Belated, lab: str, wrong: tuple[str, ...]) -> None:
    assert belated("add", lab, *wrong, "--value", 1, ok=False).code == 2


def test_what_comes_next_works_as_it_is_written(belated: Belated, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = ("--storage", "sqlite:///other place.db")
    out = belated("create", "lab", "--space", SPACE, "--policy", "random", *elsewhere).out
    assert out.endswith("Next: belated ask lab --storage 'sqlite:///other place.db'\n")
    asked = belated("ask", "lab", *elsewhere).out
    command = asked.partition("When the answer is there: ")[2].replace("VALUE", "0.5")
    assert belated(*shlex.split(command)[1:]).out == "Query 1 is answered: 0.5\n"
    monkeypatch.setenv("BELATED_STORAGE", "sqlite:///other place.db")
    assert belated("ask", "lab").out.endswith("When the answer is there: belated tell lab 2 VALUE\n")


def test_several_queries_are_one_table_that_fits_the_screen(belated: Belated, lab: str) -> None:
    asked = belated("ask", "lab", "--count", 8).out.splitlines()
    assert asked[0].split() == ["query", "temperature", "loading", "solvent", "steps"]
    assert len(asked) == 1 + 8 + 1
    assert max(map(len, asked)) <= 80
    shown = [dict(zip(asked[0].split(), line.split(), strict=True)) for line in asked[1:9]]
    kept = {query["id"]: query["point"] for query in belated("pending", "lab", "--json").json}
    for row in shown:
        point = kept[int(row.pop("query"))]
        assert row == {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in point.items()}
    assert asked[9] == "When the answer is there: belated tell lab 4 VALUE"


def test_queries_of_a_wide_space_stand_one_below_the_other(belated: Belated, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"parameter_number_{place}" for place in range(9)]
    space = "{" + ", ".join(f"{name}: {{float: [0, 1]}}" for name in names) + "}"
    belated("create", "wide", "--space", space, "--policy", "random", "--seed", 1)
    asked = belated("ask", "wide", "--count", 2, "--key", "a").out.splitlines()
    assert [line for line in asked if not line.startswith(" ")][:2] == ["Query 1", "Query 2"]
    assert [line.split()[0] for line in asked if line.startswith(" ")] == names * 2
    # With room for it, the same two are a table; one that has ended says so.
    belated("tell", "wide", 1, 0.5)
    monkeypatch.setenv("COLUMNS", "300")
    table = belated("ask", "wide", "--count", 2, "--key", "a").out.splitlines()
    assert table[0].split() == ["query", "state", *names]
    assert [line.split()[1] for line in table[1:3]] == ["answered", "pending"]


@pytest.mark.parametrize(
    "storage, shown",
    [
        ("sqlite:///lab.db", "sqlite:///lab.db"),
        ("postgresql+psycopg://ada@lab.example/db", "postgresql+psycopg://ada@lab.example/db"),
        ("postgresql://ada:s3cret@lab.example:5432/db", "postgresql://ada:PASSWORD@lab.example:5432/db"),
        (
            "postgresql://lab.example/db?user=ada&password=s3cret",
            "'postgresql://lab.example/db?user=ada&password=PASSWORD'",
        ),
    ],
)
def test_a_hint_names_the_storage_that_was_given_without_its_password(storage: str, shown: str) -> None:
    assert words.storage_option(storage) == f" --storage {shown}"


def test_a_query_that_has_ended_is_shown_as_such_to_who_asks_with_its_key(belated: Belated, lab: str) -> None:
    belated("ask", lab, "--key", "night")
    belated("abandon", lab, 4)
    again = belated("ask", lab, "--key", "night").out
    assert again.startswith("Query 4, abandoned\n")
    assert "belated tell" not in again


def test_the_same_answer_twice_in_a_file_is_one_answer(belated: Belated, lab: str) -> None:
    Path("answers.csv").write_text("query,value\n3,0.5\n3,0.5\n2,-0.5\n")
    assert belated("tell", lab, "--file", "answers.csv").out == "1 query is answered, 1 was before\n"


def test_a_study_whose_policy_only_another_program_knows_hides_no_other_and_takes_answers(
    belated: Belated, lab: str
) -> None:
    name = f"only-there-{secrets.token_hex(4)}"
    policies.policy(name)(lambda: policies.random().beginning(Space(x=Float(0, 1))))
    try:
        theirs = Study.create("sqlite:///belated.db", "theirs", Space(x=Float(0, 1)), policy=name, seed=1)
        theirs.ask(3)
    finally:
        registry.POLICIES.entries.pop(name)
    shown = belated("status")
    assert [line.split()[0] for line in shown.out.splitlines()] == ["study", "lab"]
    assert shown.err.startswith(f"theirs cannot be shown: build(): no policy is named '{name}'")
    found = belated("status", "--json").json
    assert [entry["name"] for entry in found] == ["lab", "theirs"]
    assert found[1]["unreadable"].startswith("build(): no policy is named")
    assert belated("status", "theirs", ok=False).code == 20
    assert belated("tell", "theirs", 1, 0.5).out == "Query 1 is answered: 0.5\n"
    Path("answers.csv").write_text("query,value\n2,0.25\n3,0.5\n")
    assert belated("tell", "theirs", "--file", "answers.csv").out == "2 queries are answered\n"

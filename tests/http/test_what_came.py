"""What may come of a query, over HTTP: errors, repeats, other points, failures, corrections, outcomes with names."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx
import pytest

from belated.study import Study
from tests.http.calls import POINT, ask, begin, message, tell

NAMED = [
    {"name": "yield", "kind": "maximize"},
    {"name": "impurity", "kind": "at-most", "limit": 2.0},
    {"name": "colour", "kind": "signal"},
]


def query(caller: httpx.Client, path: str, number: int) -> dict[str, Any]:
    found: dict[str, Any] = caller.get(f"{path}/queries/{number}").json()
    return found


def listed(caller: httpx.Client, path: str, state: str) -> list[int]:
    return [entry["id"] for entry in caller.get(f"{path}/queries", params={"state": state}).json()["queries"]]


def test_an_answer_may_have_a_standard_error_or_repeats_and_belong_to_another_point(caller: httpx.Client) -> None:
    path = begin(caller, "errors")
    asked = ask(caller, path, count=3)
    tell(caller, path, 1, value=0.42, sd=0.02)
    tell(caller, path, 2, value=[0.5, 0.75])
    tell(caller, path, 3, value=0.25, point=POINT)
    first, second, third = (query(caller, path, number) for number in (1, 2, 3))
    assert (first["answer"]["value"], first["answer"]["sd"], first["answer"]["repeats"]) == (0.42, 0.02, [])
    assert (second["answer"]["value"], second["answer"]["sd"], second["answer"]["repeats"]) == (
        0.625,
        None,
        [0.5, 0.75],
    )
    assert (third["point"], third["performed"], first["performed"]) == (asked[2]["point"], POINT, None)
    assert third["answers"] == {"value": third["answer"]}
    # A better value, a better point, and what is the same again.
    better = {"value": [0.5, 0.5], "point": {"x": -0.5, "kind": "b"}}
    assert caller.post(f"{path}/queries/3/revisions", json=better).json() == {"taken": 1}
    tell(caller, path, 1, value=0.42)
    assert query(caller, path, 3)["performed"] == {"x": -0.5, "kind": "b"}
    assert query(caller, path, 3)["answer"]["earlier"] == [0.25]


def test_all_that_a_sheet_says_is_taken_in_its_order_or_not_at_all(caller: httpx.Client) -> None:
    path = begin(caller, "sheet")
    ask(caller, path, count=4)
    said: list[dict[str, Any]] = [
        {"say": "tell", "query": 1, "value": [0.5, 0.75]},
        {"say": "revise", "query": 1, "value": 0.25, "sd": 0.125, "point": POINT},
        {"say": "fail", "query": 2, "reason": "burnt"},
        {"say": "abandon", "query": 3},
        {"say": "retract", "query": 3, "reason": "a slip"},
    ]
    late = {"say": "tell", "query": 2, "value": 0.5}
    refused = caller.post(f"{path}/statements", json={"statements": [*said, late]})
    assert message(refused, 409).startswith("tell(query=2): the query failed (burnt) and takes no answer")
    assert listed(caller, path, "pending") == [1, 2, 3, 4]
    assert caller.post(f"{path}/statements", json={"statements": said}).json() == {"taken": 5}
    first = query(caller, path, 1)
    assert (first["answer"]["value"], first["answer"]["sd"], first["performed"]) == (0.25, 0.125, POINT)
    states = [query(caller, path, number)["state"] for number in (2, 3, 4)]
    assert states == ["failed", "retracted", "pending"]


@pytest.mark.parametrize(
    "statement",
    [
        {"say": "shout", "query": 1},
        {"query": 1, "value": 0.5},
        {"say": "fail", "query": 1, "value": 0.5},
        {"say": "tell", "query": 0, "value": 0.5},
        {"say": "fail", "query": 1, "outcome": "colour"},
    ],
    ids=["an unknown word", "no word", "a failure with a value", "no query", "a failure of an outcome"],
)
def test_a_statement_that_is_none_is_refused(caller: httpx.Client, statement: dict[str, Any]) -> None:
    path = begin(caller, f"odd-{statement.get('say')}-{len(statement)}-{statement['query']}-{'outcome' in statement}")
    ask(caller, path)
    refused = caller.post(f"{path}/statements", json={"statements": [statement]})
    assert "statements.0" in message(refused, 422)
    assert listed(caller, path, "pending") == [1]


def test_queries_fail_are_abandoned_and_are_taken_back_one_by_one_and_together(
    caller: httpx.Client, storage: str
) -> None:
    path = begin(caller, "ended")
    ask(caller, path, count=6)
    for _ in range(2):
        assert caller.put(f"{path}/queries/1/failure", json={"reason": "precipitated"}).json() == {"taken": 1}
    assert caller.post(f"{path}/failures", json={"queries": [2, 3], "reason": "burnt"}).json() == {"taken": 2}
    assert caller.post(f"{path}/abandonments", json={"queries": [4, 5]}).json() == {"taken": 2}
    tell(caller, path, 6, value=1.0)
    assert (listed(caller, path, "failed"), listed(caller, path, "abandoned")) == ([1, 2, 3], [4, 5])
    standing = caller.get(path).json()
    assert (standing["failed"], standing["counts"]["failed"], standing["counts"]["abandoned"]) == ([1, 2, 3], 3, 2)
    assert (query(caller, path, 1)["state"], query(caller, path, 1)["reason"]) == ("failed", "precipitated")
    both = {"queries": [3, 6], "reason": "the wrong flask"}
    assert caller.post(f"{path}/retractions", json=both).json() == {"taken": 2}
    assert caller.put(f"{path}/queries/4/retraction", json={"reason": "found"}).json() == {"taken": 1}
    assert listed(caller, path, "retracted") == [3, 4, 6]
    tell(caller, path, 4, value=0.5)
    # Of several, all are taken or none.
    assert message(caller.post(f"{path}/failures", json={"queries": [5, 99]}), 404).startswith("fail(query=99): ")
    assert message(caller.post(f"{path}/failures", json={"queries": [5, 4]}), 409).startswith("fail(query=5): ")
    assert message(caller.put(f"{path}/queries/2/answer", json={"value": 1.0}), 409) == (
        "tell(query=2): the query failed (burnt) and takes no answer; retract() that first."
    )
    kinds = [event.kind for event in Study.open(storage, "ended").events[7:]]
    assert kinds == ["failed"] * 3 + ["abandoned"] * 2 + ["answered"] + ["retracted"] * 3 + ["answered"]


def test_outcomes_with_names_come_one_after_the_other(caller: httpx.Client) -> None:
    path = begin(caller, "gel", outcomes=NAMED)
    assert caller.get(path).json()["outcomes"] == NAMED
    ask(caller, path, count=3)
    tell(caller, path, 1, value={"colour": 0.3})
    standing = caller.get(path).json()
    assert (standing["partly_answered"], standing["counts"]["pending"], standing["best"]) == ([1], 3, None)
    tell(caller, path, 1, value={"yield": [0.8, 0.9], "impurity": 1.5}, sd={"impurity": 0.1})
    tell(caller, path, 2, value={"yield": 5.0, "impurity": 3.0, "colour": None})
    found = query(caller, path, 1)
    assert found["state"] == "answered"
    assert {name: answer["value"] for name, answer in found["answers"].items()} == {
        "yield": pytest.approx(0.85, rel=1e-15),
        "impurity": 1.5,
        "colour": 0.3,
    }
    assert found["answers"]["impurity"]["sd"] == 0.1
    assert caller.get(path).json()["best"]["query"] == 1  # the other is not pure enough
    assert caller.get(f"{path}/delays", params={"outcome": "colour"}).json()["answered"] == 1
    assert message(caller.get(f"{path}/delays", params={"outcome": "smell"}), 422).startswith(
        "delays(): got the outcome"
    )
    taken = caller.put(f"{path}/queries/1/retraction", json={"reason": "smudged", "outcome": "colour"})
    assert taken.json() == {"taken": 1}
    assert set(query(caller, path, 1)["answers"]) == {"yield", "impurity"}
    assert message(caller.put(f"{path}/queries/3/answer", json={"value": {"yeild": 1.0}}), 422).endswith(
        "the study has yield, impurity, colour; did you mean 'yield'?"
    )
    added = caller.post(f"{path}/data", json={"data": [{"point": POINT, "value": {"yield": [1, 2], "impurity": 0}}]})
    assert added.json()["queries"][0]["answers"]["yield"]["repeats"] == [1.0, 2.0]


def test_the_log_and_the_export_have_what_came_as_it_was_told(caller: httpx.Client, storage: str) -> None:
    path = begin(caller, "moved", outcomes=NAMED)
    ask(caller, path, count=2)
    tell(caller, path, 1, value={"yield": 0.5, "impurity": 1.0}, sd={"yield": 0.1}, point=POINT)
    caller.put(f"{path}/queries/2/failure", json={"reason": "burnt"}).raise_for_status()
    events = caller.get(f"{path}/log", params={"after": 3}).json()["events"]
    assert [event["event"] for event in events] == ["performed", "answered", "failed"]
    assert events[0]["point"] == POINT
    assert events[1]["values"] == {"yield": {"value": 0.5, "sd": 0.1}, "impurity": {"value": 1.0}}
    lines = caller.get(f"{path}/export").text.splitlines()
    assert len(lines) == len(Study.open(storage, "moved").events) == 6


@pytest.mark.parametrize(
    "outcomes, said",
    [
        ([], "got {}"),
        ([{"name": "y"}], "describes no outcomes"),
        ([{"name": "y", "kind": "largest"}], "describes no outcomes"),
        ([{"name": "y", "kind": "at-most"}], "describes no outcomes"),
        ([{"name": "y", "kind": "maximize"}] * 2, "a name comes twice"),
        ([{"name": "y", "kind": "signal"}], "a study has an objective"),
        ([{"name": "x", "kind": "maximize"}], "names an outcome and a parameter"),
        ([{"name": "y", "kind": "maximize", "limit": 3}], "describes no outcomes"),
    ],
)
def test_outcomes_that_are_none_are_refused(caller: httpx.Client, outcomes: list[dict[str, Any]], said: str) -> None:
    body = {"name": "no", "space": {"x": {"float": [0, 1]}}, "policy": "random", "outcomes": outcomes}
    assert said in message(caller.post("/v1/studies", json=body), 422)


def test_a_policy_of_one_objective_takes_no_others(caller: httpx.Client) -> None:
    body = {"name": "no", "space": {"x": {"float": [0, 1]}}, "outcomes": NAMED}
    assert "'auto' takes one objective and any signals" in message(caller.post("/v1/studies", json=body), 422)
    both = {**body, "policy": "random", "goal": "maximize"}
    assert "got outcomes and a goal" in message(caller.post("/v1/studies", json=both), 422)


MISSHAPEN: dict[str, dict[str, Any]] = {
    "no repeats": {"value": []},
    "a word among repeats": {"value": [0.5, "x"]},
    "a word for an outcome": {"value": {"yield": "high"}},
    "an object for an outcome": {"value": {"yield": {"value": 1}}},
    "an error in words": {"value": 0.5, "sd": "small"},
    "a list of errors": {"value": 0.5, "sd": [0.1]},
    "a list for a point": {"value": 0.5, "point": [1]},
    "a list in a point": {"value": 0.5, "point": {"x": [1]}},
    "another name": {"values": {"yield": 1}},
}


@pytest.mark.parametrize("what", MISSHAPEN)
def test_an_answer_without_the_form_of_one_is_refused_by_its_place(caller: httpx.Client, what: str) -> None:
    path = begin(caller, what)
    ask(caller, path)
    said = message(caller.put(f"{path}/queries/1/answer", json=MISSHAPEN[what]), 422)
    assert said.startswith("service: the request is not as the description has it (body.")
    # Nothing was taken.
    assert query(caller, path, 1)["state"] == "pending"

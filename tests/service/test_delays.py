"""Delays by command line."""

from __future__ import annotations

import re

import pytest

import belated as bl
from tests.builders import Clock
from tests.service.conftest import SPACE, Belated


@pytest.fixture
def watched(belated: Belated) -> str:
    """A study in a storage with thirty queries, a minute apart, each answered two minutes later but every fifth."""
    clock = Clock(0.0)
    space = bl.Space(heat=bl.Float(0, 1), solvent=bl.Choice("DMF", "THF"))
    study = bl.Study.create("sqlite:///belated.db", "watched", space, policy="random", seed=7, clock=clock)
    for turn in range(30):
        clock.now += 60.0
        if turn >= 2 and (turn - 2) % 5:
            study.tell(turn - 1, float(turn))
        study.ask()
    study.abandon(30, "spilt")
    return "watched"


def lines_of(text: str) -> dict[str, str]:
    """What is said under each name, its lines joined."""
    found: dict[str, str] = {}
    name = ""
    for line in text.partition("\n\n")[0].splitlines():
        first, rest = re.match(r"(\S.*?)?\s\s+(.*)", line.rstrip()).groups()  # type: ignore[union-attr]
        name = first or name
        found[name] = f"{found.get(name, '')} {rest}".strip()
    return found


def test_the_delays_are_told_in_words_with_a_chart(belated: Belated, watched: str) -> None:
    out = belated("delays", watched).out
    found = lines_of(out)
    assert found["asked"] == "30"
    assert found["answered"] == "22"
    assert found["waiting"].startswith("7, the first of them query 1, for 29 queries, ")
    assert found["ended"] == "1 without an answer, each counted as a wait until then"
    assert found["half"] == "are answered within 1 query, 2 min"
    assert found["90 %"] == "not so many are answered, as far as the log can tell"
    assert found["longest"] == "1 query, 2 min"
    assert found["never"].startswith("about 2")
    assert found["depends"].startswith("no sign that the delay depends on heat, solvent, the answer or when the query")
    assert "The share of queries answered within 1, 2, … further queries\n" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_delays_as_json_are_those_of_the_study(belated: Belated, watched: str) -> None:
    data = belated("delays", watched, "--json").json
    assert (data["asked"], data["answered"], data["waiting"], data["abandoned"]) == (30, 22, 7, 1)
    assert data["queries"]["times"] == [1.0]
    assert data["queries"]["median"] == 1.0
    assert data["queries"]["nine_in_ten"] is None
    assert [entry["query"] for entry in data["oldest"]] == [1, 6, 11, 16, 21, 26, 29]
    assert {entry["name"] for entry in data["depends"]} == {"heat", "solvent", "value", "number"}


def test_a_study_without_answers_says_what_there_is(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE, "--policy", "random")
    assert belated("delays", "lab").out.split() == ["asked", "0", "answered", "0", "waiting", "0"]
    belated("ask", "lab")
    assert "1, the first of them query 1, for 0 queries, " in belated("delays", "lab").out
    assert belated("delays", "lab", "--json").json["queries"]["median"] is None


def test_few_answers_are_too_few_to_tell_what_delays_depend_on(belated: Belated, lab: str) -> None:
    found = lines_of(belated("delays", lab).out)
    assert found["depends"] == "too few answers to tell what the delay depends on"
    assert found["never"].startswith("not known yet whether some are never answered; at most ")


def test_a_few_answers_are_no_proof_that_the_next_will_come(belated: Belated) -> None:
    clock = Clock(0.0)
    study = bl.Study.create("sqlite:///belated.db", "few", bl.Space(x=bl.Float(0, 1)), policy="random", clock=clock)
    for _ in range(6):
        study.ask()
    for query in (1, 2):
        clock.now += 60.0
        study.tell(query, 1.0)
    found = lines_of(belated("delays", "few").out)
    assert found["waiting"].endswith("; no sign that it will not be answered")
    assert found["never"].startswith("no sign that some are never answered; at most ")


def test_an_unknown_study_is_refused(belated: Belated, lab: str) -> None:
    assert belated("delays", "other", ok=False).code == 22

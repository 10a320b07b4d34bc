"""A study by command line whose contexts are seen only after the decision."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.conftest import Belated

SPACE = ("--space", "{order: {float: [0, 100]}}")
CONTEXT = ("--context", "{demand: {float: [0, 100]}, day: [mon, tue], seen: after, outside: clip}")
SEEN = ("-c", "demand=40", "-c", "day=mon")


@pytest.fixture
def shop(belated: Belated) -> str:
    """A study with three queries and no answer."""
    belated("create", "shop", *SPACE, *CONTEXT, "--policy", "sbo-kde", "--seed", 7)
    belated("ask", "shop", "--count", 3)
    return "shop"


def test_creating_says_when_the_context_is_seen_and_what_is_done_with_what_is_outside(belated: Belated) -> None:
    out = belated("create", "shop", *SPACE, *CONTEXT, "--policy", "sbo-kde").out
    assert "in a context seen after the decision, numbers clipped to their bounds:\n  demand  0 to 100" in out
    study = belated("status", "shop", "--json").json
    assert (study["context"]["seen"], study["context"]["outside"]) == ("after", "clip")


def test_asking_shows_how_to_tell_the_context(belated: Belated, shop: str) -> None:
    out = belated("ask", shop).out
    assert out.endswith("belated tell shop 4 VALUE --context demand=… --context day=…\n")


def test_an_answer_is_told_with_its_context(belated: Belated, shop: str) -> None:
    assert belated("tell", shop, 1, -3, *SEEN).out == "Query 1 is answered: -3.0, in the context demand 40, day mon\n"
    assert belated("best", shop).out.startswith("-3.0 by query 1, in the context demand 40, day mon\n")
    assert belated("tell", shop, 1, -3, *SEEN, "--json").json == {
        "answers": [{"query": 1, "value": -3.0, "context": {"demand": 40.0, "day": "mon"}}]
    }


def test_a_context_is_told_before_the_answer_and_shown_with_what_is_pending(belated: Belated, shop: str) -> None:
    assert belated("tell", shop, 2, *SEEN).out == "The context of query 2 is known: demand 40, day mon\n"
    assert [query["context"] for query in belated("pending", shop, "--json").json] == [
        None,
        {"demand": 40.0, "day": "mon"},
        None,
    ]
    assert "demand 40, day mon" in belated("pending", shop).out
    assert belated("tell", shop, 2, 5).out == "Query 2 is answered: 5.0\n"


def test_a_context_is_told_after_the_answer_which_counts_from_then_on(belated: Belated, shop: str) -> None:
    out = belated("tell", shop, 2, 5).out
    again = "belated tell shop 2 --context demand=… --context day=…"
    assert out == f"Query 2 is answered: 5.0\nIt counts once its context is told: {again}\n"
    assert "1 of them: query 2; not counted until it is told" in belated("status", shop).out
    assert belated("recommend", shop, ok=False).code == 31
    belated("tell", shop, 2, *SEEN)
    assert "no context" not in belated("status", shop).out
    assert "on average over contexts like those seen\n" in belated("recommend", shop).out


def test_what_is_taken_is_what_was_clipped(belated: Belated, shop: str) -> None:
    out = belated("tell", shop, 1, "-c", "demand=140", "-c", "day=tue").out
    assert out == "The context of query 1 is known: demand 100, day tue\n"


def test_a_file_tells_answers_and_contexts_and_an_export_tells_nothing_new(belated: Belated, shop: str) -> None:
    Path("told.csv").write_text("query,value,demand,day\n1,2.5,40,mon\n2,,140,tue\n3,1.5,,\n")
    assert belated("tell", shop, "--file", "told.csv").out == "2 answers and 2 contexts are taken\n"
    before = belated("export", shop).out
    belated("export", shop, "table.csv")
    belated("tell", shop, "--file", "table.csv")
    assert belated("export", shop).out == before


@pytest.mark.parametrize(
    "arguments, code, said",
    [
        (("tell", "shop", 1), 2, "QUERY with"),
        (("tell", "shop", *SEEN), 2, "QUERY with"),
        (("tell", "shop", "--file", "x.csv", *SEEN), 2, "columns of their own"),
        (("tell", "shop", 1, "-c", "demand=40"), 13, "missing parameter 'day'"),
        (("tell", "shop", 1, "-c", "demnad=40", "-c", "day=mon"), 13, "did you mean 'demand'"),
        (("tell", "shop", 1, "-c", "demand=high", "-c", "day=mon"), 13, "not a finite number"),
        (("tell", "shop", 1, "-c", "demand"), 2, "NAME=VALUE"),
        (("tell", "shop", 9, *SEEN), 21, "queries 1 to 3"),
        (("ask", "shop", *SEEN), 13, "only after the decision"),
        (("recommend", "shop", *SEEN), 13, "only after the decision"),
        (("add", "shop", "order=3", "--value", 1), 13, "got no context"),
        (("plot", "shop", "belief"), 31, "no query has an answer yet"),
        (("change", "shop", "--policy", "gp-ucb"), 15, "needs it before"),
    ],
    ids=str,
)
def test_misuse_is_refused_with_the_way_out(
    belated: Belated, shop: str, arguments: tuple[object, ...], code: int, said: str
) -> None:
    before = belated("export", shop).out
    done = belated(*arguments, ok=False)
    assert done.code == code
    assert said in " ".join(done.err.replace("│", " ").split())
    assert belated("export", shop).out == before


def test_a_second_context_is_a_conflict(belated: Belated, shop: str) -> None:
    belated("tell", shop, 1, *SEEN)
    assert belated("tell", shop, 1, 3, "-c", "demand=41", "-c", "day=mon", ok=False).code == 30


def test_a_context_where_none_is_declared_or_before_the_decision_is_refused(belated: Belated) -> None:
    belated("create", "plain", *SPACE, "--policy", "random")
    belated("create", "early", *SPACE, "--context", "{demand: {float: [0, 100]}}", "--policy", "random")
    belated("ask", "plain")
    belated("ask", "early", "-c", "demand=3")
    for name, said in (("plain", "declares none"), ("early", "seen before the decision")):
        done = belated("tell", name, 1, 2, "-c", "demand=3", ok=False)
        assert (done.code, said in done.err) == (13, True)


@pytest.mark.parametrize("context", [(), ("--context", "{demand: {float: [0, 1]}}")], ids=["none", "before"])
def test_a_policy_that_learns_contexts_needs_them_after(belated: Belated, context: tuple[str, ...]) -> None:
    done = belated("create", "shop", *SPACE, *context, "--policy", "sbo-kde", ok=False)
    assert (done.code, "seen after it" in done.err) == (15, True)


def test_treatments_pacings_and_laws_are_parameters(belated: Belated) -> None:
    parts = {
        "treatment": "{part: Censor, floor: 0}",
        "pacing": "{part: Bounded, limit: 1}",
        "law": "{part: Known, values: [{demand: 20, day: mon}, {demand: 50, day: tue}], weights: [2, 1]}",
    }
    settings = [word for name, text in parts.items() for word in ("--set", f"{name}={text}")]
    belated("create", "shop", *SPACE, *CONTEXT, "--policy", "sbo-kde", *settings, "--seed", 1)
    belated("ask", "shop")
    assert belated("ask", "shop", ok=False).code == 3
    belated("tell", "shop", 1, 4, *SEEN)
    assert "on average over the contexts given" in belated("recommend", "shop").out
    assert belated("replay", "shop").code == 0


def test_a_context_is_said_where_a_result_is_added(belated: Belated, shop: str) -> None:
    out = belated("add", shop, "order=3", "--value", 1, "-c", "demand=300", "-c", "day=mon").out
    assert out == "Added as query 4: order 3, in the context demand 100, day mon\n"

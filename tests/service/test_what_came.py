"""What may come of a query, by command: outcomes with names, what silence means, failures, other points."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import belated as bl
from tests.service.conftest import Belated

SPACE = "{temperature: {float: [20, 120]}, solvent: [DMF, THF]}"
NAMED = ("--outcome", "yield=maximize", "--outcome", "impurity=at most 2.0", "--outcome", "colour=signal")


@pytest.fixture
def gel(belated: Belated) -> bl.Study:
    """A study of three outcomes with four queries."""
    belated("create", "gel", "--space", SPACE, *NAMED, "--policy", "random", "--seed", 1)
    belated("ask", "gel", "-n", 4)
    return bl.Study.open("sqlite:///belated.db", "gel")


def test_a_study_is_created_with_outcomes_and_says_what_they_are(belated: Belated) -> None:
    out = belated("create", "gel", "--space", SPACE, *NAMED, "--policy", "random", "--seed", 1).out
    assert out.startswith("gel: maximize yield with random, seed 1\n")
    assert "outcomes:\n  yield     maximize\n  impurity  at most 2\n  colour    signal\n" in out
    assert belated("status", "gel", "--json").json["outcomes"] == [
        {"name": "yield", "kind": "maximize"},
        {"name": "impurity", "kind": "at-most", "limit": 2.0},
        {"name": "colour", "kind": "signal"},
    ]
    asked = belated("ask", "gel").out
    assert asked.endswith("When the answer is there: belated tell gel 1 yield=VALUE impurity=VALUE colour=VALUE\n")


def test_what_silence_means_is_declared_with_the_goal_or_with_its_outcome(belated: Belated) -> None:
    out = belated("create", "shop", "--space", "{price: {float: [1, 20]}}", "--silence", 0, "--seed", 1).out
    assert "no answer within the window means 0\n" in out
    own = ("--outcome", "sold=maximize, silence 0", "--outcome", "clicks=signal")
    belated("create", "shop 2", "--space", "{price: {float: [1, 20]}}", *own, "--seed", 1)
    assert [bl.Study.open("sqlite:///belated.db", name).outcomes.silence for name in ("shop", "shop 2")] == [0.0, 0.0]


def test_what_counts_is_declared_and_changed(belated: Belated) -> None:
    space = ("--space", "{price: {float: [1, 20]}}", "--seed", 1)
    assert "what counts is the best total of all answers" in belated("create", "shop", *space, "--seek", "total").out
    said = belated("change", "shop", "--seek", "best").out
    assert said == "shop goes on with auto, seed 1; what counts is the best point in the end\n"
    assert "seek 'most'" in belated("change", "shop", "--seek", "most", ok=False).err


def test_what_silence_means_is_said_of_a_study_that_is_there(belated: Belated) -> None:
    belated("create", "shop", "--space", "{price: {float: [1, 20]}}", "--policy", "random", "--seed", 1)
    said = belated("change", "shop", "--silence", -0.5).out
    assert said == "shop goes on with random, seed 1; no answer within the window means -0.5\n"
    assert "no answer within the window means -0.5\n" in belated("status", "shop").out
    assert belated("change", "shop", "--silence", "nothing").out == "shop goes on with random, seed 1\n"
    done = belated("change", "shop", "--silence", "never", ok=False)
    assert "'never' is neither a number nor 'nothing'" in " ".join(done.err.split())
    assert belated("change", "shop", "--silence", "nan", ok=False).code == 14
    assert "--silence or --seek" in " ".join(belated("change", "shop", ok=False).err.split())


@pytest.mark.parametrize(
    "given, said",
    [
        (("--outcome", "yield=max"), "got 'max' for the outcome 'yield'; write maximize, minimize, at most 2.0,"),
        (("--outcome", "yield"), "'yield' is not of the form NAME=VALUE"),
        (("--outcome", "colour=signal"), "got the outcomes colour; a study has an objective"),
        (("--outcome", "solvent=maximize"), "'solvent' names an outcome and a parameter"),
        (
            (*NAMED, "--policy", "gp-bucb"),
            "make the others signals, as --outcome colour=signal, or give --policy random",
        ),
        ((*NAMED, "--goal", "minimize"), "each outcome says its own, as --outcome sold='maximize, silence 0'"),
        (("--outcome", "yield=maximize", "--silence", "0"), "leave --goal and --silence out"),
        (("--goal", "largest"), "got goal 'largest'; a study does 'maximize' or 'minimize'"),
    ],
)
def test_outcomes_that_are_none_are_refused_with_the_way_out(
    belated: Belated, given: tuple[str, ...], said: str
) -> None:
    done = belated("create", "new", "--space", SPACE, *given, ok=False)
    assert said in " ".join(done.err.split())
    assert "bl." not in done.err
    assert not Path("belated.db").exists() or "new" not in bl.Study.names("sqlite:///belated.db")


def test_a_partly_answered_query_says_what_is_there_and_what_it_waits_for(belated: Belated, gel: bl.Study) -> None:
    gel.tell(1, {"colour": 0.3})
    status = belated("status", "gel").out
    assert "\npartly    1 of them: query 1 (waits for yield, impurity)\n" in status
    assert belated("status", "gel", "--json").json["partly_answered"] == [1]
    pending = belated("pending", "gel").out.splitlines()
    assert pending[0].split("  ") != []
    assert pending[0].split()[:7] == ["query", "state", "waiting", "told", "waits", "for", "point"]
    assert "colour 0.3" in pending[1]
    assert "yield, impurity" in pending[1]
    assert max(map(len, pending)) <= 80
    assert belated("pending", "gel", "--json").json[0]["answers"]["colour"]["value"] == 0.3


def test_failures_are_shown_with_their_reasons_the_latest_first(belated: Belated, gel: bl.Study) -> None:
    belated("fail", "gel", 2, "--reason", "precipitated")
    belated("fail", "gel", 3, 4)
    assert "\nfailed    3: query 4, query 3, query 2 (precipitated)\n" in belated("status", "gel").out
    assert belated("status", "gel", "--json").json["failed"] == [2, 3, 4]
    belated("ask", "gel", "-n", 4)
    belated("fail", "gel", 5, 6, 7)
    assert "failed    6: query 7, query 6, query 5, query 4, query 3 and 1 more\n" in belated("status", "gel").out


def test_the_best_answer_is_shown_with_its_error_its_outcomes_and_the_point_that_was_tried(
    belated: Belated, gel: bl.Study
) -> None:
    gel.tell(1, {"yield": 0.9, "impurity": 3.0})
    done = belated("best", "gel", ok=False)
    assert (done.code, "no answer meets all constraints yet" in done.err) == (31, True)
    assert belated("status", "gel", "--json").json["best"] is None
    assert "The best answer so far" not in belated("status", "gel").out
    solvent = gel.queries()[1].point["solvent"]
    gel.tell(2, {"yield": 0.8, "impurity": 1.5}, sd={"yield": 0.02}, point={"temperature": 71, "solvent": solvent})
    out = belated("best", "gel").out
    assert out.startswith("yield 0.8 ± 0.02, impurity 1.5 by query 2\n  temperature  71, and ")
    assert " was asked\n" in out
    assert f"  solvent      {solvent}\n" in out
    assert belated("best", "gel", "--json").json["point"] == {"temperature": 71.0, "solvent": solvent}
    assert belated("status", "gel", "--json").json["progress"] == [0.8]


def test_a_point_that_was_tried_is_shown_before_its_answer(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE, "--policy", "random", "--seed", 1)
    asked = belated("ask", "lab", "--json").json["queries"][0]["point"]
    bl.Study.open("sqlite:///belated.db", "lab").tell(1, point={**asked, "temperature": 71.5})
    assert "tried" in belated("pending", "lab").out.splitlines()[0]
    assert "temperature 71.5" in belated("pending", "lab").out


def test_each_outcome_has_its_own_delays(belated: Belated, gel: bl.Study) -> None:
    gel.tell(1, {"colour": 0.3})
    gel.tell(2, {"colour": 0.4})
    gel.fail(3)
    counted = {
        outcome: belated("delays", "gel", "--outcome", outcome, "--json").json["answered"]
        for outcome in ("yield", "impurity", "colour")
    }
    assert counted == {"yield": 0, "impurity": 0, "colour": 2}
    assert belated("delays", "gel", "--json").json["answered"] == 0
    assert "ended     1 without an answer" in belated("delays", "gel", "--outcome", "colour").out
    assert "the study has yield, impurity, colour" in belated("delays", "gel", "--outcome", "smell", ok=False).err


def test_a_query_that_is_asked_again_says_what_was_told_of_it(belated: Belated, gel: bl.Study) -> None:
    belated("ask", "gel", "--key", "a")
    gel.tell(5, {"colour": 0.3})
    assert "  told so far: colour 0.3\n" in belated("ask", "gel", "--key", "a").out
    gel.tell(5, {"yield": 0.5, "impurity": 1.0})
    assert "Query 5, answered\n" in belated("ask", "gel", "--key", "a").out


def test_the_whole_log_of_what_came_moves_to_another_study(belated: Belated, gel: bl.Study) -> None:
    gel.tell(1, {"yield": [0.8, 0.9], "impurity": 1.5}, point={"temperature": 71, "solvent": "THF"})
    gel.fail(2, "precipitated")
    gel.retract(1, "the wrong flask", outcome="yield")
    belated("export", "gel", "gel.jsonl")
    belated("import", "gel.jsonl", "copy")
    copy = bl.Study.open("sqlite:///belated.db", "copy")
    assert copy.events == gel.events
    assert copy.queries() == gel.queries()
    lines = [json.loads(line) for line in Path("gel.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["event"] for line in lines[5:]] == ["performed", "answered", "failed", "retracted"]


@pytest.fixture
def bench(belated: Belated) -> bl.Study:
    """A study of one number with six queries."""
    belated("create", "bench", "--space", SPACE, "--policy", "random", "--seed", 1)
    belated("ask", "bench", "-n", 6)
    return bl.Study.open("sqlite:///belated.db", "bench")


def test_a_point_told_again_otherwise_is_refused_with_the_command_that_corrects_it(
    belated: Belated, bench: bl.Study
) -> None:
    solvent = bench.queries()[0].point["solvent"]
    belated("tell", "bench", 1, "--point", "temperature=71")
    done = belated("tell", "bench", 1, 0.5, "--point", "temperature=72", ok=False)
    command = f"belated revise bench 1 --point temperature=72.0 --point solvent={solvent}"
    assert done.err.endswith(f"; {command} corrects the point.\n")
    belated(*command.split()[1:])
    belated("tell", "bench", 1, "0,5", "--point", "temperature=72")
    found = bench.queries()[0]
    assert found.answer is not None
    assert (found.tried, found.answer.value) == ({"temperature": 72.0, "solvent": solvent}, 0.5)


@pytest.mark.parametrize(
    "given, said",
    [
        (("temperature=71",), "'temperature' is no outcome; give it by --point temperature=…."),
        (("1,234",), "got '1,234' as the answer; an answer is a number"),
        (("yield=0.5",), "unknown outcome 'yield'; the study has value"),
    ],
)
def test_what_is_no_answer_is_refused_with_where_it_belongs(
    belated: Belated, bench: bl.Study, given: tuple[str, ...], said: str
) -> None:
    done = belated("tell", "bench", 1, *given, ok=False)
    assert said in " ".join(done.err.replace("│", " ").split())
    assert bench.record().counts.pending == 6


def test_data_is_added_with_repeats_and_with_outcomes(belated: Belated, bench: bl.Study, gel: bl.Study) -> None:
    point = ("temperature=65", "solvent=THF")
    added = belated("add", "bench", *point, "--value", 0.5, "--value", "0,75", "--json").json
    assert (added["answer"]["value"], added["answer"]["repeats"]) == (0.625, [0.5, 0.75])
    told = ("--value", "yield=0.5", "--value", "yield=0.7", "-v", "impurity=1")
    added = belated("add", "gel", *point, *told, "--json").json
    assert {name: answer["value"] for name, answer in added["answers"].items()} == {"yield": 0.6, "impurity": 1.0}
    told = ("--value", "yield=0.5", "-v", "impurity=1", "--sd", "impurity=0.25")
    assert belated("add", "gel", *point, *told, "--json").json["answers"]["impurity"]["sd"] == 0.25
    assert "no value of 'impurity'" in belated("add", "gel", *point, "-v", 0.5, ok=False).err


def test_an_explanation_counts_failures(belated: Belated, bench: bl.Study) -> None:
    bench.tell(1, 0.5)
    bench.fail([2, 3])
    assert "1 of 6 queries, 3 still waited for, 2 failed" in " ".join(belated("explain", "bench").out.split())


def test_of_several_objectives_none_is_the_best_and_everything_else_is_shown(belated: Belated) -> None:
    declared = ("--outcome", "a=maximize", "--outcome", "b=minimize")
    belated("create", "front", "--space", SPACE, *declared, "--policy", "random", "--seed", 1)
    belated("ask", "front", "-n", 3)
    for query, a, b in ((1, 1, 2), (2, 3, 4)):
        belated("tell", "front", query, f"a={a}", f"b={b}")
    done = belated("best", "front", ok=False)
    assert (done.code, done.err.endswith("; belated export front --format csv has them all.\n")) == (15, True)
    assert belated("export", "front", "--format", "csv").out.startswith("id,number,state,temperature,solvent,a,b,")
    status = belated("status", "front", "--json").json
    assert (status["best"], status["progress"], status["counts"]["answered"]) == (None, [], 2)
    assert belated("status", "front").out.startswith("front: maximize a, minimize b with random, seed 1\n")
    advice = belated("recommend", "front").out
    assert " expected of a, give or take " in advice
    assert re.search(r"\nand beside it\n  b  [\d.e+-]+, give or take [\d.e+-]+\nwith a chance of", advice)
    assert list(belated("recommend", "front", "--json").json["others"]) == ["b"]
    for words in (("status",), ("explain", "front"), ("report", "front"), ("replay", "front"), ("delays", "front")):
        belated(*words)
    for kind in ("progress", "timeline", "waits", "delays", "belief", "pairs"):
        belated("plot", "front", kind)


def test_the_way_out_of_another_value_and_what_was_taken_back_name_their_outcome(
    belated: Belated, gel: bl.Study
) -> None:
    belated("tell", "gel", 1, "colour=0.3")
    done = belated("tell", "gel", 1, "yield=0.8", "colour=0.31", ok=False)
    assert done.err.endswith("belated revise gel 1 colour=0.31 replaces the answer.\n")
    belated("revise", "gel", 1, "colour=0.31")
    assert gel.queries()[0].answers["colour"].value == 0.31
    out = belated("retract", "gel", 1, "--outcome", "colour", "--reason", "smudged").out
    assert out == "colour of query 1 is taken back\n"


def test_a_standard_error_in_the_cell_of_its_answer_is_shown_the_column_that_it_belongs_to(
    belated: Belated, gel: bl.Study, tmp_path: Path
) -> None:
    filled = tmp_path / "filled.csv"
    filled.write_text("id,yield,impurity\n1,0.42 ± 0.02,1.5\n", encoding="utf-8")
    done = belated("tell", "gel", "--file", filled, ok=False)
    said = "column 'yield': got '0.42 ± 0.02'; give the number alone, and its standard error in a column of its own, as"
    assert said in done.err
    filled.write_text("id,yield,yield sd,impurity\n1,0.42,0.02,1.5\n", encoding="utf-8")
    belated("tell", "gel", "--file", filled)
    assert gel.queries()[0].answers["yield"].sd == 0.02

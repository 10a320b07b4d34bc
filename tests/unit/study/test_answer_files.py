"""Answers and contexts from CSV files: what is told of each query, or every problem named."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import TableError
from belated.log import Maximize, Measurement, Outcomes, QueryStanding, Signal, State
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Study, filled_rows
from belated.study.files import AnswerRow, answers_in, read_csv, write_csv
from belated.study.files.answer_sheet import SheetStudy
from tests.builders import Clock

IDENTIFIER = "give the identifier of a query, a whole number of at least 1"


AFTER = Context(demand=Float(0, 100), site=Choice("north", "south"), seen="after")
CLIPPED = Context(demand=Float(0, 100), trucks=Int(0, 9), seen="after", outside="clip")


@dataclass(frozen=True)
class Unknown:
    """A study that has asked nothing yet, so that what is read is what is written."""

    context: Context | None = None
    space: Space | Candidates = Space(heat=Float(20, 120))
    outcomes: Outcomes = Outcomes.one()

    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        return {}


def rows_in(text: str, study: SheetStudy) -> list[tuple[AnswerRow | None, list[str]]]:
    return [(told, wrong) for _, told, wrong in answers_in("read", io.StringIO(text, newline=""), study).each()]


def answers(text: str, context: Context | None = None, study: SheetStudy | None = None) -> list[AnswerRow]:
    rows = rows_in(text, study or Unknown(context))
    assert not any(wrong for _, wrong in rows), rows
    return [told for told, _ in rows if told is not None]


def problems(text: str, context: Context | None = None) -> list[str]:
    """What is wrong with the columns, or with the rows."""
    try:
        return [problem for _, wrong in rows_in(text, Unknown(context)) for problem in wrong]
    except TableError as error:
        return str(error).split("\n  ")[1:]


@pytest.mark.parametrize(
    "text",
    [
        "query,value\n3,0.5\n12,-0.0\n",
        "value;id\r\n0.5;3\r\n-0.0;12\r\n",
        "id,heat,query,value\n1,60,3,0.5\n2,70,12.0,-0.0\n",
        "id,state,heat,value\n3,pending,60,0.5\n4,pending,70,\n5,overdue,70,\n12,answered,60,-0.0\n",
    ],
    ids=["plain", "by id", "other columns", "a table of the study"],
)
def test_answers_have_an_identifier_and_a_value(text: str) -> None:
    assert repr([(told.query, told.value) for told in answers(text)]) == repr([(3, 0.5), (12, -0.0)])


@given(st.lists(st.tuples(st.integers(1, 2**70), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_no_digit_of_an_answer_is_lost(pairs: list[tuple[int, float]]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("query", "value"), *pairs])
    assert repr([(told.query, told.value) for told in answers(text.getvalue())]) == repr(pairs)


def test_answers_of_a_file_are_told() -> None:
    study = Study.in_memory(Space(heat=Float(20, 120)), policy="random", seed=5, clock=Clock())
    study.ask(3)
    rows = filled_rows("tell", io.StringIO("query,value\n2,0.5\n3,1.5\n"), study)
    study.take([statement for row in rows for statement in row.statements])
    assert [query.id for query in study.pending()] == [1]


@pytest.mark.parametrize(
    "text, listed",
    [
        ("x,y\n1,2\n", ["column 'query' is missing; add it", "column 'value' is missing; add it"]),
        ("id,id,value\n1,1,2\n", ["column 'id' comes twice; delete one"]),
        (
            "query,value\n0,1\n1.5,1\nq,good\n,\n1,\n1,NaN\n2,50%\n",
            [
                f"row 1 (line 2), column 'query': got '0'; {IDENTIFIER}",
                f"row 2 (line 3), column 'query': got '1.5'; {IDENTIFIER}",
                f"row 3 (line 4), column 'query': got 'q'; {IDENTIFIER}",
                "row 3 (line 4), column 'value': got 'good'; give a finite number",
                "row 5 (line 7), column 'value': got 'NaN'; give a finite number",
                "row 6 (line 8), column 'value': got '50%'; percent signs are not read; write the number alone, in the "
                "unit of the other answers: 50",
            ],
        ),
    ],
    ids=["missing", "twice", "cells"],
)
def test_every_problem_of_a_file_of_answers_is_named(text: str, listed: list[str]) -> None:
    assert problems(text) == listed


# Contexts seen after the decision.


def test_a_row_tells_an_answer_a_context_or_both() -> None:
    text = "query,value,demand,site\n3,0.5,20,north\n4,,30,south\n5,1.5,,\n"
    assert answers(text, AFTER) == [
        AnswerRow(3, 0.5, {"demand": 20.0, "site": "north"}),
        AnswerRow(4, None, {"demand": 30.0, "site": "south"}),
        AnswerRow(5, 1.5),
    ]


def test_a_file_may_have_no_values_or_no_contexts() -> None:
    assert answers("id,site,demand\n4,south,30\n", AFTER) == [AnswerRow(4, None, {"demand": 30.0, "site": "south"})]
    assert answers("query,value,note\n4,1,late\n", AFTER) == [AnswerRow(4, 1.0)]


def test_contexts_seen_before_the_decision_are_passed_over() -> None:
    assert answers("query,value,demand,site\n3,0.5,20,north\n", AFTER.given()) == [AnswerRow(3, 0.5)]


def test_numbers_beyond_their_bounds_are_clipped_where_the_study_clips_them() -> None:
    text = "query,demand,trucks\n1,120,-3\n2,-1e300,12.5\n3,50.5,4\n"
    assert [told.context for told in answers(text, CLIPPED)] == [
        {"demand": 100.0, "trucks": 0},
        {"demand": 0.0, "trucks": 9},
        {"demand": 50.5, "trucks": 4},
    ]
    assert problems("query,demand,trucks\n1,1,4.5\n", CLIPPED) == [
        "row 1 (line 2), column 'trucks': got '4.5'; give a whole number from 0 to 9"
    ]


@pytest.mark.parametrize(
    "text, listed",
    [
        ("query,value,demand\n3,0.5,20\n", ["column 'site' is missing; add it"]),
        ("query\n3\n", ["column 'value' is missing; add it"]),
        (
            "query,value,demand,site\n3,,,\n4,1,,north\n5,1,200,east\n",
            [
                "row 2 (line 3), column 'demand': got ''; a context is given whole or not at all; fill it in",
                "row 3 (line 4), column 'demand': got '200'; give a number from 0.0 to 100.0",
                "row 3 (line 4), column 'site': got 'east'; give one of 'north', 'south'",
            ],
        ),
    ],
    ids=["part of a context", "neither", "cells"],
)
def test_every_problem_of_a_file_with_contexts_is_named(text: str, listed: list[str]) -> None:
    assert problems(text, AFTER) == listed


@pytest.mark.parametrize("name", ["query", "id", "value", "state", "demand"])
def test_the_table_of_a_study_tells_it_nothing_new_whatever_its_context_is_called(name: str) -> None:
    declared = {"kind": "context", "space": Space.from_parameters({name: Float(0, 1)}).to_json(), "seen": "after"}
    context = Context.from_json(declared)
    study = Study.in_memory(Space(x=Float(0, 1)), policy="sbo-kde", context=context, seed=5, clock=Clock())
    study.ask(4)
    study.tell(1, 2.0, context={name: 0.25})
    study.tell(2, 3.0)
    study.tell(3, context={name: 0.5})
    text = io.StringIO()
    write_csv(text, study.record())
    told = answers(text.getvalue(), study=study)
    assert told == [AnswerRow(1, 2.0, {name: 0.25}), AnswerRow(2, 3.0), AnswerRow(3, None, {name: 0.5})]
    log = study.events
    rows = filled_rows("tell", io.StringIO(text.getvalue()), study)
    study.take([statement for row in rows for statement in row.statements])
    assert not any(row.new or row.problem for row in rows)
    assert study.events == log


# What is known already.

BOX = Space(
    heat=Float(20, 120),
    loading=Float(1e-3, 0.1, log=True),
    steps=Int(1, 8),
    solvent=Choice("DMF", "water", 0.25, 1 / 3),
)
POINT = {"heat": 69.229126, "loading": 0.001794294, "steps": 5, "solvent": 1 / 3}


@dataclass(frozen=True)
class Known(Unknown):
    """A study that has asked one point, as query 1, and knows an answer to it."""

    space: Space | Candidates = BOX
    value: float | None = 0.4166666666666667
    performed: Mapping[str, object] | None = None

    def standings(self, queries: Iterable[int]) -> Mapping[int, QueryStanding]:
        state = State.PENDING if self.value is None else State.ANSWERED
        known = {} if self.value is None else {"value": Measurement(self.value)}
        return {1: QueryStanding(state, POINT, known, performed=self.performed)} if 1 in queries else {}


@pytest.mark.parametrize(
    "text",
    [
        "ID , Value\n1,0.416666666666667\n",
        "id;value\n1;0,4167\n",
        "id,HEAT,loading,steps,solvent,value\n1.0,69.23,0.00179,5.0,0.333333333333333,0.416666667\n",
        "id;heat;loading;steps;solvent;value\n1;69,229126;1,794E-03;5;0,33;0,42\n",
        "id,heat,loading,steps,solvent,value\n1,,,,,0.4166666666666667\n",
    ],
)
def test_what_comes_back_with_fewer_digits_is_what_is_known(text: str) -> None:
    assert answers(text, study=Known()) == [AnswerRow(1, 0.4166666666666667)]


@pytest.mark.parametrize(
    "column, cell, done",
    [
        ("heat", "70", 70),
        ("heat", "71,5", 71.5),
        ("heat", "130", 130),
        ("loading", "0.002", 0.002),
        ("loading", "0.0", 0.0),
        ("steps", "6", 6),
        ("steps", "5.5", 5.5),
        ("solvent", "DMF", "DMF"),
    ],
)
def test_a_parameter_that_was_changed_is_what_was_done(column: str, cell: str, done: object) -> None:
    assert answers(f"id;value;{column}\n1;0.5;{cell}\n", study=Known(value=None)) == [
        AnswerRow(1, 0.5, point={**POINT, column: done})
    ]


def test_what_was_done_is_known_once_it_was_told() -> None:
    study = Known(value=None, performed={**POINT, "heat": 70.0})
    for cell in ("70", "70.0", "69.23", ""):
        assert answers(f"id,value,heat\n1,0.5,{cell}\n", study=study) == [AnswerRow(1, 0.5)]
    assert answers("id,value,heat,steps\n1,0.5,69.23,6\n", study=study) == [
        AnswerRow(1, 0.5, point={**POINT, "heat": 70.0, "steps": 6})
    ]
    assert answers("id,value,performed.heat\n1,0.5,71\n", study=study) == [
        AnswerRow(1, 0.5, point={**POINT, "heat": 71})
    ]


def test_a_parameter_that_nothing_can_be_done_at_is_refused() -> None:
    for column, cell in (("heat", "warm"), ("solvent", "DMSO"), ("steps", "5%")):
        ((told, (wrong,)),) = rows_in(f"id,value,{column}\n1,0.5,{cell}\n", Known(value=None))
        assert told is None
        assert wrong.startswith(f"row 1 (line 2), column '{column}': got '{cell}'; ")


# Words, repeats and errors.


@pytest.mark.parametrize(
    "text, told",
    [
        ("id,value,comment\n1,failed,it precipitated\n", AnswerRow(1, ending="fail", reason="it precipitated")),
        ("id,value,reason\n1, Lost ,\n", AnswerRow(1, ending="abandon")),
        ("id,value,state,comment\n1,,FAILED,no\n", AnswerRow(1, ending="fail", reason="no")),
        ("id,state\n1,abandoned\n", AnswerRow(1, ending="abandon")),
        ("id,value,state\n1,,answered\n", None),
        ("id,value\n1,0.41; 0.44;0.40\n", AnswerRow(1, [0.41, 0.44, 0.4])),
        ('id;value\n1;"0,41; 0,44"\n', AnswerRow(1, [0.41, 0.44])),
        ('id,value\n1,"0.41\n0.44\n"\n', AnswerRow(1, [0.41, 0.44])),
        ("id,value,value 2,Value_3\n1,0.41,,0.44\n", AnswerRow(1, [0.41, 0.44])),
        ("id,value,value 2\n1,,0.44\n", AnswerRow(1, 0.44)),
        ("id,VALUE SD,value\n1,0.02,0.41\n", AnswerRow(1, 0.41, sd=0.02)),
    ],
)
def test_a_row_says_what_came_of_a_query(text: str, told: AnswerRow | None) -> None:
    assert answers(text, study=Known(value=None)) == ([] if told is None else [told])


@pytest.mark.parametrize(
    "text, problem",
    [
        ("id,value,state\n1,0.5,failed\n", "row 1 (line 2): it says that the query ended without an answer"),
        ("id,value,value 2\n1,failed,0.5\n", "row 1 (line 2), column 'value': got 'fail' beside another answer"),
        ("id,value,value sd\n1,,0.5\n", "row 1 (line 2), column 'value sd': got a standard error without its answer"),
        ("id,value,value sd\n1,1,0\n", "row 1 (line 2), column 'value sd': got '0'; give a number above 0"),
        ("id,value,value sd\n1,1;2,0.5\n", "row 1 (line 2), column 'value sd': got a standard error beside repeats"),
        ("id,value\n1,broken\n", "row 1 (line 2), column 'value': got 'broken'; give a finite number"),
    ],
)
def test_a_row_that_says_two_things_is_refused(text: str, problem: str) -> None:
    ((told, (wrong,)),) = rows_in(text, Known(value=None))
    assert told is None
    assert wrong.startswith(problem)


def test_each_outcome_has_its_column() -> None:
    outcomes = Outcomes.read("test", {"yield": Maximize(), "Colour": Signal(), "state": Signal()})
    study = Known(value=None, outcomes=outcomes)
    text = "id,YIELD,yield 2,colour,colour sd,outcome.state,note\n1,0.5,0.75,3,0.5,,x\n"
    assert answers(text, study=study) == [AnswerRow(1, {"yield": [0.5, 0.75], "Colour": 3.0}, sd={"Colour": 0.5})]
    assert answers("id,colour\n1,3\n", study=study) == [AnswerRow(1, {"Colour": 3.0})]


def test_an_answer_that_is_another_one_is_told_as_it_is_written() -> None:
    assert answers("id,value\n1,0.4\n", study=Known()) == [AnswerRow(1, 0.4)]
    assert answers("id,value\n1,0.42\n", study=Known(value=None)) == [AnswerRow(1, 0.42)]


def test_a_number_of_a_table_is_the_one_that_rounds_so() -> None:
    table = Candidates([{"dose": 1 / 3, "n": 1}, {"dose": 0.33, "n": 2}, {"dose": 2 / 3, "n": 3}])
    read = [
        row.point["dose"]
        for row in read_csv(io.StringIO("dose,n,value\n0.333333333333333,1,0\n0.33,2,0\n0.667,3,0\n"), table)
    ]
    assert read == [1 / 3, 0.33, 2 / 3]


def test_columns_that_differ_only_by_case_are_told_apart() -> None:
    space = Space(x=Float(0, 1), X=Float(0, 1))
    assert [row.point for row in read_csv(io.StringIO("x,X,VALUE\n0.25,0.5,1\n"), space)] == [{"x": 0.25, "X": 0.5}]


def test_the_first_line_may_name_the_separator_and_empty_columns_at_the_side_do_not_count() -> None:
    assert answers("sep=;\nid;value;;\n3;0,5;;\n4;1;;\n") == [AnswerRow(3, 0.5), AnswerRow(4, 1.0)]
    assert problems("sep=;\nid;value\n3;0,5\n4;x\n") == [
        "row 2 (line 4), column 'value': got 'x'; give a finite number"
    ]


def test_text_that_a_spreadsheet_saves_as_unicode_is_read() -> None:
    file = io.BytesIO("id\tvalue\r\n3\t0,5\r\n".encode("utf-16"))
    assert [told for _, told, _ in answers_in("read", file, Unknown()).each()] == [AnswerRow(3, 0.5)]

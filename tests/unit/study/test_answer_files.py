"""Answers from CSV files: pairs of a query and its value, or every problem named."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import TableError
from belated.space import Float, Space
from belated.study import Study
from belated.study.tables import read_answers
from tests.builders import Clock

RULE = "a file is taken whole or not at all; mend it and try again:"
IDENTIFIER = "give the identifier of a query, a whole number of at least 1"


def answers(text: str) -> list[tuple[int, float]]:
    return read_answers(io.StringIO(text, newline=""))


@pytest.mark.parametrize(
    "text",
    [
        "query,value\n3,0.5\n12,-0.0\n",
        "value;id\r\n0.5;3\r\n-0.0;12\r\n",
        "id,heat,query,value\n1,60,3,0.5\n2,70,12.0,-0.0\n",
        "id,state,heat,value\n3,pending,60,0.5\n4,pending,70,\n5,abandoned,70,\n12,answered,60,-0.0\n",
    ],
    ids=["plain", "by id", "other columns", "a table of the study"],
)
def test_answers_are_pairs_of_identifier_and_value(text: str) -> None:
    assert repr(answers(text)) == "[(3, 0.5), (12, -0.0)]"


@given(st.lists(st.tuples(st.integers(1, 2**70), st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_no_digit_of_an_answer_is_lost(pairs: list[tuple[int, float]]) -> None:
    text = io.StringIO()
    csv.writer(text).writerows([("query", "value"), *pairs])
    assert repr(answers(text.getvalue())) == repr(pairs)


def test_answers_of_a_file_are_told() -> None:
    study = Study.in_memory(Space(heat=Float(20, 120)), policy="random", seed=5, clock=Clock())
    study.ask(3)
    study.tell_many(answers("query,value\n2,0.5\n3,1.5\n"))
    assert [query.id for query in study.pending()] == [1]


@pytest.mark.parametrize(
    "text, listed",
    [
        ("x,y\n1,2\n", ["column 'query' is missing; add it", "column 'value' is missing; add it"]),
        ("id,id,value\n1,1,2\n", ["column 'id' comes twice; delete one"]),
        (
            'query,value\n0,1\n1.5,1\nq,good\n,\n1,\n1,NaN\n2,"0,5"\n',
            [
                f"row 1 (line 2), column 'query': got '0'; {IDENTIFIER}",
                f"row 2 (line 3), column 'query': got '1.5'; {IDENTIFIER}",
                f"row 3 (line 4), column 'query': got 'q'; {IDENTIFIER}",
                "row 3 (line 4), column 'value': got 'good'; give a finite number",
                "row 4 (line 6), column 'value': got ''; give a finite number",
                "row 5 (line 7), column 'value': got 'NaN'; give a finite number",
                "row 6 (line 8), column 'value': got '0,5'; decimal commas are not read; write 0.5",
            ],
        ),
    ],
    ids=["missing", "twice", "cells"],
)
def test_every_problem_of_a_file_of_answers_is_named(text: str, listed: list[str]) -> None:
    with pytest.raises(TableError) as caught:
        answers(text)
    first, *found = str(caught.value).split("\n  ")
    assert first == f"read_answers(): {len(listed)} problem{'s' * (len(listed) > 1)}; {RULE}"
    assert found == listed

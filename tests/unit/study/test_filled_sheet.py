"""What would come of a sheet in which some of the outcomes are there, and the query ended all the same."""

from __future__ import annotations

import io

import pytest

from belated.log import Maximize, Signal, State
from belated.space import Float, Space
from belated.study import FilledRow, Study, filled_rows


@pytest.fixture
def gel() -> Study:
    study = Study.in_memory(
        Space(heat=Float(0.0, 1.0)), outcomes={"yield": Maximize(), "colour": Signal()}, policy="random", seed=1
    )
    study.ask(2)
    return study


def filled(study: Study, text: str) -> list[FilledRow]:
    return filled_rows("tell", io.BytesIO(text.encode()), study)


@pytest.mark.parametrize("cells", ["failed,0.5,,precipitated", ",0.5,failed,precipitated"])
def test_what_was_seen_of_a_query_that_failed_is_kept(gel: Study, cells: str) -> None:
    text = f"id,yield,colour,state,comment\n1,{cells}\n"
    (row,) = filled(gel, text)
    assert row.effect() == "will be taken; counts as failed: precipitated"
    gel.take(list(row.statements))
    query = gel.queries()[0]
    assert (query.state, query.reason, query.answers["colour"].value) == (State.FAILED, "precipitated", 0.5)
    assert [again.effect() for again in filled(gel, text)] == ["known already: nothing changes"]


@pytest.mark.parametrize(
    "cells", ["0.5,,failed", "0.5,0.25,lost", ",0.25,retracted"], ids=["its objective", "all", "taken back"]
)
def test_a_query_that_has_its_answer_did_not_end_without(gel: Study, cells: str) -> None:
    (row,) = filled(gel, f"id,yield,colour,state\n1,{cells}\n")
    assert "it says that the query ended without an answer, and something else; keep one" in str(row.problem)


def test_of_several_columns_each_cell_stands_with_its_name(gel: Study) -> None:
    both, alone = filled(gel, "id;yield;colour\n1;0,41; 0,2\n2;;0,3\n")
    assert (both.written, alone.written) == (("1", "yield 0,41, colour 0,2"), ("2", "colour 0,3"))
    (row,) = filled(gel, "id,colour\n1,0.2\n")
    assert row.written == ("1", "0.2")

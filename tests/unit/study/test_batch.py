"""The sheet of a batch: as many digits as matter, and nothing is written over."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import ParameterError
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Study
from belated.study.files import answers_in, check_batch_file, write_batch
from belated.study.files.batch import RESOLUTION, sensible


def test_a_sheet_has_a_row_for_each_query_and_columns_to_fill_in(tmp_path: Path) -> None:
    space = Space(heat=Float(20, 120), loading=Float(1e-3, 0.1, log=True), n=Int(1, 9), state=Choice("=solid", "gas"))
    context = Context(seen="before", hour=Float(0, 24))
    study = Study.in_memory(space, policy="random", context=context, seed=7)
    queries = list(study.ask(2, context={"hour": 100 / 7}))
    write_batch(tmp_path / "batch.csv", queries, space, context, study.outcomes)
    header, *rows = csv.reader((tmp_path / "batch.csv").read_text().splitlines())
    assert header == ["id", "heat", "loading", "n", "point.state", "hour", "value", "state", "comment"]
    for row, query in zip(rows, queries, strict=True):
        assert [row[0], *row[5:]] == [str(query.id), "14.286", "", "", ""]
        assert len(row[1]) <= 6
        assert row[4] == ("'=solid" if query.point["state"] == "=solid" else "gas")


def test_a_context_that_is_seen_after_the_decision_is_left_to_fill_in(tmp_path: Path) -> None:
    context = Context(seen="after", demand=Float(0, 9))
    study = Study.in_memory(Space(x=Float(0, 1)), policy="sbo-kde", context=context, seed=7)
    write_batch(tmp_path / "batch.csv", list(study.ask(1)), study.space, context, study.outcomes)
    assert (tmp_path / "batch.csv").read_text().splitlines()[0] == "id,x,demand,value,state,comment"
    assert (tmp_path / "batch.csv").read_text().splitlines()[1].endswith(",,,,")


@given(
    st.floats(0, 1),
    st.sampled_from([(20.0, 120.0, False), (1e-9, 1e-2, True), (-1e6, 1e-3, False), (1e12, 1e12 + 1, False)]),
)
@settings(max_examples=200, derandomize=True, deadline=None)
def test_no_digit_that_matters_is_lost(unit: float, bounds: tuple[float, float, bool]) -> None:
    parameter = Float(bounds[0], bounds[1], log=bounds[2])
    value = parameter.decode(unit)
    shown = sensible(value, parameter)
    assert parameter.low <= shown <= parameter.high
    assert abs(parameter.encode(shown, "") - parameter.encode(value, "")) <= RESOLUTION


@pytest.mark.parametrize("seed", [3, 17, 91])
def test_what_a_sheet_shows_is_read_as_what_was_asked(seed: int, tmp_path: Path) -> None:
    space = Space(
        heat=Float(20, 120), loading=Float(1e-3, 0.1, log=True), n=Int(1, 10**9, log=True), kind=Choice(0.1 + 0.2, "x")
    )
    study = Study.in_memory(space, policy="random", seed=seed)
    queries = list(study.ask(20))
    write_batch(tmp_path / "batch.csv", queries, space, None, study.outcomes)
    filled = (tmp_path / "batch.csv").read_text().replace(",,,\n", ",0.5,,\n")
    rows = list(answers_in("read", io.StringIO(filled), study).each())
    assert [wrong for _, _, wrong in rows if wrong] == []
    assert [told.query for _, told, _ in rows if told is not None] == [query.id for query in queries]


def test_rows_of_a_table_are_written_as_they_were_given(tmp_path: Path) -> None:
    table = Candidates([{"dose": 1 / 3, "flask": "A"}, {"dose": 0.33333, "flask": "B"}])
    study = Study.in_memory(table, policy="random", seed=3)
    write_batch(tmp_path / "batch.csv", list(study.ask(12)), table, None, study.outcomes)
    shown = {row["flask"]: row["dose"] for row in csv.DictReader((tmp_path / "batch.csv").read_text().splitlines())}
    assert shown == {"A": repr(1 / 3), "B": "0.33333"}


def test_a_sheet_that_could_not_be_written_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    there = tmp_path / "filled.csv"
    there.write_text("id,value\n1,0.5\n")
    for file, rule in (
        (there, "is there already, and may hold answers; name another file"),
        (tmp_path / "sheet.ods", "a sheet is a .csv or an .xlsx; name it so"),
        (tmp_path / "missing" / "sheet.csv", "there is no folder for"),
    ):
        with pytest.raises(ParameterError, match=rule):
            check_batch_file("ask()", file)
    check_batch_file("ask()", tmp_path / "sheet.XLSX")

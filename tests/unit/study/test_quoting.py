"""Texts that spreadsheets would run are quoted, and read back as they were."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.log import Added, Event, Record
from belated.space import Choice, Float, Space
from belated.study.files import read_csv, write_csv, write_excel
from belated.study.files.quoting import quoted, unquoted

DANGEROUS = ["=1+1", "+1", "-x", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''-2", "'quoted'", "plain"]


@given(st.text(st.sampled_from("'=+-@\t\ra1")))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_a_text_comes_back_as_it_was(text: str) -> None:
    assert unquoted(quoted(text)) == text
    assert quoted(text)[:1] not in tuple("=+-@\t\r")


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_options_and_names_that_would_be_run_come_back_from_every_table(ending: str, tmp_path: object) -> None:
    space = Space.from_parameters([("=kind", Choice(*DANGEROUS)), ("-x", Float(-9, 9))])
    points = [{"=kind": option, "-x": -0.5} for option in DANGEROUS]
    events = [Event(row, 0.0, Added(row, point, -1.0)) for row, point in enumerate(points, start=1)]
    record = Record.empty(space).extend(events)
    path = f"{tmp_path}/table.{ending}"
    (write_csv if ending == "csv" else write_excel)(path, record)
    assert [row.point for row in read_csv(path, space)] == points


def test_numbers_are_never_quoted() -> None:
    text = io.StringIO()
    record = Record.empty(Space(x=Float(-9, 9))).extend([Event(1, 0.0, Added(1, {"x": -0.5}, -1.0))])
    write_csv(text, record)
    assert ",-0.5,-1.0," in text.getvalue()

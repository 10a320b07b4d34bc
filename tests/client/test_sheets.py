"""A sheet is filled in, previewed and taken alike, whether this process keeps the study or a service does."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from belated.client import RemoteStudy
from belated.errors import BelatedError
from belated.log import AtMost, Maximize, Signal
from belated.space import Choice, Float, Space
from belated.study import FilledRow, Manner, Study, filled_rows, take_rows
from belated.study.files import read_csv, write_batch

SPACE = Space(temperature=Float(20.0, 120.0), solvent=Choice("DMF", "water"))
OUTCOMES = {"yield": Maximize(), "impurity": AtMost(2.0), "colour": Signal()}
HEADER = "id;temperature;yield;yield sd;yield 2;impurity;colour;state;comment\n"
FIRST = (
    HEADER
    + "1;;0,41;;0,44;1,5;0,3;;\n"
    + "2;71,5;0,5;0,02;;1;;;\n"
    + "3;;;;;;;failed;precipitated\n"
    + "4;;;;;;;LOST;\n"
    + "5;;;;;;0,25;;\n"
    + "6;;;;;;;;\n"
)
CORRECTED = HEADER + "2;72,5;0,5;0,01;;1;0,7;;\n5;;0,7;;;1,2;0,25;;\n1;;;;;;;retracted;a slip\n"


@pytest.fixture
def studies(service: str) -> list[Any]:
    """A study in memory, and one of a service, with the same six queries."""
    given = {"policy": "random", "outcomes": OUTCOMES, "seed": 8}
    found = [Study.in_memory(SPACE, **given), RemoteStudy.create(service, "lab", SPACE, **given)]  # type: ignore[arg-type]
    for study in found:
        study.ask(6)
    return found


def rows(study: Any, text: str, manner: Manner = "tell") -> list[FilledRow]:
    return filled_rows("sheet", io.BytesIO(text.encode()), study, manner)


def shown(found: Sequence[FilledRow]) -> list[str]:
    return [row.effect() if row.problem is None else str(row.problem) for row in found]


def kept(study: Any) -> list[Any]:
    """What the log says, but for times and releases."""
    return [event.body for event in study.since(7)]


def test_a_sheet_is_taken_alike_at_home_and_away(studies: list[Any]) -> None:
    for text, manner in ((FIRST, "tell"), (FIRST, "tell"), (CORRECTED, "tell"), (CORRECTED, "revise")):
        previews = [shown(rows(study, text, manner)) for study in studies]  # type: ignore[arg-type]
        assert previews[0] == previews[1]
        outcomes = []
        for study in studies:
            try:
                taken = take_rows("sheet", rows(study, text, manner), study)  # type: ignore[arg-type]
                outcomes.append([row.where for row in taken])
            except BelatedError as error:
                outcomes.append([type(error).__name__, str(error)])
        assert outcomes[0] == outcomes[1]
        assert kept(studies[0]) == kept(studies[1])
    local, remote = studies
    assert len(kept(local)) > 8
    assert [query.answers.keys() for query in remote.queries()] == [query.answers.keys() for query in local.queries()]
    assert remote.pending() == [query for query in remote.queries() if query.id == 6]


def test_a_batch_of_a_service_is_written_as_that_of_a_study_here(studies: list[Any], tmp_path: Path) -> None:
    for place, study in enumerate(studies):
        write_batch(tmp_path / f"{place}.csv", study.pending(), study.space, study.context, study.outcomes)
        study.add_many(
            read_csv(
                io.StringIO("temperature,solvent,yield,yield sd,impurity\n50,DMF,0.5,0.125,1;2\n"),
                study.space,
                study.context,
                study.outcomes,
            )
        )
    assert (tmp_path / "0.csv").read_text() == (tmp_path / "1.csv").read_text()
    assert kept(studies[0]) == kept(studies[1])


def test_a_sheet_with_one_bad_row_is_not_taken(studies: list[Any]) -> None:
    text = HEADER + "1;;0,41;;;1,5;;;\n9;;0,5;;;1;;;\n"
    errors = []
    for study in studies:
        with pytest.raises(BelatedError) as refused:
            take_rows("sheet", rows(study, text), study)
        errors.append(str(refused.value))
    assert errors[0] == errors[1]
    assert kept(studies[1]) == []

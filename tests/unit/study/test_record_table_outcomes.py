"""Tables of studies with outcomes by name, errors, repeats, and points that were tried."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest

import belated as bl
from belated.log import Outcome
from belated.study.files import write_csv

SPACE = bl.Space(temperature=bl.Float(20.0, 120.0), solvent=bl.Choice("DMF", "THF"))
NAMED: dict[str, Outcome] = {"yield": bl.Maximize(), "impurity": bl.AtMost(2.0), "colour": bl.Signal()}
FIXED = ["asked_at", "answered_at", "waited", "delay", "revisions", "worker", "reason"]


def rows(study: bl.Study) -> list[dict[str, str]]:
    text = io.StringIO()
    write_csv(text, study.record())
    return list(csv.DictReader(io.StringIO(text.getvalue())))


@pytest.fixture
def lab() -> bl.Study:
    study = bl.Study.in_memory(SPACE, policy="random", seed=1)
    study.ask(4)
    study.tell(1, 0.5)
    study.fail(2, "precipitated")
    return study


@pytest.fixture
def gel() -> bl.Study:
    study = bl.Study.in_memory(SPACE, outcomes=NAMED, policy="random", seed=1)
    study.ask(3)
    study.tell(1, {"colour": 0.3})
    study.tell(2, {"yield": 0.8, "impurity": 1.5}, sd={"impurity": 0.25})
    return study


def test_a_study_that_uses_nothing_new_has_the_columns_that_it_had(lab: bl.Study) -> None:
    assert list(rows(lab)[0]) == ["id", "number", "state", "temperature", "solvent", "value", *FIXED]
    assert [(row["state"], row["reason"]) for row in rows(lab)[:2]] == [("answered", ""), ("failed", "precipitated")]


def test_errors_repeats_and_what_was_tried_have_columns_as_soon_as_there_are_any(lab: bl.Study) -> None:
    lab.tell(3, 0.25, sd=0.125, point={"temperature": 71.0, "solvent": "THF"})
    lab.tell(4, [0.5, 0.75])
    third, fourth = rows(lab)[2:]
    assert (third["value"], third["value sd"], third["value repeats"]) == ("0.25", "0.125", "")
    assert (third["performed.temperature"], third["performed.solvent"]) == ("71.0", "THF")
    assert (fourth["value"], fourth["value repeats"], fourth["performed.solvent"]) == ("0.625", "0.5; 0.75", "")
    frame: Any = lab.to_dataframe()
    numbers, texts = ("value", "value sd", "performed.temperature"), ("value repeats", "performed.solvent")
    assert [str(frame[name].dtype) for name in (*numbers, *texts)] == ["float64"] * 3 + ["object"] * 2


def test_each_outcome_has_a_column_that_is_filled_as_it_comes(gel: bl.Study) -> None:
    table = rows(gel)
    assert list(table[0])[5:9] == ["yield", "impurity", "impurity sd", "colour"]
    found = [(row["state"], row["yield"], row["impurity"], row["impurity sd"], row["colour"]) for row in table]
    assert found == [
        ("pending", "", "", "", "0.3"),
        ("answered", "0.8", "1.5", "0.25", ""),
        ("pending", "", "", "", ""),
    ]
    gel.retract(2, "smudged")
    assert [row["state"] for row in rows(gel)] == ["pending", "retracted", "pending"]
    assert rows(gel)[1]["yield"] == ""

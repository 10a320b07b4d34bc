"""Figures and pages of studies with failures, corrections, other points, and outcomes with names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated.log import Outcome
from belated.report import study_report
from belated.simulate.clock import SimulatedClock

SPACE = bl.Space(temperature=bl.Float(20.0, 120.0), solvent=bl.Choice("DMF", "THF"), steps=bl.Int(1, 8))
NAMED: dict[str, Outcome] = {"yield": bl.Maximize(), "impurity": bl.AtMost(2.0), "colour": bl.Signal()}


@pytest.fixture
def lab() -> bl.Study:
    """A study in which a query failed, one was abandoned, one taken back, and one tried elsewhere."""
    clock = SimulatedClock()
    study = bl.Study.in_memory(SPACE, policy="random", seed=1, clock=clock)
    study.ask(7)
    clock.move_to(10.0)
    study.tell(1, [0.4, 0.6])
    study.tell(2, 0.75, sd=0.1, point={"temperature": 71.0, "solvent": "THF", "steps": 2.5})
    study.tell(3, 0.25)
    clock.move_to(20.0)
    study.fail(4, "precipitated <b>")
    study.abandon(5, "lost")
    study.retract(3, "contaminated")
    clock.move_to(30.0)
    return study


@pytest.fixture
def gel() -> bl.Study:
    """A study with three outcomes, of which the best answer breaks its limit."""
    study = bl.Study.in_memory(SPACE, outcomes=NAMED, policy="random", seed=1)
    study.ask(5)
    study.tell(1, {"yield": 0.9, "impurity": 3.0})
    study.tell(2, {"yield": 0.5, "impurity": 1.0, "colour": 0.1})
    study.tell(3, {"colour": 0.3})
    study.fail(4)
    return study


def traces(study: bl.Study, kind: str) -> dict[str, Any]:
    """The first trace of each name."""
    return {trace.name: trace for trace in reversed(study.plot(kind).data) if trace.name}


def test_figures_and_reports_call_answers_by_the_name_of_their_outcome(gel: bl.Study, tmp_path: Path) -> None:
    assert gel.plot("progress").layout.yaxis.title.text == "yield"
    assert gel.plot("belief").layout.yaxis.title.text == "yield"
    assert gel.plot("pairs").layout.coloraxis.colorbar.title.text == "yield"
    assert gel.plot("progress", value="yield (%)").layout.yaxis.title.text == "yield (%)"
    page = study_report(tmp_path / "gel.html", gel).read_text(encoding="utf-8")
    rows = ["yield", "impurity", "colour", *(f"{name}, expected, ± one deviation" for name in NAMED)]
    assert [page.count(f"<td>{row}</td>") + page.count(f">{row}</th>") for row in rows] == [1] * len(rows)
    assert ">answer<" not in page


def test_the_belief_of_an_outcome_can_be_drawn(gel: bl.Study) -> None:
    figure = gel.plot("belief", outcome="colour")
    assert figure.layout.yaxis.title.text == "colour"
    dots = next(trace for trace in figure.data if trace.name == "answers")
    assert sorted(dots.y) == [0.1, 0.3]
    waiting = next(trace for trace in figure.data if trace.name == "pending")
    assert len(waiting.x) == 1  # the third query waits for its yield alone
    with pytest.raises(bl.errors.ParameterError, match="the study has yield, impurity, colour"):
        gel.plot("belief", outcome="smell")


def test_the_timeline_ends_each_query_when_its_wait_ended(lab: bl.Study) -> None:
    found = traces(lab, "timeline")
    ends = {name: dict(zip(trace.y, trace.x, strict=True)) for name, trace in found.items()}
    assert ends == {
        "answered (2)": {1: 10.0, 2: 10.0},
        "pending (2)": {6: 30.0, 7: 30.0},
        "failed (1)": {4: 20.0},
        "abandoned (1)": {5: 20.0},
        "retracted (1)": {3: 20.0},
    }
    markers = {name: (trace.marker.color, trace.marker.symbol) for name, trace in found.items()}
    assert markers["failed (1)"] != markers["abandoned (1)"]


def test_pairs_show_failures_where_they_were_and_points_as_they_were_tried(lab: bl.Study) -> None:
    found = traces(lab, "pairs")
    failed = lab.queries()[3]
    assert found["failed"].text == ("query 4: failed (precipitated <b>)",)
    assert found["failed"].x == (failed.point["temperature"],)
    assert found["best answer"].x == (71.0,)


def test_the_belief_has_crosses_for_failures(lab: bl.Study) -> None:
    lab.change(policy="gp-bucb")
    assert traces(lab, "belief")["failed"].marker.symbol == "x-open"


def test_what_stands_under_the_pointer_says_what_was_tried_and_what_was_asked(lab: bl.Study) -> None:
    texts = traces(lab, "progress")["answers"].text
    assert texts[0].startswith("query 1: 0.5, the mean of 2<br>")
    assert texts[1].startswith("query 2: 0.75 ± 0.1<br>temperature = 71 (asked: ")


def test_a_number_that_was_tried_between_the_values_of_a_table_stands_between_them() -> None:
    table = bl.Candidates([{"dose": dose, "ligand": ligand} for dose in (1.0, 2.0, 4.0) for ligand in "AB"])
    study = bl.Study.in_memory(table, policy="random", seed=1)
    study.ask(2)
    study.tell(1, 0.5, point={"dose": 3.0, "ligand": "A"})
    study.tell(2, 0.25)
    drawn = traces(study, "pairs")["best answer"]
    assert 3.0 in (*drawn.x, *drawn.y) or 1.5 in (*drawn.x, *drawn.y)


def test_progress_counts_what_meets_all_constraints(gel: bl.Study) -> None:
    found = traces(gel, "progress")
    assert set(found["answers"].y) == {0.9, 0.5}
    assert set(found["best answer so far"].y) == {0.5}
    assert traces(gel, "pairs")["best answer"].x == (gel.queries()[1].point["temperature"],)
    gel.revise(2, {"impurity": 2.5})
    assert "best answer so far" not in traces(gel, "progress")
    assert "best answer" not in traces(gel, "pairs")


@pytest.mark.parametrize("which", ["lab", "gel", "fronts"])
def test_the_report_of_a_study_says_what_failed_and_what_is_partly_answered(
    which: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if which == "fronts":
        study = bl.Study.in_memory(SPACE, outcomes={"a": bl.Maximize(), "b": bl.Minimize()}, policy="random", seed=1)
        [query] = study.ask(1)
        study.tell(query, {"a": 1.0, "b": 2.0})
    else:
        study = request.getfixturevalue(which)
    page = study_report(tmp_path / "report.html", study).read_text(encoding="utf-8")
    said = {
        "lab": ["What failed", "precipitated &lt;b&gt;", "Large answers are good"],
        "gel": ["yield, maximize; impurity, at most 2; colour, signal", "partly answered", "no reason given"],
        "fronts": ["no single answer is the best of them", "a, maximize; b, minimize"],
    }
    for text in said[which]:
        assert text in page


def test_a_notebook_shows_outcomes_failures_and_what_is_partly_answered(gel: bl.Study, lab: bl.Study) -> None:
    card = gel._repr_html_()
    for text in ("maximize yield", "at most 2", "signal", "partly answered", "failed", "0.5 (query 2)"):
        assert text in card
    assert "precipitated &lt;b&gt;" in lab.queries()[3]._repr_html_()
    front = bl.Study.in_memory(SPACE, outcomes={"a": bl.Maximize(), "b": bl.Minimize()}, policy="random", seed=1)
    [query] = front.ask(1)
    front.tell(query, {"a": 1.0, "b": 2.0})
    assert "maximize a, minimize b" in front._repr_html_()

"""The report of a study says what it is, how it stands and what is expected, on one page."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import belated as bl
from belated import report
from belated.space import Parameter
from tests.builders import Clock, mixed_table
from tests.unit.report.outline import outlined
from tests.unit.report.studies import asked, laboratory, small

FIGURE = re.compile(r'<div id="(figure-[\d-]+)"')


def page_of(study: bl.Study, folder: Path) -> str:
    path = report.study_report(folder / "report.html", study)
    assert path == (folder / "report.html").resolve()
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize("goal, domain", [("maximize", None), ("minimize", mixed_table())])
def test_the_page_has_six_figures_and_refers_to_nothing_outside_itself(goal: Any, domain: Any, tmp_path: Path) -> None:
    page = page_of(laboratory(goal, domain), tmp_path)
    assert outlined(page).links == []
    assert len(FIGURE.findall(page)) == 6


def test_the_tiles_count_the_queries_of_each_state(tmp_path: Path) -> None:
    texts = outlined(page_of(laboratory(), tmp_path)).texts
    tiles = dict(pairwise(texts))
    expected = {"asked": "14", "answered": "8", "pending": "4, 1 of them overdue", "abandoned": "2", "added": "1"}
    assert {name: tiles[name] for name in expected} == expected


def test_the_page_defines_the_study(tmp_path: Path) -> None:
    study = laboratory()
    study.close("good enough")
    text = " ".join(outlined(page_of(study, tmp_path)).texts)
    for part in ("gp-bucb(window=Window(seconds=21600))", "seed 4", "closed: good enough", "DMF, THF, water", "1 to 8"):
        assert part in text


def test_the_best_answer_and_the_recommendation_stand_side_by_side(tmp_path: Path) -> None:
    study = laboratory()
    best, recommended = study.best(), study.recommend()
    texts = outlined(page_of(study, tmp_path)).texts
    assert f"best answer (query {best.query})" in texts
    place = texts.index("heat", texts.index("recommended"))
    assert texts[place : place + 3] == ["heat", f"{best.point['heat']:.4g}", f"{recommended.point['heat']:.4g}"]
    assert f"{recommended.mean:.4g} ± {recommended.deviation:.4g}" in texts


def test_what_a_study_without_answers_lacks_is_said_in_a_sentence(tmp_path: Path) -> None:
    study = small()
    page = page_of(study, tmp_path)
    texts = outlined(page).texts
    assert FIGURE.findall(page) == []
    assert texts.count("No query has an answer yet.") == 3
    assert texts.count("Nothing has been asked yet.") == 3
    assert "There is one parameter, and so no pair." in texts
    asked(study)
    assert len(FIGURE.findall(page_of(study, tmp_path))) == 3


def test_a_context_is_defined_and_the_latest_one_recommended_in(tmp_path: Path) -> None:
    context = bl.Context(hour=bl.Float(0, 24), seen="before")
    study = small(policy="gp-bucb", context=context)
    study.tell(asked(study, context={"hour": 3.5}), 1.0)
    text = " ".join(outlined(page_of(study, tmp_path)).texts)
    assert "hour (context)" in text
    assert "It is recommended in the latest context, hour = 3.5." in text


def test_a_belief_from_very_many_answers_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("belated.report.study.MOST_BELIEVED", 5)
    study = laboratory()
    page = page_of(study, tmp_path)
    assert "study.plot(&#x27;belief&#x27;) draws it" in page
    assert len(FIGURE.findall(page)) == 5
    assert "recommended" not in outlined(page).texts


def test_names_are_escaped_in_tables_and_figures(tmp_path: Path) -> None:
    parameters: dict[str, Parameter] = {"</script><b>x": bl.Float(0, 1), "$y$": bl.Choice("<i>", "b")}
    space = bl.Space.from_parameters(parameters)
    study = bl.Study.in_memory(space, seed=0, clock=Clock())
    study.tell(asked(study), 1.0)
    page = page_of(study, tmp_path)
    assert "</script><b>" not in page
    assert "<i>" not in page
    assert "</script><b>x" in outlined(page).texts


def test_the_same_study_has_the_same_report(tmp_path: Path) -> None:
    study = laboratory()
    assert page_of(study, tmp_path / "a") == page_of(study, tmp_path / "b")

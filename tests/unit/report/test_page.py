"""The report is one page that needs nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from belated import report, simulate
from belated.errors import ParameterError
from belated.report import PageTable, Section
from tests.unit.report.outline import outlined


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = simulate.run("branin", "random", simulate.poisson(2), rounds=8, seed=0)
    sections = [
        Section("Results & more", ["Less than 1 < 2."], [("best", "0.5")], PageTable(("", "n"), [("a", "1")])),
        Section("Figures", figures=[report.regret({"random": run}), report.timeline(run.study)]),
    ]
    path = tmp_path_factory.mktemp("report") / "new" / "page.html"
    assert report.write_report(path, "A <title>", sections, "The lead.") == path.resolve()
    return path.read_text(encoding="utf-8")


def test_the_page_has_its_title_text_facts_and_tables(page: str) -> None:
    texts = outlined(page).texts
    for text in ("A <title>", "The lead.", "Results & more", "Less than 1 < 2.", "best", "0.5", "a", "1"):
        assert text in texts


def test_the_page_refers_to_nothing_outside_itself(page: str) -> None:
    assert outlined(page).links == []


def test_plotly_is_in_the_page_once_and_every_figure_has_its_place(page: str) -> None:
    assert page.count("plotly.js v") == 1
    assert re.findall(r'<div id="(figure-[\d-]+)"', page) == ["figure-2-1", "figure-2-2"]


def test_the_page_is_made_for_phones_and_for_the_dark(page: str) -> None:
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page


def test_the_same_report_is_the_same_file() -> None:
    run = simulate.run("branin", "random", rounds=5, seed=0)
    pages = {report.page.render("Twice", [Section("One", figures=[report.waits(run.study)])]) for _ in range(2)}
    assert len(pages) == 1


def test_a_path_that_cannot_be_written_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match="cannot be written"):
        report.write_report(tmp_path / "file" / "page.html", "A title", [])

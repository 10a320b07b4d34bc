"""Look at a study by command line: status, best, recommend, pending, plot, report."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from belated.study.figures import kinds
from tests.service.conftest import SPACE, Belated


def test_the_studies_of_a_storage_are_listed(belated: Belated, lab: str) -> None:
    belated("create", "other", "--space", "{x: {float: [0, 1]}}", "--goal", "minimize")
    head, first, second = belated("status").out.splitlines()
    assert head.split() == ["study", "asked", "answered", "pending", "overdue", "best", "policy"]
    assert first.split() == ["lab", "3", "1", "2", "0", "-0.5", "random"]
    assert second.split() == ["other", "0", "0", "0", "0", "auto"]
    assert [study["name"] for study in belated("status", "--json").json] == ["lab", "other"]


def test_the_status_of_a_study_has_all_that_matters(belated: Belated, lab: str) -> None:
    belated("change", lab, "--policy", "gp-bucb", "--window", 1)
    belated("add", lab, "temperature=40", "loading=0.01", "solvent=DMF", "steps=2", "--value", 0.75)
    belated("abandon", lab, 3)
    belated("ask", lab, "-n", 2)
    out = belated("status", lab).out
    assert out.startswith("lab: maximize with gp-bucb(window=1), seed 7\n")
    lines = {line.split("  ")[0]: line for line in out.splitlines()}
    for name, text in {
        "asked": "5",
        "answered": "1",
        "pending": "3",
        "overdue": "1 of them: query 1 (",
        "abandoned": "1",
        "added": "1",
        "delay": "median 0.",
        "best": "0.75 by query 4: temperature 40, ",
    }.items():
        assert text in lines[name]
    assert "The best answer so far" in out
    assert "0.75 ┤" in out
    assert "-0.5 ┤▁" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_status_as_json_has_the_counts_the_delay_and_the_progress(belated: Belated, lab: str) -> None:
    belated("change", lab, "--policy", "gp-bucb", "--window", 0)
    belated("tell", lab, 1, 0.25)
    data = belated("status", lab, "--json").json
    assert data["counts"] == {
        "asked": 3,
        "answered": 2,
        "pending": 1,
        "overdue": 0,
        "abandoned": 0,
        "added": 0,
        "failed": 0,
        "retracted": 0,
    }
    assert (data["delay"]["median_queries"], data["delay"]["longest_queries"]) == (1.5, 2)
    assert 0 < data["delay"]["median_seconds"] <= data["delay"]["longest_seconds"]
    assert (data["overdue"], data["progress"]) == ([], [-0.5, 0.25])
    assert (data["best"]["query"], data["best"]["value"]) == (1, 0.25)
    assert data["policy"] == {"name": "gp-bucb", "parameters": {"window": 0}}


def test_a_study_without_answers_has_neither_a_best_one_nor_a_delay(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE)
    data = belated("status", "lab", "--json").json
    assert (data["best"], data["delay"], data["progress"]) == (None, None, [])
    out = belated("status", "lab").out
    assert "best" not in out
    assert "asked     0" in out


def test_minimizing_shows_falling_values(belated: Belated) -> None:
    belated("create", "lab", "--space", SPACE, "--policy", "random", "--goal", "minimize")
    belated("ask", "lab", "-n", 3)
    for query, value in ((1, 3), (2, 5), (3, 1)):
        belated("tell", "lab", query, value)
    assert belated("status", "lab", "--json").json["progress"] == [3, 3, 1]
    assert belated("best", "lab", "--json").json["value"] == 1


def test_a_terminal_without_unicode_gets_a_chart_of_signs(
    belated: Belated, lab: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    belated("tell", lab, 1, 1)
    sys.stdout.reconfigure(encoding="ascii")  # type: ignore[union-attr]
    out = belated("status", lab).out
    assert out.isascii()
    assert "1 |" in out
    assert "-0.5 |####" in out


def test_the_best_answer_and_the_recommendation_are_shown(belated: Belated, lab: str) -> None:
    best = belated("best", lab, "--json").json
    assert (best["query"], best["value"], set(best["point"])) == (
        2,
        -0.5,
        {"temperature", "loading", "solvent", "steps"},
    )
    assert belated("best", lab).out.startswith("-0.5 by query 2\n  temperature  ")
    belated("change", lab, "--policy", "gp-bucb")
    advice = belated("recommend", lab, "--json").json
    assert set(advice) == {"point", "mean", "deviation", "jitter", "others", "chance"}
    assert " expected, give or take " in belated("recommend", lab).out


def test_pending_queries_are_listed_with_their_workers(belated: Belated, lab: str) -> None:
    belated("ask", lab, "--worker", "bench-2")
    out = belated("pending", lab).out
    assert out.split()[:5] == ["query", "state", "waiting", "worker", "point"]
    assert "bench-2" in out
    assert [query["id"] for query in belated("pending", lab, "--json").json] == [1, 3, 4]
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("kind", ["progress", "timeline", "waits", "delays"])
def test_a_figure_is_drawn_into_a_page(belated: Belated, lab: str, kind: str) -> None:
    path = Path(belated("plot", lab, kind, "--json").json["file"])
    assert path.name == f"lab-{kind}.html"
    assert "plotly" in path.read_text(encoding="utf-8")
    assert str(Path("here.html")) in belated("plot", lab, kind, "-o", "here.html").out


@pytest.mark.parametrize("words", [("plot",), ("plot", "lab")], ids=str)
def test_without_a_kind_the_kinds_of_figures_are_listed(belated: Belated, lab: str, words: tuple[str, ...]) -> None:
    out = belated(*words).out
    assert [line.split()[0] for line in out.splitlines() if not line.startswith(" ")] == ["kind", *kinds()]
    assert [entry["name"] for entry in belated(*words, "--json").json] == list(kinds())
    assert not list(Path().glob("*.html"))


@pytest.mark.parametrize(
    "words",
    [
        ("create", "new", "--space", SPACE),
        ("ask", "lab"),
        ("ask", "lab", "-n", 3),
        ("status",),
        ("status", "lab"),
        ("pending", "lab"),
        ("best", "lab"),
        ("recommend", "lab"),
        ("explain", "lab"),
        ("delays", "lab"),
        ("plot",),
        ("policies",),
        ("policies", "gp-bucb"),
        ("problems",),
    ],
    ids=lambda words: " ".join(map(str, words)),
)
def test_no_line_ends_in_blanks(belated: Belated, lab: str, words: tuple[object, ...]) -> None:
    belated("change", lab, "--policy", "gp-bucb")
    lines = belated(*words).out.split("\n")
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_report_holds_the_figures(belated: Belated, lab: str) -> None:
    path = Path(belated("report", lab, "--json").json["file"])
    assert path.name == "lab.html"
    assert path.read_text(encoding="utf-8").count('class="chart"') >= 3
    assert "there.html" in belated("report", lab, "-o", "there.html").out


def test_an_unknown_figure_or_ending_is_refused(belated: Belated, lab: str) -> None:
    assert "progress" in belated("plot", lab, "progres", ok=False).err
    assert belated("plot", lab, "progress", "-o", "x.gif", ok=False).code == 14
    assert belated("plot", lab, "progress", "--set", "colour=red", ok=False).code == 14


def test_what_decides_is_explained(belated: Belated) -> None:
    belated("create", "new", "--space", "{x: {float: [0, 1]}}")
    out = belated("explain", "new").out
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[:4] == ["auto decides", "", "What it sees", "  space        1 parameter: 1 number"]
    assert lines[4:6] == ["  what counts  the best point in the end", "  contexts     none"]
    assert "  belief           a Gaussian process (matern52), fitted with every answer" in lines
    assert lines[lines.index("Why") + 1].startswith("  ·  Up to 200 answers")
    assert max(map(len, lines)) <= 80
    data = belated("explain", "new", "--json").json
    assert data["policy"] == "auto"
    assert data["saw"]["answers"] == "0 of 0 queries, 0 still waited for"
    assert len(data["why"]) == 5


def test_a_window_can_be_learned(belated: Belated, lab: str) -> None:
    out = belated("change", lab, "--policy", "gp-bucb", "--window", "auto").out
    assert out == "lab goes on with gp-bucb(window='auto'), seed 7\n"
    refused = belated("change", lab, "--window", "auto", "--window-seconds", 5, ok=False)
    assert "learns how long to wait" in refused.err
    assert "'soon' is neither a number of queries nor" in belated("change", lab, "--window", "soon", ok=False).err

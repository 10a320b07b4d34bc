"""Figures and tables of experiments show what the statistics say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import report
from belated.experiments import MEASURES, Arm, Experiment, Results, conduct
from belated.experiments.statistics import comparisons, estimate
from belated.report.experiments import LOOKS, comparison_table, curves, final_table, looks, markdown, panels
from belated.report.style import COLOURS
from tests.unit.experiments.experiments import arm, experiment
from tests.unit.report.outline import outlined
from tests.unit.report.studies import named


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return conduct(experiment(range(5)), tmp_path_factory.mktemp("runs"), workers=0)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Results:
    chosen = experiment(range(3), arm(problem="hartmann6"), arm("third", "gp-bucb", problem="hartmann6"))
    return conduct(chosen, tmp_path_factory.mktemp("runs"), workers=0)


def areas(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data if trace.fill == "toself"}


@pytest.mark.parametrize("measure", MEASURES)
def test_the_lines_and_areas_of_a_figure_are_the_means_and_bands(measure: str, results: Results) -> None:
    figure = curves(results, measure, bands=0.9)
    assert list(named(figure)) == list(results.runs)
    for label, line in named(figure).items():
        found = estimate(results[label].measure(measure))
        low, high = found.band(0.9)
        there = ~np.isnan(low)
        rounds = np.arange(1, 9)
        np.testing.assert_array_equal(np.array(line.x, dtype=float), rounds)
        np.testing.assert_array_equal(np.array(line.y, dtype=float), found.mean)
        area = areas(figure)[label]
        np.testing.assert_array_equal(area.y, [*high[there], *low[there][::-1]])
        np.testing.assert_array_equal(area.x, [*rounds[there], *rounds[there][::-1]])
        assert area.legendgroup == line.legendgroup == label


def test_axes_are_named_and_bands_can_be_left_out(results: Results) -> None:
    figure = curves(results, "average", x="day", y="loss in %", bands=None)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("day", "loss in %")
    assert areas(figure) == {}
    assert curves(results).layout.yaxis.title.text == "simple regret"
    assert "5 runs" in curves(results).layout.title.text


def test_one_run_has_no_band_and_the_figure_says_so(tmp_path: Path) -> None:
    figure = curves(conduct(experiment(range(1)), tmp_path, workers=0))
    assert areas(figure) == {}
    assert figure.layout.title.text == "One run of each."


def test_a_logarithmic_axis_keeps_bands_above_zero(results: Results) -> None:
    figure = curves(results, "average", log=True)
    assert figure.layout.yaxis.type == "log"
    assert all(np.min(area.y) > 0 for area in areas(figure).values())


def test_panels_share_one_legend_and_one_look(results: Results, other: Results) -> None:
    figure = panels([results, other])
    assert list(named(figure)) == ["random", "one by one", "third"]
    lines = [trace for trace in figure.data if trace.name == "random" and not trace.fill and trace.opacity is None]
    assert [line.xaxis for line in lines] == ["x", "x2"]
    faint = [trace for trace in figure.data if trace.name == "random" and trace.opacity is not None]
    assert [line.xaxis for line in faint] == ["x2"] * 3, "of three runs, each is drawn"
    assert np.array_equal([line.y for line in faint], other["random"].simple_regret)
    assert len({(line.line.color, line.line.dash) for line in lines}) == 1
    np.testing.assert_array_equal(lines[1].y, estimate(other["random"].simple_regret).mean)
    assert "3 to 5 runs" in figure.layout.title.text


def test_a_policy_looks_the_same_whatever_it_is_drawn_with() -> None:
    several = [arm("a", "random"), arm("b", "gp-bucb"), arm("c", "one by one")]
    assert looks(several)["b"] == looks(several[1:])["b"] == looks(several[1:2])["b"] == LOOKS["gp-bucb"]


def test_arms_of_one_policy_are_told_apart() -> None:
    arms = [Arm(f"window {size}", "branin", bl.policies.gp_bucb(window=size)) for size in range(1, 25)]
    found = looks([*arms, arm("random")])
    assert len(set(found.values())) == 25
    assert found["window 1"] == LOOKS["gp-bucb"]
    assert found["window 2"].colour == LOOKS["gp-bucb"].colour
    assert found["random"] == LOOKS["random"]


def test_every_policy_has_a_look_of_its_own() -> None:
    assert set(LOOKS) >= set(bl.policies.names())
    assert len(set(LOOKS.values())) == len(LOOKS)
    assert {look.colour for look in LOOKS.values()} >= set(COLOURS)


def test_the_final_table_has_means_with_errors_the_lowest_first(results: Results) -> None:
    table = final_table(results, "cumulative")
    finals = {label: estimate(values) for label, values in results.final("cumulative").items()}
    assert [row[0] for row in table.rows] == sorted(finals, key=lambda label: float(finals[label].mean))
    for label, text, count, _ in table.rows:
        mean, error = (float(part) for part in text.split(" ± "))
        assert mean == pytest.approx(float(finals[label].mean), abs=float(finals[label].error) / 10)
        assert error == pytest.approx(float(finals[label].error), rel=0.06)
        assert count == "5"


def test_the_table_of_pairs_has_their_p_values(results: Results) -> None:
    (row,) = comparison_table(results, "cumulative").rows
    (found,) = comparisons(results.final("cumulative"))
    assert row[0] == "random − one by one"
    assert row[2:5] == tuple(f"{p:.3f}" for p in (found.t_test, found.sign_flip, found.adjusted))
    assert row[5] == found.lower


def test_a_table_in_markdown_has_its_rows_and_escapes_bars() -> None:
    text = markdown(report.PageTable(("", "value"), [("a|b", "1")]))
    assert text == "|  | value |\n| --- | ---: |\n| a&#124;b | 1 |\n"


def test_odd_labels_are_shown_as_they_are(tmp_path: Path) -> None:
    odd = Experiment("<b>$x$</b>", (arm("<script>%{x}"),), range(2))
    found = conduct(odd, tmp_path, workers=0)
    text = str(panels([found]))
    assert "<script>" not in text
    assert "<b>" not in text
    page = report.save(curves(found), tmp_path / "page.html").read_text(encoding="utf-8")
    assert outlined(page).links == []

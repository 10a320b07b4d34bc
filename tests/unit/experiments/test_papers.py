"""The experiments of the papers, as data: sound, and judged by what comes out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from belated import simulate
from belated.errors import MissingDataError, UnknownNameError
from belated.experiments import MEASURES, Arm, Experiment, Results, Runs, papers
from belated.experiments.papers import Claim, Computed, Figure, Paper, PaperPanel, Tabulation, vakili2023, verma2022
from belated.experiments.papers.huang2024 import distance
from belated.experiments.papers.reproduction import ClaimVerdict, reproduce, verdict
from belated.policies import Recipe, gp_bucb, random
from belated.report.papers import draw_figure, page
from belated.simulate import problems
from belated.simulate.problems.distributions import Normal
from belated.simulate.problems.unseen import COMPLICATED

PANELS = [
    pytest.param(panel, id=f"{key}-{figure.key}{panel.key}")
    for key in papers.names()
    for figure in papers.paper(key).figures
    if isinstance(figure, Figure)
    for panel in figure.panels
]


@pytest.mark.parametrize("panel", PANELS)
def test_every_claim_is_about_curves_of_its_panel(panel: PaperPanel) -> None:
    labels = [arm.label for arm in panel.arms]
    assert len(set(labels)) == len(labels)
    assert all(measure in MEASURES for measure in panel.measures)
    for claim in panel.claims:
        assert {claim.lower, claim.higher} <= set(labels)
        assert claim.measure in panel.measures


@pytest.mark.parametrize("panel", PANELS)
def test_every_curve_is_of_a_known_problem_that_suits_its_policy(panel: PaperPanel) -> None:
    for arm in panel.arms:
        problems.describe(arm.problem)
        try:
            posed = arm.posed(0)
        except MissingDataError:
            continue
        arm.policy.check("test", posed.space, posed.context)


def test_figures_of_a_paper_have_keys_of_their_own() -> None:
    for key in papers.names():
        keys = [figure.key for figure in papers.paper(key).figures]
        assert len(set(keys)) == len(keys)


def test_an_unknown_paper_comes_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'verma2022'"):
        papers.paper("verma2021")


def results(lower: np.ndarray, higher: np.ndarray) -> Results:
    arms = (Arm("low", "branin", random(), rounds=1), Arm("high", "branin", gp_bucb(), rounds=1))
    seeds = tuple(range(len(lower)))

    def runs(values: np.ndarray) -> Runs:
        column = values[:, None].astype(float)
        return Runs(np.array(seeds), column, column, np.ones_like(column), np.ones(len(seeds)))

    return Results(Experiment("made up", arms, seeds), {"low": runs(lower), "high": runs(higher)})


@pytest.mark.parametrize(
    "shift, outcome", [(1.0, "comes out"), (-1.0, "the other way round"), (0.0, "no difference seen")]
)
def test_a_claim_is_judged_by_paired_trials(shift: float, outcome: str) -> None:
    noise = np.tile([0.2, -0.2], 6)
    base = np.arange(12.0)
    found = verdict(Claim("low", "high", "simple"), results(base, base + shift + noise))
    assert isinstance(found, ClaimVerdict)
    assert found.outcome == outcome
    assert found.difference == pytest.approx(-shift, abs=1e-12)


def test_a_figure_is_run_panel_by_panel_and_taken_up_again(tmp_path: Path) -> None:
    arms = (Arm("random", "branin", random(), rounds=4), Arm("other", "branin", random(), rounds=5))
    sound = PaperPanel("a", "Branin", arms, ("simple",), (Claim("other", "random", "simple"),), trials=2)
    figure = Figure("1", "One", "something", (sound,))
    paper = Paper("made-up", "A made-up paper", 3, (figure,))
    told: list[str] = []
    first = reproduce(paper, figure, tmp_path, 3, workers=0, watch=lambda panel, news: told.append(news.label))
    assert first.outcomes[0].results is not None
    assert first.outcomes[0].results["random"].regrets.shape == (2, 4), "a panel may have fewer trials"
    assert set(told) == {"random", "other"}
    again = reproduce(paper, figure, tmp_path, 3, workers=0)
    assert again.outcomes[0].results is not None
    assert np.array_equal(again.outcomes[0].results["other"].regrets, first.outcomes[0].results["other"].regrets)


def test_a_panel_whose_data_are_missing_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELATED_DATA", str(tmp_path))
    panel = PaperPanel("a", "SVM", (Arm("random", "svm-diabetes", random(), rounds=2),), ("simple",))
    figure = Figure("1", "One", "something", (panel,))
    paper = Paper("made-up", "A made-up paper", 1, (figure,))
    found = reproduce(paper, figure, tmp_path / "runs", 1, workers=0)
    assert found.outcomes[0].results is None
    assert "diabetes.csv" in found.outcomes[0].missing


def test_figures_and_tables_are_called_as_in_the_paper() -> None:
    assert Figure("5", "Five", "something", ()).name == "Figure 5"
    assert Figure("table-1", "One", "something", ()).name == "Table 1"


def test_a_table_without_studies_is_computed_for_the_page(tmp_path: Path) -> None:
    table = Tabulation("table-9", "Nine", "it is so", ("n", "value"), lambda: [("10", "0.5")], "a note")
    paper = Paper("made-up", "A made-up paper", 1, (table,))
    computed = Computed(paper, table, table.compute())
    written = page(paper, [computed], [draw_figure(computed, tmp_path)], tmp_path).read_text(encoding="utf-8")
    assert "## Table 9: Nine" in written
    assert "The paper: it is so" in written
    assert "Here: a note" in written
    assert "| 10 | 0.5 |" in written


def test_the_distance_of_a_kernel_density_is_the_integral_over_the_whole_line() -> None:
    for truth in (Normal(0.5, 0.1), COMPLICATED):
        found = distance(truth, 40, np.random.default_rng(5))
        rng = np.random.default_rng(5)
        drawn_ones = np.array([truth.draw(rng) for _ in range(40)])
        width = (4.0 / 3.0) ** 0.2 * drawn_ones.std() * 40**-0.2
        reach = max(60.0, 4.0 * float(np.abs(drawn_ones).max()))
        grid = np.sinh(np.linspace(-np.arcsinh(1e3 * reach), np.arcsinh(1e3 * reach), 400_001)) / 1e3 + 0.5
        estimated = np.zeros_like(grid)
        for each in drawn_ones:
            estimated += np.exp(-0.5 * ((grid - each) / width) ** 2) / (40 * width * np.sqrt(2 * np.pi))
        plain = np.trapezoid(np.abs(estimated - truth.density(grid)), grid)
        assert found == pytest.approx(plain, abs=4e-3)


@pytest.mark.parametrize(
    "policy", [verma2022.policies(0, 6)["GP-UCB-SDF"], vakili2023.sdf_arm("rkhs-f1", "SDF", 3).policy]
)
@pytest.mark.parametrize(("delay", "late"), [(6, False), (7, True)])
def test_an_answer_counts_if_its_delay_is_at_most_the_window(policy: Recipe, delay: int, late: bool) -> None:
    run = simulate.run("gp-unit", policy, simulate.constant(delay), rounds=20, seed=1)
    told = run.study.evidence().late_mask(run.study.policy.window)[: 20 - delay]
    assert told.tolist() == [late] * (20 - delay)

"""The experiments of the papers, as data: sound, and judged by what comes out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from belated import simulate
from belated.errors import MissingDataError, UnknownNameError
from belated.experiments import MEASURES, Arm, Experiment, Results, Runs, papers
from belated.experiments.papers import (
    Claim,
    Computed,
    Figure,
    LevelClaim,
    Opening,
    Paper,
    PaperPanel,
    Reproduction,
    Story,
    Tabulation,
    TimeClaim,
    reproduce,
    vakili2023,
    verdict,
    verma2022,
)
from belated.experiments.papers.huang2024 import distance
from belated.policies import Recipe, gp_bucb, random
from belated.report.papers import draw_figure, page, record
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
        assert set(claim.labels) <= set(labels)
        assert claim.span in claim.spans
        assert not isinstance(claim, Claim | LevelClaim) or claim.measure in panel.measures


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


STORY = Story("it is so", "it was so", "do so", "1-simple", ("they did more",))


@pytest.mark.parametrize(
    "shift, spread, outcome",
    [
        (1.0, 0.2, "comes out"),
        (-1.0, 0.2, "the other way round"),
        (0.0, 0.2, "level"),
        (0.0, 4.0, "too few to tell"),
    ],
)
def test_a_claim_is_judged_by_paired_trials(shift: float, spread: float, outcome: str) -> None:
    noise = np.tile([spread, -spread], 6)
    base = 5.0 + np.arange(12.0)
    found = verdict(Claim("low", "high", "simple"), results(base, base + shift + noise))
    assert found.outcome == outcome
    assert [one.span for one in found.findings] == ["after the last round", "over all rounds"]
    assert found.judged.difference == pytest.approx(-shift, abs=1e-12)
    # Student's interval of twelve differences, 2.201 from a table.
    error = spread * np.sqrt(12 / 11) / np.sqrt(12)
    assert found.judged.low == pytest.approx(-shift - 2.201 * error, abs=1e-3)
    assert found.judged.high == pytest.approx(-shift + 2.201 * error, abs=1e-3)


@pytest.mark.parametrize(
    "shift, spread, outcome",
    [
        (0.0, 0.2, "comes out"),
        (1.5, 0.2, "the other way round"),
        (-1.5, 0.2, "the other way round"),
        (0.0, 4.0, "too few to tell"),
    ],
)
def test_two_curves_said_to_be_level_may_be_so_or_not(shift: float, spread: float, outcome: str) -> None:
    noise = np.tile([spread, -spread], 6)
    base = 5.0 + np.arange(12.0)
    found = verdict(LevelClaim("low", "high", "simple"), results(base, base + shift + noise))
    assert [one.outcome for one in found.findings] == [outcome]
    assert found.outcome == outcome


def test_a_panel_may_have_more_or_fewer_trials_than_its_paper() -> None:
    few, many, usual = (branin_panel(trials=trials) for trials in (2, 20, None))
    figure = Figure("1", "One", "something", (few, many, usual))
    paper = Paper("made-up", "A made-up paper", 5, (figure,), STORY)
    assert [len(paper.experiment(figure, panel).seeds) for panel in figure.panels] == [2, 20, 5]
    assert [len(paper.experiment(figure, panel, 3).seeds) for panel in figure.panels] == [2, 3, 3]


def test_a_curve_is_compared_with_as_many_times_another_as_the_claim_says() -> None:
    base, noise = 5.0 + np.arange(12.0), np.tile([0.1, -0.1], 6)
    slightly_worse = results(1.05 * base + noise, base)
    assert verdict(Claim("low", "high", "simple"), slightly_worse).outcome == "the other way round"
    assert verdict(Claim("low", "high", "simple", factor=1.1), slightly_worse).outcome == "comes out"
    assert Claim("low", "high", "simple", factor=1.1).words == "low < 1.1 × high, simple regret"


def test_times_are_compared_run_by_run() -> None:
    found = results(np.arange(6.0), np.arange(6.0))
    for label, seconds in (("low", 1.0), ("high", 4.0)):
        found.runs[label].seconds[:] = seconds + 0.01 * np.arange(6.0)
    assert verdict(TimeClaim("low", "high", 10.0**-0.5), found).outcome == "comes out"
    assert verdict(TimeClaim("low", "high", 0.2), found).outcome == "the other way round"


def test_few_trials_tell_nothing_however_close_or_far_they_are() -> None:
    base = np.arange(1.0, 5.0)
    assert verdict(Claim("low", "high", "simple"), results(base, base)).outcome == "too few to tell"
    assert verdict(Claim("low", "high", "simple"), results(base, base + 9.0)).outcome == "too few to tell"


def test_the_end_and_the_whole_are_compared_where_the_best_so_far_is() -> None:
    few = np.array([[4.0, 1.0], [5.0, 1.0], [4.0, 1.0], [4.5, 1.0], [4.0, 1.0], [6.0, 1.0]])
    many = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.5], [1.0, 3.0], [1.0, 2.0], [1.0, 2.0]])
    arms = (Arm("low", "branin", random(), rounds=2), Arm("high", "branin", gp_bucb(), rounds=2))
    runs = {
        label: Runs(np.arange(6, dtype=np.uint64), values, values, np.ones_like(values), np.ones(6))
        for label, values in (("low", few), ("high", many))
    }
    found = verdict(Claim("low", "high", "simple"), Results(Experiment("made up", arms, tuple(range(6))), runs))
    assert [one.outcome for one in found.findings] == ["comes out", "the other way round"]
    assert found.outcome == "comes out"
    over = Claim("low", "high", "simple", "over all rounds")
    assert verdict(over, Results(Experiment("made up", arms, tuple(range(6))), runs)).outcome == "the other way round"
    assert Claim("low", "high", "cumulative").spans == ("after the last round",)


def branin_panel(rounds: int = 5, trials: int | None = 2) -> PaperPanel:
    arms = (Arm("random", "branin", random(), rounds=4), Arm("other", "branin", random(), rounds=rounds))
    return PaperPanel("a", "Branin", arms, ("simple",), (Claim("other", "random", "simple"),), trials=trials)


def only(found: list[Reproduction | Computed]) -> Reproduction:
    assert len(found) == 1
    assert isinstance(found[0], Reproduction)
    return found[0]


def test_a_figure_is_run_again_and_taken_up_again(tmp_path: Path) -> None:
    figure = Figure("1", "One", "something", (branin_panel(),))
    paper = Paper("made-up", "A made-up paper", 3, (figure,), STORY)
    told: list[tuple[str, str]] = []
    first = only(
        reproduce(paper, [figure], tmp_path, None, 0, lambda one, panel, news: told.append((panel.key, news.label)))
    )
    assert first.outcomes[0].results is not None
    assert first.outcomes[0].results["random"].regrets.shape == (2, 4), "a panel may have fewer trials"
    assert set(told) == {("a", "random"), ("a", "other")}
    again = only(reproduce(paper, [figure], tmp_path, workers=0))
    assert again.outcomes[0].results is not None
    assert np.array_equal(again.outcomes[0].results["other"].regrets, first.outcomes[0].results["other"].regrets)


def test_what_a_page_was_made_with_tells_whether_today_plays_alike(tmp_path: Path) -> None:
    figure = Figure("1", "One", "something", (branin_panel(12),))
    paper = Paper("made-up", "A made-up paper", 3, (figure,), STORY)
    done = reproduce(paper, [figure], tmp_path / "runs", 3, workers=0)
    written = json.loads(record(paper, done, tmp_path).read_text(encoding="utf-8"))
    arms = written["1"]["panels"][0]["arms"]
    assert [arm["label"] for arm in arms] == ["random", "other"]
    assert len(arms[1]["regrets"]) == 10
    assert written["1"]["panels"][0]["claims"][0]["outcome"] == "too few to tell"
    for arm, kept in zip(figure.panels[0].arms, arms, strict=True):
        before = Opening(**kept)
        assert Opening.played(arm, 0).agrees(before)
        assert not Opening.played(replace(arm, noise=0.5), 0).agrees(before)
        changed = replace(before, simple_regret=(1.01 * arms[0]["simple_regret"][0], *before.simple_regret[1:]))
        assert not Opening.played(arm, 0).agrees(changed)
    kept_too = {"9": {"release": "0.0.1", "panels": []}}
    (tmp_path / "made-up.json").write_text(json.dumps(kept_too))
    with_nine = Paper("made-up", "A made-up paper", 3, (figure, Figure("9", "Nine", "more", ())), STORY)
    both = json.loads(record(with_nine, done, tmp_path).read_text(encoding="utf-8"))
    assert both == {**written, **kept_too}, "what is known of other figures stays"


def test_a_page_begins_with_what_matters(tmp_path: Path) -> None:
    figure = Figure("1", "One", "something", (branin_panel(),))
    paper = Paper("made-up", "A made-up paper", 3, (figure,), STORY)
    done = reproduce(paper, [figure], tmp_path / "runs", 3, workers=0)
    files = [draw_figure(one, tmp_path, ["html"]) for one in done]
    begins, _, details = page(paper, done, files, tmp_path).read_text(encoding="utf-8").partition("## Figure 1")
    assert "**What the paper says.** it is so" in begins
    assert "**What came out.** it was so Of 1 claim, 0 came out; 1 too few to tell." in begins
    assert "**What that means for you.** do so" in begins
    assert "- they did more" in begins
    assert "other < random, simple regret" in details


def test_a_panel_whose_data_are_missing_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELATED_DATA", str(tmp_path))
    panel = PaperPanel("b", "SVM", (Arm("random", "svm-diabetes", random(), rounds=2),), ("simple",))
    figure = Figure("1", "One", "something", (panel, branin_panel()))
    paper = Paper("made-up", "A made-up paper", 1, (figure,), STORY)
    missing, there = only(reproduce(paper, [figure], tmp_path / "runs", 1, workers=0)).outcomes
    assert missing.results is None
    assert "diabetes.csv" in missing.missing
    assert there.results is not None


def test_figures_and_tables_are_called_as_in_the_paper() -> None:
    assert Figure("5", "Five", "something", ()).name == "Figure 5"
    assert Figure("table-1", "One", "something", ()).name == "Table 1"


def test_a_table_without_studies_is_computed_for_the_page(tmp_path: Path) -> None:
    table = Tabulation("table-9", "Nine", "it is so", ("n", "value"), lambda: [("10", "0.5")], "a note")
    paper = Paper("made-up", "A made-up paper", 1, (table,), STORY)
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

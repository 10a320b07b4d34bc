"""The experiments of the papers, as data: sound, and judged by what comes out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from belated.errors import MissingDataError, UnknownNameError
from belated.policies import gp_bucb, random
from belated.simulate import papers, problems
from belated.simulate.experiment import MEASURES, Arm, Experiment, Results, Runs
from belated.simulate.papers import Claim, Figure, Panel, Paper
from belated.simulate.papers.reproduction import Verdict, reproduce, verdict

PANELS = [
    pytest.param(panel, id=f"{key}-{figure.key}{panel.key}")
    for key in papers.names()
    for figure in papers.paper(key).figures
    for panel in figure.panels
]


@pytest.mark.parametrize("panel", PANELS)
def test_every_claim_is_about_curves_of_its_panel(panel: Panel) -> None:
    labels = [arm.label for arm in panel.arms]
    assert len(set(labels)) == len(labels)
    assert all(measure in MEASURES for measure in panel.measures)
    for claim in panel.claims:
        assert {claim.lower, claim.higher} <= set(labels)
        assert claim.measure in panel.measures


@pytest.mark.parametrize("panel", PANELS)
def test_every_curve_is_of_a_known_problem_that_suits_its_policy(panel: Panel) -> None:
    for arm in panel.arms:
        problems.describe(arm.problem)
        try:
            posed = arm.posed(0)
        except MissingDataError:
            continue
        arm.policy.check("test", posed.space, posed.circumstances.context if posed.circumstances else None)


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
    assert isinstance(found, Verdict)
    assert found.outcome == outcome
    assert found.difference == pytest.approx(-shift, abs=1e-12)


def test_a_figure_is_run_panel_by_panel_and_taken_up_again(tmp_path: Path) -> None:
    arms = (Arm("random", "branin", random(), rounds=4), Arm("other", "branin", random(), rounds=5))
    sound = Panel("a", "Branin", arms, ("simple",), (Claim("other", "random", "simple"),), trials=2)
    paper = Paper("made-up", "A made-up paper", 3, (Figure("1", "One", "something", (sound,)),))
    told: list[str] = []
    first = reproduce(
        paper, paper.figures[0], tmp_path, 3, workers=0, watch=lambda panel, news: told.append(news.label)
    )
    assert first.outcomes[0].results is not None
    assert first.outcomes[0].results["random"].regrets.shape == (2, 4), "a panel may have fewer trials"
    assert set(told) == {"random", "other"}
    again = reproduce(paper, paper.figures[0], tmp_path, 3, workers=0)
    assert again.outcomes[0].results is not None
    assert np.array_equal(again.outcomes[0].results["other"].regrets, first.outcomes[0].results["other"].regrets)


def test_a_panel_whose_data_are_missing_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BELATED_DATA", str(tmp_path))
    panel = Panel("a", "SVM", (Arm("random", "svm-diabetes", random(), rounds=2),), ("simple",))
    paper = Paper("made-up", "A made-up paper", 1, (Figure("1", "One", "something", (panel,)),))
    found = reproduce(paper, paper.figures[0], tmp_path / "runs", 1, workers=0)
    assert found.outcomes[0].results is None
    assert "diabetes.csv" in found.outcomes[0].missing

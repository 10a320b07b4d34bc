"""Figures and pages of a study whose contexts are seen only after the decision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

import belated as bl
from belated import report
from belated.errors import ContextError, NoAnswerError
from belated.study.insight import across_text
from tests.tolerance import SOLVE_TOLERANCE
from tests.unit.report.outline import outlined
from tests.unit.report.studies import asked, small

AFTER = bl.Context(demand=bl.Float(0, 1), seen="after", outside="clip")
TOLD = ((0.2, 1.0), (0.9, 3.0), (0.4, 2.0))


def shop(policy: Any = "sbo-kde") -> bl.Study:
    """Three answers with their contexts, one without, a pending query with its context and one without."""
    study = small(policy=policy, context=AFTER)
    for demand, value in TOLD:
        study.tell(asked(study), value, context={"demand": demand})
    study.tell(asked(study), 1.5)
    study.tell(asked(study), context={"demand": 0.7})
    asked(study)
    return study


def page_of(study: bl.Study, folder: Path) -> str:
    return report.study_report(folder / "study.html", study).read_text(encoding="utf-8")


def test_the_belief_is_drawn_across_contexts() -> None:
    study = shop()
    figure = report.belief(study)
    line = figure.data[0]
    mean, _ = study.expect([{"x": x} for x in line.x])
    assert_allclose(line.y, mean, atol=SOLVE_TOLERANCE)
    assert "Expected on average over contexts like those seen." in figure.layout.title.text


def test_a_context_cannot_be_chosen_where_it_is_seen_after() -> None:
    with pytest.raises(ContextError, match=r"plot\('belief'\): got a context, but .* only after the decision"):
        report.belief(shop(), context={"demand": 0.5})


def test_answers_without_any_context_make_no_belief(tmp_path: Path) -> None:
    study = small(policy="sbo-kde", context=AFTER)
    study.tell(asked(study), 1.0)
    with pytest.raises(NoAnswerError, match=r"plot\('belief'\): no query has both its answer and its context yet"):
        report.belief(study)
    texts = outlined(page_of(study, tmp_path)).texts
    assert "No query has both its answer and its context yet." in texts
    assert "recommended" not in texts


@pytest.mark.parametrize("policy", ["sbo-kde", "gp-ucb-blind"])
def test_the_page_says_when_contexts_are_seen_and_how_many_are_lacking(policy: str, tmp_path: Path) -> None:
    text = " ".join(outlined(page_of(shop(policy), tmp_path)).texts)
    assert "demand (context)" in text
    assert "The context is seen after the decision. Numbers outside their bounds are moved to the nearer one." in text
    assert "without their context 1" in text
    assert "latest context" not in text
    assert ("on average over contexts like those seen" in text) == (policy == "sbo-kde")


def test_the_weights_of_an_ensemble_across_contexts_are_drawn(tmp_path: Path) -> None:
    ensemble = bl.Ensemble((bl.GP("se"), bl.GP("matern12")))
    study = shop(bl.policies.sbo_kde(belief=ensemble, samples=16))
    assert "weights" in page_of(study, tmp_path)
    assert len(study.plot("weights").data) == 2


@pytest.mark.parametrize(
    "policy, said",
    [
        ("gp-bucb", ""),
        ("gp-ucb-blind", ""),
        ("sbo-kde", "on average over contexts like those seen"),
        (bl.policies.sbo_kde(law=bl.contexts.Observed()), "on average over the contexts seen"),
        (bl.policies.sbo_kde(law=bl.contexts.Known([{"demand": 0.5}])), "on average over the contexts given"),
        ("drbo-kde", "under the worst law near that of contexts like those seen"),
        ("drbo-mmd", "under the worst law near that of the contexts seen"),
        ("drbo-mmd-minimax", "under the worst law near that of the contexts seen"),
        ("stableopt", "in the worst context within a deviation of the mean of those seen"),
    ],
    ids=str,
)
def test_over_which_contexts_an_expectation_is_meant(policy: Any, said: str) -> None:
    chosen: bl.policies.Recipe = bl.policies.build(policy) if isinstance(policy, str) else policy
    assert across_text(chosen.beginning(bl.Space(x=bl.Float(0, 1)), AFTER)) == said

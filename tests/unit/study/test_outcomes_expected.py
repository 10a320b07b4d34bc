"""What is expected of outcomes beside the objective: each has a belief of its own, and none of them decides."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import belated as bl
from belated.log import Outcome
from tests.builders import Clock
from tests.tolerance import ROUNDING, SOLVE_TOLERANCE

SPACE = bl.Space(heat=bl.Float(20.0, 120.0), dose=bl.Float(0.01, 0.1, log=True))
SIGNALLED: dict[str, Outcome] = {"yield": bl.Maximize(), "colour": bl.Signal()}
POINTS = [{"heat": 30.0, "dose": 0.02}, {"heat": 55.0, "dose": 0.09}, {"heat": 119.0, "dose": 0.05}]


def made(point: Any) -> float:
    return float(np.sin(point["heat"] / 30.0) - 20.0 * point["dose"])


def coloured(point: Any) -> float:
    return float(4.0 + np.cos(point["heat"] / 25.0))


def laboratory(outcomes: dict[str, Outcome], told: int = 9, policy: str = "auto") -> bl.Study:
    """Some queries, of which all have their colour and two thirds their yield."""
    study = bl.Study.in_memory(SPACE, outcomes=outcomes, policy=policy, seed=5, clock=Clock())
    for number in range(told):
        query = study.ask()
        assert isinstance(query, bl.Query)
        study.tell(query, {"colour": coloured(query.point)})
        if number % 3:
            study.tell(query, {"yield": made(query.point)})
    return study


# Only the policy that reads no answers takes more than one objective yet.
@pytest.mark.parametrize(
    ("policy", "kind"),
    [
        ("auto", bl.Signal()),
        ("gp-bucb", bl.Signal()),
        *(("random", kind) for kind in (bl.Signal(), bl.AtMost(4.5), bl.AtLeast(4.5), bl.Minimize())),
    ],
)
def test_an_outcome_is_believed_in_as_if_it_were_the_objective(kind: Outcome, policy: str) -> None:
    study = laboratory({"yield": bl.Maximize(), "colour": kind}, policy=policy)
    goal: Any = "minimize" if kind.sign < 0 else "maximize"
    alone = bl.Study.in_memory(SPACE, goal=goal, policy=policy, seed=5)
    for query in study.queries():
        asked = alone.add(query.point, query.answers["colour"].value)
        assert asked.point == query.point
    for found, expected in zip(study.expect(POINTS, outcome="colour"), alone.expect(POINTS), strict=True):
        assert_allclose(found, expected, rtol=ROUNDING, atol=ROUNDING)


def test_the_objective_by_its_name_is_the_objective() -> None:
    study = laboratory(SIGNALLED)
    for named, plain in zip(study.expect(POINTS, outcome="yield"), study.expect(POINTS), strict=True):
        assert np.array_equal(named, plain)


def test_looking_at_an_outcome_changes_no_decision() -> None:
    looked, left = laboratory(SIGNALLED), laboratory(SIGNALLED)
    for _ in range(3):
        looked.expect(POINTS, outcome="colour")
        looked.recommend()
        query, other = looked.ask(), left.ask()
        assert isinstance(query, bl.Query)
        assert isinstance(other, bl.Query)
        assert query.point == other.point
        for study in (looked, left):
            study.tell(query.id, {"yield": made(query.point), "colour": coloured(query.point)})


def test_a_recommendation_says_what_is_expected_of_the_others_there() -> None:
    study = laboratory(SIGNALLED)
    advice = study.recommend()
    mean, deviation = study.expect([advice.point], outcome="colour")
    assert list(advice.others) == ["colour"]
    assert_allclose([advice.others["colour"].mean, advice.others["colour"].deviation], [mean[0], deviation[0]])
    assert "colour, expected" in advice._repr_html_()
    assert advice.point == laboratory(SIGNALLED).recommend().point


def test_what_was_never_measured_is_not_expected() -> None:
    study = bl.Study.in_memory(SPACE, outcomes=SIGNALLED, policy="random", seed=1)
    study.tell(study.ask(), {"yield": 1.0})  # type: ignore[arg-type]
    assert study.recommend().others == {}
    with pytest.raises(bl.errors.NoAnswerError, match=r"^expect\(outcome='colour'\): no query has an answer yet; "):
        study.expect(POINTS, outcome="colour")
    with pytest.raises(
        bl.errors.ParameterError, match=r"^expect\(\): got the outcome 'smell'; the study has yield, co"
    ):
        study.expect(POINTS, outcome="smell")


def test_what_is_lost_is_no_bad_news_of_what_was_measured_beside() -> None:
    policy = bl.policies.build("gp-ucb-sdf", window=2)
    study = bl.Study.in_memory(SPACE, outcomes=SIGNALLED, policy=policy, seed=2)
    for query in study.ask(8):
        study.tell(query, {"colour": 4.0} if query.id > 5 else {"yield": 0.5, "colour": 4.0})
    study.ask(4)
    mean, _ = study.expect([query.point for query in study.queries()], outcome="colour")
    assert_allclose(mean, 4.0, rtol=SOLVE_TOLERANCE)


def test_an_outcome_whose_context_is_seen_after_the_decision_is_expected_across_contexts() -> None:
    context = bl.Context(rain=bl.Float(0.0, 1.0), seen="after")
    study = bl.Study.in_memory(SPACE, context=context, outcomes=SIGNALLED, policy="sbo-kde", seed=3)
    for query in study.ask(6):
        study.tell(query, {"yield": made(query.point), "colour": coloured(query.point)}, context={"rain": 0.5})
    mean, deviation = study.expect(POINTS, outcome="colour")
    assert mean.shape == deviation.shape == (3,)
    assert list(study.recommend().others) == ["colour"]


def test_an_explanation_names_the_outcomes_and_the_one_it_speaks_of() -> None:
    said = laboratory(SIGNALLED).explain().saw["outcomes"]
    assert said == "yield, maximize; colour, signal; what follows is of yield"

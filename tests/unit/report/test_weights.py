"""The figure of weights shows what each ask saw of an ensemble, and what the next would see."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import report
from belated.beliefs import Memory
from belated.errors import NoAnswerError, UnsupportedError
from belated.study import Study
from belated.study.insight import weight_history
from tests.builders import Clock
from tests.tolerance import ROUNDING, SOLVE_TOLERANCE
from tests.unit.report.outline import outlined
from tests.unit.report.studies import asked, small

MEMBERS = bl.Ensemble((bl.GP(kernel="se"), bl.GP(kernel="matern12"), bl.Features(bl.GP(kernel="se"), 20)), floor=0.01)
LABELS = ["SE", "Matérn 1/2", "SE, features (D = 20)"]
POLICY = bl.policies.gp_ei(belief=MEMBERS, initial=4)


def played(policy: Any = POLICY, n_asked: int = 9) -> bl.Study:
    """A study in which a point is added and each answer comes after two more asks."""
    study = small(policy=policy)
    study.add({"x": 0.3}, 0.2)
    queries: list[bl.Query] = []
    for turn in range(n_asked):
        if turn >= 2:
            study.tell(queries[turn - 2], float(np.sin(3.0 * queries[turn - 2].point["x"])))
        queries.append(asked(study))
    return study


@pytest.fixture(scope="module")
def study() -> bl.Study:
    return played()


def areas(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def shown(figure: Any, query: int) -> list[float]:
    return [trace.y[list(trace.x).index(query)] for trace in figure.data]


@pytest.mark.parametrize("n_events, query", [(5, 4), (11, 7), (18, 11)])
def test_at_each_query_are_the_weights_that_its_ask_saw(n_events: int, query: int, study: bl.Study) -> None:
    earlier = Study(study.events[:n_events], Clock()).evidence()
    assert len(earlier) == query - 1, "the next event is the ask of this query"
    expected = MEMBERS.prior(earlier, Memory()).weights
    np.testing.assert_allclose(shown(report.weights(study), query), expected, rtol=0, atol=SOLVE_TOLERANCE)
    assert np.ptp(expected) > SOLVE_TOLERANCE


def test_before_the_first_answer_all_weights_are_alike() -> None:
    study = small(policy=POLICY)
    study.tell(asked(study), 1.0)
    assert shown(report.weights(study), 1) == [1 / 3] * 3


def test_each_member_is_an_area_and_together_they_are_one(study: bl.Study) -> None:
    found = areas(report.weights(study))
    assert list(found) == LABELS
    assert {trace.stackgroup for trace in found.values()} == {"members"}
    np.testing.assert_allclose(np.sum([trace.y for trace in found.values()], axis=0), 1.0, rtol=0, atol=ROUNDING)


def test_the_weights_now_have_a_step_of_their_own_that_hovering_names_rightly(study: bl.Study) -> None:
    figure = report.weights(study)
    end = figure.layout.xaxis.range[1]
    for trace in figure.data:
        assert list(trace.x) == [*range(2, 12), end]
        assert trace.y[-1] == trace.y[-2]
    assert round(end) == 11
    assert "The last step, at 11," in figure.layout.title.text


def test_added_data_alone_have_weights_too() -> None:
    study = small(policy=POLICY)
    for x in (0.0, 0.5, 1.0):
        study.add({"x": x}, x**2)
    figure = report.weights(study)
    assert figure.layout.xaxis.range[0] == 4
    expected = MEMBERS.prior(study.evidence(), Memory()).weights
    np.testing.assert_allclose(shown(figure, 4), expected, rtol=0, atol=SOLVE_TOLERANCE)


def test_of_many_queries_some_are_drawn_and_the_first_and_the_last_are_among_them(
    study: bl.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = weight_history(study, most=3)
    assert found.queries == (2, 6, 10, 11)
    every = weight_history(study)
    places = [every.queries.index(query) for query in found.queries]
    np.testing.assert_allclose(found.weights, every.weights[places], rtol=0, atol=SOLVE_TOLERANCE)
    # The room offers the figure under the name of its module.
    monkeypatch.setattr(sys.modules["belated.report.weights"], "weight_history", lambda *_, **__: found)
    assert "3 of 9 queries are drawn." in report.weights(study).layout.title.text


def test_drawing_leaves_the_memory_of_the_study_alone(study: bl.Study) -> None:
    before = list(study._knowledge.memory._factors)
    report.weights(study)
    assert all(one is other for one, other in zip(study._knowledge.memory._factors, before, strict=True))


def test_members_that_share_a_colour_differ_in_their_pattern() -> None:
    scales = [10.0**power for power in range(-4, 9)]
    members = tuple(bl.GP(kernel="se", lengthscale=scale, variance=1.0, noise=0.1) for scale in scales)
    study = small(policy=bl.policies.gp_ucb(belief=bl.Ensemble(members)))
    study.add({"x": 0.5}, 1.0)
    looks = [(trace.line.color, trace.fillpattern.shape) for trace in report.weights(study).data]
    assert len(set(looks)) == len(members)


@pytest.mark.parametrize("belief", [bl.GP(), bl.Features(), None])
def test_a_policy_without_an_ensemble_is_refused_with_the_way_out(belief: Any) -> None:
    study = small(policy="random" if belief is None else bl.policies.gp_ts(belief=belief))
    study.add({"x": 0.5}, 1.0)
    rule = r"plot\('weights'\): the policy (random|gp-ts.*) has no ensemble, .*; change\(policy=…\) to one whose belief"
    with pytest.raises(UnsupportedError, match=rule):
        study.plot("weights")


def test_without_an_answer_there_are_no_weights() -> None:
    study = small(policy=POLICY)
    asked(study)
    with pytest.raises(
        NoAnswerError, match=r"plot\('weights'\): no query has an answer yet; tell\(\) or add\(\) one first"
    ):
        study.plot("weights")


def page_of(study: bl.Study, folder: Path) -> list[str]:
    return outlined(report.study_report(folder / "report.html", study).read_text(encoding="utf-8")).texts


def test_the_report_shows_the_weights_of_an_ensemble_alone(study: bl.Study, tmp_path: Path) -> None:
    heading, gain = "The weights of the ensemble", "members that explain the answers gain."
    texts = page_of(study, tmp_path)
    assert heading in texts
    assert any(text.endswith(gain) for text in texts)
    other = small(policy="random")
    assert heading not in page_of(other, tmp_path)


def test_the_report_says_why_weights_are_left_out(
    study: bl.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert page_of(small(policy=POLICY), tmp_path).count("No query has an answer yet.") == 4
    monkeypatch.setattr("belated.report.study.MOST_WEIGHED", 5)
    assert "Left out: weights from more than 5 answers take long; study.plot('weights') draws them." in page_of(
        study, tmp_path
    )

"""Studies and what they return show themselves in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

import belated as bl
from tests.builders import mixed_table, random_study


class Rows(HTMLParser):
    """The texts of a fragment, and the tags that were not closed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def texts(html: str) -> list[str]:
    rows = Rows()
    rows.feed(html)
    assert rows.open == []
    return rows.texts


@pytest.fixture(scope="module")
def study() -> bl.Study:
    return random_study(5, 9, 3, domain=mixed_table(), n_added=1, n_abandoned=2)


def test_a_study_counts_its_queries_by_their_state(study: bl.Study) -> None:
    expected = {
        "asked": 14,
        "answered": 9,
        "pending": 3,
        "overdue": 0,
        "abandoned": 2,
        "added": 1,
        "failed": 0,
        "retracted": 0,
    }
    assert study.record().counts.to_json() == expected
    shown = texts(study._repr_html_())
    for name, count in expected.items():
        if count:
            assert shown[shown.index(name) + 1] == str(count)
    assert "overdue" not in shown, "what is not there takes no room"


def test_a_study_shows_what_it_is_and_its_best_answer(study: bl.Study) -> None:
    shown = texts(study._repr_html_())
    assert shown[0] == "Study"
    for part in (
        "maximize",
        "random",
        "5",
        repr(study.space),
        f"{study.best().value:.6g} (query {study.best().query})",
    ):
        assert part in shown


def test_a_study_shows_that_it_is_closed_and_its_context() -> None:
    context = bl.Context(hour=bl.Float(0, 24), seen="before")
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), context=context, seed=0)
    study.close("good <enough>")
    shown = texts(study._repr_html_())
    assert shown[1] == " · closed: good <enough>"
    assert repr(context) in shown
    assert "best answer" not in shown


def test_the_best_answer_and_the_recommendation_show_their_points(study: bl.Study) -> None:
    best, recommended = study.best(), study.recommend()
    assert {"Best answer", "heat", "steps", "solvent", str(best.point["solvent"])} <= set(texts(best._repr_html_()))
    shown = texts(recommended._repr_html_())
    assert f" · expected {recommended.mean:.6g} ± {recommended.deviation:.3g} (one deviation)" in shown
    assert f"{recommended.point['heat']:.6g}" in shown


@pytest.mark.parametrize(
    "policy, text",
    [
        (bl.policies.random(), "random"),
        (bl.policies.gp_bucb(window=bl.Window(seconds=600.0)), "gp-bucb(window=Window(seconds=600))"),
        (bl.policies.gp_bucb(belief=bl.GP(kernel="se")), "gp-bucb(belief=GP("),
        (bl.policies.hbbo_ucb(maximum=3), "hbbo-ucb(maximum=3)"),
    ],
)
def test_a_policy_is_written_as_one_would_call_it(policy: Any, text: str) -> None:
    assert str(policy).startswith(text)


def test_a_balk_and_each_query_show_themselves(study: bl.Study) -> None:
    assert texts(bl.Balk("enough")._repr_html_())
    assert all(texts(query._repr_html_()) for query in study.queries())


def test_no_script_is_in_any_of_them(study: bl.Study) -> None:
    html = study._repr_html_() + study.best()._repr_html_() + study.recommend()._repr_html_()
    assert "<script" not in html
    assert "http" not in html

"""Queries and balks show themselves in a notebook."""

from __future__ import annotations

import re

from belated.log import Answer, Balk, Query, State, Values


def query(**fields: object) -> Query:
    given = {"id": 3, "point": Values(heat=75.123456789, solvent="THF"), "context": None, "asked_at": 5.0, "number": 2}
    return Query(**{**given, "state": State.PENDING, **fields})  # type: ignore[arg-type]


def test_a_query_shows_its_point_its_state_and_who_asked() -> None:
    html = query(worker="node-7", context=Values(hour=13.5))._repr_html_()
    for part in ("Query 3", "pending", "heat", "75.1235", "solvent", "THF", "hour", "13.5", "node-7"):
        assert part in html


def test_an_answer_is_shown_with_the_values_it_replaced() -> None:
    html = query(state=State.ANSWERED, answer=Answer(0.81, 9.0, 1, (0.83, 0.82)))._repr_html_()
    for part in ("answered", "0.81", "0.83, 0.82"):
        assert part in html


def test_added_data_and_abandoned_queries_say_what_they_are() -> None:
    assert "Added data 3" in query(number=0, state=State.ANSWERED, answer=Answer(1.0, 5.0, 0))._repr_html_()
    assert "sample lost" in query(state=State.ABANDONED, reason="sample lost")._repr_html_()


def test_a_balk_shows_its_reason() -> None:
    assert "two queries &lt; three" in Balk("two queries < three")._repr_html_()


def test_texts_are_escaped_and_nothing_runs() -> None:
    html = query(point=Values({"<script>": "<b>"}), reason="<i>", worker="<u>", state=State.ABANDONED)._repr_html_()
    for tag in ("<script", "<b>", "<i>", "<u>"):
        assert tag not in html


def test_colours_are_those_of_the_notebook() -> None:
    html = query()._repr_html_()
    assert set(re.findall("color: ([^;]*);", html)) == {"inherit"}
    assert set(re.findall("background: ([^;]*);", html)) == {"none"}

"""What a study seeks, the best point in the end or the best total of all answers: said, changed, kept in the log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import belated as bl
from belated.errors import LogError, ParameterError
from belated.log import Created, Event, SeekChanged
from tests.builders import Clock

BOX = bl.Space(x=bl.Float(0, 1))


def test_a_study_seeks_the_best_point_unless_it_says_otherwise() -> None:
    assert bl.Study.in_memory(BOX, seed=1).seek == "best"
    total = bl.Study.in_memory(BOX, seek="total", seed=1)
    assert (total.seek, total.evidence().seek) == ("total", "total")
    assert total.explain().saw["what counts"] == "the best total of all answers"


def test_what_is_sought_changes_from_one_ask_to_the_next_and_stays_in_the_log() -> None:
    study = bl.Study.in_memory(BOX, seed=1, clock=Clock())
    study.ask()
    study.change(seek="total")
    assert study.seek == "total"
    assert [event.body for event in study.events if event.kind == "seek-changed"] == [SeekChanged("total")]
    again = bl.Study([Event.from_json(event.to_json()) for event in study.events])
    assert again.seek == "total"


def test_a_log_from_before_studies_said_what_they_seek_goes_on_as_it_did() -> None:
    study = bl.Study.in_memory(BOX, seed=1, clock=Clock())
    first = study.events[0]
    assert isinstance(first.body, Created)
    assert "seek" not in replace(first, body=replace(first.body, seek=None)).to_json()
    assert bl.Study([replace(first, body=replace(first.body, seek=None))]).seek == "total"


@pytest.mark.parametrize("wrong", ["most", "", 1, None, ["best"], True])
def test_what_cannot_be_sought_is_refused(wrong: Any) -> None:
    seeks = "a study seeks the 'best' point in the end, or the best 'total' of all answers; give either."
    rule = f"got seek {wrong!r}; {seeks}"
    with pytest.raises(ParameterError) as refused:
        bl.Study.in_memory(BOX, seek=wrong)
    assert str(refused.value) == f"Study.in_memory(): {rule}"
    if wrong is not None:
        with pytest.raises(ParameterError) as refused:
            bl.Study.in_memory(BOX).change(seek=wrong)
        assert str(refused.value) == f"change(): {rule}"


def test_logs_that_seek_something_else_are_refused() -> None:
    study = bl.Study.in_memory(BOX, seed=1, clock=Clock())
    first = study.events[0]
    assert isinstance(first.body, Created)
    wrong: Any = "most"
    with pytest.raises(LogError, match="event 1 seeks 'most'"):
        bl.Study([replace(first, body=replace(first.body, seek=wrong))])
    with pytest.raises(LogError, match="event 2 seeks 'most'"):
        bl.Study([first, Event(2, first.at, SeekChanged(wrong))])

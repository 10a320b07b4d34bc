"""What silence means can be said of a study that is under way, and taken back: from then on, of its whole log."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import belated as bl
from belated.log import Created, Event, Outcomes, SilenceChanged
from belated.study import differences
from tests.builders import Clock

PRICES = bl.Space(price=bl.Float(1.0, 20.0))
POINTS = [{"price": price} for price in (1.0, 4.0, 9.0, 19.0)]


def shop(policy: Any = "auto", **options: Any) -> bl.Study:
    """A study in which a sale is told two asks later, and one in three of those asked buys."""
    clock = Clock()
    study = bl.Study.in_memory(PRICES, policy=policy, seed=3, clock=clock, **options)
    go_on(study, 12)
    return study


def go_on(study: bl.Study, n: int) -> None:
    for _ in range(n):
        query = study.ask()
        assert isinstance(query, bl.Query)
        if query.id > 2 and query.id % 3 == 0:
            late = study.queries()[query.id - 3]
            study.tell(late.id, late.point["price"])


def declared(study: bl.Study, silence: float | None) -> bl.Study:
    """The study that the same log would be, had silence been declared with its creation and never changed."""
    first = study.events[0]
    assert isinstance(first.body, Created)
    body = replace(first.body, goal=None, outcomes=Outcomes.one("maximize", silence).to_json())
    others = [event for event in study.events[1:] if not isinstance(event.body, SilenceChanged)]
    events = [replace(event, number=number) for number, event in enumerate(others, start=2)]
    return bl.Study([replace(first, body=body), *events], Clock(study.now()))


@pytest.mark.parametrize("policy", ["auto", "gp-bucb", "gp-ucb-sdf", "gp-ts"])
def test_a_changed_silence_is_that_of_a_study_that_declared_it(policy: str) -> None:
    study = shop(policy)
    for silence in (0.0, -2.5, None):
        study.change(silence="nothing" if silence is None else silence)
        other = declared(study, silence)
        assert study.outcomes.silence == silence
        assert study.outcomes == other.outcomes
        assert study.record().counts == other.record().counts
        assert study.best() == other.best()
        assert_array_equal(np.array(study.expect(POINTS)), np.array(other.expect(POINTS)))
        assert study.ask().point == other.ask().point  # type: ignore[union-attr]


@pytest.mark.parametrize("policy", ["auto", "gp-bucb", "gp-ucb-sdf", "egp-ts"])
def test_a_replay_asks_the_same_before_and_after_the_changes_warm_and_cold(policy: str) -> None:
    study = shop(policy)
    study.change(silence=0.0)
    go_on(study, 6)
    study.change(silence="nothing", seed=11)
    go_on(study, 4)
    assert list(differences(study.events)) == []
    assert list(differences(study.events, forgetful=True)) == []
    again = bl.Study(study.events, Clock(study.now()))
    assert again.settings == study.settings
    assert again.ask().point == study.ask().point  # type: ignore[union-attr]


def test_what_was_asked_before_was_decided_without_it() -> None:
    left, changed = shop(), shop()
    changed.change(silence=0.0)
    assert [query.point for query in changed.queries()] == [query.point for query in left.queries()]
    assert left.outcomes.silence is None
    assert not np.array_equal(changed.expect(POINTS)[0], left.expect(POINTS)[0])


def test_it_is_said_of_the_main_objective_of_several_outcomes_and_everywhere() -> None:
    named: Any = {"sold": bl.Maximize(), "clicks": bl.Signal()}
    study = bl.Study.in_memory(PRICES, outcomes=named, seed=1, clock=Clock())
    study.change(silence=0.0)
    assert dict(study.outcomes) == {"sold": bl.Maximize(silence=0.0), "clicks": bl.Signal()}
    assert "maximize, silence 0" in study._repr_html_()
    study.change(silence="nothing")
    assert dict(study.outcomes) == named


def test_a_log_with_a_silence_that_is_no_number_is_refused() -> None:
    study = shop("random")
    wrong: Any = SilenceChanged("soon")  # type: ignore[arg-type]
    with pytest.raises(bl.errors.LogError, match="has the silence 'soon'"):
        bl.Study([*study.events, Event(len(study.events) + 1, 0.0, wrong)])


def test_the_notice_of_lost_answers_asks_what_silence_means_and_says_how_to_say_it() -> None:
    clock = Clock()
    study = bl.Study.in_memory(PRICES, policy="random", seed=2, clock=clock)
    for number in range(60):
        clock.now += 3600.0
        study.ask_quietly()
        if number % 6 == 0:
            study.tell(number + 1, 1.0)
    [said] = [notice.text for notice in study.notices() if notice.kind == "lost-answers"]
    assert "Then change the study to say what silence means: with a silence of 0," in said

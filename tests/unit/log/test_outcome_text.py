"""Outcomes as people write and read them."""

from __future__ import annotations

import pytest

import belated as bl
from belated.errors import ParameterError
from belated.log import Outcome, Outcomes, objectives_text, outcome_of, outcome_text

SAID: dict[str, Outcome] = {
    "maximize": bl.Maximize(),
    "minimize": bl.Minimize(),
    "maximize, silence 0": bl.Maximize(silence=0.0),
    "minimize, silence -1.5e-07": bl.Minimize(silence=-1.5e-7),
    "at most 2": bl.AtMost(2.0),
    "at least 0.1": bl.AtLeast(0.1),
    "at least 0.30000000000000004": bl.AtLeast(0.1 + 0.2),
    "signal": bl.Signal(),
}


@pytest.mark.parametrize("text", SAID)
def test_an_outcome_is_read_as_it_is_written_to_the_last_digit(text: str) -> None:
    assert outcome_of("create()", "y", text) == SAID[text]
    assert outcome_of("create()", "y", outcome_text(SAID[text])) == SAID[text]


@pytest.mark.parametrize(
    "text, outcome",
    [
        (" Maximise ", bl.Maximize()),
        ("minimise silence=3", bl.Minimize(silence=3.0)),
        ("maximize silence 3", bl.Maximize(silence=3.0)),
        ("AT MOST 2.50", bl.AtMost(2.5)),
        ("at-most 2", bl.AtMost(2.0)),
        ("at-least -1e3", bl.AtLeast(-1000.0)),
        ("<=2", bl.AtMost(2.0)),
        ("≥ 0.9", bl.AtLeast(0.9)),
        ("Signal", bl.Signal()),
    ],
)
def test_an_outcome_may_be_written_in_other_words(text: str, outcome: Outcome) -> None:
    assert outcome_of("create()", "y", text) == outcome


@pytest.mark.parametrize(
    "text",
    ["", "max", "at most", "at most two", "at most nan", "less than 2", "signal 3", "maximize, silence inf", "2"],
)
def test_other_words_are_refused_with_those_that_are_read(text: str) -> None:
    with pytest.raises(ParameterError) as refused:
        outcome_of("create()", "y", text)
    assert str(refused.value) == (
        f"create(): got {text!r} for the outcome 'y'; write maximize, minimize, at most 2.0, at least 0.9 or signal; "
        f"and where no answer is an answer: maximize, silence 0."
    )


def test_a_study_says_in_words_what_it_is_for() -> None:
    assert objectives_text(Outcomes.one("minimize")) == "minimize"
    declared = {"yield": bl.Maximize(), "cost": bl.Minimize(), "purity": bl.AtLeast(0.9), "colour": bl.Signal()}
    assert objectives_text(Outcomes.read("create()", declared)) == "maximize yield, minimize cost"

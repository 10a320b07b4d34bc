"""Numbers, times and points in words."""

from __future__ import annotations

import pytest

import belated as bl
from belated.cli import words


@pytest.mark.parametrize(
    "seconds, text",
    [
        (-3.0, "0.0 s"),
        (0.24, "0.2 s"),
        (12.4, "12 s"),
        (60.0, "1 min"),
        (90.0, "1 min 30 s"),
        (3599.6, "1 h"),
        (7380.0, "2 h 3 min"),
        (86400.0 * 3 + 3600 * 4 + 59, "3 d 4 h"),
        (86400.0 * 400, "400 d"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


def test_numbers_have_six_digits_and_other_values_are_as_they_are() -> None:
    assert words.point({"x": 1 / 3, "n": 1234567, "s": "THF", "b": True}) == "x 0.333333, n 1234567, s THF, b True"


def test_a_space_is_put_in_words() -> None:
    space = bl.Space(
        x=bl.Float(20, 120),
        y=bl.Float(1e-3, 0.1, log=True),
        n=bl.Int(1, 8),
        s=bl.Choice(*"abcdefghij"),
        b=bl.Choice(True),
    )
    assert words.space(space) == {
        "x": "20 to 120",
        "y": "0.001 to 0.1, logarithmic",
        "n": "1 to 8, whole",
        "s": "one of a, b, c, d, e, f, g, h and 2 more",
        "b": "one of True",
    }
    assert words.space(bl.Candidates([{"a": 1, "b": 2}])) == {"candidates": "1 row of a, b"}
    assert words.space(bl.Candidates([{"a": 1, "b": "x"}])) == {"candidates": "1 row of a, b (labels)"}


def test_a_policy_is_named_with_what_was_said_of_it() -> None:
    assert str(bl.policies.gp_bucb()) == "gp-bucb"
    assert str(bl.policies.gp_ucb_sdf(window=20, floor=None)) == "gp-ucb-sdf(window=20, floor=None)"
    assert str(bl.policies.gp_bucb(window=bl.Window(seconds=3600.0))) == "gp-bucb(window=Window(seconds=3600))"

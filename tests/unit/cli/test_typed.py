"""What is typed for points, answers and policies."""

from __future__ import annotations

import math
from typing import Any

import pytest
import typer

import belated as bl
from belated.cli import typed

SPACE = bl.Space(x=bl.Float(0, 1), code=bl.Choice("1", "2"), level=bl.Choice(1.0, 2.0), on=bl.Choice(True, 1.5, "no"))


@pytest.mark.parametrize(
    "text, value",
    [
        ("x=1e-3", 0.001),
        ("x=-2", -2),
        ("x=abc", "abc"),
        ("code=1", "1"),
        ("level=1", 1.0),
        ("level=3", "3"),
        ("on=true", True),
        ("on=True", True),
        ("on=1", "1"),
        ("on=no", "no"),
        ("other=7", 7),
    ],
)
def test_a_value_is_read_as_the_space_has_it(text: str, value: Any) -> None:
    (found,) = typed.values([text], SPACE).values()
    assert (found, type(found)) == (value, type(value))


def test_a_column_of_texts_takes_texts() -> None:
    table = bl.Candidates([{"code": "7", "n": 7}, {"code": "8", "n": 8}])
    assert typed.values(["code=7", "n=7"], table) == {"code": "7", "n": 7}


def test_an_answer_is_a_number_or_left_for_the_study_to_refuse() -> None:
    assert [typed.answer(text) for text in (" -0.5", "-1e-3", "inf", "1,5 ")] == [-0.5, -0.001, math.inf, 1.5]
    assert [typed.answer(text) for text in ("1,234 ", "much", "")] == ["1,234", "much", ""]
    assert math.isnan(typed.answer("nan"))


def test_the_parameters_of_a_policy_are_yaml() -> None:
    policy = typed.policy("gp-ucb-sdf", ["window={part: Window, seconds: 3600}", "floor=null", "late=accept"])
    assert policy == bl.policies.gp_ucb_sdf(window=bl.Window(seconds=3600), floor=None, late="accept")
    assert typed.policy("gp-bucb", ["window=5"], {"window": 3, "initial": 2}) == bl.policies.gp_bucb(
        window=5, initial=2
    )


def test_parameters_that_are_no_yaml_are_wrong_usage() -> None:
    with pytest.raises(typer.BadParameter, match=r"window=\{part is neither YAML nor JSON"):
        typed.settings(["window={part"])


def test_the_contexts_of_a_known_law_are_written_as_they_are_told() -> None:
    policy = typed.policy("sbo-kde", ["law={part: Known, values: [{demand: 20}, [[demand, 50]]], weights: [2, 1]}"])
    law = bl.contexts.Known([{"demand": 20}, {"demand": 50}], weights=[2, 1])
    assert policy == bl.policies.sbo_kde(law=law)

"""Ways out of errors: whatever an error offers, the command line and the dashboard have words for it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import belated
from belated.cli import ways_out as in_commands
from belated.errors import ConflictError, Way
from belated.service.agents import ways_out as in_tools
from belated.service.http import ways_out as on_the_dashboard

SOURCE = Path(belated.__file__).parent


def offered() -> set[str]:
    """The name of each way out that an error in the source offers."""
    calls = [
        node
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Way"
    ]
    return {call.args[0].value for call in calls if isinstance(call.args[0], ast.Constant)}  # type: ignore[misc]


def test_every_way_out_has_words_at_every_door_and_no_words_are_left_over() -> None:
    assert len(offered()) > 10
    assert offered() == {*in_commands.WAYS, *in_commands.OPTIONS} == set(on_the_dashboard.WAYS) == set(in_tools.WAYS)


@pytest.mark.parametrize(
    "message, worded",
    [
        ("tell(query=3): already answered; ", "query 3: already answered; "),
        ("read_csv('lab (2).csv'): 1 problem; ", "lab (2).csv: 1 problem; "),
        ("Study.create('a'): no; ", "a: no; "),
        ("ask(): the study is closed; ", "the study is closed; "),
        ("ask() context: missing; ", "context: missing; "),
        ("gp_bucb(width=-1): no; ", "width=-1: no; "),
        ("Float(3, 1): low is above high; ", "Float(3, 1): low is above high; "),
        ("sqlite:///lab (old).db: no; ", "sqlite:///lab (old).db: no; "),
    ],
)
def test_a_message_says_what_it_is_about_and_not_what_was_called(message: str, worded: str) -> None:
    error = ConflictError(message, Way("revise", (3,), "use revise()"), ".")
    assert str(error) == f"{message}use revise()."
    assert error.worded(lambda way: f"{way.name} {way.of[0]}") == f"{worded}revise 3."

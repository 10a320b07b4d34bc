"""The page of a policy shows the composition that the code has, part by part."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Inlined(ast.NodeTransformer):
    """An expression with what a function calls by a name of its own in the place of the name."""

    def __init__(self, function: ast.FunctionDef) -> None:
        given = [node for node in ast.walk(function) if isinstance(node, ast.Assign)]
        self._meant = {
            target.id: node.value for node in given for target in node.targets if isinstance(target, ast.Name)
        }

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """What the name stands for."""
        meant = self._meant.get(node.id)
        return node if meant is None else self.visit(copy.deepcopy(meant))

    def text(self, expression: ast.expr) -> str:
        """The expression, written in one way."""
        return ast.unparse(self.visit(copy.deepcopy(expression)))


class Composed(NamedTuple):
    """A composition, and the function that returns it."""

    expression: ast.expr
    inlined: Inlined


def composed_in(function: ast.FunctionDef) -> ast.expr | None:
    """The composition that a function returns; None where it returns what another makes."""
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return next((value for value in returned if value is not None and ast.unparse(value).startswith("Policy(")), None)


def compositions() -> Iterator[tuple[str, Composed]]:
    """The names of policies whose function returns a composition, and that."""
    for file in sorted((ROOT / "src" / "belated" / "policies").glob("*.py")):
        for function in ast.parse(file.read_text()).body:
            if not isinstance(function, ast.FunctionDef):
                continue
            composition = composed_in(function)
            for mark in function.decorator_list:
                if composition is not None and isinstance(mark, ast.Call) and ast.unparse(mark.func) == "policy":
                    yield ast.literal_eval(mark.args[0]), Composed(composition, Inlined(function))


COMPOSITIONS = dict(compositions())


def test_most_policies_are_a_composition_that_their_function_returns() -> None:
    assert len(COMPOSITIONS) >= 20


@pytest.mark.parametrize("name", COMPOSITIONS)
def test_the_page_of_a_policy_shows_its_composition(name: str) -> None:
    page = (ROOT / "docs" / "policies" / f"{name}.md").read_text()
    shown = re.findall(r"^```python no-run\n(?:\w+ = [^\n]*\n)*(Policy\(.*?^\))\n```", page, re.MULTILINE | re.DOTALL)
    expression, inlined = COMPOSITIONS[name]
    assert [inlined.text(ast.parse(block, mode="eval").body) for block in shown] == [inlined.text(expression)]

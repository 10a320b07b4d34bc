"""One class name stands for one idea in the whole of src, and every docstring says something."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
# A formula may be short: an operator, an index, a power, a function of something.
FORMULA = re.compile(r"[=√²³⁻¹/|−·+×^_]|\w\(|\d\w|\d \w")
SHORTEST = 3


@cache
def modules() -> list[tuple[str, ast.Module]]:
    paths = sorted(SOURCE.rglob("*.py"))
    return [(str(path.relative_to(SOURCE)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def test_a_class_name_stands_in_one_file() -> None:
    files: dict[str, list[str]] = defaultdict(list)
    for name, module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef):
                files[node.name].append(name)
    assert {name: where for name, where in files.items() if len(where) > 1} == {}


def test_no_docstring_is_a_filler() -> None:
    fillers: list[str] = []
    for name, module in modules():
        for node in ast.walk(module):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                said = ast.get_docstring(node)
                if said is not None and len(said.split()) < SHORTEST and not FORMULA.search(said):
                    fillers.append(f"{name}:{node.lineno} {node.name}: {said!r}")
    assert fillers == []

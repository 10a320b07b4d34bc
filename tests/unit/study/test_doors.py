"""A study is used by its public doors alone, and made by its own."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import belated
from belated.study import Study

SOURCE = Path(belated.__file__).parent
ROOM = SOURCE / "study"


def own_names() -> set[str]:
    """The private names of a study: its methods, and what it keeps."""
    methods = {name for name in vars(Study) if name.startswith("_") and not name.startswith("__")}
    beginning = ast.walk(ast.parse(inspect.getsource(Study._begin).strip()))
    return methods | {node.attr for node in beginning if isinstance(node, ast.Attribute) and _own_affair(node.value)}


def trees(*, outside: Path | None = None) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        if outside is None or outside not in path.parents:
            yield path.relative_to(SOURCE), ast.parse(path.read_text(encoding="utf-8"))


def test_no_other_room_reaches_for_what_a_study_keeps_to_itself() -> None:
    private = own_names()
    assert {"_log", "_knowledge", "_taking"} <= private
    found = [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path, tree in trees(outside=ROOM)
        for node in ast.walk(tree)
        # What a class of another room keeps under such a name is its own affair.
        if isinstance(node, ast.Attribute) and node.attr in private and not _own_affair(node.value)
    ]
    assert found == []


def _own_affair(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def test_a_study_is_made_whole() -> None:
    found = [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("__new__")
        if {"Study", "study.Study"} & {ast.unparse(given) for given in node.args}
    ]
    # What it knows of its log is made with it, and not changed by others afterwards.
    found += [
        f"{path}:{node.lineno}: {ast.unparse(node)}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and any(ast.unparse(target).rpartition(".")[0].endswith("_knowledge") for target in node.targets)
    ]
    assert found == []

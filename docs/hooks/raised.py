"""Which errors of Belated a function raises, by its source: itself, or through what it calls."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from types import FunctionType
from typing import Any

from belated import errors

# Calls between a public function and the one that raises; further down, they stand in branches that it never takes.
DEEPEST = 3
NAMED = re.compile(r"\b[A-Z]\w+Error\b")


def raised_by(what: Any, owner: type | None = None) -> list[str]:
    """The names of the errors that a call raises or says it raises, in order; of a class, those of making one."""
    if inspect.isclass(what):
        made = [vars(what).get(name) for name in ("__init__", "__post_init__")]
        return sorted({name for function in made for name in _raised(function, what, 0)})
    return sorted(_raised(what, owner, 0))


def _raised(what: Any, owner: type | None, depth: int) -> frozenset[str]:
    function = inspect.unwrap(getattr(what, "__func__", what)) if callable(what) else None
    if not isinstance(function, FunctionType) or not function.__module__.startswith("belated") or depth > DEEPEST:
        return frozenset()
    return _raised_within(function, owner, depth)


@cache
def _raised_within(function: FunctionType, owner: type | None, depth: int) -> frozenset[str]:
    node = _nodes(function.__module__).get(function.__qualname__)
    if node is None:
        return frozenset()
    found = set(NAMED.findall(inspect.getdoc(function) or "")) & set(vars(errors))
    for step in ast.walk(node):
        if isinstance(step, ast.Raise) and step.exc is not None:
            found |= _kinds(step.exc, function)
        elif isinstance(step, ast.Call):
            called, whose = _reached(step.func, function, owner)
            if inspect.isclass(called):
                found |= _raised(vars(called).get("__post_init__"), called, depth + 1)
            else:
                found |= _raised(called, whose, depth + 1)
    return frozenset(found)


def _kinds(raised: ast.expr, function: FunctionType) -> set[str]:
    """The error that is made here, or that the function called here returns."""
    made, _ = _reached(raised.func if isinstance(raised, ast.Call) else raised, function, None)
    if inspect.isfunction(made):
        made = _class_named(made.__annotations__.get("return"), made)
    return {made.__name__} if inspect.isclass(made) and issubclass(made, errors.BelatedError) else set()


def _reached(called: ast.expr, function: FunctionType, owner: type | None) -> tuple[Any, type | None]:
    """What is called: a global of the module, or an attribute of something whose class is known; and that class."""
    if isinstance(called, ast.Name):
        return function.__globals__.get(called.id), None
    if isinstance(called, ast.Attribute):
        whose = _class_of(called.value, function, owner)
        return getattr(whose, called.attr, None), whose if inspect.isclass(whose) else None
    return None, None


def _class_of(value: ast.expr, function: FunctionType, owner: type | None) -> Any:
    """The class of a value, or the module or class that it is itself."""
    if isinstance(value, ast.Name):
        if value.id in ("self", "cls"):
            return owner
        known = function.__globals__.get(value.id) or _class_named(function.__annotations__.get(value.id), function)
        return known if inspect.ismodule(known) or inspect.isclass(known) else type(known)
    if isinstance(value, ast.Call):
        made, _ = _reached(value.func, function, owner)
        return made if inspect.isclass(made) else _class_named(getattr(made, "__annotations__", {}).get("return"), made)
    if isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == "self" and owner:
        return _attributes(owner).get(value.attr)
    return None


def _class_named(annotation: Any, function: Any) -> type | None:
    found = getattr(function, "__globals__", {}).get(str(annotation))
    return found if inspect.isclass(found) else None


@cache
def _attributes(owner: type) -> dict[str, type]:
    """The classes of the attributes that a class makes itself: `self.name = Class(…)`, or declares as fields."""
    names = vars(sys.modules[owner.__module__])
    found = {
        name: names[kind]
        for name, kind in getattr(owner, "__annotations__", {}).items()
        if inspect.isclass(names.get(str(kind)))
    }
    for path, node in _nodes(owner.__module__).items():
        for step in ast.walk(node) if path.startswith(f"{owner.__name__}.") else ():
            if (
                isinstance(step, ast.Assign)
                and isinstance(step.value, ast.Call)
                and isinstance(step.value.func, ast.Name)
            ):
                made = names.get(step.value.func.id)
                found |= {
                    one.attr: made for one in step.targets if isinstance(one, ast.Attribute) and inspect.isclass(made)
                }
    return found


@cache
def _nodes(module: str) -> dict[str, ast.AST]:
    return dict(_functions(ast.parse(inspect.getsource(sys.modules[module])), ""))


def _functions(node: ast.AST, path: str) -> Iterator[tuple[str, ast.AST]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | ast.FunctionDef):
            yield f"{path}{child.name}", child
            if isinstance(child, ast.ClassDef):
                yield from _functions(child, f"{path}{child.name}.")

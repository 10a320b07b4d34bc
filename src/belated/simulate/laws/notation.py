"""Laws as text, for the command line and for files of results: `lost(0.1, poisson(10))`.

The text is a call as in Python, of registered laws alone, with numbers, texts, lists and other laws as its arguments.
It is read and never evaluated. Among numbers `inf` stands for an answer that never comes, and a law without arguments
may go without its parentheses: `none`.
"""

from __future__ import annotations

import ast
import inspect
import math
import warnings
from typing import Any

import numpy as np

from belated.errors import ParameterError
from belated.simulate.laws import registry
from belated.simulate.laws.law import DelayLaw, check_law

EXAMPLES = "write it as poisson(10) or lost(0.1, poisson(10))"


def parse(text: str) -> DelayLaw:
    """The law that a text describes."""
    if not isinstance(text, str):
        raise ParameterError(f"parse({text!r}): a law is read from a text; {EXAMPLES}.")
    source = text.strip()
    try:
        with warnings.catch_warnings():
            # Python warns about odd numbers and escapes, which are read or refused here like any others.
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or "too deep"
        raise ParameterError(f"parse({text!r}): cannot be read ({reason}); {EXAMPLES}.") from None
    return _law(source, tree.body)


def text(law: DelayLaw) -> str:
    """The text that describes a law: parse(text(law)) == law."""
    name = registry.name_of(type(law))
    if name is None:
        raise ParameterError(
            f"text({law!r}): only laws made of {', '.join(registry.names())} can be written as text; use those, or "
            f"register yours with @bl.simulate.laws.law."
        )
    written: list[str] = []
    for parameter in registry.signature(name).parameters.values():
        value = getattr(law, parameter.name)
        if parameter.default is inspect.Parameter.empty:
            written.append(_written(value))
        elif value != parameter.default:
            written.append(f"{parameter.name}={_written(value)}")
    return f"{name}({', '.join(written)})"


def as_law(call: str, law: DelayLaw | str) -> DelayLaw:
    """A law, given as such or as text."""
    if isinstance(law, str):
        return parse(law)
    check_law(call, law)
    return law


def _law(source: str, node: ast.expr) -> DelayLaw:
    """The law that a part of the text describes."""
    match node:
        case ast.Name(id=name):
            return registry.build(f"parse({source!r})", name)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=keywords) if _are_distinct(keywords):
            values = [_value(source, argument) for argument in arguments]
            parameters = {str(keyword.arg): _value(source, keyword.value) for keyword in keywords}
            return registry.build(f"parse({source!r})", name, *values, **parameters)
    raise ParameterError(
        f"parse({source!r}): got {ast.get_source_segment(source, node)!r}; a law is made of "
        f"{', '.join(registry.names())}, with numbers, texts, lists and laws as their arguments; {EXAMPLES}."
    )


def _value(source: str, node: ast.expr) -> Any:
    """An argument of a law."""
    match node:
        case ast.Name(id="inf"):
            return math.inf
        case ast.Constant(value=int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.List(elts=entries) | ast.Tuple(elts=entries):
            return [_value(source, entry) for entry in entries]
    return _law(source, node)


def _are_distinct(keywords: list[ast.keyword]) -> bool:
    """Whether every keyword has a name (`**` has none), and none stands twice."""
    given = [keyword.arg for keyword in keywords]
    return None not in given and len(set(given)) == len(given)


def _written(value: Any) -> str:
    """An argument as text."""
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, int | float | str):
        return repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_written, value))}]"
    return text(value)

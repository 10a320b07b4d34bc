"""Problems by name.

A problem is built from its name and a seed, which matters where a function is drawn from a prior; a trailing number is
its dimension: "ackley-5" is "ackley" with dimension=5.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from belated.errors import ParameterError, unknown_name
from belated.simulate.problems.problem import Problem

Builder = TypeVar("Builder", bound=Callable[..., Problem])
_BUILDERS: dict[str, Callable[..., Problem]] = {}
_DIMENSION = re.compile(r"(.+)-(\d+)")


def problem(name: str) -> Callable[[Builder], Builder]:
    """Register a function of the seed, and of parameters with defaults, that builds a problem."""

    def register(builder: Builder) -> Builder:
        if name in _BUILDERS:
            raise ParameterError(f"problem({name!r}): that name is taken; choose another.")
        _BUILDERS[name] = builder
        return builder

    return register


def names() -> tuple[str, ...]:
    """The names of all problems, in alphabetical order."""
    return tuple(sorted(_BUILDERS))


def build(name: str, seed: int = 0, **parameters: Any) -> Problem:
    """The problem of that name; the seed matters where the function is drawn from a prior."""
    builder, given = _found("build()", name, parameters)
    try:
        inspect.signature(builder).bind(seed, **given)
    except TypeError as error:
        own = list(inspect.signature(builder).parameters)[1:]
        raise ParameterError(f"build({name!r}): {error}; its parameters are {', '.join(own) or 'none'}.") from None
    return builder(seed, **given)


def describe(name: str) -> str:
    """What a problem is, in one line."""
    builder, _ = _found("describe()", name, {})
    return (inspect.getdoc(builder) or "").partition("\n")[0]


def _found(call: str, name: object, parameters: dict[str, Any]) -> tuple[Callable[..., Problem], dict[str, Any]]:
    if isinstance(name, str):
        if name in _BUILDERS:
            return _BUILDERS[name], parameters
        numbered = _DIMENSION.fullmatch(name)
        if numbered and numbered[1] in _BUILDERS:
            builder = _BUILDERS[numbered[1]]
            if "dimension" in inspect.signature(builder).parameters:
                return builder, {"dimension": int(numbered[2]), **parameters}
    raise unknown_name(call, "problem", name, _BUILDERS)

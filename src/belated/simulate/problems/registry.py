"""Problems by name.

A problem is built from its name and a seed, which matters where a function is drawn from a prior; a trailing number is
its dimension: "ackley-5" is "ackley" with dimension=5.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, TypeVar

from belated.errors import ParameterError
from belated.registry import Registry, first_line
from belated.simulate.problems.problem import Problem

Builder = TypeVar("Builder", bound=Callable[..., Problem])
PROBLEMS: Registry[Callable[..., Problem]] = Registry("problem")
_DIMENSION = re.compile(r"(.+)-(\d+)")


def problem(name: str) -> Callable[[Builder], Builder]:
    """Register a function of the seed, and of parameters with defaults, that builds a problem."""

    def register(builder: Builder) -> Builder:
        PROBLEMS.add(f"problem({name!r})", name, builder)
        return builder

    return register


def names() -> tuple[str, ...]:
    """The names of all problems, in alphabetical order."""
    return PROBLEMS.names()


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
    return first_line(builder)


def _found(call: str, name: object, parameters: dict[str, Any]) -> tuple[Callable[..., Problem], dict[str, Any]]:
    numbered = _DIMENSION.fullmatch(name) if isinstance(name, str) and name not in PROBLEMS.entries else None
    if numbered and numbered[1] in PROBLEMS.entries:
        builder = PROBLEMS.entries[numbered[1]]
        if "dimension" in inspect.signature(builder).parameters:
            return builder, {"dimension": int(numbered[2]), **parameters}
    return PROBLEMS.entry(call, name), parameters

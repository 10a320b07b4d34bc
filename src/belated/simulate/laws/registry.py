"""Laws by name: the classes, and functions, that build them from parameters that a text can have."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from belated.errors import ParameterError
from belated.registry import Registry
from belated.simulate.laws.law import DelayLaw

Builder = TypeVar("Builder", bound=Callable[..., DelayLaw])
LAWS: Registry[Callable[..., DelayLaw]] = Registry("law of delays")


def law(builder: Builder) -> Builder:
    """Register, by its own name, a class of laws whose parameters are its fields, or a function that builds one."""
    LAWS.add(f"law({builder.__name__})", builder.__name__, builder)
    return builder


def names() -> tuple[str, ...]:
    """The names of all laws that can be written as text, in alphabetical order."""
    return LAWS.names()


def describe(name: str) -> str:
    """What a law is, in one line."""
    return LAWS.describe(name)


def signature(name: str) -> inspect.Signature:
    """The parameters of a law, with their defaults."""
    return inspect.signature(LAWS.entry("signature()", name))


def build(call: str, name: str, *arguments: Any, **parameters: Any) -> DelayLaw:
    """The law of that name with these parameters."""
    builder = LAWS.entry(call, name)
    own = inspect.signature(builder)
    try:
        own.bind(*arguments, **parameters)
    except TypeError as error:
        raise ParameterError(
            f"{call}: {name}(): {error}; its parameters are {', '.join(own.parameters) or 'none'}."
        ) from None
    return builder(*arguments, **parameters)


def name_of(kind: type) -> str | None:
    """The name that laws of a kind are written by, if they have one."""
    name = kind.__name__
    return name if LAWS.entries.get(name) is kind else None

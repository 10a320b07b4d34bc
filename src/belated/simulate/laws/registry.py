"""Laws by name: the functions that build them, and the kinds of law that they build."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from belated.errors import ParameterError, unknown_name
from belated.simulate.laws.law import Law

Builder = TypeVar("Builder", bound=Callable[..., Law])
_BUILDERS: dict[str, Callable[..., Law]] = {}
_NAMES: dict[type, str] = {}


def law(kind: type) -> Callable[[Builder], Builder]:
    """Register, by its own name, a function that builds laws of that kind from parameters that are its fields.

    Where several functions build one kind, a law of that kind is written by the name of the first.
    """

    def register(builder: Builder) -> Builder:
        name = builder.__name__
        if name in _BUILDERS:
            raise ParameterError(f"law({name!r}): that name is taken; choose another.")
        _BUILDERS[name] = builder
        _NAMES.setdefault(kind, name)
        return builder

    return register


def names() -> tuple[str, ...]:
    """The names of all laws that can be written as text, in alphabetical order."""
    return tuple(sorted(_BUILDERS))


def describe(name: str) -> str:
    """What a law is, in one line."""
    return (inspect.getdoc(_found("describe()", name)) or "").partition("\n")[0]


def signature(name: str) -> inspect.Signature:
    """The parameters of a law, with their defaults."""
    return inspect.signature(_found("signature()", name))


def build(call: str, name: str, *arguments: Any, **parameters: Any) -> Law:
    """The law of that name with these parameters."""
    builder = _found(call, name)
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
    return _NAMES.get(kind)


def _found(call: str, name: object) -> Callable[..., Law]:
    if not isinstance(name, str) or name not in _BUILDERS:
        raise unknown_name(call, "law of delays", name, _BUILDERS)
    return _BUILDERS[name]

"""Figures of a study by name.

A study can be plotted, yet drawing belongs to rooms above this one: they register what they draw here, each under
the name of its kind, and other packages may do the same.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from belated.errors import ParameterError, unknown_name

if TYPE_CHECKING:
    from belated.study.study import Study

Figure = Any
Draw = TypeVar("Draw", bound=Callable[..., Figure])
_KINDS: dict[str, Callable[..., Figure]] = {}


def figure_kind(name: str) -> Callable[[Draw], Draw]:
    """Register a function that draws a study: its first parameter is the study, the others are options."""

    def register(draw_kind: Draw) -> Draw:
        if name in _KINDS:
            raise ParameterError(f"figure_kind({name!r}): that name is taken; choose another.")
        _KINDS[name] = draw_kind
        return draw_kind

    return register


def kinds() -> list[str]:
    """The names of all kinds, in alphabetical order."""
    return sorted(_KINDS)


def describe(name: str) -> str:
    """The first line of what a kind says about itself."""
    return (inspect.getdoc(_found("describe()", name)) or "").partition("\n")[0]


def options(name: str) -> list[str]:
    """The options of a kind."""
    return list(inspect.signature(_found("options()", name)).parameters)[1:]


def draw(study: Study, kind: str, /, **given: Any) -> Figure:
    """The figure of that kind, with these options."""
    draw_kind = _found("plot()", kind)
    known = options(kind)
    for name in given:
        if name not in known:
            raise ParameterError(
                f"plot({kind!r}): got the option {name!r}; the options of {kind!r} are {', '.join(known)}; "
                f"use one of them or leave it out."
            )
    return draw_kind(study, **given)


def _found(call: str, name: str) -> Callable[..., Figure]:
    if not isinstance(name, str) or name not in _KINDS:
        raise unknown_name(call, "kind of figure", name, _KINDS)
    return _KINDS[name]

"""Figures of a study by name.

A study can be plotted, yet drawing belongs to rooms above this one: they register what they draw here, each under
the name of its kind, and other packages may do the same. A room that is imported only when it is needed is named to
`drawn_by`, and imported when a kind is first looked for.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from belated.errors import ParameterError
from belated.registry import Registry

if TYPE_CHECKING:
    from belated.study.study import Study

Figure = Any
Draw = TypeVar("Draw", bound=Callable[..., Figure])
_MODULES: list[str] = []


def drawn_by(module: str) -> None:
    """Name a module that registers kinds, to be imported when a kind is first looked for."""
    _MODULES.append(module)


def _import_all() -> None:
    for module in _MODULES:
        import_module(module)


KINDS: Registry[Callable[..., Figure]] = Registry("kind of figure", more=_import_all)


def figure_kind(name: str) -> Callable[[Draw], Draw]:
    """Register a function that draws a study: its first parameter is the study, the others are options."""

    def register(draw_kind: Draw) -> Draw:
        KINDS.add(f"figure_kind({name!r})", name, draw_kind)
        return draw_kind

    return register


def kinds() -> list[str]:
    """The names of all kinds, in alphabetical order."""
    return list(KINDS.names())


def describe(name: str) -> str:
    """The first line of what a kind says about itself."""
    return KINDS.describe(name)


def options(name: str) -> list[str]:
    """The options of a kind."""
    return list(inspect.signature(KINDS.entry("options()", name)).parameters)[1:]


def draw(study: Study, kind: str, /, **given: Any) -> Figure:
    """The figure of that kind, with these options."""
    draw_kind = KINDS.entry("plot()", kind)
    known = options(kind)
    for name in given:
        if name not in known:
            raise ParameterError(
                f"plot({kind!r}): got the option {name!r}; the options of {kind!r} are {', '.join(known)}; "
                f"use one of them or leave it out."
            )
    return draw_kind(study, **given)

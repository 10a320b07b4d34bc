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

from belated.errors import ParameterError, unknown_name

if TYPE_CHECKING:
    from belated.study.study import Study

Figure = Any
Draw = TypeVar("Draw", bound=Callable[..., Figure])
_KINDS: dict[str, Callable[..., Figure]] = {}
_MODULES: list[str] = []


def drawn_by(module: str) -> None:
    """Name a module that registers kinds, to be imported when a kind is first looked for."""
    _MODULES.append(module)


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
    return sorted(_registered())


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
    known = _registered()
    if not isinstance(name, str) or name not in known:
        raise unknown_name(call, "kind of figure", name, known)
    return known[name]


def _registered() -> dict[str, Callable[..., Figure]]:
    """Every kind by its name, once the modules that were named have registered theirs."""
    for module in _MODULES:
        import_module(module)
    return _KINDS

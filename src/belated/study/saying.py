"""How what a study notices is said: as a warning where the user's own code asked, or to whoever passes it on."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from belated.errors import BelatedWarning

if TYPE_CHECKING:
    from belated.log import Balk, Query
    from belated.study.study import Study


def say(noticed: Iterable[str]) -> None:
    """Warn of each, at the line outside this library that led to it."""
    for text in noticed:
        warnings.warn(text, BelatedWarning, stacklevel=_level())


def ask_quietly(
    study: Study, count: int, *, context: Mapping[str, Any] | None, key: str | None, worker: str | None
) -> tuple[list[Query] | Balk, list[str]]:
    """What `Study.ask` returns, and what it would have warned of: for those who ask on behalf of somebody else."""
    return study._asked(count, context, key, worker)


def _level() -> int:
    """How many calls up from `say` the user's code is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "belated":
        frame, level = frame.f_back, level + 1
    return level

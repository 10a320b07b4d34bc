"""Warnings that point at the user's own code."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable

from belated.errors import BelatedWarning


def warn(noticed: Iterable[str]) -> None:
    """Warn of each, at the line outside this library that led to it."""
    for text in noticed:
        warnings.warn(text, BelatedWarning, stacklevel=_level())


def _level() -> int:
    """How many calls up from `warn` the user's code is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "belated":
        frame, level = frame.f_back, level + 1
    return level

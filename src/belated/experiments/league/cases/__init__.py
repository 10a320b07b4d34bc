"""The cases of the league, in two halves of the same make: open ones to develop on, and sealed ones for a release."""

from __future__ import annotations

from collections.abc import Sequence

from belated.errors import unknown_name
from belated.experiments.league.cases.case import DELAYS, FAMILIES, HALVES, NOISES, Case, Half
from belated.experiments.league.cases.open import OPEN
from belated.experiments.league.cases.sealed import SEALED

__all__ = ["DELAYS", "FAMILIES", "HALVES", "NOISES", "Case", "Half", "cases", "chosen"]


def cases(half: Half | None = None) -> tuple[Case, ...]:
    """The cases of a half, or all of them."""
    if half is None:
        return (*OPEN, *SEALED)
    if half not in HALVES:
        raise unknown_name("cases", "half", half, HALVES)
    return OPEN if half == "open" else SEALED


def chosen(keys: Sequence[str]) -> tuple[Case, ...]:
    """The cases of these names, in the order of the suite."""
    known = {case.key: case for case in cases()}
    for key in keys:
        if key not in known:
            raise unknown_name("league", "case", key, known)
    return tuple(case for key, case in known.items() if key in keys)

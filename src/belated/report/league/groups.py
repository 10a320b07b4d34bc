"""Where which tool is best: the standings within each family, and under each property of a case."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from belated.experiments.league.cases import DELAYS, FAMILIES, Case
from belated.experiments.league.comparison import Standing, pairs, standings
from belated.experiments.league.season import Season

DIMENSIONS = ((3, "1 to 3 parameters"), (10, "4 to 10 parameters"), (10**9, "more than 10"))


@dataclass(frozen=True)
class CaseGroup:
    """Some cases that have something in common: how many, and the standings within them by what was found."""

    name: str
    about: str
    cases: int
    found: tuple[Standing, ...]
    level: tuple[str, ...]  # with the best, as far as chance lets one tell

    @property
    def shares(self) -> dict[str, float]:
        """The mean ranks by entrant."""
        return {one.entrant: one.share for one in self.found}


def families(season: Season) -> tuple[CaseGroup, ...]:
    """The families that were played, in the order of the suite."""
    return _grouped(season, FAMILIES.items(), lambda case: case.family)


def properties(season: Season) -> dict[str, tuple[CaseGroup, ...]]:
    """The cases by each of their properties."""
    noises = {case.noise: f"{100 * case.noise:.0f} % of the function's deviation" for case in season.suite}
    noise = [(f"{share:g}", noises[share] if share else "none") for share in sorted(noises)]
    return {
        "noise": _grouped(season, noise, lambda case: f"{case.noise:g}"),
        "delays": _grouped(season, DELAYS.items(), lambda case: case.delay_kind),
        "parameters": _grouped(season, [(name, "") for _, name in DIMENSIONS], _size),
    }


def _grouped(season: Season, names: Iterable[tuple[str, str]], key: Callable[[Case], str]) -> tuple[CaseGroup, ...]:
    found = []
    for name, about in names:
        cases = {case.key for case in season.suite if key(case) == name and case.key in season.tables.cases}
        if cases:
            found.append(_group(season, name, about, cases))
    return tuple(found)


def _group(season: Season, name: str, about: str, cases: set[str]) -> CaseGroup:
    tables = season.tables.only(cases)
    found = tuple(one for one in standings(tables, "found") if 2 * one.cases >= len(cases))
    best = found[0].entrant
    against = pairs(tables, best, "found")
    level = tuple(one.entrant for one in found[1:] if one.entrant not in against or against[one.entrant].ahead is None)
    return CaseGroup(name, about, len(cases), found, level)


def _size(case: Case) -> str:
    return next(name for most, name in DIMENSIONS if case.dimension <= most)

"""The plan of a league: every entrant in every case that it can play, with its seeds; and why others cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from belated.errors import MissingDataError, MissingPackageError, UnsupportedError
from belated.experiments.archive import RunKey
from belated.experiments.league.bounds import BOUNDS, Bounds
from belated.experiments.league.cases import Case
from belated.experiments.league.entrants import Entrant
from belated.simulate.problems import Problem


@dataclass(frozen=True)
class Fixture:
    """One run to play; where a package that it needs is not installed, `lacking` says so, and what is kept counts."""

    case: Case
    entrant: Entrant
    seed: int
    lacking: str = ""

    @property
    def key(self) -> RunKey:
        """What its run is found by in the file of its entrant."""
        return self.case.digest, self.seed

    @property
    def call(self) -> str:
        """What an error of this run begins with."""
        return f"league({self.entrant.name!r})"


@dataclass(frozen=True)
class Absence:
    """An entrant that cannot play a case, and why."""

    case: str
    entrant: str
    reason: str


@dataclass(frozen=True)
class Programme:
    """All runs, in the order in which they are played, and all that cannot be."""

    fixtures: tuple[Fixture, ...]
    absences: tuple[Absence, ...]


def programme(
    suite: Sequence[Case], players: Sequence[Entrant], seeds: int | None = None, bounds: Bounds = BOUNDS
) -> Programme:
    """The runs of these entrants in these cases, each with its own number of seeds unless one is given.

    Quick entrants come first, and of them the first seed in all cases, so that a league that is cut off compares all.
    """
    lots = {entrant.name: {case.key for case in bounds.cases_of(entrant, suite)} for entrant in players}
    found: list[Fixture | Absence] = []
    for case in suite:
        posed = _posed(case)
        admitted = [entrant for entrant in players if case.key in lots[entrant.name]]
        found += [_admission(case, entrant, posed) for entrant in admitted]
    fixtures = [
        Fixture(one.case, one.entrant, seed, one.lacking)
        for one in found
        if isinstance(one, Fixture)
        for seed in range(seeds or bounds.seeds_of(one.entrant))
    ]
    # A stable sort: within a seed the cases, and within a case the entrants, stay in their order.
    fixtures.sort(key=lambda fixture: (fixture.entrant.seconds > bounds.slow, fixture.seed))
    return Programme(tuple(fixtures), tuple(one for one in found if isinstance(one, Absence)))


def _posed(case: Case) -> Problem | str:
    """The problem of a case, or why it cannot be posed here."""
    try:
        return case.problem_for(0)
    except (MissingPackageError, MissingDataError) as error:
        return str(error)


def _admission(case: Case, entrant: Entrant, posed: Problem | str) -> Fixture | Absence:
    """The first run of an entrant in a case, or why it has none."""
    if isinstance(posed, str):
        return Absence(case.key, entrant.name, posed)
    lacking, call = "", f"league({entrant.name!r})"
    try:
        entrant.entry.check(call, case, posed)
        entrant.entry.require(call)
    except UnsupportedError as error:
        return Absence(case.key, entrant.name, str(error))
    except MissingPackageError as error:
        lacking = str(error)
    return Fixture(case, entrant, 0, lacking)

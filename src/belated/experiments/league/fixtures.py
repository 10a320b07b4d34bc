"""The plan of a league: every entrant in every case that it can play, with its seeds; and why others cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from belated.errors import MissingDataError, MissingPackageError, UnsupportedError
from belated.experiments.arm import Arm, Job
from belated.experiments.league.earlier import EarlierCase as Case
from belated.experiments.league.entrants import MEASURE, Entrant
from belated.experiments.league.kept import SHORT
from belated.simulate.problems import Problem


@dataclass(frozen=True)
class Fixture:
    """One run to play; where a package that it needs is not installed, `lacking` says so, and what is kept counts."""

    case: Case
    entrant: Entrant
    arm: Arm
    seed: int
    lacking: str = ""

    @property
    def key(self) -> tuple[str, int]:
        """What its run is found by."""
        return self.arm.digest[:SHORT], self.seed

    @property
    def job(self) -> Job:
        """The run, which is kept in the file of its case."""
        return Job(self.arm, self.seed, self.case.key)


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


def programme(cases: Sequence[Case], players: Sequence[Entrant], seeds: int | None = None) -> Programme:
    """The runs of these entrants in these cases, each with its own number of seeds unless one is given.

    Quick entrants come first, and of them the first seed in all cases, so that a league that is cut off compares all.
    """
    found = [one for case in cases for one in _admitted(case, players)]
    fixtures = [
        Fixture(one.case, one.entrant, one.arm, seed, one.lacking)
        for one in found
        if isinstance(one, _Admission)
        for seed in range(seeds or one.entrant.seeds)
    ]
    # A stable sort: within a seed the cases, and within a case the entrants, stay in their order.
    fixtures.sort(key=lambda fixture: (fixture.entrant.slow, fixture.seed))
    return Programme(tuple(fixtures), tuple(one for one in found if isinstance(one, Absence)))


@dataclass(frozen=True)
class _Admission:
    """An entrant that can play a case, and the arm that it is there."""

    case: Case
    entrant: Entrant
    arm: Arm
    lacking: str


def _admitted(case: Case, players: Sequence[Entrant]) -> list[_Admission | Absence]:
    """Every entrant that can play a case, and every one that cannot."""
    try:
        posed = case.arm(MEASURE, Entrant(MEASURE).policy(case)).posed(0)
    except (MissingPackageError, MissingDataError) as error:
        return [Absence(case.key, player.name, str(error)) for player in players]
    return [_admission(case, player, posed) for player in players]


def _admission(case: Case, player: Entrant, posed: Problem) -> _Admission | Absence:
    arm, lacking = case.arm(player.name, player.policy(case)), ""
    try:
        arm.policy.check(f"league({player.name!r})", posed.space, posed.context)
        player.require()
    except UnsupportedError as error:
        return Absence(case.key, player.name, str(error))
    except MissingPackageError as error:
        lacking = str(error)
    return _Admission(case, player, arm, lacking)

"""The league: every policy, and peers from other libraries, over one suite of cases."""

from belated.simulate.league.cases import CASES, LAWS, Case, chosen, quick
from belated.simulate.league.entrants import Entrant, entrants
from belated.simulate.league.fixtures import Absence, Fixture, Programme, programme
from belated.simulate.league.kept import Played, forget, keep, read
from belated.simulate.league.play import Failure, Progress, divided, played
from belated.simulate.league.standings import Standing, counted, standings

__all__ = [
    "CASES",
    "LAWS",
    "Absence",
    "Case",
    "Entrant",
    "Failure",
    "Fixture",
    "Played",
    "Programme",
    "Progress",
    "Standing",
    "chosen",
    "counted",
    "divided",
    "entrants",
    "forget",
    "keep",
    "played",
    "programme",
    "quick",
    "read",
    "standings",
]

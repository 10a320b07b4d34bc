"""The league: every policy, and peers from other libraries, over one suite of cases."""

from belated.simulate.league.cases import CASES, LAWS, Case, chosen, quick
from belated.simulate.league.entrants import Entrant, entrants
from belated.simulate.league.fixtures import Absence, Fixture, Programme, programme
from belated.simulate.league.goals import AUTO, MOST, Duel, Goals, Lead, goals
from belated.simulate.league.kept import Played, forget, keep, read
from belated.simulate.league.play import Failure, Progress, divided, played
from belated.simulate.league.standings import Standing, counted, standings
from belated.simulate.league.tables import LEAST, MEASURES, Runs, Tables, mean
from belated.simulate.league.tried import TRIED

__all__ = [
    "AUTO",
    "CASES",
    "LAWS",
    "LEAST",
    "MEASURES",
    "MOST",
    "TRIED",
    "Absence",
    "Case",
    "Duel",
    "Entrant",
    "Failure",
    "Fixture",
    "Goals",
    "Lead",
    "Played",
    "Programme",
    "Progress",
    "Runs",
    "Standing",
    "Tables",
    "chosen",
    "counted",
    "divided",
    "entrants",
    "forget",
    "goals",
    "keep",
    "mean",
    "played",
    "programme",
    "quick",
    "read",
    "standings",
]

"""The league: every policy, and peers from other libraries, over one suite of cases."""

from belated.experiments.league.cases import CASES, LAWS, Case, chosen, quick
from belated.experiments.league.entrants import Entrant, entrants
from belated.experiments.league.fixtures import Absence, Fixture, Programme, programme
from belated.experiments.league.goals import AUTO, MOST, Duel, Goals, Lead, goals
from belated.experiments.league.kept import Played, forget, keep, read
from belated.experiments.league.play import Failure, Progress, divided, played
from belated.experiments.league.standings import LeaguePlace, counted, standings
from belated.experiments.league.tables import LEAST, MEASURES, Runs, Tables, mean

__all__ = [
    "AUTO",
    "CASES",
    "LAWS",
    "LEAST",
    "MEASURES",
    "MOST",
    "Absence",
    "Case",
    "Duel",
    "Entrant",
    "Failure",
    "Fixture",
    "Goals",
    "Lead",
    "LeaguePlace",
    "Played",
    "Programme",
    "Progress",
    "Runs",
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

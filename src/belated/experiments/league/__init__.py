"""The league: every policy, and peers from other libraries, over one suite of cases."""

from belated.experiments.league.earlier import CASES, LAWS, chosen, quick
from belated.experiments.league.earlier import EarlierCase as Case
from belated.experiments.league.entrants import Entrant, entrants
from belated.experiments.league.fixtures import Absence, Fixture, Programme, programme
from belated.experiments.league.goals import AUTO, MOST, Duel, Goals, Lead, goals
from belated.experiments.league.kept import LeagueRun, archive
from belated.experiments.league.play import FailedRun, divided, played
from belated.experiments.league.standings import LeaguePlace, comparable_runs, standings
from belated.experiments.league.tables import LEAST, MEASURES, LeagueRuns, Tables, mean

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
    "FailedRun",
    "Fixture",
    "Goals",
    "Lead",
    "LeaguePlace",
    "LeagueRun",
    "LeagueRuns",
    "Programme",
    "Tables",
    "archive",
    "chosen",
    "comparable_runs",
    "divided",
    "entrants",
    "goals",
    "mean",
    "played",
    "programme",
    "quick",
    "standings",
]

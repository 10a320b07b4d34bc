"""The league: policies of ours, peers from other libraries and anybody's optimizer, over one suite of cases."""

from belated.experiments.league.bounds import BOUNDS, Bounds
from belated.experiments.league.cases import FAMILIES, HALVES, Case, Half
from belated.experiments.league.entrants import RANDOM, Entrant, entrants, guest, guests, visitor
from belated.experiments.league.fixtures import Absence, Fixture, Programme, programme
from belated.experiments.league.kept import LeagueRun, archive
from belated.experiments.league.measures import PARTS, Measures, measured
from belated.experiments.league.optimizer import Optimizer
from belated.experiments.league.play import FailedRun, LeagueProgress, divided, kept_of, played, runs_of
from belated.experiments.league.results import Joined, join

__all__ = [
    "BOUNDS",
    "FAMILIES",
    "HALVES",
    "PARTS",
    "RANDOM",
    "Absence",
    "Bounds",
    "Case",
    "Entrant",
    "FailedRun",
    "Fixture",
    "Half",
    "Joined",
    "LeagueProgress",
    "LeagueRun",
    "Measures",
    "Optimizer",
    "Programme",
    "archive",
    "divided",
    "entrants",
    "guest",
    "guests",
    "join",
    "kept_of",
    "measured",
    "played",
    "programme",
    "runs_of",
    "visitor",
]

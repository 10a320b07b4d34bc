"""What the runs of the league say: regrets as arrays, ranks with intervals, and any two entrants compared."""

from belated.experiments.league.comparison.pairs import Gap, Pair, pairs
from belated.experiments.league.comparison.standings import Standing, standings
from belated.experiments.league.comparison.tables import LAST, LEAST, MEASURES, RegretsKept, RegretTables

__all__ = [
    "LAST",
    "LEAST",
    "MEASURES",
    "Gap",
    "Pair",
    "RegretTables",
    "RegretsKept",
    "Standing",
    "pairs",
    "standings",
]

"""Finding the maximiser of a score: whole table, lazy table, box by gradient, mixed spaces, across contexts."""

from belated.search.across import Across, maximise_across, pairs
from belated.search.ascent import ascend
from belated.search.box import Box, every_point, leading_box, maximise_box, number_of_points, refined_box
from belated.search.elsewhere import Elsewhere, Taken, alike, resolution
from belated.search.moments import ExpectedScore, MomentScore, log_expectation
from belated.search.penalty import Penalised, PenalisedSearch, Penalty
from belated.search.promise import Odds, Promise
from belated.search.score import Score
from belated.search.searches import AcrossSearch, BoxSearch, InContext, Search, TableSearch, prefixed
from belated.search.table import maximise_table

__all__ = [
    "Across",
    "AcrossSearch",
    "Box",
    "BoxSearch",
    "Elsewhere",
    "ExpectedScore",
    "InContext",
    "MomentScore",
    "Odds",
    "Penalised",
    "PenalisedSearch",
    "Penalty",
    "Promise",
    "Score",
    "Search",
    "TableSearch",
    "Taken",
    "alike",
    "ascend",
    "every_point",
    "leading_box",
    "log_expectation",
    "maximise_across",
    "maximise_box",
    "maximise_table",
    "number_of_points",
    "pairs",
    "prefixed",
    "refined_box",
    "resolution",
]

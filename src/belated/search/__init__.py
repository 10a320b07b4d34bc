"""Finding the maximiser of a score: whole table, lazy table, box by gradient, mixed spaces by moves."""

from belated.search.ascent import ascend
from belated.search.box import Box, every_point, leading_box, maximise_box, number_of_points, refined_box
from belated.search.elsewhere import Elsewhere, alike, resolution
from belated.search.moments import ExpectedScore, MomentScore, log_expectation
from belated.search.score import Score
from belated.search.table import maximise_table

__all__ = [
    "Box",
    "Elsewhere",
    "ExpectedScore",
    "MomentScore",
    "Score",
    "alike",
    "ascend",
    "every_point",
    "leading_box",
    "log_expectation",
    "maximise_box",
    "maximise_table",
    "number_of_points",
    "refined_box",
    "resolution",
]

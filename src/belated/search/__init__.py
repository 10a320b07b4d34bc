"""Finding the maximiser of a score: whole table, lazy table, box by gradient, mixed spaces by moves."""

from belated.search.apart import apart
from belated.search.ascent import ascend
from belated.search.box import Box, leading_box, maximise_box, refined_box
from belated.search.moments import ExpectedScore, MomentScore, log_expectation
from belated.search.score import Score
from belated.search.table import maximise_table

__all__ = [
    "Box",
    "ExpectedScore",
    "MomentScore",
    "Score",
    "apart",
    "ascend",
    "leading_box",
    "log_expectation",
    "maximise_box",
    "maximise_table",
    "refined_box",
]

"""A study: ask, tell, and read what is known."""

from belated.study.filled_sheet import ENDED, FilledRow, Manner, filled_rows, take_rows
from belated.study.replay import Difference, differences
from belated.study.results import Best, Expected, Notice, Recommendation, Reply
from belated.study.running import Lost, Ran, Retries
from belated.study.statements import Correction, Ending, Statement, Telling, endings
from belated.study.study import DEFAULT_POLICY, Study

__all__ = [
    "DEFAULT_POLICY",
    "ENDED",
    "Best",
    "Correction",
    "Difference",
    "Ending",
    "Expected",
    "FilledRow",
    "Lost",
    "Manner",
    "Notice",
    "Ran",
    "Recommendation",
    "Reply",
    "Retries",
    "Statement",
    "Study",
    "Telling",
    "differences",
    "endings",
    "filled_rows",
    "take_rows",
]

"""A study: ask, tell, and read what is known."""

from belated.study.filled_sheet import FilledRow, filled_rows, refuse_faulty
from belated.study.replay import Difference, differences
from belated.study.results import Best, Notice, Recommendation, Reply
from belated.study.running import Ran, Retries
from belated.study.study import DEFAULT_POLICY, Study
from belated.study.telling import Telling

__all__ = [
    "DEFAULT_POLICY",
    "Best",
    "Difference",
    "FilledRow",
    "Notice",
    "Ran",
    "Recommendation",
    "Reply",
    "Retries",
    "Study",
    "Telling",
    "differences",
    "filled_rows",
    "refuse_faulty",
]

"""What the log says about delays: how long answers take, whether some never come, and what delays depend on."""

from belated.delays.curve import Curve, curve
from belated.delays.delays import Delays, WaitingQuery, delays_at
from belated.delays.dependence import Dependence
from belated.delays.multiple_tests import holm
from belated.delays.never import NeverFraction
from belated.delays.next_answer import until_next_answer
from belated.delays.window import allowance, later, learned_window, longer_than_any, recent_waits, silent_after

__all__ = [
    "Curve",
    "Delays",
    "Dependence",
    "NeverFraction",
    "WaitingQuery",
    "allowance",
    "curve",
    "delays_at",
    "holm",
    "later",
    "learned_window",
    "longer_than_any",
    "recent_waits",
    "silent_after",
    "until_next_answer",
]

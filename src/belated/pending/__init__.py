"""Treatments of pending queries."""

from belated.pending.rounds import Rounds, WithinRound
from belated.pending.silence import ImputeSilence
from belated.pending.treatments import Censor, Hallucinate, Ignore, Nearest, Settling, Treatment

__all__ = [
    "Censor",
    "Hallucinate",
    "Ignore",
    "ImputeSilence",
    "Nearest",
    "Rounds",
    "Settling",
    "Treatment",
    "WithinRound",
]

"""Treatments of pending queries."""

from belated.pending.rounds import Rounds, WithinRound
from belated.pending.silence import ImputeSilence
from belated.pending.treatments import Censor, Hallucinate, Ignore, Nearest, Rehallucinate, Settling, Treatment

__all__ = [
    "Censor",
    "Hallucinate",
    "Ignore",
    "ImputeSilence",
    "Nearest",
    "Rehallucinate",
    "Rounds",
    "Settling",
    "Treatment",
    "WithinRound",
]

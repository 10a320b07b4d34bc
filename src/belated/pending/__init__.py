"""Treatments of pending queries."""

from belated.pending.rounds import Rounds, WithinRound
from belated.pending.silence import ImputeSilence
from belated.pending.treatments import (
    Censor,
    Hallucinate,
    Ignore,
    LeavingOpen,
    Nearest,
    Open,
    Rehallucinate,
    Settling,
    Treatment,
)

__all__ = [
    "Censor",
    "Hallucinate",
    "Ignore",
    "ImputeSilence",
    "LeavingOpen",
    "Nearest",
    "Open",
    "Rehallucinate",
    "Rounds",
    "Settling",
    "Treatment",
    "WithinRound",
]

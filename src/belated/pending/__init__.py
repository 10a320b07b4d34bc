"""Treatments of pending queries."""

from belated.pending.fantasies import Fantasise
from belated.pending.liars import ExpectLess, Lie
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
    "ExpectLess",
    "Fantasise",
    "Hallucinate",
    "Ignore",
    "ImputeSilence",
    "LeavingOpen",
    "Lie",
    "Nearest",
    "Open",
    "Rehallucinate",
    "Rounds",
    "Settling",
    "Treatment",
    "WithinRound",
]

"""Treatments of pending queries."""

from belated.pending.doubt import Doubt
from belated.pending.rounds import Rounds, WithinRound
from belated.pending.treatments import Censor, Hallucinate, Ignore, Nearest, Settling, Treatment

__all__ = ["Censor", "Doubt", "Hallucinate", "Ignore", "Nearest", "Rounds", "Settling", "Treatment", "WithinRound"]

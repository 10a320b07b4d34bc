"""The description of a belief in two parts."""

from __future__ import annotations

from dataclasses import dataclass

from belated.beliefs.belief import Belief
from belated.beliefs.gp import GP
from belated.beliefs.memory import Memory
from belated.beliefs.mixtures.ensemble import Features
from belated.beliefs.two_parts.answering import answering
from belated.beliefs.two_parts.two_parts import TwoPartBelief
from belated.evidence import Evidence


@dataclass(frozen=True)
class TwoParts:
    """A belief of whether queries are answered, beside that of the answers; the latter alone while none stays away."""

    value: GP | Features

    def prior(self, evidence: Evidence, memory: Memory) -> Belief:
        """The belief before any answer."""
        silence = evidence.silence
        if silence is None or not evidence.has_silent:
            return self.value.prior(evidence, memory)
        heard = evidence.only(evidence.answered_mask & (evidence.values != silence))
        law = answering(evidence, silence, memory)
        return TwoPartBelief(silence, law, self.value.prior(heard, memory), law.process)

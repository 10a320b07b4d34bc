"""A rule that looks at one member of an ensemble at a time."""

from __future__ import annotations

from dataclasses import dataclass

from belated.randomness import Stream
from belated.rules.described import words_of
from belated.rules.needs import Need, needs_of
from belated.rules.rule import Choice, Rule
from belated.rules.situation import Situation


@dataclass(frozen=True)
class OneMember:
    """Draw a member of the ensemble by its weight, and do as another rule says under that member alone.

    EGP-EI is this with expected improvement [lu2022, remark 1 and appendix E], EGP-UCB with the upper bound.
    """

    then: Rule

    def describe(self) -> str:
        """What it does, in words."""
        return f"{words_of(self.then)}, under one member of the ensemble, drawn by its weight"

    @property
    def needs(self) -> frozenset[Need]:
        """What the other rule needs."""
        return needs_of(self.then)

    def choose(self, situation: Situation) -> Choice:
        """What the rule chooses under the member drawn."""
        member = situation.prior.expert(situation.random(Stream.MEMBER))
        return self.then.choose(situation.believing(member))

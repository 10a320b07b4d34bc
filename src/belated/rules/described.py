"""What parts of a policy say of themselves to people: in words of their own, or else by their first sentence."""

from __future__ import annotations

import inspect
from typing import Protocol, runtime_checkable

from belated.evidence import Evidence


@runtime_checkable
class Describing(Protocol):
    """A part with words of its own."""

    def describe(self) -> str:
        """What it does, in a few words."""


@runtime_checkable
class DescribingNow(Protocol):
    """A part that does one thing now and another later."""

    def describe_now(self, evidence: Evidence, now: float) -> str:
        """What it does at this moment of a study."""


def described(part: object, evidence: Evidence, now: float) -> str:
    """What a part does at this moment of a study, in words."""
    if isinstance(part, DescribingNow):
        return part.describe_now(evidence, now)
    return words_of(part)


def words_of(part: object) -> str:
    """What a part does whatever the moment: its own words, or its first sentence without its sources."""
    if isinstance(part, Describing):
        return part.describe()
    said = " ".join((inspect.getdoc(type(part)) or type(part).__name__).split("\n\n")[0].split())
    return said.partition(" [")[0].rstrip(".:")

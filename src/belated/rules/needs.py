"""What a part of a policy needs of a study. Each part declares it, for itself and those that it holds."""

from __future__ import annotations

from enum import Enum


class Need(Enum):
    """Something that not every study has."""

    TABLE = "a finite set of candidates"
    BOX = "a box, for which points stand"
    ONE_CONTEXT = "a context that is known when the point is chosen, or none"


def needs_of(*parts: object) -> frozenset[Need]:
    """What these parts need together; a part that declares nothing needs nothing."""
    return frozenset[Need]().union(*(getattr(part, "needs", ()) for part in parts))

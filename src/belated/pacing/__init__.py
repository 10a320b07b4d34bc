"""Pacing: whether to ask at all now."""

from belated.pacing.pacings import (
    AfterInitialisation,
    Always,
    Batches,
    Bounded,
    InformationLimited,
    LocallyLimited,
    Pacing,
    Predictable,
    Until,
)

__all__ = [
    "AfterInitialisation",
    "Always",
    "Batches",
    "Bounded",
    "InformationLimited",
    "LocallyLimited",
    "Pacing",
    "Predictable",
    "Until",
]

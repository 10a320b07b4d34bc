"""Contexts seen only after the decision: the law that they follow, as far as it is known."""

from belated.contexts.density import KernelDensity, bandwidths, density
from belated.contexts.empirical import Observed
from belated.contexts.known import Known
from belated.contexts.law import Law, Sample
from belated.contexts.placing import drawn_contexts, placed_evidence

__all__ = [
    "KernelDensity",
    "Known",
    "Law",
    "Observed",
    "Sample",
    "bandwidths",
    "density",
    "drawn_contexts",
    "placed_evidence",
]

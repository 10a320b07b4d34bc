"""Contexts seen only after the decision: their law, as far as it is known, and aims, what a point is worth under it."""

from belated.contexts.aims import Aim, Expectation, LeftOut, View, Weighed, WithinDeviation
from belated.contexts.density import KernelDensity, bandwidths, density
from belated.contexts.discrepancy import MeanDiscrepancyBall, MinimaxDiscrepancy
from belated.contexts.divergences import ChiSquare, DensityBall, Divergence, KullbackLeibler, TotalVariation
from belated.contexts.empirical import Observed
from belated.contexts.known import Known
from belated.contexts.law import ContextLaw, Sample
from belated.contexts.placing import drawn_contexts, placed_evidence

__all__ = [
    "Aim",
    "ChiSquare",
    "ContextLaw",
    "DensityBall",
    "Divergence",
    "Expectation",
    "KernelDensity",
    "Known",
    "KullbackLeibler",
    "LeftOut",
    "MeanDiscrepancyBall",
    "MinimaxDiscrepancy",
    "Observed",
    "Sample",
    "TotalVariation",
    "View",
    "Weighed",
    "WithinDeviation",
    "bandwidths",
    "density",
    "drawn_contexts",
    "placed_evidence",
]

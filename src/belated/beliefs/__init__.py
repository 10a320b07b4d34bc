"""Beliefs about f: exact Gaussian processes, random features, mixtures of them, and the fit of hyperparameters."""

from belated.beliefs.belief import Belief, Combine, Combined, Expecting, Function, Imagine, Moments, Readable, Tabled
from belated.beliefs.ensemble import Ensemble, Features
from belated.beliefs.fit import SMALLEST_UNIT, Hyperparameters, Prior, fit
from belated.beliefs.forms import FORMS
from belated.beliefs.fully_bayesian import FullyBayesian
from belated.beliefs.gaussian import GaussianProcess, Setting
from belated.beliefs.hyperlaws import Intervals
from belated.beliefs.kernels import Kernel
from belated.beliefs.leaving import left_out
from belated.beliefs.memory import Memory
from belated.beliefs.mixture import Mixture
from belated.beliefs.model import GP
from belated.beliefs.reading import HalfRanks
from belated.beliefs.regressions import Regressions

# What a policy takes for its belief.
Description = GP | Features | Ensemble | FullyBayesian

__all__ = [
    "FORMS",
    "GP",
    "SMALLEST_UNIT",
    "Belief",
    "Combine",
    "Combined",
    "Description",
    "Ensemble",
    "Expecting",
    "Features",
    "FullyBayesian",
    "Function",
    "GaussianProcess",
    "HalfRanks",
    "Hyperparameters",
    "Imagine",
    "Intervals",
    "Kernel",
    "Memory",
    "Mixture",
    "Moments",
    "Prior",
    "Readable",
    "Regressions",
    "Setting",
    "Tabled",
    "fit",
    "left_out",
]

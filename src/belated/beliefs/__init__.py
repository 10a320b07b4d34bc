"""Beliefs about f: exact Gaussian processes, random features, mixtures of them, and the fit of hyperparameters."""

from belated.beliefs.belief import (
    Belief,
    Combine,
    Combined,
    Expecting,
    Foreseeing,
    Function,
    Imagine,
    Incumbents,
    Kept,
    Mixed,
    Moments,
    Readable,
    Scenarios,
    Weighted,
)
from belated.beliefs.features.regressions import Regressions
from belated.beliefs.fitting.fit import SMALLEST_UNIT, Hyperparameters, Prior, fit, spaced
from belated.beliefs.fitting.hyperlaws import Intervals
from belated.beliefs.fitting.likelihood import log_marginal_likelihood
from belated.beliefs.gp import GP
from belated.beliefs.kernels.form import Stationary
from belated.beliefs.kernels.forms import FORMS
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import SimpleKernel
from belated.beliefs.memory import Memory
from belated.beliefs.mixtures.ensemble import MOST_FEATURES, Ensemble, Features
from belated.beliefs.mixtures.fully_bayesian import FullyBayesian
from belated.beliefs.mixtures.mixture import Mixture, even_mixture
from belated.beliefs.output_scales import HalfRanks
from belated.beliefs.process.cholesky import Cholesky, cholesky, steadied
from belated.beliefs.process.gaussian import GaussianProcess, Setting
from belated.beliefs.process.information import GREEDY_RATIO
from belated.beliefs.schedule import AfterQueries, milestone
from belated.beliefs.success import ENOUGH, SuccessChance, success_chance
from belated.beliefs.two_parts.description import TwoParts

# What a policy takes for its belief.
Description = GP | Features | Ensemble | FullyBayesian

__all__ = [
    "ENOUGH",
    "FORMS",
    "GP",
    "GREEDY_RATIO",
    "MOST_FEATURES",
    "SMALLEST_UNIT",
    "AfterQueries",
    "Belief",
    "Cholesky",
    "Combine",
    "Combined",
    "Description",
    "Ensemble",
    "Expecting",
    "Features",
    "Foreseeing",
    "FullyBayesian",
    "Function",
    "GaussianProcess",
    "HalfRanks",
    "Hyperparameters",
    "Imagine",
    "Incumbents",
    "Intervals",
    "Kept",
    "Kernel",
    "Memory",
    "Mixed",
    "Mixture",
    "Moments",
    "Prior",
    "Readable",
    "Regressions",
    "Scenarios",
    "Setting",
    "SimpleKernel",
    "Stationary",
    "SuccessChance",
    "TwoParts",
    "Weighted",
    "cholesky",
    "even_mixture",
    "fit",
    "log_marginal_likelihood",
    "milestone",
    "spaced",
    "steadied",
    "success_chance",
]

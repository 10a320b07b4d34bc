"""Beliefs about f: kernels, the exact Gaussian process, draws from it, and the fit of its hyperparameters."""

from belated.beliefs.belief import Belief, Combine, Combined, Function, Moments, Tabled
from belated.beliefs.fit import Hyperparameters, Prior, fit
from belated.beliefs.forms import FORMS
from belated.beliefs.gaussian import GaussianProcess, Setting
from belated.beliefs.kernels import Kernel
from belated.beliefs.memory import Memory
from belated.beliefs.model import GP

__all__ = [
    "FORMS",
    "GP",
    "Belief",
    "Combine",
    "Combined",
    "Function",
    "GaussianProcess",
    "Hyperparameters",
    "Kernel",
    "Memory",
    "Moments",
    "Prior",
    "Setting",
    "Tabled",
    "fit",
]

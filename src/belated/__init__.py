"""Belated: Bayesian optimization for answers that come late."""

from belated import beliefs, contexts, errors, pacing, pending, policies, report, rules, simulate, storage
from belated.beliefs import GP, Ensemble, Features, FullyBayesian
from belated.client import RemoteStudy
from belated.errors import BelatedError
from belated.log import Answer, Balk, History, Query, State, Window
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Best, Notice, Ran, Recommendation, Retries, Study

__version__ = "0.1.0"

__all__ = [
    "GP",
    "Answer",
    "Balk",
    "BelatedError",
    "Best",
    "Candidates",
    "Choice",
    "Context",
    "Ensemble",
    "Features",
    "Float",
    "FullyBayesian",
    "History",
    "Int",
    "Notice",
    "Query",
    "Ran",
    "Recommendation",
    "RemoteStudy",
    "Retries",
    "Space",
    "State",
    "Study",
    "Window",
    "beliefs",
    "contexts",
    "errors",
    "pacing",
    "pending",
    "policies",
    "report",
    "rules",
    "simulate",
    "storage",
]

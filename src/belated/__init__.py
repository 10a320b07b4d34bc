"""Belated: Bayesian optimization for answers that come late."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from belated import beliefs, contexts, errors, evidence, pacing, pending, policies, rules, storage
from belated.beliefs import GP, Ensemble, Features, FullyBayesian
from belated.client import RemoteStudy
from belated.errors import BelatedError
from belated.evidence import Evidence
from belated.log import (
    Answer,
    AtLeast,
    AtMost,
    Balk,
    Maximize,
    Measurement,
    Minimize,
    Query,
    Record,
    Signal,
    State,
    Window,
)
from belated.release import RELEASE
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Best, Lost, Notice, Ran, Recommendation, Retries, Study
from belated.study.figures import drawn_by
from belated.study.other_libraries import MAKERS, unknown_attribute

if TYPE_CHECKING:
    from belated import report, simulate

__version__ = RELEASE

# A study needs neither, and they take a fifth of the time in which all is imported.
_WHEN_NEEDED = ("report", "simulate")
drawn_by("belated.report")

__all__ = [
    "GP",
    "Answer",
    "AtLeast",
    "AtMost",
    "Balk",
    "BelatedError",
    "Best",
    "Candidates",
    "Choice",
    "Context",
    "Ensemble",
    "Evidence",
    "Features",
    "Float",
    "FullyBayesian",
    "Int",
    "Lost",
    "Maximize",
    "Measurement",
    "Minimize",
    "Notice",
    "Query",
    "Ran",
    "Recommendation",
    "Record",
    "RemoteStudy",
    "Retries",
    "Signal",
    "Space",
    "State",
    "Study",
    "Window",
    "beliefs",
    "contexts",
    "errors",
    "evidence",
    "pacing",
    "pending",
    "policies",
    "report",
    "rules",
    "simulate",
    "storage",
]


if not TYPE_CHECKING:  # else any name would do

    def __getattr__(name: str) -> Any:
        if name in _WHEN_NEEDED:
            return import_module(f"belated.{name}")
        raise unknown_attribute("module 'belated'", name, MAKERS)

    def __dir__() -> list[str]:
        return [*__all__, "__version__"]

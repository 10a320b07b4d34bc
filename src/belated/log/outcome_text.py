"""Outcomes as people write and read them: "maximize", "minimize, silence 0", "at most 2", "at least 0.9", "signal"."""

from __future__ import annotations

import re

from belated.checks import as_number
from belated.errors import ParameterError
from belated.log.outcomes import AtLeast, AtMost, Constraint, Maximize, Minimize, Outcome, Outcomes, Signal
from belated.show import written

_OBJECTIVE = re.compile(r"(?P<goal>maximi[sz]e|minimi[sz]e)(\s*,?\s+silence\s*(=\s*)?(?P<silence>\S+))?", re.IGNORECASE)
_LIMIT = re.compile(r"(?P<kind>at[ -]most|at[ -]least|<=|>=|≤|≥)\s*(?P<limit>\S+)", re.IGNORECASE)
_SIGNAL = re.compile(r"signal", re.IGNORECASE)
_MOST = {"at most", "at-most", "<=", "≤"}


def outcome_text(outcome: Outcome) -> str:
    """An outcome in words, which `outcome_of` reads."""
    if isinstance(outcome, Constraint):
        return f"{outcome.kind.replace('-', ' ')} {written(outcome.limit, 17)}"
    silence = None if isinstance(outcome, Signal) else outcome.silence
    return outcome.kind if silence is None else f"{outcome.kind}, silence {written(silence, 17)}"


def objectives_text(outcomes: Outcomes) -> str:
    """What a study is for: "maximize", or "maximize yield, minimize cost"."""
    if not outcomes.named:
        return outcomes.goal
    return ", ".join(f"{outcomes[name].kind} {name}" for name in outcomes.objectives)


def outcome_of(call: str, name: str, text: str) -> Outcome:
    """The outcome that was written, or a ParameterError that begins with the call."""
    said = text.strip()
    if _SIGNAL.fullmatch(said):
        return Signal()
    if (limit := _LIMIT.fullmatch(said)) and (number := _number(limit["limit"])) is not None:
        return AtMost(number) if limit["kind"].lower() in _MOST else AtLeast(number)
    if objective := _OBJECTIVE.fullmatch(said):
        kind = Maximize if objective["goal"].lower().startswith("max") else Minimize
        silence = objective["silence"]
        if silence is None:
            return kind()
        if (value := _number(silence)) is not None:
            return kind(value)
    raise ParameterError(
        f"{call}: got {text!r} for the outcome {name!r}; write maximize, minimize, at most 2.0, at least 0.9 or "
        f"signal; and where no answer is an answer: maximize, silence 0."
    )


def _number(text: str) -> float | None:
    try:
        return as_number(float(text))
    except ValueError:
        return None

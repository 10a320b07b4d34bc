"""What a trial has no word for, kept in an attribute of it: all that happened to its query here.

So a study that has gone to Optuna and come back is what it was, and a sampler of ours tells a query that was abandoned
from one that failed, both of which Optuna calls FAIL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from optuna.trial import FrozenTrial

from belated.checks import as_number
from belated.errors import AnswerError
from belated.log import LARGEST_ANSWER, Event, State
from belated.study.running.evaluation import clean

ATTRIBUTE = "belated"
# Why a trial failed; Optuna itself has no place for it.
REASON = "fail_reason"
# The standard error of a trial's value, which the objective writes there; Optuna itself has no place for it.
STANDARD_ERROR = "belated:sd"
# A query has another number, in another log, when it comes back.
_RENUMBERED = ("number", "query", "after")


def kept_in(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """What `to_optuna` kept here; nothing if this did not come from it."""
    kept = attributes.get(ATTRIBUTE)
    return kept if isinstance(kept, dict) else {}


def kept_of(events: Iterable[Event]) -> dict[str, Any]:
    """The attribute that keeps what happened to a query."""
    entries = (event.to_json() for event in events)
    return {"events": [{name: value for name, value in entry.items() if name not in _RENUMBERED} for entry in entries]}


def events_kept(trial: FrozenTrial) -> list[Event]:
    """What happened to the query of a trial before it came here, as events of query 1 that are not numbered yet."""
    entries = kept_in(trial.user_attrs).get("events", ())
    return [Event.from_json({"number": 0, "query": 1, **entry}) for entry in entries]


def state_after(events: Iterable[Event]) -> State:
    """How a query stands after these events of it."""
    state = State.PENDING
    for event in events:
        effect = event.body.effect
        if effect is not None and effect.leaves is not None:
            state = effect.leaves
    return state


def standard_error_of(call: str, trial: FrozenTrial) -> float | None:
    """The standard error of a trial's value, where the objective has said it."""
    said = trial.user_attrs.get(STANDARD_ERROR)
    if said is None:
        return None
    number = None if isinstance(said, bool) else as_number(said)
    if number is None or not 0.0 < number <= LARGEST_ANSWER:
        raise AnswerError(
            f"{call}: trial {trial.number} has the standard error {said!r} in its attribute {STANDARD_ERROR!r}; it is "
            f"a number above 0; leave it out where it is unknown."
        )
    return number


def reason_of(trial: FrozenTrial) -> str:
    """Why a trial failed, as far as anybody has said."""
    reason = trial.user_attrs.get(REASON, trial.system_attrs.get(REASON))
    return clean(reason) if isinstance(reason, str) and reason else "failed"

"""Whether events from outside make a log: what a study and a replay require of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from belated.checks import as_number
from belated.errors import LogError, ParameterError
from belated.log.effect import Effect
from belated.log.events import (
    Answered,
    Asked,
    Body,
    Created,
    Event,
    Noticed,
    Retracted,
    SeedChanged,
    SeekChanged,
    SilenceChanged,
    is_body,
)
from belated.log.measurement import Measurement, measurements_in
from belated.log.outcomes import Outcomes
from belated.log.settings import Settings
from belated.log.standing import QueryStanding, entered_standing

LARGEST_ANSWER = 1e140
LARGEST_SEED = 2**128
# Arms are counted in 64 bits; no policy has that many.
MOST_ARMS = 2**31


def whole_log(call: str, events: object) -> tuple[Created, list[Event]]:
    """The creation and all events of a log; a LogError at the first event that cannot follow those before it."""
    log = list(events) if isinstance(events, Iterable) else []
    known: list[QueryStanding] = []
    sighted: set[int | None] = set()
    settings, asked = Settings(), 1
    for place, event in enumerate(log):
        trouble = (
            _trouble(place, event, known, settings.outcomes)
            or _misplaced(event, log[0].body, settings, asked)
            or _missighted(event, log[0].body, sighted)
        )
        if trouble:
            raise LogError(f"{call}: event {place + 1} {trouble}; give a whole log, as Study.events has it.")
        settings = settings.after(event)
        asked = event.number if isinstance(event.body, Asked) else asked
    if not log:
        raise LogError(f"{call}: got {events!r}; a log begins with its creation; give a whole log, from event 1.")
    created = log[0].body
    assert isinstance(created, Created)
    return created, log


def _trouble(place: int, event: object, known: list[QueryStanding], outcomes: Outcomes) -> str | None:
    """What is wrong with the next event, or None; notes what the event does to its query."""
    if not isinstance(event, Event):
        return f"is {event!r}, which is no event"
    if event.number != place + 1 or as_number(event.at) is None:
        return f"has the number {event.number!r} and the time {event.at!r}"
    if not isinstance(event.by, str | None):
        return f"is by {event.by!r}"
    body = event.body
    if isinstance(body, Created) != (place == 0):
        return "should be the creation" if place == 0 else "creates the study a second time"
    if not is_body(body):
        return f"has the body {body!r}, which no release writes"
    trouble = _content_trouble(body)
    if trouble is None and body.effect is not None:
        trouble = _effect_trouble(body, body.effect, known, outcomes)
    return trouble


def _effect_trouble(body: Any, effect: Effect, known: list[QueryStanding], outcomes: Outcomes) -> str | None:
    """What is wrong with the effect of an event on its query, or None; notes the new standing of the query."""
    measured = set(measurements_in(body))
    if measured - set(outcomes):
        return f"tells the outcomes {sorted(measured)}, and the study declares {list(outcomes)}"
    if effect.enters:
        if body.query != len(known) + 1:
            return f"brings query {body.query!r} where {len(known) + 1} is next"
        if effect is Effect.ADDS and not measured.issuperset(outcomes.required):
            return f"adds data without {sorted(set(outcomes.required) - measured)}"
        known.append(entered_standing(body))
        return None
    if not isinstance(body.query, int) or not 1 <= body.query <= len(known):
        return f"is about query {body.query!r}, and there are {len(known)}"
    before = known[body.query - 1]
    if before.state not in effect.finds:
        return f"finds query {body.query} {before.state.value}"
    trouble = _outcome_trouble(body, effect, before, outcomes)
    known[body.query - 1] = before.after(body)
    return trouble


def _outcome_trouble(body: Any, effect: Effect, before: QueryStanding, outcomes: Outcomes) -> str | None:
    """What is wrong with the outcomes that an event tells or takes back, as the query stands, or None."""
    measured, there = set(measurements_in(body)), set(before.answers)
    match effect:
        case Effect.ANSWERS | Effect.MEASURES:
            partly = bool(getattr(body, "partly", False))
            wrong = not measured or bool(measured & there) or partly != before.is_partial(measured, outcomes)
        case Effect.CORRECTS:
            wrong = not measured or not measured <= there
        case Effect.RETRACTS | Effect.WITHDRAWS:
            stray = body.outcome is not None and body.outcome not in there
            wrong = stray or bool(body.partly) != before.is_withdrawal(body.outcome, outcomes)
        case _:
            wrong = False
    told = sorted(measured) or getattr(body, "outcome", None)
    return f"is about {told} of query {body.query}, of which {sorted(there)} were told" if wrong else None


def _content_trouble(body: Body) -> str | None:
    """What is wrong with the content of an event, or None."""
    match body:
        case Created():
            return _creation_trouble(body)
        case SeedChanged(seed=seed):
            return None if is_seed(seed) else f"has the seed {seed!r}"
        case SilenceChanged(silence=silence):
            return None if silence is None or as_number(silence) is not None else f"has the silence {silence!r}"
        case SeekChanged(seek=seek):
            return None if is_seek(seek) else f"seeks {seek!r}"
        case Noticed(kind=kind, text=text):
            sound = isinstance(kind, str) and isinstance(text, str)
            return None if sound else f"notices {kind!r}: {text!r}"
        case Answered(partly=partly) if not isinstance(partly, bool | None):
            return f"is partly {partly!r}"
        case Retracted(outcome=outcome, partly=partly):
            sound = isinstance(outcome, str | None) and isinstance(partly, bool | None)
            return None if sound else f"takes back the outcome {outcome!r}, partly {partly!r}"
        case Asked(arm=arm, release=release):
            return _arm_trouble(arm) if isinstance(release, str | None) else f"has the release {release!r}"
    return _measurement_trouble(body) if body.effect is not None and body.effect.measures else None


def _creation_trouble(created: Created) -> str | None:
    """What is wrong with the goal, the seed, what is sought or the outcomes of a creation, or None."""
    goal, seed, outcomes = created.goal, created.seed, created.outcomes
    sound = goal in ("maximize", "minimize") if outcomes is None else goal is None
    if not sound or not is_seed(seed):
        return f"has the goal {goal!r} and the seed {seed!r}"
    if created.seek is not None and not is_seek(created.seek):
        return f"seeks {created.seek!r}"
    try:
        Outcomes.one() if outcomes is None else Outcomes.from_json(outcomes)
    except ParameterError:
        return f"has the outcomes {outcomes!r}"
    return None


def _measurement_trouble(body: Any) -> str | None:
    """What is wrong with the measurements in an event, or None."""
    values = getattr(body, "values", None)
    if (body.value is None) == (values is None):
        return f"has the value {body.value!r} and the values {values!r}"
    try:
        measured = measurements_in(body)
    except (AttributeError, KeyError, TypeError):
        return f"has the values {values!r}"
    for told in measured.values():
        numbers = [as_number(number) for number in (told.value, *told.repeats)]
        if any(number is None or not is_answer(number) for number in numbers):
            return f"has the value {told!s}"
        if told.sd is not None and (as_number(told.sd) is None or not 0.0 < told.sd <= LARGEST_ANSWER):
            return f"has the standard error {told.sd!r}"
        if told.repeats and (told.sd is not None or Measurement.of_repeats(told.repeats) != told):
            return f"has the value {told.value!r} of the repeats {list(told.repeats)!r}"
    return None


def _misplaced(event: Event, created: Body, settings: Settings, asked: int) -> str | None:
    """What is wrong with where an event stands: a query of a study that asks nothing, or one that saw what came later.

    The settings are those before it, and `asked` is the number of the last ask before it.
    """
    assert isinstance(created, Created)
    body = event.body
    if isinstance(body, Asked) and settings.closed is not None:
        return "asks a query after the study was closed"
    if isinstance(body, Asked) and settings.archived is not None:
        return "asks a query after the study was archived"
    if isinstance(body, Asked) and body.after is not None:
        sound = isinstance(body.after, int) and asked <= body.after < event.number
        if not sound:
            return f"was decided after event {body.after!r}, and the last ask is event {asked}"
    return None


def _missighted(event: Event, created: Body, sighted: set[int | None]) -> str | None:
    """What is wrong with the context of an event, or None; notes which queries have one."""
    assert isinstance(created, Created)
    body, effect = event.body, event.body.effect
    if effect is None or not hasattr(body, "context"):
        return None
    seen = None if created.context is None else created.context.get("seen")
    if body.context is None:
        missing = seen == "before" and effect.enters
        return "has no context, and the study declares one" if missing else None
    if seen is None:
        return f"has the context {body.context!r}, and the study declares none"
    if effect is Effect.ASKS if seen == "after" else not effect.enters:
        return f"has the context {body.context!r}, and the study's is seen {seen} the decision"
    if event.query in sighted:
        return f"brings a second context of query {event.query}"
    sighted.add(event.query)
    return None


def is_seed(seed: object) -> bool:
    """Whether a number can be a seed."""
    return isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < LARGEST_SEED


def is_seek(seek: object) -> bool:
    """Whether it can be what a study seeks."""
    return seek in ("best", "total")


def is_answer(value: float) -> bool:
    """Whether a number can be an answer: finite, with a square that a belief can compute with."""
    return abs(value) <= LARGEST_ANSWER


def _arm_trouble(arm: object) -> str | None:
    sound = arm is None or (isinstance(arm, int) and not isinstance(arm, bool) and 0 <= arm < MOST_ARMS)
    return None if sound else f"has the arm {arm!r}"

"""Whether events from outside make a log: what a study and a replay require of them."""

from __future__ import annotations

from collections.abc import Iterable

from belated.checks import as_number
from belated.errors import LogError
from belated.log.effect import Effect
from belated.log.events import Asked, Body, Closed, Created, Event, Noticed, Reopened, SeedChanged, is_body
from belated.log.query import State

LARGEST_ANSWER = 1e140
LARGEST_SEED = 2**128
# Arms are counted in 64 bits; no policy has that many.
MOST_ARMS = 2**31


def whole_log(call: str, events: object) -> tuple[Created, list[Event]]:
    """The creation and all events of a log; a LogError at the first event that cannot follow those before it."""
    log = list(events) if isinstance(events, Iterable) else []
    states: list[State] = []
    sighted: set[int | None] = set()
    closed, asked = False, 1
    for place, event in enumerate(log):
        trouble = (
            _trouble(place, event, states)
            or _misplaced(event, log[0].body, closed, asked)
            or _missighted(event, log[0].body, sighted)
        )
        if trouble:
            raise LogError(f"{call}: event {place + 1} {trouble}; give a whole log, as Study.events has it.")
        closed = isinstance(event.body, Closed) or (closed and not isinstance(event.body, Reopened))
        asked = event.number if isinstance(event.body, Asked) else asked
    if not log:
        raise LogError(f"{call}: got {events!r}; a log begins with its creation; give a whole log, from event 1.")
    created = log[0].body
    assert isinstance(created, Created)
    return created, log


def _trouble(place: int, event: object, states: list[State]) -> str | None:
    """What is wrong with the next event, or None; notes what the event does to the queries."""
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
    effect = body.effect
    return (None if effect is None else _state_trouble(effect, event.query, states)) or _content_trouble(body)


def _state_trouble(effect: Effect, query: object, states: list[State]) -> str | None:
    """What is wrong with the effect of an event on a query, or None; notes the new state of the query."""
    if effect.enters and effect.leaves is not None:
        states.append(effect.leaves)
        return None if query == len(states) else f"brings query {query!r} where {len(states)} is next"
    if not isinstance(query, int) or not 1 <= query <= len(states):
        return f"is about query {query!r}, and there are {len(states)}"
    before = states[query - 1]
    if effect.finds not in (None, before):
        return f"finds query {query} {before.value}"
    states[query - 1] = effect.leaves or before
    return None


def _content_trouble(body: Body) -> str | None:
    """What is wrong with the content of an event, or None."""
    match body:
        case Created(goal=goal, seed=seed):
            sound = goal in ("maximize", "minimize") and is_seed(seed)
            return None if sound else f"has the goal {goal!r} and the seed {seed!r}"
        case SeedChanged(seed=seed):
            return None if is_seed(seed) else f"has the seed {seed!r}"
        case Noticed(kind=kind, text=text):
            sound = isinstance(kind, str) and isinstance(text, str)
            return None if sound else f"notices {kind!r}: {text!r}"
        case Asked(arm=arm):
            return _arm_trouble(arm)
    return _value_trouble(body.value) if hasattr(body, "value") else None


def _misplaced(event: Event, created: Body, closed: bool, asked: int) -> str | None:
    """What is wrong with where an event stands: a query after the end, or one that saw what came later.

    `asked` is the number of the last ask before it.
    """
    assert isinstance(created, Created)
    body = event.body
    if isinstance(body, Asked) and closed:
        return "asks a query after the study was closed"
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


def is_answer(value: float) -> bool:
    """Whether a number can be an answer: finite, with a square that a belief can compute with."""
    return abs(value) <= LARGEST_ANSWER


def _value_trouble(value: object) -> str | None:
    number = as_number(value)
    return None if number is not None and is_answer(number) else f"has the value {value!r}"


def _arm_trouble(arm: object) -> str | None:
    sound = arm is None or (isinstance(arm, int) and not isinstance(arm, bool) and 0 <= arm < MOST_ARMS)
    return None if sound else f"has the arm {arm!r}"

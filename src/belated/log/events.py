"""What can happen to a study: the events of its append-only log.

An event is numbered from 1 without gaps and carries the instant at which it was written, and by whom, where that is
known. Nothing in a log is ever overwritten: a revision is one more event, and the first value stays. Each kind says by
its `effect` what it does to its query, or None where it is about the study itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from sys import intern
from typing import Any, ClassVar, TypeVar

from belated.errors import LogError
from belated.log.effect import Effect
from belated.log.outcomes import Goal, Seek
from belated.log.values import Values

Point = Mapping[str, Any]
# What was measured, by outcome: {"yield": {"value": 0.83, "sd": 0.02}}.
Told = Mapping[str, Mapping[str, Any]]
VERSION = 2
# Version 1 knew no failures, no named outcomes, and no errors of answers.
READABLE = (1, 2)

T = TypeVar("T")
_kinds: dict[str, type] = {}
_names: dict[type, str] = {}


def kind(name: str) -> Callable[[type[T]], type[T]]:
    """Register a class of event bodies under the name that logs use for it; the name never changes."""

    def known(body: type[T]) -> type[T]:
        effect: object = body.effect  # type: ignore[attr-defined]
        said = {part.name for part in fields(body)}  # type: ignore[arg-type]
        # Of some kinds, each event has its own effect, which is a property of it.
        if isinstance(effect, Effect):
            assert said.issuperset(effect.needs), f"an event that {effect.word} has {effect.needs}"
        _kinds[name], _names[body] = body, name
        return body

    return known


def kinds() -> tuple[str, ...]:
    """The names of all kinds of events."""
    return tuple(_kinds)


def kind_of(body: type) -> str:
    """The name of a kind of event, of whose bodies this is the class."""
    return _names[body]


def is_body(body: object) -> bool:
    """Whether a value is the body of some kind of event."""
    return type(body) in _names


@kind("created")
@dataclass(frozen=True, slots=True)
class Created:
    """The study begins: its space, context, goal or outcomes, policy and seed, all as JSON values.

    Logs from before studies could say what they seek leave it out, and go on as they did: every answer counts.
    """

    effect: ClassVar = None
    space: Mapping[str, Any]
    context: Mapping[str, Any] | None
    goal: Goal | None  # of the one outcome of a study that names none
    policy: Mapping[str, Any]
    seed: int
    outcomes: Sequence[Mapping[str, Any]] | None = None
    seek: Seek | None = None


@kind("asked")
@dataclass(frozen=True, slots=True)
class Asked:
    """A point was chosen and handed out.

    Answers that came while the decision was made stand before it in the log, and it did not see them: then `after`
    is the number of the last event that it saw. A `key` or the name of a `worker` lets the same ask be made again.
    A policy that plays with arms keeps here which `arm` asked. The `release` of belated decided it.
    """

    effect: ClassVar = Effect.ASKS
    query: int
    point: Point
    context: Point | None = None
    after: int | None = None
    key: str | None = None
    worker: str | None = None
    arm: int | None = None
    release: str | None = None


@kind("answered")
@dataclass(frozen=True, slots=True)
class Answered:
    """What came of a query arrived, perhaps with the context that was seen after the decision.

    A study with one outcome tells its `value`, which is the mean of the `repeats`, if there are any, and may have a
    standard error, its `sd`. Others tell `values` by the names of outcomes, each with the same three parts. It is
    `partly` where it ends no wait, as an outcome is still missing that the query waits for, or all were there.
    """

    query: int
    value: float | None = None
    context: Point | None = None
    sd: float | None = None
    repeats: Sequence[float] | None = None
    values: Told | None = None
    partly: bool | None = None

    @property
    def effect(self) -> Effect:
        """What it does to its query."""
        return Effect.MEASURES if self.partly else Effect.ANSWERS


@kind("performed")
@dataclass(frozen=True, slots=True)
class Performed:
    """Another point than the one asked was tried; the belief takes it in the place of that one."""

    effect: ClassVar = Effect.MOVES
    query: int
    point: Point


@kind("context-seen")
@dataclass(frozen=True, slots=True)
class ContextSeen:
    """The context of a query was seen, before its answer, after it or without it."""

    effect: ClassVar = Effect.NOTES
    query: int
    context: Point


@kind("revised")
@dataclass(frozen=True, slots=True)
class Revised:
    """An answer was replaced by a better one."""

    effect: ClassVar = Effect.CORRECTS
    query: int
    value: float | None = None
    sd: float | None = None
    repeats: Sequence[float] | None = None
    values: Told | None = None


@kind("retracted")
@dataclass(frozen=True, slots=True)
class Retracted:
    """What came of a query was taken back: an outcome or all of them, a failure, or that it was abandoned.

    It is `partly` where the query is then no less answered than before.
    """

    query: int
    reason: str
    outcome: str | None = None
    partly: bool | None = None

    @property
    def effect(self) -> Effect:
        """What it does to its query."""
        return Effect.WITHDRAWS if self.partly else Effect.RETRACTS


@kind("failed")
@dataclass(frozen=True, slots=True)
class Failed:
    """There is no answer because of the point: it cannot be done there."""

    effect: ClassVar = Effect.FAILS
    query: int
    reason: str


@kind("abandoned")
@dataclass(frozen=True, slots=True)
class Abandoned:
    """No answer will come, which says nothing of the point, and the query is no longer waited for."""

    effect: ClassVar = Effect.ABANDONS
    query: int
    reason: str


@kind("added")
@dataclass(frozen=True, slots=True)
class Added:
    """Data that was never asked; it gets an identifier like any query."""

    effect: ClassVar = Effect.ADDS
    query: int
    point: Point
    value: float | None = None
    context: Point | None = None
    sd: float | None = None
    repeats: Sequence[float] | None = None
    values: Told | None = None


@kind("policy-changed")
@dataclass(frozen=True, slots=True)
class PolicyChanged:
    """From here on, another policy decides."""

    effect: ClassVar = None
    policy: Mapping[str, Any]


@kind("seed-changed")
@dataclass(frozen=True, slots=True)
class SeedChanged:
    """From here on, decisions draw their randomness from another seed."""

    effect: ClassVar = None
    seed: int


@kind("silence-changed")
@dataclass(frozen=True, slots=True)
class SilenceChanged:
    """From here on, no answer within the window means another value of the objective, or, without one, nothing."""

    effect: ClassVar = None
    silence: float | None = None


@kind("seek-changed")
@dataclass(frozen=True, slots=True)
class SeekChanged:
    """From here on, something else counts: the best point in the end, or every answer."""

    effect: ClassVar = None
    seek: Seek


@kind("closed")
@dataclass(frozen=True, slots=True)
class Closed:
    """No further query is asked; answers are still welcome."""

    effect: ClassVar = None
    reason: str


@kind("reopened")
@dataclass(frozen=True, slots=True)
class Reopened:
    """Queries are asked again."""

    effect: ClassVar = None
    reason: str


@kind("archived")
@dataclass(frozen=True, slots=True)
class Archived:
    """The study is out of sight, and asks nothing; answers are still welcome."""

    effect: ClassVar = None
    reason: str


@kind("unarchived")
@dataclass(frozen=True, slots=True)
class Unarchived:
    """The study is in sight again."""

    effect: ClassVar = None
    reason: str


@kind("noticed")
@dataclass(frozen=True, slots=True)
class Noticed:
    """The ask before it found something that the user should know; said once of each kind, and no decision sees it."""

    effect: ClassVar = None
    kind: str
    text: str


Body = (
    Created
    | Asked
    | Answered
    | Performed
    | ContextSeen
    | Revised
    | Retracted
    | Failed
    | Abandoned
    | Added
    | PolicyChanged
    | SeedChanged
    | SilenceChanged
    | SeekChanged
    | Closed
    | Reopened
    | Archived
    | Unarchived
    | Noticed
)


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log; `by` names who wrote it, if known."""

    number: int
    at: float
    body: Body
    by: str | None = None

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return _names[type(self.body)]

    @property
    def query(self) -> int | None:
        """The query that the event is about; None if it is about the study itself."""
        return None if self.body.effect is None else self.body.query

    def to_json(self) -> dict[str, Any]:
        """The event as plain JSON values, with the version of its format."""
        values = ((part.name, getattr(self.body, part.name)) for part in fields(self.body))
        body = {name: _plain(value) for name, value in values if value is not None}
        return {
            "version": VERSION,
            "number": self.number,
            "at": self.at,
            "event": self.kind,
            **({} if self.by is None else {"by": self.by}),
            **body,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Event:
        """The event that `to_json` wrote."""
        if not isinstance(data, dict | Mapping):
            raise LogError(f"Event.from_json(): got {data!r}; an event is a JSON object; give what to_json() wrote.")
        fields = dict(data)
        version, name = fields.pop("version", None), fields.pop("event", None)
        if version not in READABLE or not isinstance(name, str) or name not in _kinds:
            raise LogError(
                f"Event.from_json(): got event {name!r} of version {version!r}; this release reads versions "
                f"{' and '.join(map(str, READABLE))} of {', '.join(_kinds)}; upgrade belated to read newer logs."
            )
        if name == "created":
            fields = {"context": None, "goal": None, **fields}
        try:
            number, at, by = fields.pop("number"), fields.pop("at"), fields.pop("by", None)
            return Event(number, at, _kinds[name](**{key: _kept(value) for key, value in fields.items()}), by)
        except (KeyError, TypeError) as error:
            raise LogError(
                f"Event.from_json(): event {name!r} has wrong fields ({error}); give what to_json() wrote."
            ) from None


def _plain(value: Any) -> Any:
    """A copy that the caller may change."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _kept(value: Any) -> Any:
    """Objects of a JSON text as values that stay as they are; all events share the names in them."""
    if not isinstance(value, dict):
        return value
    return Values({intern(name) if type(name) is str else name: item for name, item in value.items()})

"""What can happen to a study: the events of its append-only log.

An event is numbered from 1 without gaps and carries the instant at which it was written. Nothing in a log is
ever overwritten: a revision is one more event, and the first value stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from belated.errors import LogError
from belated.log.values import Values

Goal = Literal["maximize", "minimize"]
Point = Mapping[str, Any]
VERSION = 1


@dataclass(frozen=True)
class Created:
    """The study begins: its space, context, goal, policy and seed, all as JSON values."""

    space: Mapping[str, Any]
    context: Mapping[str, Any] | None
    goal: Goal
    policy: Mapping[str, Any]
    seed: int


@dataclass(frozen=True)
class Asked:
    """A point was chosen and handed out."""

    query: int
    point: Point
    context: Point | None = None


@dataclass(frozen=True)
class Answered:
    """The answer to a query arrived."""

    query: int
    value: float
    context: Point | None = None


@dataclass(frozen=True)
class Revised:
    """An answer was replaced by a better one."""

    query: int
    value: float


@dataclass(frozen=True)
class Abandoned:
    """No answer will come, and nobody waits for it any more."""

    query: int
    reason: str


@dataclass(frozen=True)
class Added:
    """Data that was never asked; it gets an identifier like any query."""

    query: int
    point: Point
    value: float
    context: Point | None = None


@dataclass(frozen=True)
class PolicyChanged:
    """From here on, another policy decides."""

    policy: Mapping[str, Any]


@dataclass(frozen=True)
class Closed:
    """No further query is asked; answers are still welcome."""

    reason: str


Body = Created | Asked | Answered | Revised | Abandoned | Added | PolicyChanged | Closed


@dataclass(frozen=True)
class Event:
    """One entry of the log."""

    number: int
    at: float
    body: Body

    def to_json(self) -> dict[str, Any]:
        """The event as plain JSON values, with the version of its format."""
        body = {
            key: dict(value) if isinstance(value, dict) else value
            for key, value in asdict(self.body).items()
            if value is not None
        }
        return {
            "version": VERSION,
            "number": self.number,
            "at": self.at,
            "event": _NAMES[type(self.body)],
            **body,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Event:
        """The event that `to_json` wrote."""
        if not isinstance(data, Mapping):
            raise LogError(f"Event.from_json(): got {data!r}; an event is a JSON object; give what to_json() wrote.")
        fields = dict(data)
        version, name = fields.pop("version", None), fields.pop("event", None)
        if version != VERSION or not isinstance(name, str) or name not in _KINDS:
            raise LogError(
                f"Event.from_json(): got event {name!r} of version {version!r}; this release reads version {VERSION} "
                f"of {', '.join(_KINDS)}; upgrade belated to read newer logs."
            )
        if name == "created":
            fields.setdefault("context", None)
        try:
            number, at = fields.pop("number"), fields.pop("at")
            return Event(number, at, _KINDS[name](**{key: _kept(value) for key, value in fields.items()}))
        except (KeyError, TypeError) as error:
            raise LogError(
                f"Event.from_json(): event {name!r} has wrong fields ({error}); give what to_json() wrote."
            ) from None


def _kept(value: Any) -> Any:
    """Objects of a JSON text as values that stay as they are."""
    return Values(value) if isinstance(value, dict) else value


_KINDS: dict[str, type] = {
    "created": Created,
    "asked": Asked,
    "answered": Answered,
    "revised": Revised,
    "abandoned": Abandoned,
    "added": Added,
    "policy-changed": PolicyChanged,
    "closed": Closed,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}

"""What a study says when it is asked for its best."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from belated.log import Balk, Event, Noticed, Query
from belated.show import card, written


@dataclass(frozen=True)
class Best:
    """The best answer so far."""

    point: dict[str, Any]
    value: float
    query: int

    def to_json(self) -> dict[str, Any]:
        """The best answer as plain values."""
        return {"query": self.query, "value": self.value, "point": dict(self.point)}

    def _repr_html_(self) -> str:
        return card("Best answer", f"{written(self.value)}, query {self.query}", self.point.items())


@dataclass(frozen=True)
class Reply:
    """What an ask led to: as many queries as there may be now, or a balk; and what the study noticed, in words."""

    outcome: list[Query] | Balk
    notices: list[str]


@dataclass(frozen=True)
class Notice:
    """Something that the study noticed and said once: its kind, in words, when, and the number of its event."""

    kind: str
    text: str
    at: float
    event: int

    def to_json(self) -> dict[str, Any]:
        """The notice as plain values."""
        return {"kind": self.kind, "text": self.text, "at": self.at, "event": self.event}


def notices_in(events: Iterable[Event]) -> list[Notice]:
    """What was noticed among these events, in order."""
    return [
        Notice(event.body.kind, event.body.text, event.at, event.number)
        for event in events
        if isinstance(event.body, Noticed)
    ]


@dataclass(frozen=True)
class Expected:
    """What the belief expects of an outcome at a point."""

    mean: float
    deviation: float

    def __str__(self) -> str:
        return f"{written(self.mean)} ± {written(self.deviation, 3)}"


@dataclass(frozen=True)
class Recommendation:
    """The point to use now, with what the belief expects there, of `others` too that were measured beside.

    `chance` is how likely it is that no point tried so far is better, by more than a hundredth of the deviation that f
    had before any answer; None where contexts are seen after the decision, and in a context with no answer yet.
    `jitter` is what had to be added to the noise before a nearly singular covariance could be factorised; 0 almost
    always, and a reason to doubt the deviation where it is not.
    """

    point: dict[str, Any]
    mean: float
    deviation: float
    jitter: float = 0.0
    others: dict[str, Expected] = field(default_factory=dict)
    chance: float | None = None

    def to_json(self) -> dict[str, Any]:
        """The recommendation as plain values."""
        return {
            "point": dict(self.point),
            "mean": self.mean,
            "deviation": self.deviation,
            "jitter": self.jitter,
            "others": {name: asdict(expected) for name, expected in self.others.items()},
            "chance": self.chance,
        }

    def _repr_html_(self) -> str:
        others = [(f"{name}, expected", str(expected)) for name, expected in self.others.items()]
        best = [] if self.chance is None else [("chance that none tried is better", f"{self.chance:.0%}")]
        expected = f"expected {Expected(self.mean, self.deviation)} (one deviation)"
        return card("Recommendation", expected, [*self.point.items(), *others, *best])

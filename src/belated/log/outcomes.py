"""The outcomes of a study: what is measured of a query, by name, and what each is for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from belated.checks import as_number, is_text
from belated.errors import ParameterError, Way

Goal = Literal["maximize", "minimize"]
# What counts: the best point in the end, or every answer on the way.
Seek = Literal["best", "total"]
SOUGHT: dict[Seek, str] = {"best": "the best point in the end", "total": "the best total of all answers"}
# What no answer is changed to mean: a value, or nothing any more; None changes nothing.
GivenSilence = float | Literal["nothing"] | None
# The name of the one outcome of a study that names none.
VALUE = "value"
LONGEST_NAME = 100


@dataclass(frozen=True)
class Maximize:
    """An objective: large values are good. With `silence`, no answer within the window is that value."""

    kind: ClassVar = "maximize"
    sign: ClassVar = 1.0
    required: ClassVar = True
    silence: float | None = None

    def __post_init__(self) -> None:
        _check_number("Maximize", "silence", self.silence, optional=True)


@dataclass(frozen=True)
class Minimize:
    """An objective: small values are good. With `silence`, no answer within the window is that value."""

    kind: ClassVar = "minimize"
    sign: ClassVar = -1.0
    required: ClassVar = True
    silence: float | None = None

    def __post_init__(self) -> None:
        _check_number("Minimize", "silence", self.silence, optional=True)


@dataclass(frozen=True)
class AtMost:
    """A constraint: a point is feasible where this outcome is no larger than the limit."""

    kind: ClassVar = "at-most"
    sign: ClassVar = -1.0
    required: ClassVar = True
    limit: float

    def __post_init__(self) -> None:
        _check_number("AtMost", "limit", self.limit)

    def allows(self, value: float) -> bool:
        """Whether a value meets the limit."""
        return value <= self.limit


@dataclass(frozen=True)
class AtLeast:
    """A constraint: a point is feasible where this outcome is no smaller than the limit."""

    kind: ClassVar = "at-least"
    sign: ClassVar = 1.0
    required: ClassVar = True
    limit: float

    def __post_init__(self) -> None:
        _check_number("AtLeast", "limit", self.limit)

    def allows(self, value: float) -> bool:
        """Whether a value meets the limit."""
        return value >= self.limit


@dataclass(frozen=True)
class Signal:
    """What is measured beside objectives and constraints, often earlier: no query waits for it."""

    kind: ClassVar = "signal"
    sign: ClassVar = 1.0
    required: ClassVar = False


Objective = Maximize | Minimize
Constraint = AtMost | AtLeast
Outcome = Objective | Constraint | Signal
_KINDS: dict[str, type[Outcome]] = {kind.kind: kind for kind in (Maximize, Minimize, AtMost, AtLeast, Signal)}


@dataclass(frozen=True)
class Outcomes(Mapping[str, Outcome]):
    """Outcomes by their names, in the order declared."""

    entries: tuple[tuple[str, Outcome], ...]

    @staticmethod
    def one(goal: Goal = "maximize", silence: float | None = None) -> Outcomes:
        """The outcome of a study that names none."""
        return Outcomes(((VALUE, Maximize(silence) if goal == "maximize" else Minimize(silence)),))

    @staticmethod
    def read(call: str, given: object) -> Outcomes:
        """The outcomes that a user declares, or a ParameterError that begins with the call."""
        if not isinstance(given, Mapping) or not given:
            raise ParameterError(
                f"{call}: got {given!r} as the outcomes; give a dict of names, as {{'yield': bl.Maximize(), 'colour': "
                f"bl.Signal()}}."
            )
        for name, outcome in given.items():
            if not _is_name(name):
                raise ParameterError(
                    f"{call}: got the outcome {name!r}; a name is a printable text of 1 to {LONGEST_NAME} characters "
                    f"without spaces at its ends; rename it."
                )
            if not isinstance(outcome, Outcome):
                raise ParameterError(
                    f"{call}: got {outcome!r} for the outcome {name!r}; give bl.Maximize(), bl.Minimize(), "
                    f"bl.AtMost(limit), bl.AtLeast(limit) or bl.Signal()."
                )
        outcomes = Outcomes(tuple(given.items()))
        if not outcomes.objectives:
            raise ParameterError(
                f"{call}: got the outcomes {', '.join(outcomes)}; a study has an objective; ",
                Way("objective", (), "make one of them bl.Maximize() or bl.Minimize()"),
                ".",
            )
        return outcomes

    def __getitem__(self, name: str) -> Outcome:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._by_name

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def _by_name(self) -> dict[str, Outcome]:
        return dict(self.entries)

    @cached_property
    def objectives(self) -> tuple[str, ...]:
        """The outcomes that are made large or small."""
        return tuple(name for name, outcome in self.entries if isinstance(outcome, Objective))

    @cached_property
    def constraints(self) -> tuple[str, ...]:
        """The outcomes that have a limit."""
        return tuple(name for name, outcome in self.entries if isinstance(outcome, Constraint))

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The outcomes that a query waits for: objectives and constraints."""
        return tuple(name for name, outcome in self.entries if outcome.required)

    def lacking(self, there: Iterable[str]) -> tuple[str, ...]:
        """The outcomes that a query still waits for, once these are there."""
        arrived = set(there)
        return tuple(name for name in self.required if name not in arrived)

    @cached_property
    def main(self) -> str:
        """The objective that a bare number is told of: the only one, or the first."""
        return self.objectives[0]

    @property
    def named(self) -> bool:
        """Whether the outcomes have names of their own."""
        return tuple(self) != (VALUE,)

    @property
    def goal(self) -> Goal:
        """Whether large or small values of the main objective are good."""
        return "maximize" if self.sign() > 0 else "minimize"

    @property
    def silence(self) -> float | None:
        """What no answer within the window means, of the main objective; None if it says nothing."""
        outcome = self[self.main]
        return outcome.silence if isinstance(outcome, Objective) else None

    def with_silence(self, silence: float | None) -> Outcomes:
        """The same outcomes, of which no answer of the main objective means another value, or nothing."""
        outcome = self[self.main]
        assert isinstance(outcome, Objective), "the main outcome is an objective"
        changed = replace(outcome, silence=silence)
        return Outcomes(tuple((name, changed if name == self.main else other) for name, other in self.entries))

    def sign(self, name: str | None = None) -> float:
        """The factor after which large values of an outcome, or of the main one, are good."""
        return self[self.main if name is None else name].sign

    def to_json(self) -> list[dict[str, Any]]:
        """The definition as JSON; a list, since a database may reorder the keys of an object."""
        return [{"name": name, "kind": outcome.kind, **_said(outcome)} for name, outcome in self.entries]

    @staticmethod
    def from_json(data: object) -> Outcomes:
        """The outcomes that `to_json` described."""
        try:
            assert isinstance(data, list | tuple)
            entries = [dict(entry) for entry in data]
            given = {entry.pop("name"): _KINDS[entry.pop("kind")](**entry) for entry in entries}
        except (AssertionError, KeyError, TypeError, ValueError, ParameterError):
            raise ParameterError(
                f"Outcomes.from_json(): {data!r} describes no outcomes; give what to_json() returned, as "
                f"[{{'name': 'yield', 'kind': 'maximize'}}, {{'name': 'impurity', 'kind': 'at-most', 'limit': 2.0}}]."
            ) from None
        if len(given) < len(entries):
            raise ParameterError(
                f"Outcomes.from_json(): a name comes twice in {data!r}; names are distinct; rename it."
            )
        return Outcomes.read("Outcomes.from_json()", given)


def _said(outcome: Outcome) -> dict[str, float]:
    values = ((part.name, getattr(outcome, part.name)) for part in fields(outcome))
    return {name: value for name, value in values if value is not None}


def _is_name(name: object) -> bool:
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
        return False
    return name.isprintable() and name == name.strip() and is_text(name)


def _check_number(call: str, name: str, value: object, optional: bool = False) -> None:
    if not (optional and value is None) and as_number(value) is None:
        raise ParameterError(f"{call}({name}={value!r}): {name} is a finite number; give one.")

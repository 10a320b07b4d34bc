"""What was measured of one outcome, and how events keep it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any

from belated.log.outcomes import VALUE


@dataclass(frozen=True, slots=True)
class Measurement:
    """A value, with its standard error where it was told, or with the repeats whose mean it is."""

    value: float
    sd: float | None = None
    repeats: tuple[float, ...] = ()

    @staticmethod
    def of_repeats(repeats: Iterable[float]) -> Measurement:
        """The mean of several measurements; a single one is taken as it is."""
        values = tuple(repeats)
        return Measurement(values[0]) if len(values) == 1 else Measurement(fsum(values) / len(values), None, values)

    @property
    def plain(self) -> bool:
        """Whether it is a single number whose error is unknown."""
        return self.sd is None and not self.repeats

    @property
    def scatter(self) -> float:
        """The sum of squares of the repeats about their mean."""
        return sum((repeat - self.value) ** 2 for repeat in self.repeats)

    def agrees_with(self, kept: Measurement) -> bool:
        """Whether this says nothing that is not kept: the same value, and no other error."""
        if self.value != kept.value or self.sd not in (None, kept.sd):
            return False
        return not self.repeats or self.repeats == kept.repeats

    def to_json(self) -> dict[str, Any]:
        """The measurement as plain values, without what is not known."""
        said: dict[str, Any] = {"value": self.value}
        said |= {} if self.sd is None else {"sd": self.sd}
        return said | ({"repeats": list(self.repeats)} if self.repeats else {})

    def __str__(self) -> str:
        if self.repeats:
            return f"{list(self.repeats)!r}"
        return repr(self.value) if self.sd is None else f"{self.value!r} ± {self.sd!r}"


def measurements_in(body: Any) -> dict[str, Measurement]:
    """What the body of an event tells, by outcome; nothing of one that does not measure."""
    if not body.effect.measures:
        return {}
    if body.value is not None:
        return {VALUE: Measurement(body.value, getattr(body, "sd", None), tuple(getattr(body, "repeats", None) or ()))}
    said = getattr(body, "values", None) or {}
    return {name: _measurement(entry) for name, entry in said.items()}


def fields_of(measured: Mapping[str, Measurement]) -> dict[str, Any]:
    """The fields of an event's body that keep these measurements."""
    if set(measured) == {VALUE}:
        return measured[VALUE].to_json()
    return {"values": {name: measurement.to_json() for name, measurement in measured.items()}}


def measured_text(measured: Mapping[str, Measurement]) -> str:
    """Measurements as text for an error: a bare number, or each with the name of its outcome."""
    if set(measured) == {VALUE}:
        return str(measured[VALUE])
    return ", ".join(f"{name} {measurement}" for name, measurement in measured.items())


def _measurement(entry: Mapping[str, Any]) -> Measurement:
    return Measurement(entry["value"], entry.get("sd"), tuple(entry.get("repeats") or ()))

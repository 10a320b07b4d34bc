"""One column of a candidate table: numbers scaled to the unit interval, or labels as levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np
import numpy.typing as npt

from belated.checks import as_number
from belated.errors import SpaceError
from belated.space.arrays import Array, Indices
from belated.space.bins import Even
from belated.space.doubles import fraction
from belated.space.parameters import Choice
from belated.space.scalars import Scalar, plain, scalar


class Column(Protocol):
    """The values of one column, and their unit coordinates."""

    @property
    def levels(self) -> int | None: ...

    def units(self) -> Array: ...

    def unit(self, value: object) -> float | None:
        """The coordinate that the value would have; None if it cannot be in the column."""
        ...

    def place(self, value: object) -> float | None:
        """The coordinate of a value that was tried, be it of a row or between rows; None if it has none."""
        ...

    @property
    def possible(self) -> str:
        """What can be given, as words for an error."""
        ...

    def value(self, row: int) -> Scalar: ...

    def to_json(self) -> dict[str, Any]: ...


@final
@dataclass(frozen=True, eq=False)
class Numbers:
    """Finite numbers, scaled by their least and greatest; where all are equal they sit at 1/2."""

    values: npt.NDArray[Any]  # (N,), of whole or floating type
    low: float
    high: float

    @property
    def levels(self) -> None:
        """None: numbers have neighbours."""
        return None

    def units(self) -> Array:
        """The unit coordinate of each row."""
        return self._scaled(self.values.astype(np.float64))

    def unit(self, value: object) -> float | None:
        """The coordinate that the number would have."""
        number = as_number(value)
        return None if number is None else float(self._scaled(np.array([number]))[0])

    def place(self, value: object) -> float | None:
        """The coordinate of a number, also between those of the rows."""
        return self.unit(value)

    @property
    def possible(self) -> str:
        """A number between the least and the greatest."""
        return f"a number from [{self.low!r}, {self.high!r}]"

    def value(self, row: int) -> Scalar:
        """The number in that row, an int where the column is whole."""
        number: Scalar = self.values[row].item()
        return number

    def to_json(self) -> dict[str, Any]:
        """The values and their type as JSON."""
        kind = "float" if self.values.dtype.kind == "f" else "int"
        return {"kind": kind, "values": self.values.tolist()}

    def _scaled(self, numbers: Array) -> Array:
        if self.low == self.high:
            return np.full(len(numbers), 0.5)
        return fraction(numbers, self.low, self.high) + 0.0  # -0.0 becomes 0.0


@final
@dataclass(frozen=True, eq=False)
class Labels:
    """Texts, booleans or a mixture, as the levels of a Choice in order of first appearance."""

    choice: Choice
    places: Indices  # (N,)

    @property
    def levels(self) -> int:
        """How many distinct labels there are."""
        return self.choice.levels

    def units(self) -> Array:
        """The unit coordinate of each row."""
        return Even(self.levels).centres(self.places.astype(np.float64))

    def unit(self, value: object) -> float | None:
        """The coordinate of the label, if the column has it."""
        place = self.choice.level(value)
        return None if place is None else float(Even(self.levels).centres(np.array([float(place)]))[0])

    def place(self, value: object) -> float | None:
        """The coordinate of the label; nothing lies between two."""
        return self.unit(value)

    @property
    def possible(self) -> str:
        """One of the labels."""
        return self.choice.possible

    def value(self, row: int) -> Scalar:
        """The label in that row."""
        return self.choice.options[int(self.places[row])]

    def to_json(self) -> dict[str, Any]:
        """The labels as JSON."""
        return {"kind": "label", "values": [self.choice.options[place] for place in self.places]}


def numbers(values: npt.NDArray[Any], name: str) -> Numbers:
    """The column of these numbers, or a SpaceError that names the first row without a finite one."""
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        raise SpaceError(
            f"Candidates(): row {bad[0]}, column {name!r} is {values[bad[0]].item()!r}; "
            "numbers are finite; drop the row or fill it in."
        )
    return Numbers(values, float(values.min()), float(values.max()))


def column(values: Sequence[object], name: str) -> Column:
    """The column of these scalars: numbers where all are int or float, labels otherwise."""
    scalars = [_scalar(value, row, name) for row, value in enumerate(values)]
    types = set(map(type, scalars))
    if types <= {int, float}:
        return numbers(_exact(scalars, name), name)
    return _labels(scalars, name)


def _labels(scalars: Sequence[Scalar], name: str) -> Labels:
    first_seen = dict.fromkeys((type(value), value) for value in scalars)
    try:
        choice = Choice(*(value for _, value in first_seen))
    except SpaceError as error:
        raise SpaceError(f"Candidates(): column {name!r}: {error}") from None
    places = {label: place for place, label in enumerate(first_seen)}
    return Labels(choice, np.array([places[type(value), value] for value in scalars], dtype=np.intp))


def _scalar(value: object, row: int, name: str) -> Scalar:
    found = scalar(value)
    if found is None:
        number = plain(value)
        where = f"Candidates(): row {row}, column {name!r} is {number!r}"
        rule = "numbers are finite" if isinstance(number, float) else "values are numbers, texts or booleans"
        missing = number is None or isinstance(number, float)
        raise SpaceError(f"{where}; {rule}; {'drop the row or fill it in' if missing else 'make it one of them'}.")
    return found


def _exact(scalars: Sequence[Scalar], name: str) -> npt.NDArray[Any]:
    """The numbers as an array, whole where all are; a SpaceError where one would be rounded."""
    if all(type(given) is int for given in scalars) and (array := np.array(scalars)).dtype.kind in "iu":
        return array
    for row, given in enumerate(scalars):
        if as_number(given) != given:
            raise SpaceError(
                f"Candidates(): row {row}, column {name!r} is {given!r}, which no double equals; "
                "numbers are kept exactly; round it or write it as a text."
            )
    return np.array(scalars, dtype=np.float64)

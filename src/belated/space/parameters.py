"""What one parameter can be: a number in a range, a whole number in a range, or one of some options.

Each is one column of the unit cube. Encoding checks the value; decoding takes any number in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, final

import numpy as np

from belated.checks import as_number
from belated.errors import PointError, SpaceError
from belated.space.arrays import Array
from belated.space.bins import MOST_EVEN, MOST_LOGARITHMIC, Bins, Even, Logarithmic, centre, level
from belated.space.doubles import fraction, shortest
from belated.space.scalars import Scalar, plain, scalar, whole


class Parameter(Protocol):
    """One column of the unit cube and the values that it stands for."""

    @property
    def levels(self) -> int | None:
        """How many distinct values there are; None for a continuum."""
        ...

    @property
    def categorical(self) -> bool:
        """Whether values are only equal or different, never near."""
        ...

    def encode(self, value: object, where: str) -> float:
        """The unit coordinate of a value; `where` begins the message of the PointError if it does not fit."""
        ...

    def decode(self, unit: float) -> Scalar:
        """The value at a unit coordinate."""
        ...

    def snap(self, units: Array) -> Array:
        """The nearest encodings of values, for a whole column."""
        ...

    def place(self, value: object) -> float | None:
        """The coordinate of a value that was tried, be it between values or beyond the ends; None if it has none."""
        ...

    @property
    def possible(self) -> str:
        """What can be given, as words for an error: "a number from [0, 1]"."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON."""
        ...


@final
@dataclass(frozen=True, repr=False)
class Float:
    """A real number in [low, high], its unit coordinate linear or, with `log`, linear in the logarithm.

    u = (v − low) / (high − low), or (ln v − ln low) / (ln high − ln low). Decoding gives the number of fewest
    digits that encodes to exactly u, so what was typed comes back, down to 10⁻¹² of the larger bound.
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        call = _call("Float", self.low, self.high, self.log)
        low, high = _finite(call, "low", self.low), _finite(call, "high", self.high)
        _check_log(call, self.log)
        if low == high:
            raise SpaceError(f"{call}: low equals high, an empty range; use Choice({low!r}) for a fixed value.")
        _check_order(call, low, high)
        if self.log and low <= 0:
            raise SpaceError(f"{call}: a logarithmic scale needs low above 0; raise low or leave out log.")
        if self.log and math.log(low) == math.log(high):
            raise SpaceError(f"{call}: the bounds round to the same logarithm; widen them or leave out log.")
        object.__setattr__(self, "low", low + 0.0)  # -0.0 becomes 0.0
        object.__setattr__(self, "high", high + 0.0)

    def __repr__(self) -> str:
        return _call("Float", self.low, self.high, self.log)

    @property
    def levels(self) -> None:
        """None: a continuum."""
        return None

    @property
    def categorical(self) -> bool:
        """False: numbers have neighbours."""
        return False

    def encode(self, value: object, where: str) -> float:
        """The unit coordinate of a finite number in [low, high]."""
        number = as_number(value)
        if number is None:
            raise PointError(f"{where}={plain(value)!r} is not a finite number; give one from {self._range()}.")
        if not self.low <= number <= self.high:
            raise PointError(f"{where}={plain(value)!r} is outside {self._range()}; give a number inside.")
        return self._unit(number)

    def decode(self, unit: float) -> float:
        """The number of fewest digits whose encoding is `unit`; the bounds at and beyond the ends."""
        if unit <= 0:
            return self.low
        if unit >= 1:
            return self.high
        # As powers and not as exp(log): that of the largest double's logarithm overflows.
        low, high = self.low, self.high
        near = low ** (1 - unit) * high**unit if self.log else low * (1 - unit) + high * unit
        return shortest(float(unit), self._unit, low, high, near)

    def snap(self, units: Array) -> Array:
        """The column, clipped to [0, 1]."""
        return np.clip(units, 0.0, 1.0)

    def place(self, value: object) -> float | None:
        """The coordinate of a number, also beyond the ends."""
        number = as_number(value)
        return None if number is None or (self.log and number <= 0.0) else self._unit(number)

    @property
    def possible(self) -> str:
        """A number in the range."""
        return f"a number from {self._range()}"

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON."""
        return {"kind": "float", "low": self.low, "high": self.high, "log": self.log}

    def _unit(self, number: float) -> float:
        if self.log:
            return fraction(math.log(number), math.log(self.low), math.log(self.high))
        return fraction(number, self.low, self.high)

    def _range(self) -> str:
        return f"[{self.low!r}, {self.high!r}]"


@final
@dataclass(frozen=True, repr=False)
class Int:
    """A whole number from low to high; with `log`, bins equal in the logarithm rather than in width."""

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        call = _call("Int", self.low, self.high, self.log)
        low, high = _whole(call, "low", self.low), _whole(call, "high", self.high)
        _check_log(call, self.log)
        _check_order(call, low, high)
        if high - low + 1 > MOST_EVEN:
            raise SpaceError(f"{call}: more than 2**50 levels cannot be told apart; narrow the range or use Float.")
        if self.log and low < 1:
            raise SpaceError(f"{call}: a logarithmic scale needs low of at least 1; raise low or leave out log.")
        if self.log and high > MOST_LOGARITHMIC:
            raise SpaceError(f"{call}: a logarithmic scale ends at 2**40; lower high, leave out log or use Float.")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    def __repr__(self) -> str:
        return _call("Int", self.low, self.high, self.log)

    @property
    def levels(self) -> int:
        """How many whole numbers there are."""
        return self.high - self.low + 1

    @property
    def categorical(self) -> bool:
        """False: numbers have neighbours."""
        return False

    def encode(self, value: object, where: str) -> float:
        """The centre of the bin of a whole number in [low, high]; 3.0 counts as 3."""
        number = whole(value)
        if number is None:
            raise PointError(f"{where}={plain(value)!r} is not a whole number; give one from {self._range()}.")
        if not self.low <= number <= self.high:
            raise PointError(f"{where}={plain(value)!r} is outside {self._range()}; give a whole number inside.")
        return centre(self._bins, number - self.low)

    def decode(self, unit: float) -> int:
        """The whole number whose bin holds `unit`."""
        return self.low + level(self._bins, unit)

    def snap(self, units: Array) -> Array:
        """The centres of the bins that hold each coordinate."""
        return self._bins.centres(self._bins.levels(units))

    def place(self, value: object) -> float | None:
        """The coordinate of a number, also between whole numbers and beyond the ends."""
        number = as_number(value)
        if number is None or (self.log and number <= 0.5):
            return None
        return float(self._bins.centres(np.array([number - self.low]))[0])

    @property
    def possible(self) -> str:
        """A number in the range."""
        return f"a number from {self._range()}"

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON."""
        return {"kind": "int", "low": self.low, "high": self.high, "log": self.log}

    @property
    def _bins(self) -> Bins:
        return Logarithmic(self.low, self.high) if self.log else Even(self.levels)

    def _range(self) -> str:
        return f"{self.low} to {self.high}"


@final
@dataclass(frozen=True, init=False, repr=False)
class Choice:
    """One of some options: texts, numbers or booleans, told apart by type and value."""

    options: tuple[Scalar, ...]
    # 1, 1.0 and True are equal in Python; comparing the types too keeps Choice(1) and Choice(True) apart.
    types: tuple[type, ...]

    def __init__(self, *options: object) -> None:
        call = f"Choice({', '.join(map(repr, options[:5]))}{', …' if len(options) > 5 else ''})"
        if not options:
            raise SpaceError("Choice(): no options; a choice has at least one; list them: Choice('a', 'b').")
        known = tuple(self._option(call, option) for option in options)
        object.__setattr__(self, "options", known)
        object.__setattr__(self, "types", tuple(map(type, known)))
        if len(set(known)) < len(known):
            first, again = _first_repeat(known)
            raise SpaceError(f"{call}: {first!r} and {again!r} are equal; options are distinct; drop or rename one.")

    def __repr__(self) -> str:
        return f"Choice({', '.join(map(repr, self.options))})"

    @property
    def levels(self) -> int:
        """How many options there are."""
        return len(self.options)

    @property
    def categorical(self) -> bool:
        """True: options are only equal or different."""
        return True

    def level(self, value: object) -> int | None:
        """The place of the option with that type and value, or None."""
        value = scalar(value)
        return None if value is None else self._places.get((type(value), value))

    def encode(self, value: object, where: str) -> float:
        """The centre of the bin of an option."""
        place = self.level(value)
        if place is None:
            shown = ", ".join(map(repr, self.options[:12])) + (", …" if len(self.options) > 12 else "")
            raise PointError(f"{where}={plain(value)!r} is not an option; choose one of {shown}.")
        return centre(Even(self.levels), place)

    def decode(self, unit: float) -> Scalar:
        """The option whose bin holds `unit`."""
        return self.options[level(Even(self.levels), unit)]

    def snap(self, units: Array) -> Array:
        """The centres of the bins that hold each coordinate."""
        bins = Even(self.levels)
        return bins.centres(bins.levels(units))

    def place(self, value: object) -> float | None:
        """The coordinate of an option; nothing lies between two."""
        place = self.level(value)
        return None if place is None else centre(Even(self.levels), place)

    @property
    def possible(self) -> str:
        """One of the options, or of the first of them."""
        return f"one of {', '.join(map(repr, self.options[:12]))}{', …' if len(self.options) > 12 else ''}"

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON."""
        return {"kind": "choice", "options": list(self.options)}

    @cached_property
    def _places(self) -> dict[tuple[type, Scalar], int]:
        return {(type(option), option): place for place, option in enumerate(self.options)}

    @staticmethod
    def _option(call: str, value: object) -> Scalar:
        option = scalar(value)
        if option is None:
            hint = "unpack it: Choice(*options)." if isinstance(value, (list, tuple, set)) else "name it by a text."
            raise SpaceError(f"{call}: {value!r} is not a text, a finite number or a boolean; {hint}")
        return option


def parameter_from_json(data: object) -> Parameter:
    """The parameter that `to_json` described."""
    if isinstance(data, dict):
        match data:
            case {"kind": "float", "low": low, "high": high, "log": log}:
                return Float(low, high, log)
            case {"kind": "int", "low": low, "high": high, "log": log}:
                return Int(low, high, log)
            case {"kind": "choice", "options": [*options]}:
                return Choice(*options)
    raise SpaceError(f"from_json(): {data!r} is not a parameter; give what a parameter's to_json() returned.")


def _call(kind: str, low: object, high: object, log: object) -> str:
    """The definition as it is written."""
    return f"{kind}({plain(low)!r}, {plain(high)!r}{'' if log is False else f', log={log!r}'})"


def _finite(call: str, name: str, bound: object) -> float:
    number = as_number(bound)
    if number is None:
        raise SpaceError(f"{call}: {name} is {plain(bound)!r}; bounds are finite numbers; give one.")
    return number


def _whole(call: str, name: str, bound: object) -> int:
    number = whole(bound)
    if number is None:
        raise SpaceError(f"{call}: {name} is {plain(bound)!r}; bounds are whole numbers; give one or use Float.")
    return number


def _check_order(call: str, low: float, high: float) -> None:
    if low > high:
        raise SpaceError(f"{call}: low is above high; bounds rise; swap them.")


def _check_log(call: str, log: object) -> None:
    if not isinstance(log, bool):
        raise SpaceError(f"{call}: log is {log!r}; it is True or False; give one of them.")


def _first_repeat(options: Iterable[Scalar]) -> tuple[Scalar, Scalar]:
    """The first option that equals an earlier one, after that earlier one."""
    seen: dict[Scalar, Scalar] = {}
    for option in options:
        if option in seen:
            return seen[option], option
        seen[option] = option
    raise AssertionError("called only where an option repeats")

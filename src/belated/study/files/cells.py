"""The value in the text of a cell: a number, an option, or an error that names the broken rule.

A reader turns a cell into a value or raises a TableError with the rule alone; the sheet adds row and column.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from belated.errors import PointError, TableError
from belated.space import Candidates, Choice, Float, Int, Parameter, Space
from belated.space.context import clipped

Reader = Callable[[str], Any]

WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")
MOST_LISTED = 12


def readers(space: Space | Candidates, clip: bool = False) -> dict[str, Reader]:
    """A reader for the cells of each parameter; with `clip`, numbers outside their bounds become the nearer bound."""
    if isinstance(space, Space):
        return {name: _reader(parameter, clip) for name, parameter in zip(space.names, space.parameters, strict=True)}
    columns = space.to_json()["columns"]
    return {
        column["name"]: _options(Choice(*dict.fromkeys(column["values"]))) if column["kind"] == "label" else number
        for column in columns
    }


def number(text: str) -> int | float:
    """The finite number in the cell; whole numbers stay whole and exact."""
    value = _number(text)
    return value if value is not None else _refused(text, "a finite number")


def answer(text: str) -> float:
    """The answer in the cell."""
    try:
        return float(number(text))
    except OverflowError:
        return _refused(text, "a finite number")


def identifier(text: str) -> int:
    """The identifier of a query in the cell."""
    value = _number(text)
    if value is None or value != int(value) or value < 1:
        return _refused(text, "the identifier of a query, a whole number of at least 1")
    return int(value)


def or_nothing(read: Reader) -> Reader:
    """The same reader, which reads empty cells as None."""
    return lambda text: read(text) if text.strip() else None


def _reader(parameter: Parameter, clip: bool) -> Reader:
    match parameter:
        case Float(low=low, high=high):
            within = _numbers(parameter, f"a number from {low!r} to {high!r}")
            return _clipped(parameter, within) if clip else within
        case Int(low=low, high=high):
            within = _numbers(parameter, f"a whole number from {low} to {high}")
            return _clipped(parameter, within) if clip else within
        case Choice():
            return _options(parameter)
    raise AssertionError("a space holds no other kind of parameter")


def _numbers(parameter: Parameter, wanted: str) -> Reader:
    """A reader of the numbers that the parameter takes."""

    def read(text: str) -> Any:
        value = _number(text)
        try:
            parameter.encode(value, "")
        except PointError:
            return _refused(text, wanted)
        return value

    return read


def _clipped(parameter: Parameter, within: Reader) -> Reader:
    """A reader that turns numbers beyond the bounds into the nearer bound."""

    def read(text: str) -> Any:
        value = _number(text)
        moved = clipped(parameter, value)
        return within(text) if moved == value else moved

    return read


def _options(choice: Choice) -> Reader:
    """A reader of options, by their text or, if no option has it, by their meaning: TRUE for True."""
    written: dict[str, list[Any]] = {}
    meant: dict[tuple[str, object], list[int]] = {}
    for place, option in enumerate(choice.options):
        written.setdefault(str(option), []).append(option)
        meant.setdefault(_meaning(option), []).append(place)
    more = f" and {choice.levels - MOST_LISTED} more" if choice.levels > MOST_LISTED else ""
    listed = ", ".join(map(repr, choice.options[:MOST_LISTED])) + more

    def read(text: str) -> Any:
        found = written.get(text)
        if not found:
            places = sorted(place for meaning in _meanings(text.strip()) for place in meant.get(meaning, ()))
            found = [choice.options[place] for place in places]
        if not found:
            raise TableError(f"give one of {listed}")
        if len(found) > 1:
            raise TableError(f"it names the options {' and '.join(map(repr, found))}; rename one of them")
        return found[0]

    return read


def _meaning(option: object) -> tuple[str, object]:
    """The meaning of an option apart from its notation: equal for 1 and 1.0, different for a number and a text."""
    if isinstance(option, bool):
        return "truth", str(option).lower()
    return ("text" if isinstance(option, str) else "number"), option


def _meanings(text: str) -> list[tuple[str, object]]:
    """All that a text may mean."""
    return [("truth", text.lower()), ("text", text), ("number", _number(text))]


def _number(text: str) -> int | float | None:
    """The finite number in the text, or None."""
    text = text.strip()
    try:
        if WHOLE.fullmatch(text):
            return int(text)
    except ValueError:  # more digits than Python converts
        return None
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def _refused(text: str, wanted: str) -> NoReturn:
    """Raise a TableError with the rule that the cell breaks, and the way out of the commonest mistake."""
    text = text.strip()
    if DECIMAL_COMMA.fullmatch(text):
        raise TableError(f"decimal commas are not read; write {text.replace(',', '.')}")
    raise TableError(f"give {wanted}")

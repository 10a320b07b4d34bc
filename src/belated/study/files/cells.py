"""The value in the text of a cell: a number, an option, or an error that names the broken rule.

A reader turns a cell into a value or raises a TableError with the rule alone; the sheet adds row and column.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from belated.errors import PointError, TableError
from belated.space import Candidates, Choice, Float, Int, Parameter, Space
from belated.space.context import clipped
from belated.study.files.numerals import Notation, is_rounded, why_no_number

Reader = Callable[[str], Any]

MOST_LISTED = 12


def readers(space: Space | Candidates, notation: Notation, clip: bool = False) -> dict[str, Reader]:
    """A reader for the cells of each parameter; with `clip`, numbers outside their bounds become the nearer bound."""
    if isinstance(space, Space):
        pairs = zip(space.names, space.parameters, strict=True)
        return {name: _reader(parameter, notation, clip) for name, parameter in pairs}
    columns = space.to_json()["columns"]
    return {
        column["name"]: _options(Choice(*dict.fromkeys(column["values"])), notation)
        if column["kind"] == "label"
        else _values(column["values"], notation)
        for column in columns
    }


def tried_readers(space: Space | Candidates, notation: Notation) -> dict[str, Reader]:
    """A reader for the cells of each parameter of a point that was tried: numbers may lie where none can be asked."""
    plain = readers(space, notation)
    categorical = dict(zip(space.names, space.categorical, strict=True))
    return {name: read if categorical[name] else _any_number(notation) for name, read in plain.items()}


def answer(notation: Notation) -> Reader:
    """A reader of answers."""

    def read(text: str) -> float:
        value = notation.number(text)
        if value is None and ("±" in text or "+/-" in text):
            return _refused(text, "the number alone, and its standard error in a column of its own, as 'yield sd'")
        try:
            return float(value) if value is not None else _refused(text, "a finite number")
        except OverflowError:
            return _refused(text, "a finite number")

    return read


def standard_error(notation: Notation) -> Reader:
    """A reader of the standard errors of answers."""
    number = answer(notation)

    def read(text: str) -> float:
        value: float = number(text)
        return value if value > 0.0 else _refused(text, "a number above 0")

    return read


def identifier(notation: Notation) -> Reader:
    """A reader of the identifiers of queries, which spreadsheets may write as 3.0."""

    def read(text: str) -> int:
        value = notation.number(text)
        if value is None or value != int(value) or value < 1:
            return _refused(text, "the identifier of a query, a whole number of at least 1")
        return int(value)

    return read


def or_nothing(read: Reader) -> Reader:
    """The same reader, which reads empty cells as None."""
    return lambda text: read(text) if text.strip() else None


def _reader(parameter: Parameter, notation: Notation, clip: bool) -> Reader:
    match parameter:
        case Float(low=low, high=high):
            return _numbers(parameter, notation, f"a number from {low!r} to {high!r}", clip)
        case Int(low=low, high=high):
            return _numbers(parameter, notation, f"a whole number from {low} to {high}", clip)
        case Choice():
            return _options(parameter, notation)
    raise AssertionError("a space holds no other kind of parameter")


def _numbers(parameter: Float | Int, notation: Notation, wanted: str, clip: bool) -> Reader:
    """A reader of the numbers that the parameter takes; a bound may be rounded beyond itself."""

    def read(text: str) -> Any:
        value: Any = notation.number(text)
        moved = clipped(parameter, value)
        if moved != value and (clip or is_rounded(text, moved)):  # type: ignore[arg-type]
            return moved
        try:
            parameter.encode(value, "")
        except PointError:
            return _refused(text, wanted)
        return value

    return read


def _any_number(notation: Notation) -> Reader:
    """A reader of any finite number; whole numbers stay whole and exact."""

    def read(text: str) -> int | float:
        value = notation.number(text)
        return value if value is not None else _refused(text, "a finite number")

    return read


def _values(values: Sequence[float], notation: Notation) -> Reader:
    """A reader of the numbers in a column of a table; a number that is none of them may be one of them rounded."""
    there = sorted(set(values))

    def read(text: str) -> Any:
        value = notation.number(text)
        if value is None:
            return _refused(text, "a finite number")
        place = bisect_left(there, value)
        if place < len(there) and there[place] == value:
            return value
        near = [each for each in there[max(place - 2, 0) : place + 2] if is_rounded(text, each)]
        return near[0] if len(near) == 1 else value

    return read


def _options(choice: Choice, notation: Notation) -> Reader:
    """A reader of options, by their text or, if no option has it, by their meaning: TRUE for True."""
    written: dict[str, list[Any]] = {}
    meant: dict[tuple[str, object], list[int]] = {}
    for place, option in enumerate(choice.options):
        written.setdefault(str(option), []).append(option)
        meant.setdefault(_meaning(option), []).append(place)
    numbers = [option for option in choice.options if isinstance(option, int | float) and not isinstance(option, bool)]
    more = f" and {choice.levels - MOST_LISTED} more" if choice.levels > MOST_LISTED else ""
    listed = ", ".join(map(repr, choice.options[:MOST_LISTED])) + more

    def read(text: str) -> Any:
        found = written.get(text)
        if not found:
            meanings = ("truth", text.strip().lower()), ("text", text.strip()), ("number", notation.number(text))
            places = sorted(place for meaning in meanings for place in meant.get(meaning, ()))
            found = [choice.options[place] for place in places]
        if not found:
            found = [option for option in numbers if is_rounded(text, option)]
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


def _refused(text: str, wanted: str) -> NoReturn:
    """Raise a TableError with the rule that the cell breaks, and the way out of the commonest mistakes."""
    raise TableError(why_no_number(text, wanted))

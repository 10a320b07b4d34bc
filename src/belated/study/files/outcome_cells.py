"""The cells of an outcome in a row: a number, repeats in one cell or in several, a standard error, or a word.

Repeats stand in one cell, parted by semicolons or lines, or in columns of their own: `yield`, `yield 2`, `yield 3`. A
standard error stands in `yield sd`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from belated.errors import TableError
from belated.log import VALUE, Measurement, Outcomes
from belated.study.files.cells import Reader, answer, standard_error
from belated.study.files.numerals import Notation, is_same_answer
from belated.study.statements import Ended

# What may stand in the place of an answer, or in the column `state`, and what it says.
WORDS: dict[str, Ended] = {"failed": "fail", "lost": "abandon", "abandoned": "abandon", "retracted": "retract"}
# A number, after the text that it was read from.
Numeral = tuple[str, float]
REPEATS = re.compile(r"[;\n]")


@dataclass(frozen=True)
class OutcomeCells:
    """The columns of an outcome: its values, and its standard error or the list of its repeats if there are any."""

    name: str
    values: tuple[str, ...]
    sd: str | None
    repeats: str | None  # where tables of a study list the repeats whose mean is the value

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.values, *(column for column in (self.sd, self.repeats) if column is not None))

    def readers(self, notation: Notation) -> dict[str, Reader]:
        """A reader for each column."""
        error = {} if self.sd is None else {self.sd: _written(standard_error(notation), several=False)}
        return dict.fromkeys(self.columns, _written(answer(notation))) | error

    def read(self, where: str, cells: Mapping[str, Any], known: Measurement | None) -> Said | None:
        """What the cells of a row say; None if they are empty. Of what is known, its digits are taken."""
        listed = cells[self.repeats] if self.repeats is not None else None
        filled = [listed] if listed else [cells[column] for column in self.values if cells[column]]
        words: list[Any] = [entry for entry in filled if isinstance(entry, str)]
        pairs = [pair for entry in filled if not isinstance(entry, str) for pair in entry]
        error = cells[self.sd] if self.sd is not None else None
        if words and (pairs or len(set(words)) > 1):
            raise TableError(f"{where}, column {self.values[0]!r}: got {words[0]!r} beside another answer; delete one")
        if words:
            return Said(word=words[0])
        if not pairs:
            if error:
                raise TableError(f"{where}, column {self.sd!r}: got a standard error without its answer; give both")
            return None
        if error and len(pairs) > 1:
            raise TableError(
                f"{where}, column {self.sd!r}: got a standard error beside repeats, which show it themselves; delete it"
            )
        if known is not None and _is_known(pairs, error, known):
            return Said(list(known.repeats) or known.value, known.sd, known=True)
        numbers = [number for _, number in pairs]
        return Said(numbers if len(numbers) > 1 else numbers[0], error[0][1] if error else None)


@dataclass(frozen=True)
class Said:
    """A measurement as `Study.tell` takes it, and whether the log has it; or a word in its place."""

    value: Any = None
    sd: float | None = None
    known: bool = False
    word: Ended | None = None


def as_told(said: Mapping[str, Said], outcomes: Outcomes) -> tuple[Any, Any]:
    """What is said of outcomes and their standard errors, as `Study.tell` takes them; of one without a name, bare."""
    values = {name: entry.value for name, entry in said.items()} or None
    errors = {name: entry.sd for name, entry in said.items() if entry.sd is not None} or None
    if outcomes.named:
        return values, errors
    return values and values[VALUE], errors and errors[VALUE]


def outcome_cells(header: Sequence[str], columns: Mapping[str, str], taken: Iterable[str]) -> list[OutcomeCells]:
    """The cells of each outcome that has a column in this header; `columns` has the names of their first ones."""
    others = {*taken, *columns.values()}
    found: list[OutcomeCells] = []
    for name, column in columns.items():
        free = [other for other in header if other not in others]
        repeats = sorted((int(number[1]), other) for other in free if (number := _after(column, r"([0-9]+)", other)))
        [error, listed] = [[other for other in free if _after(column, word, other)] for word in ("sd", "repeats")]
        values = (*([column] if column in header else []), *(other for _, other in repeats))
        if values:
            found.append(OutcomeCells(name, values, *(places[0] if places else None for places in (error, listed))))
    return found


def word_in(text: str) -> Ended | None:
    """What a word in the place of an answer says; None if it is none of those words."""
    return WORDS.get(text.strip().casefold())


def _after(column: str, pattern: str, other: str) -> re.Match[str] | None:
    """The match of a column that has the name of another with a number or a word behind it: yield 2, yield_2."""
    return re.fullmatch(rf"{re.escape(column)}[ _.]?\(?{pattern}\)?", other, re.IGNORECASE)


def _written(read: Reader, several: bool = True) -> Reader:
    """A reader of the numbers in a cell, each with its text; of a word, if `several` may stand there; () if empty."""

    def found(text: str) -> Any:
        if several and (word := word_in(text)):
            return word
        parts = [part for part in (REPEATS.split(text) if several else [text]) if part.strip()]
        return tuple((part, read(part)) for part in parts)

    return found


def _is_known(pairs: Sequence[Numeral], error: Sequence[Numeral] | None, known: Measurement) -> bool:
    """Whether the log has these numbers, perhaps with more digits, and this standard error if there is one."""
    if error and (known.sd is None or not is_same_answer(error[0][0], known.sd)):
        return False
    if len(pairs) == 1:
        return is_same_answer(pairs[0][0], known.value)
    texts = [text for text, _ in pairs]
    return len(texts) == len(known.repeats) and all(map(is_same_answer, texts, known.repeats))

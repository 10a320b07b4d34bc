"""Numbers as people and spreadsheets write them: with a decimal point or comma, and rounded to the digits shown."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal

WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")
# Three digits after a mark may be a fraction, or the last of some thousands.
MAYBE_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
THOUSANDS = re.compile(r"([+-]?[0-9]{1,3}(?:([ .,'’\u00a0\u202f])[0-9]{3})(?:\2[0-9]{3})*)(?:[.,]([0-9]+))?")
PERCENT = re.compile(r"([+-]?[0-9.,]*[0-9][0-9.,]*)\s*%")
WITH_UNIT = re.compile(r"([+-]?[0-9]*[.,]?[0-9]+)\s*(?![eE]$)[^\W\d_°µ$€£]*[°µ$€£]?[^\W\d_]+(/\S+)?")
# What Excel and LibreOffice show where a formula has failed, and what a formula without a value is read as.
FORMULA_ERROR = re.compile(r"#(DIV/0!|N/A|NAME\?|NULL!|NUM!|REF!|VALUE!|SPILL!|CALC!)|Err:[0-9]{3}", re.IGNORECASE)
NO_VALUE = "a formula without its value"
DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([ T].*)?|[0-9]{1,2}([./-])[0-9]{1,2}\2([0-9]{2}|[0-9]{4})?")
# Spreadsheets compute and keep 15 digits; some keep all 17 in their files and show fewer.
KEPT_DIGITS = 15
# Fewer are too coarse to say that a number is another one rounded: 0.4 may be a correction of 0.44.
LEAST_DIGITS = 2
# A measurement that differs in the seventh digit alone is the same measurement.
FINE_DIGITS = 6


@dataclass(frozen=True)
class Notation:
    """How a file writes numbers: whether 1,234 is a number between 1 and 2, and whether 1.234 is.

    All other numbers can be read one way only: 0,41 and 69,2 have decimal commas wherever they stand.
    """

    comma: bool = False
    point: bool = True

    @classmethod
    def of(cls, cells: Iterable[str], separator: str) -> Notation:
        """The notation of a file with these cells; only where commas are decimal do semicolons part the cells."""
        marked = [text for text in map(str.strip, cells) if "," in text or "." in text]
        certain = [text for text in marked if not MAYBE_THOUSANDS.fullmatch(text)]
        commas = any(DECIMAL_COMMA.fullmatch(text) for text in certain if "," in text)
        if separator == ";":
            return cls(True, not commas)
        points = commas and any(NUMBER.fullmatch(text) for text in certain if "." in text)
        return cls(commas and not points, not commas)

    def number(self, text: str) -> int | float | None:
        """The finite number in a cell, whole numbers exactly; None where there is none, or more than one."""
        text = _typed(text)
        if MAYBE_THOUSANDS.fullmatch(text) and not (self.comma if "," in text else self.point):
            return None
        return plain_number(text)


def plain_number(text: str) -> int | float | None:
    """The finite number in a text, in which a comma or a point is decimal; None if there is none."""
    text = _typed(text)
    try:
        if WHOLE.fullmatch(text):
            return int(text)
    except ValueError:  # more digits than Python converts
        return None
    text = text.replace(",", ".") if DECIMAL_COMMA.fullmatch(text) else text
    value = float(text) if NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def why_no_number(text: str, wanted: str) -> str:
    """The rule that a cell without a number breaks, with the way out of the commonest mistakes."""
    text = text.strip()
    if text == NO_VALUE or FORMULA_ERROR.fullmatch(text):
        return "its formula has no value; mend it, or empty the cell"
    if DATE.fullmatch(text):
        return "the spreadsheet has made a date of it; format the cell as a number, and write it again"
    if percent := PERCENT.fullmatch(text):
        return f"percent signs are not read; write the number alone, in the unit of the other answers: {percent[1]}"
    if MAYBE_THOUSANDS.fullmatch(text):
        both = re.sub("[.,]", ".", text), re.sub("[.,]", "", text)
        return f"it may mean {both[0]} or {both[1]}; write {both[1]}, or {both[0]}0"
    if thousands := THOUSANDS.fullmatch(text):
        whole = re.sub(r"[^0-9+-]", "", thousands[1])
        return f"separators of thousands are not read; write {whole}{f'.{thousands[3]}' if thousands[3] else ''}"
    if unit := WITH_UNIT.fullmatch(text):
        return f"give {wanted}, without its unit: {unit[1]}"
    return f"give {wanted}"


def is_rounded(written: str, exact: float) -> bool:
    """Whether a number in a cell is an exact one, or that one rounded to the digits that are written."""
    value = _double(plain_number(written))
    if value is None or value == exact:
        return value is not None
    if f"{value:.{KEPT_DIGITS}g}" == f"{exact:.{KEPT_DIGITS}g}":
        return True
    shown = Decimal(_typed(written).replace(",", "."))
    half = Decimal((0, (5,), int(shown.as_tuple().exponent) - 1))
    # A spreadsheet rounds what is left after 15 digits once more.
    return any(abs(Decimal(text) - shown) <= half for text in (repr(exact), f"{exact:.{KEPT_DIGITS}g}"))


def is_same_answer(written: str, known: float) -> bool:
    """Whether an answer in a cell is a known one: the number, or one of the two with fewer digits than the other.

    The known one may be the rounded one where it has many digits, as one that came by a spreadsheet has.
    """
    value = plain_number(written)
    if value is None or value == known:
        return value is not None
    if n_digits(written) >= LEAST_DIGITS and is_rounded(written, known):
        return True
    return n_digits(repr(known)) >= FINE_DIGITS and is_rounded(repr(known), value)


def _typed(text: str) -> str:
    """A text without the space around it, and with the minus that keyboards have."""
    return text.strip().replace("\u2212", "-")


def _double(value: int | float | None) -> float | None:
    try:
        return None if value is None else float(value)
    except OverflowError:
        return None


def n_digits(written: str) -> int:
    """How many digits of a number are written, zeros before the first other one left out."""
    return len(re.sub("[eE].*|[^0-9]", "", written).lstrip("0"))

"""Numbers as people and spreadsheets write them: read one way, or refused with the way out."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.study.files.numerals import Notation, is_rounded, is_same_answer, plain_number, why_no_number

COMMAS = Notation.of(["0,5", "12"], ",")
SEMICOLONS = Notation.of(["1", "2,25"], ";")
POINTS = Notation.of(["0.5", "2,25"], "\t")


NUMBERS = [("0,41", 0.41), ("-69,2", -69.2), (",5e3", 500.0), (" 7 ", 7), ("0.5", 0.5), ("−0.5", -0.5)]


@pytest.mark.parametrize("notation", [Notation(), COMMAS, SEMICOLONS, POINTS])
@pytest.mark.parametrize("text, value", NUMBERS)
def test_a_number_that_can_be_read_one_way_is_read_in_every_file(notation: Notation, text: str, value: float) -> None:
    assert notation.number(text) == value


@pytest.mark.parametrize(
    "notation, text, value",
    [
        (Notation(), "1,234", None),
        (Notation(), "1.234", 1.234),
        (COMMAS, "1,234", 1.234),
        (COMMAS, "1.234", None),
        (SEMICOLONS, "12,345", 12.345),
        (Notation.of(["1"], ";"), "12,345", 12.345),
        (POINTS, "1,234", None),
        (Notation(), "1,2340", 1.234),
    ],
)
def test_three_digits_after_a_mark_are_a_fraction_where_the_file_says_so(
    notation: Notation, text: str, value: float | None
) -> None:
    assert notation.number(text) == value


@pytest.mark.parametrize(
    "text, way_out",
    [
        ("1,234", "it may mean 1.234 or 1234; write 1234, or 1.2340"),
        ("1.000,5", "separators of thousands are not read; write 1000.5"),
        ("1,234,567", "separators of thousands are not read; write 1234567"),
        ("1 000", "separators of thousands are not read; write 1000"),
        ("1’000.25", "separators of thousands are not read; write 1000.25"),
        ("41 %", "percent signs are not read; write the number alone, in the unit of the other answers: 41"),
        ("#DIV/0!", "its formula has no value; mend it, or empty the cell"),
        ("Err:502", "its formula has no value; mend it, or empty the cell"),
        ("2026-05-03", "the spreadsheet has made a date of it; format the cell as a number, and write it again"),
        ("03.05.2026", "the spreadsheet has made a date of it; format the cell as a number, and write it again"),
        ("70 °C", "give a number, without its unit: 70"),
        ("0.41 g/l", "give a number, without its unit: 0.41"),
        ("warm", "give a number"),
        ("0x1F", "give a number"),
    ],
)
def test_what_is_no_number_is_refused_with_the_way_out(text: str, way_out: str) -> None:
    assert Notation().number(text) is None
    assert why_no_number(text, "a number") == way_out


@pytest.mark.parametrize(
    "written, exact",
    [
        ("0.33", 1 / 3),
        ("0.333333333333333", 1 / 3),
        ("0,3333", 1 / 3),
        ("70", 69.6),
        ("1.23E+05", 123456.0),
        ("0.3", 0.1 + 0.2),
    ],
)
def test_a_number_with_fewer_digits_is_the_same_number(written: str, exact: float) -> None:
    assert is_rounded(written, exact)


@pytest.mark.parametrize(
    "written, exact", [("70", 69.229126), ("0.34", 1 / 3), ("0.99", 0.4878), ("warm", 1.0), ("0", 0.6)]
)
def test_another_number_is_another_number(written: str, exact: float) -> None:
    assert not is_rounded(written, exact)


@given(st.floats(-1e6, 1e6), st.integers(0, 12))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_whatever_a_spreadsheet_shows_of_a_number_is_that_number(exact: float, decimals: int) -> None:
    # Excel keeps 15 digits of a number, and shows them rounded, halves away from zero.
    kept = Decimal(f"{exact:.15g}")
    shown = f"{kept.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP):f}"
    assert is_rounded(shown, exact)
    assert is_rounded(shown.replace(".", ","), exact)
    assert is_rounded(repr(exact), exact)


@given(st.floats(1e-3, 1e6), st.integers(0, 6))
@settings(max_examples=200, derandomize=True, deadline=None)
def test_a_number_that_differs_by_a_unit_of_its_last_digit_is_another(exact: float, decimals: int) -> None:
    unit = Decimal(1).scaleb(-decimals)
    shown = Decimal(repr(exact)).quantize(unit, rounding=ROUND_HALF_UP)
    assert not is_rounded(f"{shown + 2 * unit:f}", exact)
    assert not is_rounded(f"{shown - 2 * unit:f}", exact)


def test_an_answer_is_known_with_fewer_digits_but_not_with_one() -> None:
    assert is_same_answer("0.42", 0.4166666666666667)
    assert is_same_answer("0,416666667", 0.4166666666666667)
    assert not is_same_answer("0.4", 0.4166666666666667)
    assert not is_same_answer("0.43", 0.4166666666666667)
    # What came by a spreadsheet first comes back with all its digits.
    assert is_same_answer("0.4166666666666667", 0.416666667)
    assert not is_same_answer("0.4166666666666667", 0.42)


@given(st.text(st.sampled_from("0123456789.,eE+- '%°")))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_any_text_is_a_finite_number_or_is_refused(text: str) -> None:
    value = plain_number(text)
    assert value is None or value * 0 == 0
    assert why_no_number(text, "a number")

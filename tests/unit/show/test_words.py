"""Numbers and times as text."""

from __future__ import annotations

import pytest

from belated.show import instant, written


@pytest.mark.parametrize(
    "value, text", [(75.123456789, "75.1235"), (3, "3"), (True, "True"), ("a", "a"), (1e-12, "1e-12")]
)
def test_numbers_are_written_to_six_digits(value: object, text: str) -> None:
    assert written(value) == text


def test_times_since_1970_are_dates_and_others_are_numbers() -> None:
    assert instant(1_794_400_000.0) == "2026-11-11 12:26 UTC"
    assert instant(12.5) == "12.5"
    assert instant(1e300) == "1e+300"

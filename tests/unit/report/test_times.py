"""Times are counted in a unit that reads well."""

from __future__ import annotations

import pytest

from belated.report.times import TimeUnit, unit_for

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0


@pytest.mark.parametrize(
    "span, name",
    [
        (0.0, "second"),
        (0.01, "second"),
        (2 * MINUTE, "second"),
        (3 * MINUTE, "minute"),
        (2.9 * HOUR, "minute"),
        (3 * HOUR, "hour"),
        (2.9 * DAY, "hour"),
        (400 * DAY, "day"),
    ],
)
def test_a_span_has_at_least_three_of_its_unit(span: float, name: str) -> None:
    assert unit_for(span).name == name


def test_a_clock_with_a_name_of_its_own_counts_in_it() -> None:
    assert unit_for(400 * DAY, "round") == TimeUnit("round", 1.0)

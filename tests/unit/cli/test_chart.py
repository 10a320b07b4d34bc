"""The chart in the terminal."""

from __future__ import annotations

import pytest

from belated.cli.chart import chart, labelled

RISING = [0.0, 1.0, 1.0, 2.0]


def test_the_greatest_value_fills_its_column_and_the_least_still_shows() -> None:
    assert chart(RISING, width=4, height=2) == ["   █", "▁███"]
    assert chart(RISING, width=4, height=2, ascii_only=True) == ["   #", "####"]


def test_a_line_is_eight_steps_fine() -> None:
    assert chart([float(step) for step in range(1, 9)], width=8, height=1) == ["▁▁▂▃▅▆▇█"]


def test_few_values_are_wide_and_many_share_a_column() -> None:
    assert chart(RISING, width=8, height=1) == ["▁▁▄▄▄▄██"]
    assert chart([0.0, 0.0, 0.0, 1.0], width=2, height=1) == ["▁█"]


def test_falling_values_fall() -> None:
    assert chart([2.0, 1.0, 0.0], width=3, height=2) == ["█", "██▁"]


@pytest.mark.parametrize("values", [[3.0], [2.0, 2.0, 2.0]], ids=str)
def test_level_values_are_one_line(values: list[float]) -> None:
    (line, axis) = labelled(values, width=20, height=6)
    assert line.startswith(f"{values[0]:g} ┤█")
    assert axis.split()[-1] == str(len(values))


@pytest.mark.parametrize("count", [1, 2, 39, 40, 41, 1000])
@pytest.mark.parametrize("width", [20, 40, 80])
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1.7e308])
def test_a_chart_is_never_wider_than_its_width(count: int, width: int, scale: float) -> None:
    values = [scale * (2 * place / count - 1) for place in range(count)]
    lines = labelled(values, width=width, height=5)
    assert max(map(len, lines)) <= width
    assert all(line.isascii() for line in labelled(values, width=width, height=5, ascii_only=True))


def test_the_labels_are_the_extremes_and_the_number_of_values() -> None:
    assert labelled(RISING, width=12, height=3) == ["2 ┤      ██", "  ┤  ▄▄▄▄██", "0 ┤▁▁██████", "   1      4"]

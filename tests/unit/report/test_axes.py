"""Parameters stand where their values are, on the scale of their definition."""

from __future__ import annotations

import pytest

from belated.errors import ParameterError, UnknownNameError
from belated.report.axes import axes_of, chosen
from belated.space import Candidates, Choice, Float, Int, Space

SPACE = Space(
    heat=Float(20, 120), dose=Float(1e-4, 1e-1, log=True), steps=Int(1, 8), many=Int(1, 900), mode=Choice(True, 2, "a")
)


def test_numbers_stand_at_their_value_and_options_at_their_place() -> None:
    heat, dose, _, _, mode = axes_of(SPACE, SPACE.names)
    assert heat.place(40) == 40.0
    assert dose.place(1e-3) == 1e-3
    assert [mode.place(option) for option in (True, 2, "a")] == [0.0, 1.0, 2.0]


def test_axes_reach_a_little_beyond_their_bounds() -> None:
    for axis, (low, high) in zip(axes_of(SPACE, SPACE.names), [(20, 120), (-4, -1), (1, 8)], strict=False):
        first, last = axis.layout()["range"]
        assert low - 0.1 * (high - low) < first < low
        assert high < last < high + 0.1 * (high - low)


def test_decades_and_few_whole_numbers_have_a_mark_each() -> None:
    marks = {axis.name: axis.layout() for axis in axes_of(SPACE, SPACE.names)}
    assert {name: layout["type"] for name, layout in marks.items()} == {
        "heat": "linear",
        "dose": "log",
        "steps": "linear",
        "many": "linear",
        "mode": "linear",
    }
    assert [name for name, layout in marks.items() if layout.get("dtick") == 1] == ["dose", "steps"]
    assert marks["mode"]["ticktext"] == ["True", "2", "a"]


def test_the_axes_of_a_table_reach_over_its_rows() -> None:
    rows = [{"heat": 20.5, "steps": 3, "solvent": "THF"}, {"heat": 90.0, "steps": 1, "solvent": "DMF"}]
    heat, steps, solvent = axes_of(Candidates(rows), ["heat", "steps", "solvent"])
    assert (heat.low, heat.high, heat.whole) == (20.5, 90.0, False)
    assert (steps.low, steps.high, steps.whole) == (1, 3, True)
    assert solvent.options == ("THF", "DMF")


def test_a_large_table_has_its_exact_bounds_and_all_its_labels() -> None:
    rows = [{"x": float(number % 3001), "kind": "rare" if number == 1234 else "common"} for number in range(1, 6001)]
    x, kind = axes_of(Candidates([{**row, "row": place} for place, row in enumerate(rows)]), ["x", "kind"])
    assert (x.low, x.high) == (0.0, 3000.0)
    assert kind.options == ("common", "rare")


def test_a_parameter_of_one_value_has_an_axis() -> None:
    space = Space(fixed=Int(3, 3), only=Choice("a"))
    for axis in axes_of(space, space.names):
        low, high = axis.layout()["range"]
        assert low < high


def test_the_first_few_parameters_are_drawn_or_those_named() -> None:
    names = ("a", "b", "c")
    assert chosen("plot()", names, None, 2) == ["a", "b"]
    assert chosen("plot()", names, ["c", "a", "c"], 2) == ["c", "a"]


def test_parameters_that_are_unknown_none_or_no_list_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'heat'"):
        chosen("plot()", SPACE.names, ["heet"], 6)
    with pytest.raises(ParameterError, match="at least one of heat, dose"):
        chosen("plot()", SPACE.names, [], 6)
    with pytest.raises(ParameterError, match="give a list of names"):
        chosen("plot()", SPACE.names, "heat", 6)

"""Int and Choice: every level comes back exactly, whatever the number of levels."""

from __future__ import annotations

import math
from enum import StrEnum

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import PointError, SpaceError
from belated.space import Choice, Float, Int, Parameter

PROPERTY = settings(deadline=None, derandomize=True, max_examples=300)


class Solvent(StrEnum):
    """An option that would come back from JSON as something else."""

    DMF = "DMF"


@pytest.mark.parametrize("parameter", [Int(1, 8), Int(-5, 0), Int(3, 3), Int(1, 1, log=True), Int(1, 999, log=True)])
def test_every_level_comes_back_and_is_already_snapped(parameter: Int) -> None:
    values = range(parameter.low, parameter.high + 1)
    units = np.array([parameter.encode(value, "x") for value in values])
    assert [parameter.decode(unit) for unit in units] == list(values)
    assert np.array_equal(parameter.snap(units), units)


@pytest.mark.parametrize("log", [False, True])
def test_a_million_levels_all_snap_to_themselves_and_rise(log: bool) -> None:
    parameter = Int(1, 10**6, log=log)
    units = parameter.snap(np.linspace(0, 1, 10**5))
    assert np.array_equal(parameter.snap(units), units)
    assert np.all(np.diff(units) >= 0)
    for value in np.random.default_rng(5).integers(1, 10**6, size=300):
        assert parameter.decode(parameter.encode(value, "x")) == value


@PROPERTY
@given(st.data(), st.sampled_from([2**40, 2**40 - 1, 10**9]), st.booleans())
def test_huge_ranges_come_back_exactly(data: st.DataObject, high: int, log: bool) -> None:
    parameter = Int(1, high, log=log)
    for value in (1, high - 1, high, data.draw(st.integers(1, high))):
        unit = parameter.encode(value, "x")
        assert parameter.decode(unit) == value
        assert parameter.snap(np.array([unit]))[0] == unit


@PROPERTY
@given(st.integers(0, 2**50 - 1), st.sampled_from([0, -(2**49), 10**30]))
def test_the_largest_linear_range_comes_back_exactly_wherever_it_lies(offset: int, low: int) -> None:
    parameter = Int(low, low + 2**50 - 1)
    unit = parameter.encode(low + offset, "x")
    assert parameter.decode(unit) == low + offset
    assert parameter.snap(np.array([unit]))[0] == unit


def test_log_bins_meet_at_half_numbers_and_are_coded_by_their_centre() -> None:
    parameter = Int(1, 4, log=True)
    start, end = math.log(0.5), math.log(4.5)
    edges = (np.log([0.5, 1.5, 2.5, 3.5, 4.5]) - start) / (end - start)
    units = [parameter.encode(value, "x") for value in (1, 2, 3, 4)]
    assert units == pytest.approx((edges[1:] + edges[:-1]) / 2, rel=1e-14)
    assert [parameter.decode(edge - 1e-9) for edge in edges[1:]] == [1, 2, 3, 4]
    assert [parameter.decode(edge + 1e-9) for edge in edges[:-1]] == [1, 2, 3, 4]


@pytest.mark.parametrize("parameter", [Int(2, 9), Int(2, 9, log=True), Choice("a", "b", "c")], ids=repr)
def test_coordinates_at_and_beyond_the_ends_are_the_first_and_last_level(parameter: Parameter) -> None:
    first, last = parameter.decode(0.0), parameter.decode(1.0)
    assert (first, last) == (parameter.decode(-1.0), parameter.decode(2.0))
    assert {first, last} in ({2, 9}, {"a", "c"})


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float32(3), np.uint8(3)])
def test_whole_numbers_of_any_type_decode_to_python_ints(value: object) -> None:
    decoded = Int(1, 8).decode(Int(1, 8).encode(value, "x"))
    assert decoded == 3
    assert type(decoded) is int


@pytest.mark.parametrize("value", [3.5, True, np.True_, "3", None, math.nan, math.inf])
def test_what_is_not_a_whole_number_is_refused(value: object) -> None:
    with pytest.raises(PointError, match=r"^x=.* is not a whole number; give one from 1 to 8\.$"):
        Int(1, 8).encode(value, "x")


@pytest.mark.parametrize("value", [0, 9, -(10**40)])
def test_a_whole_number_outside_is_refused(value: object) -> None:
    with pytest.raises(PointError, match=r"is outside 1 to 8; give a whole number inside\.$"):
        Int(1, 8).encode(value, "x")


@pytest.mark.parametrize(
    "low, high, log, message",
    [
        (8, 1, False, r"^Int\(8, 1\): low is above high; bounds rise; swap them\.$"),
        (1.5, 3, False, r"low is 1.5; bounds are whole numbers; give one or use Float\.$"),
        (1, math.inf, False, r"high is inf; bounds are whole numbers"),
        (math.nan, 1, False, r"low is nan; bounds are whole numbers"),
        (True, 3, False, r"low is True; bounds are whole numbers"),
        (0, 2**50, False, r"more than 2\*\*50 levels cannot be told apart; narrow the range or use Float"),
        (0, 8, True, r"a logarithmic scale needs low of at least 1; raise low or leave out log"),
        (1, 2**40 + 1, True, r"a logarithmic scale ends at 2\*\*40; lower high"),
        (1, 3, None, r"log is None; it is True or False"),
    ],
)
def test_bad_bounds_of_whole_numbers_are_refused(low: int, high: int, log: bool, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Int(low, high, log=log)


def test_options_come_back_with_their_type() -> None:
    choice = Choice("1", 1, 2.5, False, "water")
    decoded = [choice.decode(choice.encode(option, "x")) for option in choice.options]
    assert [(type(value), value) for value in decoded] == [
        (str, "1"),
        (int, 1),
        (float, 2.5),
        (bool, False),
        (str, "water"),
    ]
    assert choice.decode(choice.encode(np.str_("water"), "x")) == "water"
    assert choice.encode(np.int64(1), "x") == choice.encode(1, "x")


@pytest.mark.parametrize("count", [1, 2, 3, 7, 1000])
def test_every_option_sits_at_the_centre_of_an_equal_share(count: int) -> None:
    choice = Choice(*map(str, range(count)))
    units = np.array([choice.encode(option, "x") for option in choice.options])
    assert np.array_equal(units, (np.arange(count) + 0.5) / count)
    assert tuple(choice.decode(unit) for unit in units) == choice.options
    assert np.array_equal(choice.snap(units), units)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, math.nan, [1], 3])
def test_a_value_of_another_type_is_not_the_option_it_equals(value: object) -> None:
    with pytest.raises(PointError, match=r"^x=.* is not an option; choose one of 1, 2\.$"):
        Choice(1, 2).encode(value, "x")


@pytest.mark.parametrize(
    "options, message",
    [
        ((), r"^Choice\(\): no options; a choice has at least one; list them: Choice\('a', 'b'\)\.$"),
        ((1, True), r"^Choice\(1, True\): 1 and True are equal; options are distinct; drop or rename one\.$"),
        ((1, 1.0), r"1 and 1.0 are equal"),
        (("a", "b", "a"), r"'a' and 'a' are equal"),
        (
            (["a", "b"],),
            r"\['a', 'b'\] is not a text, a finite number or a boolean; unpack it: Choice\(\*options\)",
        ),
        ((None, "a"), r"None is not a text, a finite number or a boolean; name it by a text"),
        ((math.nan,), r"nan is not a text, a finite number"),
        ((Solvent.DMF,), r"is not a text, a finite number or a boolean; name it by a text"),
    ],
)
def test_bad_options_are_refused(options: tuple[object, ...], message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Choice(*options)


def test_parameters_tell_their_levels_and_kind_and_read_as_written() -> None:
    assert (Float(0, 1).levels, Int(1, 8).levels, Choice("a", "b").levels) == (None, 8, 2)
    assert (Float(0, 1).categorical, Int(1, 8).categorical, Choice("a").categorical) == (False, False, True)
    assert repr(Int(1, 8, log=True)) == "Int(1, 8, log=True)"
    assert repr(Choice("DMF", 2)) == "Choice('DMF', 2)"


def test_choices_between_equal_options_of_other_types_differ() -> None:
    assert Choice(1, 2) == Choice(1, 2)
    assert hash(Choice(1, 2)) == hash(Choice(1, 2))
    assert Choice(1, 2) != Choice(1.0, 2.0)
    assert Choice(True) != Choice(1)

"""Float: exact round trips on any range, and refusals."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from belated.errors import PointError, SpaceError
from belated.space import Float
from belated.space.doubles import shortest

PROPERTY = settings(deadline=None, derandomize=True, max_examples=400)
EXTREMES = [
    Float(-1e308, 1e308),
    Float(-sys.float_info.max, sys.float_info.max),
    Float(0, 5e-324),
    Float(-1e-320, 3e-320),
    Float(5e-324, sys.float_info.max, log=True),
    Float(1e6, 1e6 + 1e-6),
    Float(-3, 7.1),
    Float(1e-3, 1e-1, log=True),
    Float(1, math.nextafter(1, 2), log=True),
]


def round_trip(parameter: Float, value: float) -> float:
    return parameter.decode(parameter.encode(value, "x"))


@st.composite
def typed_on_a_linear_scale(draw: st.DrawFn) -> tuple[Float, float]:
    """Bounds and a value between them, all typed with up to twelve digits of the larger bound."""
    power = draw(st.integers(-300, 290))
    low, value, high = sorted(draw(st.lists(st.integers(-(10**12), 10**12), min_size=3, max_size=3)))
    assume(low < high)
    return Float(float(f"{low}e{power}"), float(f"{high}e{power}")), float(f"{value}e{power}")


@st.composite
def typed_on_a_log_scale(draw: st.DrawFn) -> tuple[Float, float]:
    """Positive bounds and a value between them, each typed with up to twelve digits and any power of ten."""
    digits, powers = st.integers(1, 10**12 - 1), st.integers(-300, 290)
    low, value, high = sorted(float(f"{draw(digits)}e{draw(powers)}") for _ in range(3))
    assume(low < high)
    return Float(low, high, log=True), value


@PROPERTY
@given(typed_on_a_linear_scale())
@example((Float(-3, 7.1), 0.0))
@example((Float(20, 120), 57.3))
@example((Float(0, 1), 0.1 + 0.2))
def test_a_typed_number_comes_back_exactly_on_a_linear_scale(case: tuple[Float, float]) -> None:
    parameter, value = case
    assert round_trip(parameter, value) == value


@PROPERTY
@given(typed_on_a_log_scale())
@example((Float(1e-3, 1e-1, log=True), 0.03))
def test_a_typed_number_comes_back_exactly_on_a_log_scale(case: tuple[Float, float]) -> None:
    parameter, value = case
    assert round_trip(parameter, value) == value


finite = st.floats(allow_nan=False, allow_infinity=False)


@PROPERTY
@given(st.tuples(finite, finite, finite), st.booleans())
def test_encoding_what_was_decoded_changes_nothing_for_any_double(
    numbers: tuple[float, float, float], log: bool
) -> None:
    low, value, high = sorted(map(abs, numbers)) if log else sorted(numbers)
    assume(low < high and (not log or (low > 0 and math.log(low) < math.log(high))))
    parameter = Float(low, high, log=log)
    unit = parameter.encode(value, "x")
    assert 0 <= unit <= 1
    assert parameter.encode(parameter.decode(unit), "x") == unit


@PROPERTY
@given(st.sampled_from(EXTREMES), st.floats(0, 1))
def test_any_coordinate_decodes_into_the_range_even_an_extreme_one(parameter: Float, unit: float) -> None:
    value = parameter.decode(unit)
    assert type(value) is float
    assert parameter.low <= value <= parameter.high
    assert parameter.decode(parameter.encode(value, "x")) == value


@PROPERTY
@given(st.sampled_from(EXTREMES), st.floats(0, 1), finite)
def test_a_coordinate_decodes_to_the_same_number_wherever_that_is_looked_for_from(
    parameter: Float, unit: float, near: float
) -> None:
    assume(0 < unit < 1)
    low, high = parameter.low, parameter.high
    found = [shortest(unit, parameter._unit, low, high, start) for start in (low, near, high)]
    assert found == [parameter.decode(unit)] * 3


@pytest.mark.parametrize("parameter", EXTREMES, ids=repr)
def test_the_bounds_are_exactly_zero_and_one(parameter: Float) -> None:
    assert parameter.encode(parameter.low, "x") == 0.0
    assert parameter.encode(parameter.high, "x") == 1.0
    assert parameter.decode(0.0) == parameter.decode(-0.5) == parameter.low
    assert parameter.decode(1.0) == parameter.decode(1.5) == parameter.high


def test_a_log_scale_puts_the_geometric_mean_in_the_middle() -> None:
    assert Float(1e-4, 1e-2, log=True).decode(0.5) == pytest.approx(1e-3, rel=1e-14)
    assert Float(20, 120).decode(0.5) == 70.0


@pytest.mark.parametrize("value", [40, np.float64(40), np.int64(40), np.float32(40)])
def test_ints_and_numpy_scalars_are_numbers_and_decode_to_python_floats(value: object) -> None:
    decoded = Float(20, 120).decode(Float(20, 120).encode(value, "x"))
    assert decoded == 40.0
    assert type(decoded) is float


@pytest.mark.parametrize("value", [True, np.True_, "40", None, math.nan, math.inf, np.float64("nan"), 10**400, [40]])
def test_what_is_not_a_finite_number_is_refused(value: object) -> None:
    with pytest.raises(PointError, match=r"^add\(\): x=.* is not a finite number; give one from \[20.0, 120.0\]\.$"):
        Float(20, 120).encode(value, "add(): x")


@pytest.mark.parametrize("value", [19.999, 121, np.float64(1e9), -0.0])
def test_a_number_outside_is_refused(value: object) -> None:
    with pytest.raises(PointError, match=r"is outside \[20.0, 120.0\]; give a number inside\.$"):
        Float(20, 120).encode(value, "x")


@pytest.mark.parametrize(
    "low, high, log, message",
    [
        (120, 20, False, r"^Float\(120, 20\): low is above high; bounds rise; swap them\.$"),
        (
            5,
            5,
            False,
            r"^Float\(5, 5\): low equals high, an empty range; use Choice\(5\.0\) for a fixed value\.$",
        ),
        (math.nan, 1, False, r"^Float\(nan, 1\): low is nan; bounds are finite numbers; give one\.$"),
        (0, math.inf, False, r"high is inf; bounds are finite numbers"),
        (0, 10**400, False, r"bounds are finite numbers"),
        ("0", 1, False, r"low is '0'; bounds are finite numbers"),
        (False, 1, False, r"low is False; bounds are finite numbers"),
        (
            0,
            1,
            True,
            r"^Float\(0, 1, log=True\): a logarithmic scale needs low above 0; raise low or leave out log",
        ),
        (
            1e300,
            math.nextafter(1e300, 2e300),
            True,
            r"the bounds round to the same logarithm; widen them or leave out log",
        ),
        (1, 2, "yes", r"log is 'yes'; it is True or False"),
    ],
)
def test_bad_bounds_are_refused(low: float, high: float, log: bool, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Float(low, high, log=log)


def test_a_float_reads_as_it_is_written_and_is_a_value() -> None:
    assert repr(Float(20, 120)) == "Float(20.0, 120.0)"
    assert repr(Float(1e-3, 0.1, log=True)) == "Float(0.001, 0.1, log=True)"
    assert Float(np.float64(20), 120) == Float(20.0, 120.0)
    assert hash(Float(20, 120)) == hash(Float(20.0, 120.0))
    assert str(Float(-0.0, 1).decode(0.0)) == "0.0"

"""Space: points in and out of the unit cube, samples, JSON, and refusals that say what to do."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import PointError, SpaceError
from belated.space import Choice, Domain, Float, Int, Parameter, Space, domain_from_json

SPACE = Space(
    temperature=Float(20, 120),
    loading=Float(1e-3, 1e-1, log=True),
    solvent=Choice("DMF", "THF", "water"),
    steps=Int(1, 8),
)
POINT: dict[str, Any] = {"temperature": 57.3, "loading": 0.03, "solvent": "THF", "steps": 3}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in POINT.items() if key != name}


def test_a_point_goes_to_the_unit_cube_and_back() -> None:
    unit = SPACE.encode(POINT)
    assert unit.shape == (4,)
    assert unit == pytest.approx([0.373, np.log(30) / np.log(100), 0.5, 2.5 / 8])
    assert SPACE.decode(unit) == POINT
    assert list(SPACE.decode(unit)) == list(SPACE)


def test_a_space_is_a_domain_and_tells_its_shape() -> None:
    domain: Domain = SPACE
    assert domain.names == ("temperature", "loading", "solvent", "steps")
    assert domain.dimension == len(SPACE) == 4
    assert domain.levels == (None, None, 3, 8)
    assert domain.categorical == (False, False, True, False)
    assert SPACE["steps"] == Int(1, 8)


def test_a_space_is_a_value_and_reads_as_it_is_written() -> None:
    assert repr(Space(x=Float(0, 1), y=Int(1, 3))) == "Space(x=Float(0.0, 1.0), y=Int(1, 3))"
    assert Space(x=Float(0, 1)) == Space(x=Float(0, 1))
    assert len({Space(x=Float(0, 1)), Space(x=Float(0, 1)), Space(x=Float(0, 2))}) == 2
    assert Space(x=Float(0, 1), y=Int(1, 3)) != Space(y=Int(1, 3), x=Float(0, 1))


def test_any_name_will_do_even_self_or_one_with_spaces() -> None:
    definition: dict[str, Parameter] = {"self": Int(1, 2), "oven temperature": Float(0, 1)}
    space = Space.from_parameters(definition)
    assert space.names == ("self", "oven temperature")
    assert Space(self=Int(1, 2), call=Int(1, 2)).names == ("self", "call")


@pytest.mark.parametrize("count", [0, 1, 7, 64])
def test_samples_are_encodings_of_points(count: int) -> None:
    units = SPACE.sample(count, np.random.default_rng(3))
    assert units.shape == (count, 4)
    assert np.array_equal(SPACE.snap(units), units)
    for unit in units:
        again = SPACE.encode(SPACE.decode(unit))
        assert np.array_equal(again[2:], unit[2:])
        assert again == pytest.approx(unit, abs=1e-15)


def test_the_same_seed_samples_the_same_points_and_covers_every_level() -> None:
    first, again = (SPACE.sample(48, np.random.default_rng(11)) for _ in range(2))
    assert np.array_equal(first, again)
    points = [SPACE.decode(unit) for unit in first]
    assert {point["solvent"] for point in points} == {"DMF", "THF", "water"}
    assert {point["steps"] for point in points} == set(range(1, 9))


def test_snapping_moves_to_centres_of_levels_and_clips_numbers() -> None:
    snapped = SPACE.snap(np.array([[-0.2, 1.2, 0.4, 0.99], [0.25, 0.5, 1.0, -3.0]]))
    assert np.array_equal(snapped, [[0.0, 1.0, 0.5, 7.5 / 8], [0.25, 0.5, 2.5 / 3, 0.5 / 8]])


@pytest.mark.parametrize(
    "point, message",
    [
        (
            {**without("temperature"), "temprature": 50},
            r"^encode\(\): unknown parameter 'temprature'; "
            r"the space has temperature, loading, solvent, steps; did you mean 'temperature'\?$",
        ),
        ({**POINT, "STEPS": 3}, r"unknown parameter 'STEPS'; the space has .*; did you mean 'steps'\?$"),
        ({**POINT, "zzz": 1}, r"unknown parameter 'zzz'; the space has .*; leave it out\.$"),
        ({7: 1}, r"unknown parameter 7;"),
        (
            without("steps"),
            r"^encode\(\): missing parameter 'steps'; a point has all of temperature, .*; add it\.$",
        ),
        (
            [57.3, 0.03],
            r"^encode\(\): got a list; a point maps names to values; give a dict of temperature, ",
        ),
        (None, r"got a NoneType; a point maps names to values"),
        (
            {**POINT, "temperature": 500},
            r"^encode\(\): temperature=500 is outside \[20\.0, 120\.0\]; give a number inside\.$",
        ),
        (
            {**POINT, "solvent": "oil"},
            r"^encode\(\): solvent='oil' is not an option; choose one of 'DMF', 'THF', 'water'",
        ),
        ({**POINT, "steps": float("nan")}, r"^encode\(\): steps=nan is not a whole number"),
    ],
)
def test_a_point_that_does_not_fit_is_refused(point: Any, message: str) -> None:
    with pytest.raises(PointError, match=message):
        SPACE.encode(point)


def test_the_refusal_begins_with_the_call_that_the_user_made() -> None:
    with pytest.raises(PointError, match=r"^add\(\): steps=9 is outside 1 to 8"):
        SPACE.encode({**POINT, "steps": 9}, call="add()")


def test_a_long_list_of_names_is_cut_short() -> None:
    wide = Space.from_parameters({f"x{place}": Float(0, 1) for place in range(30)})
    with pytest.raises(PointError, match=r"x10, x11 and 18 more; add it\.$"):
        wide.encode({})


@pytest.mark.parametrize("unit", [np.zeros(3), np.zeros((1, 4)), np.array([0, 0, 0, np.nan])])
def test_coordinates_of_the_wrong_shape_or_no_number_are_refused(unit: Any) -> None:
    with pytest.raises(PointError, match=r"^decode\(\): got array.*; a point has 4 unit coordinates"):
        SPACE.decode(unit)


@pytest.mark.parametrize(
    "parameters, message",
    [
        ({}, r"^Space\(\): no parameters; a space has at least one; write Space\(x=Float\(0, 1\)\)\.$"),
        (
            {"x": 3},
            r"^Space\(x=3\): not a parameter; write Float\(low, high\), Int\(low, high\) or Choice\(…\)\.$",
        ),
        ({"x": Float}, r"not a parameter"),
        ({"": Float(0, 1)}, r"got the name ''; a name is a text that is not empty; rename it"),
        ({1: Float(0, 1)}, r"got the name 1; a name is a text"),
        ([("x", Float(0, 1)), ("x", Int(0, 1))], r"the name 'x' comes twice; names are distinct; rename one"),
    ],
)
def test_a_bad_definition_is_refused(parameters: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Space.from_parameters(parameters)


def test_a_space_without_parameters_is_refused_by_its_constructor_too() -> None:
    with pytest.raises(SpaceError, match="no parameters"):
        Space()


parameters: st.SearchStrategy[Parameter] = st.one_of(
    st.builds(lambda low, size, log: Float(low, low + size, log), *[st.floats(0.1, 1e6)] * 2, st.booleans()),
    st.builds(lambda low, size, log: Int(low, low + size, log), *[st.integers(1, 10**6)] * 2, st.booleans()),
    st.builds(
        lambda options: Choice(*options),
        st.lists(st.one_of(st.text("abc", max_size=3), st.integers(-9, 9), st.booleans()), min_size=1, unique=True),
    ),
)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.dictionaries(st.text(min_size=1, max_size=5), parameters, min_size=1, max_size=4), st.integers(0, 99))
def test_any_space_survives_json_and_any_point_survives_the_cube(definition: dict[str, Parameter], seed: int) -> None:
    space = Space.from_parameters(definition)
    assert domain_from_json(json.loads(json.dumps(space.to_json()))) == space
    for unit in space.sample(3, np.random.default_rng(seed)):
        point = space.decode(unit)
        assert space.decode(space.encode(point)) == point


@pytest.mark.parametrize(
    "data, message",
    [
        (
            None,
            r"^domain_from_json\(\): the kind is None; it is 'space' or 'candidates'; give one of them\.$",
        ),
        ({"kind": "box"}, r"the kind is 'box'"),
        (
            {"kind": "space"},
            r"^Space.from_json\(\): .* is not a space; give what Space.to_json\(\) returned\.$",
        ),
        ({"kind": "space", "parameters": [3]}, r"is not a space"),
        ({"kind": "space", "parameters": []}, r"no parameters"),
        (
            {"kind": "space", "parameters": [{"name": "x", "kind": "float", "low": 0}]},
            r"is not a parameter; give what",
        ),
        (
            {"kind": "space", "parameters": [{"kind": "float", "low": 0, "high": 1, "log": False}]},
            r"got the name None",
        ),
        (
            {
                "kind": "space",
                "parameters": [{"name": "x", "kind": "int", "low": 2, "high": 1, "log": False}],
            },
            r"low is above high",
        ),
        (
            {"kind": "space", "parameters": [{"name": "x", "kind": "choice", "options": [[]]}]},
            r"is not a text",
        ),
    ],
)
def test_json_that_is_no_domain_is_refused(data: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        domain_from_json(data)

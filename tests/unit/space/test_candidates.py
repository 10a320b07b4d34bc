"""Candidates: rows in any form come back as they were given, and bad tables are refused."""

from __future__ import annotations

import json
import math
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from belated.errors import ParameterError, PointError, SpaceError
from belated.space import Candidates, Choice, Domain, Float, Int, Space, domain_from_json

ROWS: list[dict[str, Any]] = [
    {"heat": 20, "dose": 0.5, "solvent": "DMF", "stirred": True},
    {"heat": 70, "dose": 0.1, "solvent": "THF", "stirred": False},
    {"heat": 120, "dose": 0.3, "solvent": "DMF", "stirred": False},
]


class Frame:
    def __repr__(self) -> str:
        return "Frame"

    """What we use of a pandas DataFrame."""

    def __init__(self, columns: dict[Any, list[Any]]) -> None:
        self.columns = list(columns)
        self._columns = columns

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def to_dict(self, orient: str) -> dict[Any, list[Any]]:
        assert orient == "list"
        return self._columns


def typed(point: dict[str, Any]) -> dict[str, tuple[type, Any]]:
    return {name: (type(value), value) for name, value in point.items()}


def test_dict_rows_come_back_with_their_types_by_number_encoding_and_values() -> None:
    table = Candidates(ROWS)
    for number, row in enumerate(ROWS):
        assert typed(table.point(number)) == typed(row)
        assert table.index(row) == number
        assert np.array_equal(table.encode(row), table.table[number])
        assert typed(table.decode(table.table[number])) == typed(row)


def test_numbers_are_scaled_and_labels_are_levels_in_order_of_appearance() -> None:
    table = Candidates(ROWS)
    assert table.table.tolist() == [
        [0, 1, 0.25, 0.25],
        [0.5, 0, 0.75, 0.75],
        [1, pytest.approx(0.5), 0.25, 0.75],
    ]
    assert table.levels == (None, None, 2, 2)
    assert table.categorical == (False, False, True, True)


def test_a_table_is_a_domain_and_tells_its_shape() -> None:
    table: Domain = Candidates(ROWS)
    assert table.names == ("heat", "dose", "solvent", "stirred")
    assert table.dimension == 4
    assert len(Candidates(ROWS)) == 3
    assert repr(table) == "Candidates(3 rows of heat, dose, solvent, stirred)"


def test_an_array_gets_names_and_keeps_its_numbers() -> None:
    table = Candidates(np.array([[1.5, 2.0], [0.1, 3.0]]))
    assert table.names == ("x0", "x1")
    assert typed(table.point(1)) == {"x0": (float, 0.1), "x1": (float, 3.0)}
    assert Candidates([[1, 2], [3, 4]], names=["a", "b"]).point(1) == {"a": 3, "b": 4}
    assert Candidates([0.1, 0.2, 0.3]).point(2) == {"x0": 0.3}
    assert Candidates(np.array([2, 3], dtype=np.uint8)).table.tolist() == [[0.0], [1.0]]


def test_a_frame_is_known_by_what_it_can_do() -> None:
    columns = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    assert Candidates(Frame(columns)) == Candidates(ROWS)


def test_a_real_data_frame_is_read_too() -> None:
    pandas = pytest.importorskip("pandas")
    table = Candidates(pandas.DataFrame(ROWS))
    assert [typed(table.point(number)) for number in range(3)] == [typed(row) for row in ROWS]


def test_neither_the_users_array_nor_the_table_can_change_the_candidates() -> None:
    array = np.array([[0.0], [1.0]])
    table = Candidates(array)
    array[0] = 7.0
    assert table.point(0) == {"x0": 0.0}
    with pytest.raises(ValueError, match="read-only"):
        table.table[0, 0] = 1.0


def test_a_constant_column_sits_in_the_middle_and_one_row_is_enough() -> None:
    table = Candidates([{"x": 5, "y": "only"}])
    assert table.table.tolist() == [[0.5, 0.5]]
    assert table.decode(table.encode({"x": 5, "y": "only"})) == {"x": 5, "y": "only"}


@pytest.mark.parametrize("values", [[-1e308, 0.5, 1e308], [0.0, 5e-324], [2**60, 2**60 + 4096], [-0.0, 1.0]])
def test_extreme_columns_work(values: list[float]) -> None:
    table = Candidates([{"x": value} for value in values])
    assert [table.decode(unit)["x"] for unit in table.table] == values
    assert [table.index({"x": value}) for value in values] == list(range(len(values)))


def test_samples_are_distinct_rows_until_all_are_used() -> None:
    table = Candidates(np.arange(50.0))
    for count in (0, 1, 50):
        sample = table.sample(count, np.random.default_rng(3))
        assert sample.shape == (count, 1)
        assert len(np.unique(sample)) == count
    more = table.sample(80, np.random.default_rng(3))
    assert len(np.unique(more[:50])) == 50
    assert np.isin(more, table.table).all()


rows_of_three = st.tuples(
    st.integers(-(2**40), 2**40),
    st.floats(-1e3, 1e3).map(lambda number: round(number, 6)),
    st.text(max_size=3),
)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(st.lists(rows_of_three, min_size=1, max_size=20, unique=True))
def test_any_table_survives_json_and_every_row_the_cube(rows: list[tuple[int, float, str]]) -> None:
    dicts = [dict(zip("abc", row, strict=True)) for row in rows]
    table = Candidates(dicts)
    assert domain_from_json(json.loads(json.dumps(table.to_json()))) == table
    assert [table.decode(unit) for unit in table.table] == dicts
    assert all(table.decode(table.encode(row)) in dicts for row in dicts)


def test_json_keeps_the_kind_of_a_column_when_a_database_rewrites_its_numbers() -> None:
    table = Candidates(np.array([[1e22], [2e22]]))
    rewritten = json.loads(json.dumps(table.to_json()).replace("1e+22", str(10**22)))
    assert type(Candidates.from_json(rewritten).point(0)["x0"]) is float


def test_a_million_rows_are_found_without_a_million_dicts() -> None:
    array = np.random.default_rng(7).random((10**6, 3))
    table = Candidates(array)
    assert table.index(table.point(123_456)) == 123_456
    assert table.decode(table.table[-1]) == dict(zip(table.names, array[-1].tolist(), strict=True))


@pytest.mark.parametrize(
    "point, message",
    [
        (
            {**ROWS[0], "heat": 21},
            r"^add\(\): .* is not a row; a point is one of the 3 candidates, to the last digit; ",
        ),
        ({**ROWS[0], "dose": math.nextafter(0.5, 0)}, "is not a row"),
        ({**ROWS[0], "solvent": "oil"}, "is not a row"),
        ({**ROWS[0], "stirred": 1}, "is not a row"),
        ({**ROWS[0], "heat": "20"}, "is not a row"),
        ({**ROWS[0], "heat": math.nan}, "is not a row"),
        ({**ROWS[0], "heat": 10**400}, "is not a row"),
        ({"heat": 20}, r"^add\(\): missing parameter 'dose'"),
        ({**ROWS[0], "het": 1}, r"^add\(\): unknown parameter 'het'; .* did you mean 'heat'\?$"),
    ],
)
def test_a_point_that_is_no_row_is_refused(point: dict[str, Any], message: str) -> None:
    with pytest.raises(PointError, match=message):
        Candidates(ROWS).encode(point, call="add()")


@pytest.mark.parametrize("unit", [np.full(4, 0.123), np.zeros(3), np.full(4, np.nan), np.full(4, 2.0)])
def test_coordinates_between_rows_are_refused(unit: Any) -> None:
    with pytest.raises(PointError, match=r"^decode\(\): array.* encodes no candidate; nothing lies between rows"):
        Candidates(ROWS).decode(unit)


@pytest.mark.parametrize(
    "rows, message",
    [
        (
            [],
            r"^Candidates\(\): got no rows; a table has at least one; give a 2-D array, a list of",
        ),
        (np.zeros((0, 3)), "got no rows"),
        (np.zeros((3, 0)), "the rows are empty; a table has at least one column"),
        ([{}], "the rows are empty"),
        (Frame({"x": []}), "got no rows"),
        ("abc", "got a str; a table is needed; give a 2-D array"),
        ({"x": [1, 2]}, "got a dict; a table is needed"),
        (3, "got an int; a table is needed"),
        (np.zeros((2, 2, 2)), r"got an array of shape \(2, 2, 2\); a table has two dimensions; reshape it"),
        ([["a", 1]], "an array holds numbers; give a list of dicts for texts and booleans"),
        ([[1, 2], [3, None]], "got an array of object; an array holds numbers"),
        ([[True], [False]], "got an array of bool; an array holds numbers"),
        ([[1, 2], [3]], "row 1 has 1 values, row 0 has 2; rows are equally long"),
        (
            [[1, 2], [3, math.nan]],
            "row 1, column 'x1' is nan; numbers are finite; drop the row or fill it in",
        ),
        (np.array([[1.0], [-np.inf]]), "row 1, column 'x0' is -inf; numbers are finite"),
        ([{"x": 1}, {"x": math.nan}], "row 1, column 'x' is nan; numbers are finite"),
        (
            [{"x": "a"}, {"x": None}],
            "row 1, column 'x' is None; values are numbers, texts or booleans; drop the row or ",
        ),
        (
            [{"x": date(2026, 1, 2)}],
            r"is datetime.date\(2026, 1, 2\); values are numbers, texts or booleans; make it one",
        ),
        (
            [{"x": 1}, {"y": 1}],
            r"row 1 (lacks 'x'|has an extra 'y'); all rows have the keys x; give every row",
        ),
        ([{"x": 1, "y": 2}, {"x": 1}], "row 1 lacks 'y'; all rows have the keys x, y"),
        ([{"x": 1}, {"x": 1, "z": 2}], "row 1 has an extra 'z'"),
        ([{"x": 1}, [2]], "row 1 is a list; row 0 is a dict"),
        ([{"x": 1}, {"x": True}], "column 'x': .* 1 and True are equal; options are distinct"),
        (
            [{"x": 1}, {"x": 10**400}],
            "row 1, column 'x' is 10+, which no double equals; numbers are kept exactly",
        ),
        ([{"x": 0.5}, {"x": 2**53 + 1}], "row 1, column 'x' is 9007199254740993, which no double equals"),
        (
            [{"x": 1, "y": "a"}, {"x": 2, "y": "a"}, {"x": 1, "y": "a"}],
            "rows 0 and 2 are equal; rows are distinct",
        ),
        ([[1.0, 2.0], [3.0, 4.0], [3.0, 4.0]], "rows 1 and 2 are equal; rows are distinct; drop one"),
        ([-1e300, 1.0, 2.0], "rows 1 and 2 are too near to be told apart in double precision"),
        (Frame({0: [1, 2]}), "got the name 0; a name is a text"),
    ],
    ids=str,
)
def test_a_bad_table_is_refused(rows: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Candidates(rows)


@pytest.mark.parametrize(
    "rows, names, message",
    [
        ([[1, 2]], ["a"], "got 1 names for 2 columns; each has one; name them all"),
        ([[1, 2]], ["a", "a"], r"^Candidates\(names=…\): the name 'a' comes twice; names are distinct"),
        ([[1, 2]], ["a", ""], "got the name ''"),
        ([[1]], "a", r"^Candidates\(names='a'\): one text; names are a list of them; write \['a'\]\.$"),
        (ROWS, ["a"], "these rows name their columns; names are for arrays; leave them out"),
    ],
)
def test_bad_names_are_refused(rows: Any, names: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Candidates(rows, names=names)


@pytest.mark.parametrize(
    "columns, message",
    [
        (None, "not a table; give what Candidates.to_json"),
        ([], "not a table"),
        ([{"name": "x", "kind": "float", "values": []}], "not a table"),
        ([{"name": "x", "kind": "date", "values": [1]}], "not a table"),
        ([{"name": n, "kind": "int", "values": v} for n, v in (("x", [1]), ("y", [1, 2]))], "not a table"),
        ([{"name": "x", "kind": "int", "values": [1]}] * 2, "the name 'x' comes twice"),
        ([{"name": "x", "kind": "float", "values": ["a"]}], "row 0, column 'x' is None"),
    ],
)
def test_json_that_is_no_table_is_refused(columns: Any, message: str) -> None:
    with pytest.raises(SpaceError, match=message):
        Candidates.from_json({"kind": "candidates", "columns": columns})


def test_tables_are_equal_when_their_rows_are() -> None:
    assert Candidates(ROWS) == Candidates(ROWS)
    assert hash(Candidates(ROWS)) == hash(Candidates(ROWS))
    assert Candidates(ROWS) != Candidates(ROWS[::-1])
    # Scaling alone does not tell these apart.
    assert Candidates([1.0, 2.0]) != Candidates([1.0, 3.0])


@pytest.mark.parametrize("n_rows", [1, 2, 3, 100, 257])
def test_rows_are_found_by_their_encodings_all_at_once(n_rows: int) -> None:
    rng = np.random.default_rng(n_rows)
    candidates = Candidates([{"a": row % 7, "b": "uvw"[row % 3], "c": row} for row in rng.permutation(n_rows).tolist()])
    wanted = rng.integers(n_rows, size=40)
    assert_array_equal(candidates.rows(candidates.table[wanted]), wanted)
    assert candidates.rows(candidates.table[:0]).shape == (0,)


# Of a box.


def test_a_table_over_a_box_has_its_quasi_random_points() -> None:
    space = Space(x=Float(-2.0, 3.0), dose=Float(1e-3, 1.0, log=True))
    made = Candidates.over(space, 50, seed=4)
    expected = space.sample(50, np.random.default_rng(4))
    assert [made.point(row) for row in range(50)] == [space.decode(unit) for unit in expected]
    assert made == Candidates.over(space, 50, seed=4)
    assert made != Candidates.over(space, 50)


def test_a_table_over_few_points_has_each_once() -> None:
    space = Space(steps=Int(1, 3), solvent=Choice("DMF", "THF"))
    assert len(Candidates.over(space, 200)) == 6


@pytest.mark.parametrize("count", [0, -1, 2.5, None, 10**9], ids=repr)
def test_a_table_over_a_box_has_so_many_rows_as_one_can_keep(count: Any) -> None:
    with pytest.raises(ParameterError, match=r"^Candidates\.over\(count="):
        Candidates.over(Space(x=Float(0, 1)), count)

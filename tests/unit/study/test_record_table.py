"""The flat table of a record: its columns, its CSV and its DataFrame."""

from __future__ import annotations

import builtins
import csv
import io
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import MissingPackageError, ParameterError, StorageError
from belated.log import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Body,
    Event,
    Failed,
    Maximize,
    Outcomes,
    Performed,
    Record,
    Revised,
    Signal,
    Window,
)
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study.files.record_table import FIXED, column_names, columns, to_dataframe, write_csv
from tests.logbook import signed

SPACE = Space(heat=Float(20, 120), steps=Int(1, 8), solvent=Choice("DMF", "water"), fast=Choice(True, False))
CONTEXT = Context(hour=Float(0, 24), shift=Int(1, 3), seen="before")
NOON, NIGHT = {"hour": 12.0, "shift": 2}, {"hour": 0.5, "shift": 3}
WARM = {"heat": 60.5, "steps": 3, "solvent": "DMF", "fast": True}
COLD = {"heat": 20.0, "steps": 1, "solvent": "water", "fast": False}
START = datetime(2026, 3, 1, 8, 30, tzinfo=UTC).timestamp()


def record(*bodies: Body, domain: Space | Candidates = SPACE, context: Context | None = None) -> Record:
    """The record of events that are a quarter of a minute apart."""
    events = [Event(number, START + 15.0 * number, body) for number, body in enumerate(bodies, start=1)]
    return Record.empty(domain, context).extend(events)


def eventful() -> Record:
    """An answer revised twice, data added, a query abandoned, one pending and one overdue."""
    whole = record(
        Asked(1, WARM, NOON, worker="robot 1"),
        Asked(2, COLD, NIGHT),
        Answered(1, 0.1 + 0.2),
        Added(3, WARM, -1.5, NIGHT),
        Revised(1, 0.25),
        Revised(1, 0.5),
        Asked(4, COLD, NOON, worker="robot 2"),
        Abandoned(4, 'dropped, "hard"\r\nto find'),
        Asked(5, WARM, NOON),
        context=CONTEXT,
    )
    return whole.at(START + 135.0, Window(queries=1))


def cells(of: Record) -> list[list[str]]:
    text = io.StringIO()
    write_csv(text, of)
    return list(csv.reader(io.StringIO(text.getvalue(), newline="")))


def test_a_table_has_a_row_for_each_query_and_each_added_point() -> None:
    assert columns(eventful()) == {
        "id": [1, 2, 3, 4, 5],
        "number": [1, 2, 0, 3, 4],
        "state": ["answered", "overdue", "answered", "abandoned", "pending"],
        "heat": [60.5, 20.0, 60.5, 20.0, 60.5],
        "steps": [3, 1, 3, 1, 3],
        "solvent": ["DMF", "water", "DMF", "water", "DMF"],
        "fast": [True, False, True, False, True],
        "hour": [12.0, 0.5, 0.5, 12.0, 12.0],
        "shift": [2, 3, 3, 2, 2],
        "value": [0.5, None, -1.5, None, None],
        "asked_at": [START + 15, START + 30, START + 60, START + 105, START + 135],
        "answered_at": [START + 45, None, START + 60, None, None],
        "waited": [30.0, None, None, None, None],
        "delay": [1, None, None, None, None],
        "revisions": [2, 0, 0, 0, 0],
        "worker": ["robot 1", None, None, "robot 2", None],
        "reason": [None, None, None, 'dropped, "hard"\r\nto find', None],
    }


def test_the_columns_come_in_one_order_and_states_are_plain_texts() -> None:
    table = columns(eventful())
    assert list(table) == [*FIXED[:3], *SPACE.names, *CONTEXT.space.names, *FIXED[3:]]
    assert {type(state) for state in table["state"]} == {str}


def test_a_record_in_which_nothing_happened_has_all_columns_and_no_row() -> None:
    table = columns(record())
    assert list(table) == [*FIXED[:3], *SPACE.names, *FIXED[3:]]
    assert set(map(len, table.values())) == {0}


def test_values_are_in_the_units_of_the_user_whatever_the_goal() -> None:
    down = Record.empty(SPACE, None, signed(-1.0)).extend([Event(1, 0.0, Added(1, WARM, 2.0))])
    assert columns(down)["value"] == [2.0]


def test_parameters_and_entries_named_like_other_columns_get_a_prefix() -> None:
    space = Space(id=Float(0, 1), value=Float(0, 1), hour=Float(0, 1))
    context = Context(state=Int(1, 3), worker=Int(1, 3), season=Int(1, 3), seen="before")
    point, seen = {"id": 0.1, "value": 0.2, "hour": 0.3}, {"state": 1, "worker": 2, "season": 3}
    table = columns(record(Added(1, point, 7.0, seen), domain=space, context=context))
    row = {name: values[0] for name, values in table.items()}
    assert list(row)[3:9] == ["point.id", "point.value", "hour", "context.state", "context.worker", "season"]
    assert list(row.values())[3:9] == [0.1, 0.2, 0.3, 1, 2, 3]
    assert (row["id"], row["value"], row["state"], row["worker"]) == (1, 7.0, "answered", None)


names = st.lists(st.sampled_from(["x", "id", "point.id", "point.point.id", "context.id", "context.x"]), unique=True)


@given(names, names)
@settings(max_examples=100, derandomize=True, deadline=None)
def test_columns_never_share_a_name(parameters: list[str], entries: list[str]) -> None:
    in_point, in_context = column_names(parameters, entries)
    whole = [*FIXED, *in_point, *in_context]
    assert len(whole) == len(set(whole)) == len(FIXED) + len(parameters) + len(entries)
    assert all(column.endswith(name) for column, name in zip(in_point, parameters, strict=True))


# CSV.


def test_a_csv_has_iso_times_exact_numbers_and_empty_cells() -> None:
    text = io.StringIO()
    write_csv(text, eventful())
    assert text.getvalue().split("\n")[:5] == [
        "id,number,state,heat,steps,solvent,fast,hour,shift,"
        "value,asked_at,answered_at,waited,delay,revisions,worker,reason",
        "1,1,answered,60.5,3,DMF,True,12.0,2,"
        "0.5,2026-03-01T08:30:15.000000+00:00,2026-03-01T08:30:45.000000+00:00,30.0,1,2,robot 1,",
        "2,2,overdue,20.0,1,water,False,0.5,3,,2026-03-01T08:30:30.000000+00:00,,,,0,,",
        "3,0,answered,60.5,3,DMF,True,0.5,3,"
        "-1.5,2026-03-01T08:31:00.000000+00:00,2026-03-01T08:31:00.000000+00:00,,,0,,",
        '4,3,abandoned,20.0,1,water,False,12.0,2,,2026-03-01T08:31:45.000000+00:00,,,,0,robot 2,"dropped, ""hard""\r',
    ]


def test_a_file_and_a_stream_get_the_same_text(tmp_path: Path) -> None:
    text = io.StringIO()
    write_csv(text, eventful())
    write_csv(tmp_path / "table.csv", eventful())
    assert (tmp_path / "table.csv").read_bytes().decode() == text.getvalue()
    assert text.getvalue().startswith("id,number,state,heat,")


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(20, 120))
@settings(max_examples=60, derandomize=True, deadline=None)
def test_no_digit_is_lost_in_a_csv(value: float, heat: float) -> None:
    header, row = cells(record(Added(1, {**WARM, "heat": heat}, value)))
    found = dict(zip(header, row, strict=True))
    assert (float(found["value"]).hex(), float(found["heat"]).hex()) == (value.hex(), heat.hex())


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
@settings(max_examples=100, derandomize=True, deadline=None)
def test_any_text_comes_back_from_a_csv(reason: str) -> None:
    rows = cells(record(Asked(1, WARM), Abandoned(1, reason)))
    assert rows[1][-1] == (f"'{reason}" if reason[0] in "=+-@\t\r" else reason)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_spreadsheet_runs_neither_a_reason_nor_a_worker(text: str, tmp_path: Path) -> None:
    told = record(Asked(1, WARM, worker=text), Abandoned(1, text), Asked(2, WARM, worker="a=1"), Abandoned(2, ""))
    write_csv(tmp_path / "table.csv", told)
    with (tmp_path / "table.csv").open(encoding="utf-8", newline="") as file:
        header, first, second = csv.reader(file)
    assert header[-2:] == ["worker", "reason"]
    assert first[-2:] == [f"'{text}"] * 2
    assert second[-2:] == ["a=1", ""]


def test_half_a_surrogate_pair_is_escaped_where_utf_8_has_none(tmp_path: Path) -> None:
    write_csv(tmp_path / "table.csv", record(Asked(1, WARM, worker="J\udcf6rg")))
    assert ",J\\udcf6rg,\n" in (tmp_path / "table.csv").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "seconds, shown",
    [
        (0.0, "1970-01-01T00:00:00.000000+00:00"),
        (-1.5, "1969-12-31T23:59:58.500000+00:00"),
        (1234.000001, "1970-01-01T00:20:34.000001+00:00"),
        (1e15, "1000000000000000.0"),
    ],
    ids=["epoch", "before it", "microseconds", "beyond every calendar"],
)
def test_instants_are_written_to_the_microsecond(seconds: float, shown: str) -> None:
    past = Record.empty(SPACE).extend([Event(1, seconds, Asked(1, WARM))])
    header, row = cells(past)
    assert row[header.index("asked_at")] == shown


def test_a_table_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"^write_csv\('.*absent/table.csv'\): cannot be written \("):
        write_csv(tmp_path / "absent" / "table.csv", eventful())
    with pytest.raises(
        ParameterError, match=r"^write_csv\(None\): neither a path nor an open file; give one of them\."
    ):
        write_csv(None, eventful())  # type: ignore[arg-type]


# DataFrames.

TYPES = {
    "id": "int64",
    "number": "int64",
    "heat": "float64",
    "steps": "int64",
    "solvent": "object",
    "fast": "object",
    "hour": "float64",
    "shift": "int64",
    "value": "float64",
    "asked_at": "datetime64[us, UTC]",
    "answered_at": "datetime64[us, UTC]",
    "waited": "float64",
    "delay": "Int64",
    "revisions": "int64",
}
RECORDS = {
    "nothing": record(context=CONTEXT),
    "no answers": record(Asked(1, WARM, NOON), context=CONTEXT),
    "all sorts": eventful(),
}


def types(frame: pandas.DataFrame, chosen: Iterable[str]) -> dict[str, str]:
    return {name: str(frame[name].dtype) for name in chosen}


@pytest.mark.parametrize("past", RECORDS.values(), ids=RECORDS)
def test_a_frame_has_the_same_types_whatever_its_rows(past: Record) -> None:
    frame = to_dataframe(past)
    assert list(frame.columns) == list(columns(past))
    assert len(frame) == len(past)
    assert types(frame, TYPES) == TYPES
    text = str(pandas.Series([], dtype="str").dtype)  # object before pandas 3
    assert types(frame, ["state", "worker", "reason"]) == {"state": text, "worker": text, "reason": text}


def test_a_frame_holds_the_table_with_timestamps_in_utc() -> None:
    frame, table = to_dataframe(eventful()), columns(eventful())
    for name in ("id", "number", "state", "revisions", *SPACE.names, *CONTEXT.space.names):
        assert frame[name].tolist() == table[name], name
    for name in ("value", "waited", "delay", "worker", "reason"):
        assert [None if pandas.isna(cell) else cell for cell in frame[name]] == table[name], name
    assert frame["asked_at"][0] == pandas.Timestamp("2026-03-01T08:30:15Z")
    assert frame["answered_at"].isna().tolist() == [False, True, False, True, True]
    assert (frame["answered_at"] - frame["asked_at"])[0] == pandas.Timedelta(seconds=30)


def test_a_frame_of_candidates_knows_whole_numbers_and_labels() -> None:
    table = Candidates([{"dose": 1, "heat": 0.5, "solvent": "DMF"}, {"dose": 2, "heat": 1.5, "solvent": "water"}])
    expected = {"dose": "int64", "heat": "float64", "solvent": "object"}
    assert types(to_dataframe(record(domain=table)), expected) == expected
    assert types(to_dataframe(record(Added(1, table.point(1), 3.0), domain=table)), expected) == expected


def test_whole_numbers_of_more_than_64_bits_stay_exact() -> None:
    frame = to_dataframe(record(Added(1, {"n": 2**70 + 1}, 0.0), domain=Space(n=Int(2**70, 2**70 + 5))))
    assert frame["n"].tolist() == [2**70 + 1]


def test_options_keep_their_types_in_a_frame() -> None:
    space = Space(kind=Choice(1, 2.5, "a", False))
    added = [Added(place, {"kind": kind}, 0.0) for place, kind in enumerate((1, 2.5, "a", False), start=1)]
    assert [(type(kind), kind) for kind in to_dataframe(record(*added, domain=space))["kind"]] == [
        (int, 1),
        (float, 2.5),
        (str, "a"),
        (bool, False),
    ]


def test_an_instant_beyond_every_calendar_is_missing_from_a_frame() -> None:
    past = Record.empty(SPACE).extend([Event(1, 1e15, Asked(1, WARM))])
    assert pandas.isna(to_dataframe(past)["asked_at"][0])


def test_without_pandas_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "pandas")
    real = builtins.__import__

    def without_pandas(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "pandas":
            raise ModuleNotFoundError(name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(MissingPackageError) as caught:
        to_dataframe(eventful())
    assert str(caught.value) == (
        "to_dataframe(): needs the package pandas, which is not installed; Belated's extra 'pandas' brings it."
    )


# What came of a query is more than a number.


def told() -> Record:
    """A study of two outcomes with repeats, an error, another point tried, a failure and an answer taken back."""
    outcomes = Outcomes.read("test", {"yield": Maximize(), "colour": Signal()})
    bodies: list[Body] = [
        Asked(1, WARM, None),
        Asked(2, COLD, None),
        Asked(3, WARM, None),
        Answered(1, values={"yield": {"value": 0.5, "repeats": [0.25, 0.75]}, "colour": {"value": 3.0}}),
        Performed(1, {**WARM, "heat": 71.5}),
        Answered(2, values={"yield": {"value": 0.5, "sd": 0.25}}),
        Failed(3, "=1+1"),
    ]
    events = [Event(number, START + 15.0 * number, body) for number, body in enumerate(bodies, start=1)]
    return Record.empty(SPACE, None, outcomes).extend(events)


def test_each_outcome_has_a_column_and_errors_repeats_and_points_have_theirs_where_there_are_any() -> None:
    table = columns(told())
    assert [name for name in table if name not in FIXED] == [
        *SPACE.names,
        *(f"performed.{name}" for name in SPACE.names),
        "yield",
        "yield sd",
        "yield repeats",
        "colour",
    ]
    assert "value" not in table
    shown = ("state", "heat", "performed.heat", "yield", "yield sd", "yield repeats", "colour", "reason")
    assert {name: table[name] for name in shown} == {
        "state": ["answered", "answered", "failed"],
        "heat": [60.5, 20.0, 60.5],
        "performed.heat": [71.5, None, None],
        "yield": [0.5, 0.5, None],
        "yield sd": [None, 0.25, None],
        "yield repeats": ["0.25; 0.75", None, None],
        "colour": [3.0, None, None],
        "reason": [None, None, "=1+1"],
    }


def test_a_data_frame_has_numbers_where_there_are_numbers() -> None:
    types = to_dataframe(told()).dtypes
    numbers = ("yield", "yield sd", "colour", "performed.heat", "performed.steps")
    assert {name: str(types[name]) for name in numbers} == dict.fromkeys(numbers, "float64")
    assert str(types["performed.solvent"]) == str(types["yield repeats"]) == "object"

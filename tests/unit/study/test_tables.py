"""Data from CSV files: read as it was meant, or refused with every problem named."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from belated.errors import ParameterError, TableError
from belated.log import Added, AtMost, Event, Maximize, Outcomes, Record, Signal
from belated.space import Candidates, Choice, Context, Float, Int, Space
from belated.study import Study
from belated.study.files import DataRow, answers_in, read_csv, write_csv, write_excel
from tests.builders import Clock, Domain, mixed, mixed_table, table

SPACE = Space(heat=Float(20, 120), steps=Int(1, 8), solvent=Choice("DMF", "water"))
CONTEXT = Context(hour=Float(0, 24), site=Choice("north", "south"), seen="before")
LINE = Space(heat=Float(20, 120))
FLASKS = Candidates([{"heat": 20.5, "flask": "A", "n": 3}, {"heat": 30.0, "flask": "B", "n": 2**60 + 1}])
RULE = "a file is taken whole or not at all; mend it and try again:"


def read(text: str, space: Domain = SPACE, context: Context | None = None, value: str = "value") -> list[DataRow]:
    return read_csv(io.StringIO(text, newline=""), space, context, value=value)


def refusal(text: str, space: Domain = SPACE, context: Context | None = None, value: str = "value") -> str:
    with pytest.raises(TableError) as caught:
        read(text, space, context, value)
    return str(caught.value)


def problems(text: str, space: Domain = SPACE, context: Context | None = None, value: str = "value") -> list[str]:
    """The problems that the error lists, one a line."""
    first, *listed = refusal(text, space, context, value).split("\n  ")
    assert first.startswith("read_csv(): ")
    assert first.endswith(RULE)
    return listed


# What is read.


def test_columns_are_matched_by_name_in_any_order() -> None:
    assert read("value,solvent,steps,heat\n0.5,DMF,3,60\n-1e-3,water,8,120.0\n") == [
        DataRow({"heat": 60.0, "steps": 3, "solvent": "DMF"}, 0.5),
        DataRow({"heat": 120.0, "steps": 8, "solvent": "water"}, -0.001),
    ]


def test_values_get_the_types_of_their_parameters() -> None:
    (row,) = read("heat,steps,solvent,value\n60,3.0,DMF,2\n")
    assert repr(row) == "DataRow(point={'heat': 60.0, 'steps': 3, 'solvent': 'DMF'}, value=2.0, context=None, sd=None)"


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffheat,value\r\n60.5,1\r\n70,2\r\n",
        "heat;value\n60.5;1\n70;2\n",
        "heat\tvalue\n60.5\t1\n70\t2\n",
        '"heat";"value"\r\n"60.5";"1"\r\n"70";"2"\r\n',
        "\nheat , value\n\n 60.5 , 1\n,\n70,2\n\n",
        "heat,value\n60.5,1\n70,2",
        "heat,value\r60.5,1\r70,2\r",
        "heat,value\n+6.05e1,1.\n7E+01,2\n",
    ],
    ids=["Excel", "semicolons", "tabs", "quotes", "spaces and blank lines", "no end", "old line ends", "exponents"],
)
def test_files_of_other_programs_are_read(text: str, tmp_path: Path) -> None:
    expected = [DataRow({"heat": 60.5}, 1.0), DataRow({"heat": 70.0}, 2.0)]
    assert read(text, LINE) == expected
    path = tmp_path / "past.csv"
    path.write_bytes(text.encode())
    for file in (path, str(path), io.BytesIO(text.encode())):
        assert read_csv(file, LINE) == expected


def test_a_comma_inside_a_quoted_name_does_not_hide_the_semicolons() -> None:
    space = Space.from_parameters({"heat, in °C": Float(20, 120)})
    assert read('"heat, in °C";value\n60.5;1\n', space) == [DataRow({"heat, in °C": 60.5}, 1.0)]


@pytest.mark.parametrize(
    "cell, option",
    [
        ("True", True),
        ("TRUE", True),
        ("false", False),
        ("0.5", 0.5),
        ("0.50", 0.5),
        ("5e-1", 0.5),
        ("7", 7),
        ("7.0", 7),
        ("9007199254740993", 9007199254740993),
        ("none", "none"),
        (" none", "none"),
        ('" padded "', " padded "),
        ('"two\nlines"', "two\nlines"),
    ],
)
def test_options_are_found_by_their_text_or_else_by_their_meaning(cell: str, option: object) -> None:
    space = Space(kind=Choice(True, False, 0.5, 7, 9007199254740993, "none", " padded ", "two\nlines"))
    (row,) = read(f"kind,value\n{cell},1\n", space)
    assert repr(row.point["kind"]) == repr(option)


def test_the_written_option_is_preferred_to_one_that_means_the_same() -> None:
    space = Space(kind=Choice(2, "2.0", True, "TRUE", ""))
    assert [row.point["kind"] for row in read("kind,value\n2,0\n2.0,0\nTRUE,0\n,0\n", space)] == [2, "2.0", "TRUE", ""]


def test_candidates_are_read_as_they_were_given() -> None:
    rows = read("n,flask,heat,value\n3,A,20.50,1\n1152921504606846977,B,30,2\n", FLASKS)
    assert [repr(row.point) for row in rows] == [repr(FLASKS.point(0)), repr(FLASKS.point(1))]


def test_a_context_has_columns_too() -> None:
    (row,) = read("hour,heat,site,value\n12,60,north,1\n", LINE, CONTEXT)
    assert row == DataRow({"heat": 60.0}, 1.0, {"hour": 12.0, "site": "north"})


def test_numbers_of_a_context_are_clipped_where_the_study_clips_them() -> None:
    clipped = Context(hour=Float(0, 24), crew=Int(1, 4), seen="before", outside="clip")
    rows = read("heat,hour,crew,value\n60,25,0.5,1\n70,-1e9,9,2\n80,3,2,3\n", LINE, clipped)
    assert [row.context for row in rows] == [
        {"hour": 24.0, "crew": 1},
        {"hour": 0.0, "crew": 4},
        {"hour": 3.0, "crew": 2},
    ]
    assert problems("heat,hour,crew,value\n200,1,1.5,1\n", LINE, clipped) == [
        "row 1 (line 2), column 'heat': got '200'; give a number from 20.0 to 120.0",
        "row 1 (line 2), column 'crew': got '1.5'; give a whole number from 1 to 4",
    ]


def test_the_value_may_have_another_name() -> None:
    assert read("heat,yield\n60,1\n", LINE, value="yield") == [DataRow({"heat": 60.0}, 1.0)]


def test_parameters_may_be_called_like_columns_of_a_study() -> None:
    space = Space(id=Float(0, 9), state=Choice("pending", "solid"), value=Float(0, 9))
    expected = [DataRow({"id": 1.0, "state": "pending", "value": 2.0}, 3.0)]
    assert read("id,state,value,yield\n1,pending,2,3\n", space, value="yield") == expected
    assert read("id,state,point.value,value\n1,pending,2,3\n", space) == expected
    assert read("id,point.id,state,point.state,value,point.value\n7,1,answered,pending,3,2\n", space) == expected
    assert problems("id,state,value\n1,pending,3\n", space) == ["column 'point.value' is missing; add it"]


@pytest.mark.parametrize("seen", [None, "before", "after"])
def test_answers_filled_into_the_table_of_a_study_go_to_their_queries_whatever_a_parameter_is_called(
    seen: Literal["before", "after"] | None,
) -> None:
    context = None if seen is None else Context(query=Int(1, 3), seen=seen)
    fixed = {"id": Int(1, 3), "value": Int(1, 3), "number": Int(1, 3)}
    study = begun(Space(**fixed) if context else Space(query=Int(1, 3), **fixed), context)
    for _ in range(3):
        study.ask(context={"query": 2} if seen == "before" else None)
    rows = list(csv.DictReader(io.StringIO(export(study))))
    assert [row["id"] for row in rows] == ["1", "2", "3"]
    filled = io.StringIO()
    writer = csv.DictWriter(filled, rows[0])
    writer.writeheader()
    writer.writerow(rows[2] | {"value": "42"})
    read_rows = answers_in("read", io.StringIO(filled.getvalue()), study).each()
    assert [(told.query, told.value) for _, told, _ in read_rows if told is not None] == [(3, 42.0)]


# What a study wrote is read again.


def export(study: Study) -> str:
    text = io.StringIO()
    write_csv(text, study.record())
    return text.getvalue()


def begun(domain: Domain, context: Context | None = None) -> Study:
    return Study.in_memory(domain, policy="random", context=context, seed=5, clock=Clock())


@pytest.mark.parametrize("domain", [SPACE, mixed(), table(), mixed_table(), FLASKS], ids=repr)
def test_the_table_of_a_study_is_read_as_data_to_add(domain: Domain) -> None:
    study = begun(domain)
    queries = list(study.ask(2))
    for place, query in enumerate(queries):
        study.tell(query, place / 3)
    study.add(queries[0].point, -0.0)
    rows = read(export(study), domain)
    assert repr([row.point for row in rows]) == repr([dict(query.point) for query in study.queries()])
    assert [repr(row.value) for row in rows] == ["0.0", repr(1 / 3), "-0.0"]


def test_queries_without_an_answer_are_passed_over() -> None:
    study = begun(LINE, CONTEXT)
    queries = list(study.ask(3, context={"hour": 3.5, "site": "south"}))
    study.abandon(queries[0], "dropped")
    study.tell(queries[1], 4.0)
    assert read(export(study), LINE, CONTEXT) == [DataRow(dict(queries[1].point), 4.0, dict(queries[1].context or {}))]


def test_rows_without_a_value_are_passed_over_in_every_file() -> None:
    expected = [DataRow({"heat": 70.0}, 1.0)]
    assert read("heat,state,value\n60,pending,\nhot,answered, \n70,answered,1\n", LINE) == expected
    assert read("heat,value\n60,\n70,1\n", LINE) == expected


def test_a_table_without_any_value_is_refused() -> None:
    assert refusal("heat,state,value\n60,pending,\n70,abandoned,\n", LINE) == (
        "read_csv(): none of 2 rows has a value; fill in those that are known."
    )


finite = st.floats(allow_nan=False, allow_infinity=False)
options = st.text(st.characters(exclude_categories=["Cs"])) | finite | st.integers(-(2**80), 2**80) | st.booleans()


def distinct_texts(choices: list[Any]) -> bool:
    return len({str(option) for option in choices}) == len(choices) == len(set(choices))


@given(st.data(), st.lists(options, min_size=1, max_size=8).filter(distinct_texts), finite, finite)
@settings(max_examples=150, derandomize=True, deadline=None)
def test_whatever_is_added_comes_back_from_a_csv(data: Any, choices: list[Any], x: float, value: float) -> None:
    space = Space(x=Float(-1.7e308, 1.7e308), n=Int(2**60, 2**60 + 9), kind=Choice(*choices))
    x = min(max(x, -1.7e308), 1.7e308)
    point = {"x": x, "n": 2**60 + data.draw(st.integers(0, 9)), "kind": data.draw(st.sampled_from(choices))}
    text = io.StringIO()
    write_csv(text, Record.empty(space).extend([Event(1, 0.0, Added(1, point, value))]))
    assert repr(read(text.getvalue(), space)) == repr([DataRow(point, value)])


# What is refused.


def test_every_cell_that_does_not_fit_is_named() -> None:
    text = "heat,steps,solvent,value\nhot,2.5,DMSO,nan\n60,3,DMF,1\n19.4,9,dmf,1e999\n,,,inf\n"
    assert problems(text) == [
        "row 1 (line 2), column 'heat': got 'hot'; give a number from 20.0 to 120.0",
        "row 1 (line 2), column 'steps': got '2.5'; give a whole number from 1 to 8",
        "row 1 (line 2), column 'solvent': got 'DMSO'; give one of 'DMF', 'water'",
        "row 1 (line 2), column 'value': got 'nan'; give a finite number",
        "row 3 (line 4), column 'heat': got '19.4'; give a number from 20.0 to 120.0",
        "row 3 (line 4), column 'steps': got '9'; give a whole number from 1 to 8",
        "row 3 (line 4), column 'solvent': got 'dmf'; give one of 'DMF', 'water'",
        "row 3 (line 4), column 'value': got '1e999'; give a finite number",
        "row 4 (line 5), column 'heat': got ''; give a number from 20.0 to 120.0",
        "row 4 (line 5), column 'steps': got ''; give a whole number from 1 to 8",
        "and 2 more",
    ]


def test_the_first_ten_problems_are_shown_and_the_others_counted() -> None:
    message = refusal("heat,value\n" + "hot,1\n" * 1234, LINE)
    assert message.startswith(f"read_csv(): 1234 problems; {RULE}\n  row 1 (line 2), column 'heat'")
    assert message.endswith(
        "\n  row 10 (line 11), column 'heat': got 'hot'; give a number from 20.0 to 120.0\n  and 1224 more"
    )
    assert refusal("heat,value\nhot,1\n", LINE) == (
        f"read_csv(): 1 problem; {RULE}\n  row 1 (line 2), column 'heat': got 'hot'; give a number from 20.0 to 120.0"
    )


def test_the_error_begins_with_the_file() -> None:
    with pytest.raises(
        TableError, match=r"^read_csv\('absent/past\.csv'\): cannot be read \(No such file or directory\)"
    ):
        read_csv(Path("absent/past.csv"), LINE)


@pytest.mark.parametrize("cell", ["1_0", "٣", "0x1F", "1e", ".", "--1", "1 0", "1" * 5000, "NaN", "-inf", "½"])
def test_only_plain_decimal_numbers_are_numbers(cell: str) -> None:
    shown = f"got {cell!r}; give a number from 20.0 to 120.0"
    assert problems(f"heat,value\n{cell},1\n", LINE) == [f"row 1 (line 2), column 'heat': {shown}"]


def test_a_whole_number_beyond_every_double_is_no_value() -> None:
    assert problems(f"heat,value\n60,1{'0' * 400}\n", LINE)[0].endswith("; give a finite number")


def test_rows_and_lines_are_counted_apart() -> None:
    space = Space(note=Choice("one\r\ntwo", "x"), heat=Float(20, 120))
    text = '\r\nnote,heat,value\r\n"one\r\ntwo",60,1\r\n\r\n"one\r\ntwo",hot,1\r\nx,cold,1\r\n'
    assert problems(text, space) == [
        "row 2 (line 6), column 'heat': got 'hot'; give a number from 20.0 to 120.0",
        "row 3 (line 8), column 'heat': got 'cold'; give a number from 20.0 to 120.0",
    ]


def test_rows_with_too_many_or_too_few_cells_are_named() -> None:
    rule = "a row has one for each; put a text with separators into quotes"
    assert problems("heat,value\n60\n60,1,2\n60,1\nhot,1\n", LINE) == [
        f"row 1 (line 2): got 1 cells for 2 columns; {rule}",
        f"row 2 (line 3): got 3 cells for 2 columns; {rule}",
        "row 4 (line 5), column 'heat': got 'hot'; give a number from 20.0 to 120.0",
    ]


def test_every_fault_of_the_header_is_named() -> None:
    assert problems("heta,,solvent,solvent,colour,id\n1,2,3,4,5,6\n") == [
        "column 2 has no name; name or delete it",
        "column 'solvent' comes twice; delete one",
        "column 'heat' is missing; add it",
        "column 'steps' is missing; add it",
        "column 'value' is missing; add it, or name the column that holds the answers",
        "column 'heta' belongs to no parameter; did you mean 'heat'?",
        "column 'colour' belongs to no parameter; delete it",
    ]


def test_the_columns_of_a_context_are_needed_where_there_is_one_and_refused_where_there_is_none() -> None:
    assert problems("heat,value\n60,1\n", LINE, CONTEXT) == [
        "column 'hour' is missing; add it",
        "column 'site' is missing; add it",
    ]
    assert problems("heat,hour,value\n60,1,1\n", LINE) == ["column 'hour' belongs to no parameter; delete it"]
    assert problems("heat,hour,site,value\n60,25,west,1\n", LINE, CONTEXT) == [
        "row 1 (line 2), column 'hour': got '25'; give a number from 0.0 to 24.0",
        "row 1 (line 2), column 'site': got 'west'; give one of 'north', 'south'",
    ]


def test_points_that_are_no_candidates_are_named() -> None:
    text = "heat,flask,n,value\n20.5,A,3,1\n20.5,B,3,1\nwarm,C,2,1\n30,B,1152921504606800000,1\n"
    shown = repr(FLASKS.point(0))
    rule = f"a point is one of the 2 candidates, to the last digit; take it from the table, as {shown}"
    assert problems(text, FLASKS) == [
        f"row 2 (line 3): {{'heat': 20.5, 'flask': 'B', 'n': 3}} is not a row; {rule}",
        "row 3 (line 4), column 'heat': got 'warm'; give a finite number",
        "row 3 (line 4), column 'flask': got 'C'; give one of 'A', 'B'",
        f"row 4 (line 5): {{'heat': 30, 'flask': 'B', 'n': 1152921504606800000}} is not a row; {rule}",
    ]


def test_an_option_that_could_be_two_is_refused() -> None:
    space = Space(kind=Choice(2, "2", True, "TRUE", "True"))
    assert problems("kind,value\n2,0\nTrue,0\n2.0,0\n", space) == [
        "row 1 (line 2), column 'kind': got '2'; it names the options 2 and '2'; rename one of them",
        "row 2 (line 3), column 'kind': got 'True'; it names the options True and 'True'; rename one of them",
    ]


def test_many_options_are_not_all_listed() -> None:
    space = Space(kind=Choice(*range(20)))
    assert problems("kind,value\nx,0\n", space) == [
        "row 1 (line 2), column 'kind': got 'x'; give one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 8 more"
    ]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "the file is empty; its first line names the columns; write them there."),
        ("\ufeff \r\n\r\n", "the file is empty; its first line names the columns; write them there."),
        ("heat,value\n\n", "the file has the columns heat, value and no row; write one per line."),
        (
            'heat,value\n60,1\n"60,1\n70,2\n',
            "line 3 is no CSV (unexpected end of data); mend its quotes and try again.",
        ),
        ('heat,value\n"60"5,1\n', "line 2 is no CSV (',' expected after '\"'); mend its quotes and try again."),
    ],
    ids=["empty", "blank", "no rows", "open quotes", "quotes inside"],
)
def test_a_file_without_rows_to_look_at_is_refused(text: str, message: str) -> None:
    assert refusal(text, LINE) == f"read_csv(): {message}"


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "past.csv"
    path.write_bytes("heat,value\n60,1\n70°,2\n".encode("latin-1"))
    way = "save the file as UTF-8, which Excel calls “CSV UTF-8”, or as .xlsx."
    message = f"read_csv({str(path)!r}): line 3 is not UTF-8; {way}"
    with pytest.raises(TableError, match=re.escape(message)):
        read_csv(path, LINE)


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"file": None}, "read_csv(None): neither a path nor an open file; give one of them."),
        ({"space": "x"}, "read_csv(): got 'x' as the space; give a bl.Space or bl.Candidates."),
        ({"context": LINE}, f"read_csv(): got {LINE!r} as the context; give a bl.Context."),
        ({"value": ""}, "read_csv(): got '' as the value's column; give its name."),
    ],
    ids=["file", "space", "context", "value"],
)
def test_odd_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        read_csv(**{"file": io.StringIO("heat,value\n60,1\n"), "space": LINE, **arguments})


@given(st.text(st.sampled_from('heat,value;\n\r" 0123.5-eé\ufeff')))
@settings(max_examples=300, derandomize=True, deadline=None)
def test_any_text_is_read_or_refused_with_an_error_of_ours(text: str) -> None:
    for whole in (text, f"heat,value\n{text}"):
        try:
            rows = read(whole, LINE)
        except TableError:
            continue
        assert rows


# Several outcomes.

GEL = Outcomes.read("test", {"strength": Maximize(), "cost": AtMost(4.0), "colour": Signal()})


def test_each_outcome_of_data_has_its_column_and_repeats_stay() -> None:
    text = "heat,STRENGTH,strength 2,cost,colour\n60,7,8,3,\n70,5,,2,0.5\n80,,,,0.25\n"
    assert read_csv(io.StringIO(text), LINE, outcomes=GEL) == [
        DataRow({"heat": 60.0}, {"strength": [7.0, 8.0], "cost": 3.0}),
        DataRow({"heat": 70.0}, {"strength": 5.0, "cost": 2.0, "colour": 0.5}),
    ]


@pytest.mark.parametrize(
    "text, problem",
    [
        (
            "heat,strength,cost\n60,7,\n",
            "row 1 (line 2), column 'cost': got ''; data that was never asked for has all of",
        ),
        (
            "heat,strength,cost\n60,failed,1\n",
            "row 1 (line 2): got a word for 'strength'; data that was never asked for",
        ),
        ("heat,strength\n60,7\n", "column 'cost' is missing; add it"),
        (
            "heat,strength,strength sd,cost\n60,7;8,0.5,1\n",
            "row 1 (line 2), column 'strength sd': got a standard error beside repeats",
        ),
        (
            "heat,strength,cost,cost sd\n60,7,,0.5\n",
            "row 1 (line 2), column 'cost sd': got a standard error without its answer",
        ),
        (
            "heat,strength,cost,cost sd\n60,7,1,0\n",
            "row 1 (line 2), column 'cost sd': got '0'; give a number above 0",
        ),
    ],
)
def test_data_without_all_that_a_query_waits_for_is_refused(text: str, problem: str) -> None:
    with pytest.raises(TableError) as refused:
        read_csv(io.StringIO(text), LINE, outcomes=GEL)
    assert problem in str(refused.value)


def test_data_of_another_study_belongs_to_the_point_that_was_tried() -> None:
    text = "heat,performed.heat,value,value repeats\n60,71.5,0.5,0.25; 0.75\n70,,1,\n"
    assert read(text, LINE) == [DataRow({"heat": 71.5}, [0.25, 0.75]), DataRow({"heat": 70.0}, 1.0)]


def test_data_has_its_standard_error_beside_it() -> None:
    assert read("heat,value,value sd\n60,0.5,0.02\n70,0.4,\n80,,\n", LINE) == [
        DataRow({"heat": 60.0}, 0.5, sd=0.02),
        DataRow({"heat": 70.0}, 0.4),
    ]
    assert read("heat;strength;Strength (SD)\n60;0,5;0,02\n", LINE, value="strength") == [
        DataRow({"heat": 60.0}, 0.5, sd=0.02)
    ]
    text = "heat,strength,strength sd,cost,colour,colour_sd\n60,7,0.25,3,1,0.5\n70,5,,2,,\n"
    assert read_csv(io.StringIO(text), LINE, outcomes=GEL) == [
        DataRow({"heat": 60.0}, {"strength": 7.0, "cost": 3.0, "colour": 1.0}, sd={"strength": 0.25, "colour": 0.5}),
        DataRow({"heat": 70.0}, {"strength": 5.0, "cost": 2.0}),
    ]


def test_data_of_another_study_keeps_its_errors_and_repeats(tmp_path: Path) -> None:
    first, second = (Study.in_memory(LINE, outcomes=GEL, policy="random", seed=1) for _ in range(2))
    first.add({"heat": 1 / 3 + 60}, {"strength": 1 / 3, "cost": [1.0, 2.5]}, sd={"strength": 0.0625})
    first.tell(first.ask() or 0, {"strength": 2.0, "cost": 0.1, "colour": 0.5}, sd={"colour": 0.25, "cost": 1e-3})
    for name in ("past.csv", "past.xlsx"):
        (write_csv if name.endswith("csv") else write_excel)(tmp_path / name, first.record())
        second.add_many(read_csv(tmp_path / name, LINE, outcomes=GEL))
    expected = [
        (query.point, {name: (answer.value, answer.sd, answer.repeats) for name, answer in query.answers.items()})
        for query in first.queries()
    ]
    found = [
        (query.point, {name: (answer.value, answer.sd, answer.repeats) for name, answer in query.answers.items()})
        for query in second.queries()
    ]
    assert found[:2] == expected
    assert found[2][1] == expected[0][1]

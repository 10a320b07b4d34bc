"""A file of answers is looked at row by row, and nothing is taken before somebody has seen what is in it."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable
from html import unescape

import pytest

from belated.errors import SizeError, TableError
from belated.service.dashboard.uploads import UploadedRow, rows_of
from belated.space import Choice, Context, Float, Space
from belated.study import Study
from belated.study.files import AnswerRow, answers_in
from tests.http.dashboard.pages import signed_in, word_in
from tests.serving import serving, token_for

TAKEN, KNOWN, WAITS = "will be taken", "known already: nothing changes", "no answer yet: passed over"
# So many times as long may the rows take that are looked at one by one: read as files of their own, it was 250 times.
AS_QUICKLY = 10.0


@pytest.fixture
def study() -> Study:
    study = Study.in_memory(Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    study.ask(4)
    study.tell(1, 0.25)
    study.abandon(2, "lost")
    return study


def read(study: Study, text: str, most: int = 100) -> list[tuple[str, str]]:
    """What is wrong with each row, or what would come of it."""
    return [(row.problem, row.effect) for row in rows_of(text.encode(), study, most)]


def test_good_rows_would_be_taken(study: Study) -> None:
    assert rows_of(b"query,value\n3,0.5\n4,-2e-1\n", study, 100) == [
        UploadedRow("row 1 (line 2)", AnswerRow(3, 0.5), effect=TAKEN, new=True, written=("3", "0.5")),
        UploadedRow("row 2 (line 3)", AnswerRow(4, -0.2), effect=TAKEN, new=True, written=("4", "-2e-1")),
    ]
    assert study.record().n_answers == 1


def test_every_row_says_what_is_wrong_with_it(study: Study) -> None:
    text = "query,value\n3,high\nx,0.5\n3\n9,0.5\n1,0.75\n2,0.5\n1,0.25\n4,\n3,0.5\n3,0.625\n"
    assert read(study, text) == [
        ("column 'value': got 'high'; give a finite number", ""),
        ("column 'query': got 'x'; give the identifier of a query, a whole number of at least 1", ""),
        ("got 1 cells for 2 columns; a row has one for each; put a text with separators into quotes", ""),
        ("query 9: the study has queries 1 to 4; the table of the study lists them.", ""),
        (
            "query 1: already answered with 0.25, and now given 0.75; “Revise” in its row of the table replaces the "
            "answer.",
            "",
        ),
        (
            "query 2: the query was abandoned (lost) and takes no answer; “Take back”, in its row of the "
            "table, does that first.",
            "",
        ),
        ("query 1 stands in another row too, with other values; keep one of them", ""),
        ("", WAITS),
        ("", TAKEN),
        ("query 3 stands in another row too, with other values; keep one of them", ""),
    ]


def quickest(work: Callable[[], object]) -> float:
    """The least of three times, in seconds."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def test_a_file_is_looked_at_about_as_quickly_as_it_is_read_however_many_options_there_are() -> None:
    context = Context(seen="after", place=Choice(*[f"place {number}" for number in range(20_000)]))
    study = Study.in_memory(Space(x=Float(0.0, 1.0)), policy="random", seed=1, context=context)
    study.ask(300)

    def text(place: str) -> bytes:
        return ("query,value,place\n" + "".join(f"{row},0.5,{place} {row}\n" for row in range(1, 301))).encode()

    alone = quickest(lambda: list(answers_in("read", io.BytesIO(text("place")), study).each()))
    looked_at = quickest(lambda: rows_of(text("place"), study, 1000))
    assert looked_at < AS_QUICKLY * alone, f"{looked_at:.3f} s, and {alone:.3f} s for tell --file"
    refused = quickest(lambda: rows_of(text("nowhere"), study, 1000))
    assert refused < AS_QUICKLY * alone, f"{refused:.3f} s where all are refused, and {alone:.3f} s for tell --file"


def test_what_is_known_changes_nothing_and_what_still_waits_is_passed_over(study: Study) -> None:
    text = "id,state,value\n1,answered,0.25\n3,pending,\n4,pending,0.5\n"
    assert read(study, text) == [("", KNOWN), ("", WAITS), ("", TAKEN)]


def test_contexts_that_were_seen_after_the_decisions_have_columns() -> None:
    context = Context(seen="after", wind=Float(0.0, 9.0), sky=Choice("clear", "rain"))
    study = Study.in_memory(Space(x=Float(0.0, 1.0)), policy="sbo-kde", seed=1, context=context)
    study.ask(3)
    rows = rows_of(b"query;value;wind;sky\n1;0.5;3;rain\n2;;4;clear\n3;0.5;4;\n", study, 100)
    assert [row.told for row in rows] == [
        AnswerRow(1, 0.5, {"wind": 3.0, "sky": "rain"}),
        AnswerRow(2, None, {"wind": 4.0, "sky": "clear"}),
        None,
    ]
    assert rows[2].problem == "column 'sky': got ''; a context is given whole or not at all; fill it in"


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "upload: the file is empty; its first line names the columns; write them there."),
        ("query,value\n", "upload: the file has the columns query, value and no row; write one per line."),
        ("query,yield\n3,0.5\n", "upload: column 'value' is missing; add it."),
        ('query,value\n"3,0.5\n', "upload: line 2 is no CSV (unexpected end of data); mend its quotes and try again."),
    ],
)
def test_what_is_no_table_is_refused_as_a_whole(study: Study, text: str, message: str) -> None:
    with pytest.raises(TableError) as refused:
        rows_of(text.encode(), study, 100)
    assert str(refused.value) == message


def test_a_file_with_more_rows_than_are_taken_at_once_is_refused(study: Study) -> None:
    with pytest.raises(SizeError) as refused:
        read(study, "query,value\n3,0.5\n4,0.5\n", most=1)
    assert str(refused.value) == "upload: the file has 2 rows, and 1 can be taken at once; split it."


def test_an_upload_previews_and_takes_nothing(sqlite: str) -> None:
    study = Study.create(sqlite, "lab", Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    study.ask(2)
    token = token_for(sqlite, "Ada", "read", "tell")
    with serving(sqlite, open=False) as address, signed_in(address, token) as browser:
        word = {"x-belated-word": word_in(browser.get("/studies/lab").text)}

        def uploaded(text: str, route: str = "upload", manner: str = "tell") -> tuple[int, dict[str, object]]:
            files = {"file": ("<b>.csv", text.encode(), "text/csv")}
            answer = browser.post(f"/studies/lab/{route}", files=files, data={"manner": manner}, headers=word)
            return answer.status_code, answer.json()

        status, good = uploaded("query,value\n1,0.5\n2,0.75\n")
        assert (status, good["whole"]) == (200, True)
        status, bad = uploaded("query,value\n1,0.5\n2,<i>\n")
        assert (status, bad["whole"]) == (200, False)
        assert uploaded("query,value\n1,0.5\n2,<i>\n", "upload/taken")[0] == 422
        cells = re.findall(
            r'<tr class="wrong"><th scope="row">(.*?)</th>.*<td class="text">(.*?)</td>', str(bad["preview"])
        )
        assert [(where, unescape(what)) for where, what in cells] == [
            ("2 (line 3)", "column 'value': got '<i>'; give a finite number")
        ]
        assert "<i>" not in str(bad["preview"])
        assert uploaded("nothing")[0] == 422
        assert study.record().n_answers == 0
        assert uploaded("query,value,x\n1,0.5,\n2,lost,0.125\n", "upload/taken") == (200, {"taken": 2})
        assert uploaded("query,value\n1,0.75\n", "upload/taken")[0] == 409
        assert uploaded("query,value\n1,0.75\n", "upload/taken", "revise") == (200, {"taken": 1})
        assert [query.state.value for query in study.queries()] == ["answered", "abandoned"]
        assert study.best().value == 0.75
        assert {event.by for event in study.events[3:]} == {"Ada"}

"""Answers from a spreadsheet: what a file says, row by row, before anything is taken."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, File, Request, UploadFile

from belated.errors import BelatedError, SizeError, TableError
from belated.service.dashboard.pages import rendered
from belated.service.dashboard.words import listed, short
from belated.service.http.needs import Guarded, MayTell
from belated.service.http.refusals import Json
from belated.service.http.ways_out import worded
from belated.service.service import service_of
from belated.space import Context
from belated.study import Study, Telling
from belated.study.files.sheet import SheetRow, read_sheet
from belated.study.files.tables import AnswerRow, answers_of, known_with

router = APIRouter(include_in_schema=False, route_class=Guarded)

CALL = "upload"
MOST_SHOWN = 200


@dataclass(frozen=True)
class UploadedRow:
    """A row of the file: where it is, what it tells, and what is wrong with it or would come of it."""

    where: str
    told: AnswerRow | None
    problem: str = ""
    effect: str = ""
    written: tuple[str, str] = ("", "")  # the query and its answer as the file has them

    @property
    def cells(self) -> tuple[str, str, str]:
        """The query, its answer and its context, or what stands in their places."""
        if self.told is None:
            return *self.written, ""
        return str(self.told.query), short(self.told.value, 12), listed(self.told.context)


@router.post("/studies/{study}/upload")
async def upload(request: Request, study: str, caller: MayTell, file: Annotated[UploadFile, File()]) -> Json:
    """A preview of a file, and the answers to send if it is whole; nothing is taken yet."""
    service = service_of(request)
    content, most = await file.read(), service.settings.limits.answers

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        rows = rows_of(content, opened, most)
        wrong = [place for place, row in enumerate(rows) if row.problem]
        new = [row for row in rows if row.told is not None and not row.problem]
        answers = [] if wrong else [row.told._asdict() for row in new if row.told is not None]
        # What is wrong must be seen, wherever it is in the file.
        places = sorted([*wrong, *(place for place, row in enumerate(rows) if not row.problem)][:MOST_SHOWN])
        preview = rendered(
            "preview.html",
            rows=[rows[place] for place in places],
            n_rows=len(rows),
            n_wrong=len(wrong),
            n_new=len(new),
            contexts=any(row.cells[2] for row in rows),
        )
        return {"preview": preview, "answers": answers}

    return Json(await service.slowly(work, caller))


def rows_of(content: bytes, study: Study, most: int) -> list[UploadedRow]:
    """What each row tells, and what the study would say to it; a TableError where the file as a whole is no table."""
    lines = _lines(content, study.context)
    if len(lines) > most:
        raise SizeError(f"{CALL}: the file has {len(lines)} rows, and {most} can be taken at once; split it.")
    told = [row for _, row in lines if isinstance(row, AnswerRow)]
    verdicts = iter(study.preview([Telling(row.query, row.value, row.context) for row in told]))
    rows: list[UploadedRow] = []
    said: dict[int, AnswerRow] = {}
    for where, row in lines:
        if not isinstance(row, AnswerRow):
            rows.append(row)
            continue
        verdict = next(verdicts)
        if said.setdefault(row.query, row) != row:
            rows.append(
                UploadedRow(where, row, problem=f"query {row.query} stands in another row too, with other values")
            )
        elif isinstance(verdict, BelatedError):
            rows.append(UploadedRow(where, row, problem=verdict.worded(worded)))
        else:
            rows.append(
                UploadedRow(where, row, effect="known already: nothing changes" if not verdict else "will be taken")
            )
    return rows


def _lines(content: bytes, context: Context | None) -> list[tuple[str, AnswerRow | UploadedRow]]:
    """What can be read of each row: what it tells, or what is wrong with it."""
    sheet = read_sheet(CALL, io.BytesIO(content), known=known_with(context))
    try:
        answers = answers_of(sheet, context)
    except TableError as error:
        raise TableError(f"{CALL}: {'; '.join(_problems(str(error)))}.") from None
    return [(line.where, told or _untold(sheet.header, line, wrong)) for line, told, wrong in answers.each()]


def _untold(header: tuple[str, ...], line: SheetRow, wrong: list[str]) -> UploadedRow:
    """A row that waits for its answer, or has something wrong with it."""
    cells = dict(zip(header, line.cells, strict=False))
    written = cells.get("query", cells.get("id", "")), cells.get("value", "")
    if not wrong:
        return UploadedRow(line.where, None, effect="no answer yet: passed over", written=written)
    said = "; ".join(problem.removeprefix(line.where).lstrip(",: ") for problem in wrong)
    return UploadedRow(line.where, None, problem=said, written=written)


def _problems(message: str) -> Iterator[str]:
    """What a TableError lists; all of it where it lists nothing."""
    lines = message.split("\n  ")
    return iter(lines[1:] or [message])

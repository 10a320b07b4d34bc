"""Answers from a spreadsheet: what a file says, row by row, before anything is taken."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile

from belated.errors import SizeError, TableError
from belated.service.dashboard.pages import rendered
from belated.service.dashboard.words import listed
from belated.service.http.needs import Guarded, MayTell
from belated.service.http.refusals import Json
from belated.service.http.ways_out import worded
from belated.service.service import service_of
from belated.study import FilledRow, Manner, Study, filled_rows, take_rows
from belated.study.files import AnswerRow

router = APIRouter(include_in_schema=False, route_class=Guarded)

CALL = "upload"
MOST_SHOWN = 200


Sheet = Annotated[UploadFile, File()]
# Whether what is known otherwise is refused or replaced.
How = Annotated[Manner, Form()]


@dataclass(frozen=True)
class UploadedRow:
    """A row of the file: where it is, what it tells, and what is wrong with it or would come of it."""

    where: str
    told: AnswerRow | None
    problem: str = ""
    effect: str = ""
    new: bool = False
    written: tuple[str, str] = ("", "")  # the query and its answers as the file has them

    @property
    def cells(self) -> tuple[str, str, str]:
        """The query, its answer and its context, or what stands in their places."""
        return *self.written, listed(self.told.context) if self.told is not None else ""


@router.post("/studies/{study}/upload")
async def upload(request: Request, study: str, caller: MayTell, file: Sheet, manner: How = "tell") -> Json:
    """A preview of a file, and whether it can be taken; nothing is taken yet."""
    service = service_of(request)
    content, most = await file.read(), service.settings.limits.answers

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        rows = rows_of(content, opened, most, manner)
        wrong = [place for place, row in enumerate(rows) if row.problem]
        n_new = sum(row.new for row in rows)
        # What is wrong must be seen, wherever it is in the file.
        places = sorted([*wrong, *(place for place, row in enumerate(rows) if not row.problem)][:MOST_SHOWN])
        preview = rendered(
            "preview.html",
            rows=[rows[place] for place in places],
            n_rows=len(rows),
            n_wrong=len(wrong),
            n_new=n_new,
            contexts=any(row.cells[2] for row in rows),
        )
        return {"preview": preview, "whole": not wrong and n_new > 0}

    return Json(await service.slowly(work, caller))


@router.post("/studies/{study}/upload/taken")
async def take(request: Request, study: str, caller: MayTell, file: Sheet, manner: How = "tell") -> Json:
    """Take all that a file says, or nothing."""
    service = service_of(request)
    content, most = await file.read(), service.settings.limits.answers

    def work() -> int:
        opened = service.study(study, caller)
        return sum(row.new for row in take_rows(CALL, _filled(content, opened, most, manner), opened))

    taken = await service.slowly(work, caller)
    service.metrics.tells.labels(study).inc(taken)
    return Json({"taken": taken})


def rows_of(content: bytes, study: Study, most: int, manner: Manner = "tell") -> list[UploadedRow]:
    """What each row tells, and what the study would say to it; a TableError where the file as a whole is no table."""
    return [_uploaded(row) for row in _filled(content, study, most, manner)]


def _filled(content: bytes, study: Study, most: int, manner: Manner) -> list[FilledRow]:
    try:
        rows = filled_rows(CALL, io.BytesIO(content), study, manner)
    except TableError as error:
        raise TableError(f"{CALL}: {'; '.join(_problems(str(error)))}.") from None
    if len(rows) > most:
        raise SizeError(f"{CALL}: the file has {len(rows)} rows, and {most} can be taken at once; split it.")
    return rows


def _uploaded(row: FilledRow) -> UploadedRow:
    if row.problem is not None:
        return UploadedRow(row.where, row.told, row.problem.worded(worded), written=row.written)
    return UploadedRow(row.where, row.told, effect=row.effect(), new=row.new, written=row.written)


def _problems(message: str) -> Iterator[str]:
    """What a TableError lists; all of it where it lists nothing."""
    lines = message.removeprefix(f"{CALL}: ").removesuffix(".").split("\n  ")
    return iter(lines[1:] or lines)

"""What can be taken away: the table of the queries, and the sheet that a laboratory fills in."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from belated.errors import UnknownQueryError
from belated.log import Query as Asked
from belated.log import Record
from belated.service.dashboard.pages import Page
from belated.service.dashboard.visitors import Visiting
from belated.service.service import service_of
from belated.study.files import batch_data, table_data

router = APIRouter(include_in_schema=False, route_class=Page)

Kind = Literal["csv", "xlsx"]
# Queries by their numbers; a database counts in 32 bits.
Chosen = Annotated[list[Annotated[int, Field(ge=1, lt=2**31)]] | None, Query()]
TYPES: dict[Kind, str] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@router.get("/studies/{study}/table.{kind}")
async def table(request: Request, study: str, kind: Kind, visitor: Visiting, query: Chosen = None) -> Response:
    """The queries, or those that are named, with all that is known of them, as `belated export` writes it."""
    caller, service = visitor.require("read", study), service_of(request)

    def work() -> bytes:
        record = service.study(study, caller).record()
        _chosen(record, query)
        return table_data("download", f".{kind}", record, query)

    return _attached(await service.slowly(work, caller), f"{study} queries", kind)


@router.get("/studies/{study}/sheet.{kind}")
async def sheet(request: Request, study: str, kind: Kind, visitor: Visiting, query: Chosen = None) -> Response:
    """What is waited for, or the queries that are named, to be filled in, as `belated ask --output` writes it."""
    caller, service = visitor.require("read", study), service_of(request)

    def work() -> tuple[bytes, str]:
        opened = service.study(study, caller)
        record = opened.record()
        queries = _chosen(record, query) if query else sorted(record.pending(), key=lambda waiting: waiting.id)
        content = batch_data("download", f".{kind}", queries, opened.space, opened.context, opened.outcomes)
        return content, " ".join([study, *_range(queries)])

    content, name = await service.slowly(work, caller)
    return _attached(content, name, kind)


def _chosen(record: Record, numbers: list[int] | None) -> list[Asked]:
    """The queries with these numbers."""
    count = len(record.queries)
    for number in numbers or ():
        if number > count:
            raise UnknownQueryError(f"service(query={number}): the study has {count} queries; give one of them.")
    return [record.queries[number - 1] for number in numbers or ()]


def _range(queries: list[Asked]) -> list[str]:
    """Which queries a sheet has, for its name, so that those of several weeks keep apart in a folder."""
    if len(queries) < 2:
        return [str(query.id) for query in queries]
    return [f"{queries[0].id} to {queries[-1].id}"]


def _attached(content: bytes, name: str, kind: Kind) -> Response:
    named = quote(f"{name}.{kind}", safe="", errors="replace")
    headers = {"Content-Disposition": f"attachment; filename=\"queries.{kind}\"; filename*=UTF-8''{named}"}
    return Response(content, media_type=TYPES[kind], headers=headers)

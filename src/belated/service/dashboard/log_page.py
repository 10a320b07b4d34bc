"""Who did what: the log of a study in words, newest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from belated.log import (
    SOUGHT,
    VALUE,
    Abandoned,
    Added,
    Answered,
    Archived,
    Asked,
    Closed,
    ContextSeen,
    Created,
    Event,
    Failed,
    Noticed,
    Performed,
    PolicyChanged,
    Reopened,
    Retracted,
    Revised,
    SeedChanged,
    SeekChanged,
    SilenceChanged,
    Unarchived,
    measurements_in,
)
from belated.service.dashboard.pages import Page, shown
from belated.service.dashboard.visitors import Visiting
from belated.service.dashboard.words import listed, short
from belated.service.service import service_of

router = APIRouter(include_in_schema=False, route_class=Page)
PAGE = 50


@dataclass(frozen=True)
class LogLine:
    """An event, and what it says."""

    event: Event
    what: str
    rest: str


@router.get("/studies/{study}/log")
async def log(
    request: Request, study: str, visitor: Visiting, before: Annotated[int | None, Query(ge=2, lt=2**31)] = None
) -> Response:
    """The events before one, or the latest ones."""
    caller, service = visitor.require("read", study), service_of(request)

    def work() -> tuple[list[LogLine], int, float]:
        opened = service.study(study, caller)
        last = opened.record().n_events
        end = last + 1 if before is None else min(before, last + 1)
        since = max(end - PAGE - 1, 0)
        events = opened.since(since, end - 1 - since)
        return [LogLine(event, *told(event)) for event in reversed(events)], last, opened.now()

    entries, last, now = await service.slowly(work, caller)
    first = entries[-1].event.number if entries else 0
    newest = entries[0].event.number if entries else 0
    newer = None if newest >= last else min(newest + PAGE + 1, last + 1)
    return shown(
        "log.html", visitor, study=study, entries=entries, last=last, now=now, older=first, newer=newer, newest=newest
    )


def told(event: Event) -> tuple[str, str]:
    """What happened, and what goes with it; of a kind without words of its own here, its name and all that it says."""
    match event.body:
        case Created():
            return "created the study", ""
        case Asked(query=query, point=point, context=context, worker=worker):
            worker_text = f" for {worker}" if worker else ""
            return f"asked query {query}{worker_text}", _with(listed(point), context)
        case Answered(query=query, context=context):
            return f"told query {query}: {_measured(event.body)}", _with("", context)
        case Performed(query=query, point=point):
            return f"told what was tried for query {query}", listed(point)
        case Failed(query=query, reason=reason):
            return f"said that query {query} failed", reason
        case Abandoned(query=query, reason=reason):
            return f"abandoned query {query}", reason
        case Retracted(query=query, reason=reason, outcome=outcome):
            of_outcome = "what came" if outcome is None else outcome
            return f"took back {of_outcome} of query {query}", reason
        case ContextSeen(query=query, context=context):
            return f"told the context of query {query}", listed(context)
        case Revised(query=query):
            return f"revised query {query}: {_measured(event.body)}", ""
        case Added(query=query, point=point, context=context):
            return f"added query {query}: {_measured(event.body)}", _with(listed(point), context)
        case PolicyChanged(policy=policy):
            return f"changed the policy to {policy.get('name')}", listed(policy.get("parameters"))
        case SeedChanged(seed=seed):
            return f"changed the seed to {seed}", ""
        case SilenceChanged(silence=silence):
            return f"said that no answer means {'nothing' if silence is None else short(silence)}", ""
        case SeekChanged(seek=seek):
            return f"said that {SOUGHT[seek]} counts", ""
        case Closed(reason=reason):
            return "closed the study", reason
        case Reopened(reason=reason):
            return "reopened the study", reason
        case Archived(reason=reason):
            return "put the study into the archive", reason
        case Unarchived(reason=reason):
            return "brought the study back from the archive", reason
        case Noticed(text=text):
            return "was warned by the study", text
    said = {part.name: getattr(event.body, part.name) for part in fields(event.body) if part.name != "query"}
    about = "" if event.query is None else f" query {event.query}"
    return event.kind.replace("-", " ") + about, said["reason"] if said.keys() == {"reason"} else listed(said)


def _measured(body: Answered | Revised | Added) -> str:
    """What was told, each outcome with its error or its repeats."""
    said = []
    for name, measured in measurements_in(body).items():
        error = "" if measured.sd is None else f" ± {short(measured.sd, 3)}"
        repeats = f" (the mean of {len(measured.repeats)})" if measured.repeats else ""
        said.append(f"{'' if name == VALUE else f'{name} '}{short(measured.value)}{error}{repeats}")
    return ", ".join(said)


def _with(text: str, context: Mapping[str, Any] | None) -> str:
    seen = f"context: {listed(context)}" if context else ""
    return " · ".join(part for part in (text, seen) if part)

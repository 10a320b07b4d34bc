"""The page of a study, the parts of it that change while it is looked at, and what can be taken away from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.responses import HTMLResponse

from belated.errors import UnknownQueryError, unknown_name
from belated.log import Query, kinds
from belated.service.dashboard.fields import MEASURED, Field, OutcomeField, fields_of, outcome_fields, tried_fields
from belated.service.dashboard.figures import drawing, panels_of
from belated.service.dashboard.pages import Page, rendered, shown
from belated.service.dashboard.table import STATES, Listing, Wish, Wished, listing, state_of, waited
from belated.service.dashboard.visitors import Visiting
from belated.service.http.requests import QueryId
from belated.service.service import service_of
from belated.study import Study
from belated.study.insight import Summary, summary

router = APIRouter(include_in_schema=False)
pages = APIRouter(include_in_schema=False, route_class=Page)

# So many of the queries that wait are listed beside the progress; the table has all.
MOST_WAITING = 50


@dataclass(frozen=True)
class PageParts:
    """What changes while a study's page is looked at."""

    found: Summary
    policy: str
    waiting: tuple[Query, ...]  # the oldest first
    table: Listing
    now: float
    n_events: int

    @property
    def study(self) -> Study:
        return self.found.study

    @property
    def state(self) -> str:
        """Whether it is open, closed or in the archive."""
        settings = self.study.settings
        if settings.archived is not None:
            return "archived"
        return "open" if settings.closed is None else "closed"

    @property
    def empty(self) -> bool:
        """Whether nothing was asked and nothing added, so that there is nothing to draw or to list."""
        return not self.found.counts.asked + self.found.counts.added


@dataclass(frozen=True)
class Forms:
    """The fields of the forms, which do not change."""

    ask: list[Field]
    use: list[Field]
    point: list[Field]
    context: list[Field]
    outcomes: list[OutcomeField]


@pages.get("/studies/{study}")
async def study_page(request: Request, study: str, visitor: Visiting, wish: Wished) -> Response:
    """The page, with everything but its figures."""
    caller, service = visitor.require("read", study), service_of(request)

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        return {"standing": standing_of(opened, wish), "panels": panels_of(opened), "forms": _forms(opened)}

    found = await service.slowly(work, caller)
    most = service.settings.limits.queries
    return shown("study.html", visitor, kinds=kinds(), most=most, **found, **_helpers())


@router.get("/studies/{study}/parts")
async def parts(request: Request, study: str, visitor: Visiting, wish: Wished) -> Response:
    """The parts that change, for a script to put in their places."""
    caller, service = visitor.require("read", study), service_of(request)
    found = await service.slowly(lambda: standing_of(service.study(study, caller), wish), caller)
    return HTMLResponse(rendered("parts.html", visitor=visitor, standing=found, **_helpers()))


@router.get("/studies/{study}/figures/{kind}")
async def figure(request: Request, study: str, kind: str, visitor: Visiting) -> Response:
    """A figure as Plotly draws it, with its notes; or why there is none."""
    caller, service = visitor.require("read", study), service_of(request)

    def work() -> str:
        opened = service.study(study, caller)
        known = [panel.kind for panel in panels_of(opened)]
        if kind not in known:
            raise unknown_name(f"service(figure={kind!r})", "figure of this study", kind, known)
        return drawing(opened, kind)

    return Response(await service.drawing(work, caller, study, kind), media_type="application/json")


@router.get("/studies/{study}/queries/{query}")
async def query_dialog(request: Request, study: str, query: QueryId, visitor: Visiting) -> Response:
    """All there is to say of one query, with the forms to say more."""
    caller, service = visitor.require("read", study), service_of(request)

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        queries = opened.queries()
        _known(query, len(queries))
        after = opened.context is not None and opened.context.seen == "after"
        context = fields_of(opened.context.space, "seen", ["context"]) if opened.context and after else []
        found = queries[query - 1]
        outcomes = outcome_fields(opened.outcomes, "Answer", ["value"], found)
        return {
            "study": opened,
            "query": found,
            "context": context,
            "point": tried_fields(opened.space, found.tried),
            "measured_hint": MEASURED,
            "told": [outcome for outcome in outcomes if outcome.name in found.answers],
            "missing": [outcome for outcome in outcomes if outcome.name not in found.answers],
            "lacking": () if found.answer else opened.outcomes.lacking(found.answers),
            "now": opened.now(),
        }

    found = await service.slowly(work, caller)
    return HTMLResponse(rendered("query.html", visitor=visitor, **found, **_helpers()))


router.include_router(pages)


def _known(query: int, count: int) -> None:
    if query > count:
        raise UnknownQueryError(f"service(query={query}): the study has {count} queries; give one of them.")


def standing_of(study: Study, wish: Wish) -> PageParts:
    """How a study stands, with the page of the table that is wished for."""
    record = study.record()
    now = study.now()
    waiting = tuple(sorted(record.pending(), key=lambda query: query.asked_at)[:MOST_WAITING])
    return PageParts(summary(study), str(study.recipe), waiting, listing(record, wish, now), now, record.n_events)


def _forms(study: Study) -> Forms:
    """The fields to ask or to recommend in a context, and to add what was never asked."""
    context = study.context
    before = context is not None and context.seen == "before"
    return Forms(
        ask=fields_of(context.space, "ask", ["context"]) if context and before else [],
        use=fields_of(context.space, "use", ["context"]) if context and before else [],
        point=fields_of(study.space, "point", ["data", 0, "point"]),
        context=fields_of(context.space, "found", ["data", 0, "context"]) if context else [],
        outcomes=outcome_fields(study.outcomes, "Its value", ["data", 0, "value"]),
    )


def _helpers() -> dict[str, Any]:
    return {"waited": waited, "state_of": state_of, "states": STATES}

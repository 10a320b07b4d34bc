"""All studies at a glance, and the beginning of a new one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from starlette.responses import RedirectResponse

from belated import policies
from belated.errors import BelatedError, StorageError, UnknownStudyError
from belated.service.dashboard.pages import Page, shown
from belated.service.dashboard.visitors import Visiting
from belated.service.service import service_of
from belated.study import Study
from belated.study.insight import Summary, summary
from belated.study.study import DEFAULT_POLICY

router = APIRouter(include_in_schema=False, route_class=Page)

# The line of the best answer: its width and height, and what stays free around it.
WIDTH, HEIGHT, MARGIN = 240.0, 44.0, 3.0
MOST_STEPS = 120


@dataclass(frozen=True)
class Card:
    """A study as the overview shows it; it may be gone by the time that it is shown."""

    name: str
    closed: bool
    found: Summary
    policy: str
    line: str  # of the best answer so far, as the points of an SVG line
    active_at: float


@dataclass(frozen=True)
class Unreadable:
    """A study that this service cannot read, and why."""

    name: str
    reason: str


@router.get("/")
async def overview(request: Request, visitor: Visiting, archived: bool = False) -> Response:
    """The studies that the token opens, or those in the archive; one alone is gone to at once."""
    if visitor.home is not None:
        return RedirectResponse(f"/studies/{quote(visitor.home, safe='')}", 303)
    caller, service = visitor.require("read"), service_of(request)

    def work() -> tuple[list[Card], list[Unreadable], int]:
        cards: list[Card] = []
        unreadable: list[Unreadable] = []
        names = service.studies.names(archived)
        elsewhere = len(service.studies.names(not archived))
        opened = service.studies.opener(len(names))
        for name in names:
            try:
                cards.append(card_of(name, opened(name)))
            except StorageError:
                raise
            except UnknownStudyError:
                continue  # it was deleted a moment ago
            except BelatedError as error:
                # One that needs a package which is not here must not hide the others.
                unreadable.append(Unreadable(name, str(error)))
        return sorted(cards, key=lambda card: -card.active_at), unreadable, elsewhere

    cards, unreadable, elsewhere = await service.slowly(work, caller)
    now = cards[0].found.study.now() if cards else 0.0
    listed: dict[str, Any] = {"cards": cards, "unreadable": unreadable, "archived": archived, "elsewhere": elsewhere}
    return shown("overview.html", visitor, now=now, **listed)


# Not under /studies, where a study may be called anything.
@router.get("/new")
async def new_study(visitor: Visiting) -> Response:
    """The form of a new study."""
    visitor.require("admin")
    listed = [(name, policies.describe(name)) for name in policies.names()]
    return shown("new.html", visitor, policies=listed, usual=DEFAULT_POLICY)


def card_of(name: str, study: Study) -> Card:
    """A study as the overview shows it."""
    found = summary(study)
    last = study.since(max(study.record().n_events - 1, 0))
    active_at = last[-1].at if last else study.record().began_at
    line = line_of(found.progress, study.goal)
    return Card(name, study.closed is not None, found, str(study.recipe), line, active_at)


def line_of(values: Sequence[float], goal: Any) -> str:
    """The way to the best answer as steps, each better value higher; empty where there are no two values."""
    if len(values) < 2:
        return ""
    stride = -(-len(values) // MOST_STEPS)
    kept = [*values[::stride], values[-1]]
    good = kept if goal == "maximize" else [-value for value in kept]
    low, span = good[0], (good[-1] - good[0]) or 1.0
    step = (WIDTH - 2 * MARGIN) / (len(good) - 1)
    points: list[str] = []
    before = None
    for place, value in enumerate(good):
        x, y = MARGIN + place * step, HEIGHT - MARGIN - (value - low) / span * (HEIGHT - 2 * MARGIN)
        points += ([] if before is None else [f"{x:.1f},{before:.1f}"]) + [f"{x:.1f},{y:.1f}"]
        before = y
    return " ".join(points)

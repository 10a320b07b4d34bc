"""Studies: list, create, look at, change and close them, put them into the archive, rename, copy and delete them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from belated import policies
from belated.service.acts import new_study, opened_studies, policy_of, standing
from belated.service.http.needs import Guarded, MayBrowse, MayCreate, MayManage, MayRead
from belated.service.http.refusals import Json
from belated.service.http.requests import LONGEST_REASON, ChangeGiven, NameGiven, ReasonGiven, StudyGiven
from belated.service.http.responses import DeletedView, PoliciesView, StandingView, StudiesView, StudyView
from belated.service.people import Caller
from belated.service.service import service_of
from belated.study import Study
from belated.study.insight import study_json

router = APIRouter(prefix="/v1", tags=["studies"], route_class=Guarded)

Why = Annotated[str, Query(max_length=LONGEST_REASON, description="Why; it is kept in the log.")]


@router.get("/policies", response_model=PoliciesView, summary="The policies that a study can have")
async def list_policies(caller: MayBrowse) -> Json:
    """Each with the first line of what it says about itself."""
    return Json({"policies": [{"name": name, "description": policies.describe(name)} for name in policies.names()]})


@router.get("/studies", response_model=StudiesView, summary="The studies that the token opens")
async def list_studies(
    request: Request,
    caller: MayBrowse,
    archived: Annotated[bool, Query(description="Those in the archive instead of those in sight.")] = False,
) -> Json:
    """In the order of their creation, and how each stands."""
    service = service_of(request)

    return Json(await service.slowly(lambda: opened_studies(service, caller, archived), caller))


@router.post("/studies", response_model=StudyView, status_code=201, summary="Begin a study")
async def create_study(request: Request, given: StudyGiven, caller: MayCreate) -> Json:
    """A token for one study begins that one alone. With `or_open`, a study that is there already is returned."""
    service = service_of(request)
    caller.require("admin", given.name)

    return Json(await service.slowly(lambda: study_json(new_study(service, caller, given)), caller), 201)


@router.get("/studies/{study}", response_model=StandingView, summary="A study")
async def show_study(request: Request, study: str, caller: MayRead) -> Json:
    """What it is made of, and how it stands."""
    service = service_of(request)
    return Json(await service.slowly(lambda: standing(service.study(study, caller)), caller))


@router.patch("/studies/{study}", response_model=StudyView, summary="Change a study")
async def change_study(request: Request, study: str, given: ChangeGiven, caller: MayManage) -> Json:
    """Let another policy decide, with another window, seed or silence, or seek something else, from here on."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        policy = None if given.policy is None else policy_of(given.policy)
        opened.change(policy=policy, window=given.window, seed=given.seed, silence=given.silence, seek=given.seek)
        return study_json(opened)

    return Json(await service.slowly(work, caller))


@router.put("/studies/{study}/closure", response_model=StudyView, summary="Close a study")
async def close_study(request: Request, study: str, given: ReasonGiven, caller: MayManage) -> Json:
    """Ask no further query; answers are still welcome. Again: nothing happens."""
    return await _turned(request, study, caller, lambda opened: opened.close(given.reason))


@router.delete("/studies/{study}/closure", response_model=StudyView, summary="Reopen a study")
async def reopen_study(request: Request, study: str, caller: MayManage, reason: Why = "") -> Json:
    """Ask again after a closure. Again: nothing happens."""
    return await _turned(request, study, caller, lambda opened: opened.reopen(reason))


@router.put("/studies/{study}/archive", response_model=StudyView, summary="Put a study into the archive")
async def archive_study(request: Request, study: str, given: ReasonGiven, caller: MayManage) -> Json:
    """Lists leave it out, and it asks nothing; answers are still welcome. Again: nothing happens."""
    return await _turned(request, study, caller, lambda opened: opened.archive(given.reason))


@router.delete("/studies/{study}/archive", response_model=StudyView, summary="Bring a study back")
async def unarchive_study(request: Request, study: str, caller: MayManage, reason: Why = "") -> Json:
    """From the archive. Again: nothing happens."""
    return await _turned(request, study, caller, lambda opened: opened.unarchive(reason))


@router.put("/studies/{study}/name", response_model=StudyView, summary="Rename a study")
async def rename_study(request: Request, study: str, given: NameGiven, caller: MayManage) -> Json:
    """Tokens for this study alone open it still, and cannot rename it: the new name is not theirs."""
    service = service_of(request)
    caller.require("admin", given.name)

    def work() -> dict[str, Any]:
        service.studies.rename(study, given.name)
        service.door.refresh()
        return study_json(service.studies.open(given.name))

    return Json(await service.writing(work))


@router.post("/studies/{study}/copies", response_model=StudyView, status_code=201, summary="Copy a study")
async def copy_study(request: Request, study: str, given: NameGiven, caller: MayManage) -> Json:
    """Event for event, under another name; the copy then goes its own way."""
    service = service_of(request)
    caller.require("admin", given.name)
    return Json(await service.slowly(lambda: study_json(service.studies.copy(study, given.name)), caller), 201)


@router.delete("/studies/{study}", response_model=DeletedView, summary="Delete a study")
async def delete_study(request: Request, study: str, caller: MayManage) -> Json:
    """With its log, for good; tokens for this study alone open nothing from then on."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        service.studies.delete(study)
        service.door.refresh()
        return {"deleted": study}

    return Json(await service.writing(work))


async def _turned(request: Request, study: str, caller: Caller, turn: Callable[[Study], None]) -> Json:
    """A study after one event about itself."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        turn(opened)
        return study_json(opened)

    return Json(await service.writing(work))

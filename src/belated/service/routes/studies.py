"""Studies: list, create, look at, change, close and reopen them."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from belated import policies
from belated.policies import Policy
from belated.service.bodies import (
    ChangeGiven,
    PoliciesView,
    PolicyGiven,
    ReasonGiven,
    StandingView,
    StudiesView,
    StudyGiven,
    StudyView,
)
from belated.service.needs import Managing, Reading
from belated.service.service import service_of
from belated.space.written import context_of, space_of
from belated.study import Study
from belated.study.shapes import of_study
from belated.study.summary import summary

router = APIRouter(prefix="/v1", tags=["studies"])


@router.get("/policies", response_model=PoliciesView)
async def list_policies(caller: Reading) -> Any:
    """The policies that a study can have."""
    return {"policies": [{"name": name, "description": policies.describe(name)} for name in policies.names()]}


@router.get("/studies", response_model=StudiesView)
async def list_studies(request: Request, caller: Reading) -> Any:
    """The studies that the token opens, in the order of their creation, and how each stands."""
    service = service_of(request)

    def work() -> list[dict[str, Any]]:
        names = [name for name in service.studies.names() if caller.study in (None, name)]
        return [standing(service.study(name, caller)) for name in names]

    return {"studies": await service.slowly(work)}


@router.post("/studies", response_model=StudyView, status_code=201)
async def create_study(request: Request, given: StudyGiven, caller: Managing) -> Any:
    """Begin a study."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        study = Study.create(
            service.settings.storage,
            given.name,
            space_of("space", given.space),
            goal=given.goal,
            policy=policy_of(given.policy),
            seed=given.seed,
            context=None if given.context is None else context_of("context", given.context),
            or_open=given.or_open,
            by=caller.name,
        )
        return of_study(study)

    return await service.quickly(work)


@router.get("/studies/{study}", response_model=StandingView)
async def show_study(request: Request, study: str, caller: Reading) -> Any:
    """What a study is made of, and how it stands."""
    service = service_of(request)
    return await service.slowly(lambda: standing(service.study(study, caller)))


@router.patch("/studies/{study}", response_model=StudyView)
async def change_study(request: Request, study: str, given: ChangeGiven, caller: Managing) -> Any:
    """Let another policy decide from here on, with another window, or from another seed."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        policy = None if given.policy is None else policy_of(given.policy)
        opened.change(policy=policy, window=given.window, seed=given.seed)
        return of_study(opened)

    return await service.quickly(work)


@router.put("/studies/{study}/closure", response_model=StudyView)
async def close_study(request: Request, study: str, given: ReasonGiven, caller: Managing) -> Any:
    """Ask no further query; answers are still welcome. Again: nothing happens."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        opened.close(given.reason)
        return of_study(opened)

    return await service.quickly(work)


@router.delete("/studies/{study}/closure", response_model=StudyView)
async def reopen_study(request: Request, study: str, caller: Managing, reason: str = "") -> Any:
    """Ask again after a closure. Again: nothing happens."""
    service = service_of(request)

    def work() -> dict[str, Any]:
        opened = service.study(study, caller)
        opened.reopen(reason)
        return of_study(opened)

    return await service.quickly(work)


def policy_of(given: str | PolicyGiven) -> Policy:
    """The policy of a name, or of a name and parameters."""
    if isinstance(given, str):
        return policies.build(given)
    return policies.build(given.name, **given.parameters)


def standing(study: Study) -> dict[str, Any]:
    """How a study stands; the way to its best answer is for figures."""
    found = summary(study).to_json()
    del found["progress"]
    return found

"""What a route asks of its caller, as FastAPI's dependencies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from belated.service.access import Caller
from belated.service.service import service_of
from belated.service.session import check_session, token_of_session

bearer = HTTPBearer(auto_error=False, description="A token of `belated token create`.")


def needs(scope: str) -> Callable[..., Awaitable[Caller]]:
    """The caller, who must have this scope, for the study that the path names."""

    async def check(
        request: Request, credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
    ) -> Caller:
        service = service_of(request)
        token = token_of_session(request) if credentials is None else credentials.credentials
        caller = await service.enter(request, token)
        if credentials is None:
            check_session(request, token, service.settings)
        request.state.caller = caller.name
        caller.require(scope, request.path_params.get("study"))
        return caller

    # For the tests that try every scope on every route.
    check.scope = scope  # type: ignore[attr-defined]
    return check


Reading = Annotated[Caller, Depends(needs("read"))]
Asking = Annotated[Caller, Depends(needs("ask"))]
Telling = Annotated[Caller, Depends(needs("tell"))]
Managing = Annotated[Caller, Depends(needs("admin"))]

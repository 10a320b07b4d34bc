"""What a route asks of its caller, as FastAPI's dependencies; who calls is looked at before a body is read."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from belated.service.http.strict_json import StrictRequest
from belated.service.people import Caller, check_session
from belated.service.service import service_of

bearer = HTTPBearer(auto_error=False, description="A token of `belated token create`.")


@dataclass(frozen=True)
class ScopeNeeded:
    """A scope that the caller of a route must have, for the study that the path names.

    Where it names none, a token for one study is refused, unless the route is `filtered`: it looks itself at which.
    """

    scope: str
    filtered: bool = False

    async def admit(self, request: Request) -> None:
        """Let the caller in, or refuse."""
        service, credentials = service_of(request), await bearer(request)
        token = await service.session(request) if credentials is None else credentials.credentials
        caller = await service.enter(request, token)
        request.state.caller = caller.name
        if credentials is None:
            check_session(request, token, service.settings)
        study = request.path_params.get("study")
        caller.require(self.scope, caller.study if self.filtered and study is None else study)
        request.state.admitted = caller

    async def __call__(
        self, request: Request, described: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]
    ) -> Caller:
        """The caller, whom the route has let in; the token is asked for here so that the description names it."""
        caller: Caller = request.state.admitted
        return caller


MayRead = Annotated[Caller, Depends(ScopeNeeded("read"))]
MayAsk = Annotated[Caller, Depends(ScopeNeeded("ask"))]
MayTell = Annotated[Caller, Depends(ScopeNeeded("tell"))]
MayManage = Annotated[Caller, Depends(ScopeNeeded("admin"))]
# For routes about no study in particular, which show or make only what the token opens.
MayBrowse = Annotated[Caller, Depends(ScopeNeeded("read", filtered=True))]
MayCreate = Annotated[Caller, Depends(ScopeNeeded("admin", filtered=True))]


class Guarded(APIRoute):
    """A route that refuses unknown callers before it reads their body."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, behind the check of its caller."""
        handle = super().get_route_handler()
        needs = [part.call for part in self.dependant.dependencies if isinstance(part.call, ScopeNeeded)]

        async def guarded(request: Request) -> Response:
            for need in needs:
                await need.admit(request)
            return await handle(StrictRequest(request.scope, request.receive))

        return guarded

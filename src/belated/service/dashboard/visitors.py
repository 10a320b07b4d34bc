"""Who looks at a page, and which actions it offers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from belated.errors import AccessError
from belated.service.people import Caller, check_session, word_of
from belated.service.service import service_of


@dataclass(frozen=True)
class Visitor:
    """Somebody at a browser: what they may do, and the word that their page sends along with a change."""

    caller: Caller | None
    word: str = ""

    @property
    def name(self) -> str | None:
        """Whose token it is; None where none is needed, or none is there."""
        return None if self.caller is None else self.caller.name

    @property
    def home(self) -> str | None:
        """The only study that the token opens, if it is for one."""
        return None if self.caller is None else self.caller.study

    def may(self, scope: str) -> bool:
        """Whether an action that needs this scope is worth showing."""
        return self.caller is not None and bool({scope, "admin"} & self.caller.scopes)

    def require(self, scope: str, study: str | None = None) -> Caller:
        """The caller, who must have the scope, for that study."""
        if self.caller is None:
            raise AccessError("service: nobody is signed in; do so at /login.")
        self.caller.require(scope, study)
        return self.caller


NOBODY = Visitor(None)


async def _visitor(request: Request) -> Visitor:
    service = service_of(request)
    token = await service.session(request)
    caller = await service.enter(request, token)
    check_session(request, token, service.settings)
    visitor = request.state.visitor = Visitor(caller, word_of(token))
    request.state.caller = caller.name
    return visitor


async def perhaps(request: Request) -> Visitor:
    """The visitor of a public page."""
    try:
        return await _visitor(request)
    except AccessError:
        return NOBODY


Visiting = Annotated[Visitor, Depends(_visitor)]
Perhaps = Annotated[Visitor, Depends(perhaps)]

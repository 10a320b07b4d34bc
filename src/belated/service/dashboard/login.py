"""Signing in with a token, and out."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request, Response
from starlette.responses import RedirectResponse

from belated.errors import AccessError
from belated.service.dashboard.pages import Page, shown
from belated.service.dashboard.visitors import NOBODY
from belated.service.people import NEEDED, session
from belated.service.service import service_of

router = APIRouter(include_in_schema=False, route_class=Page)


@router.get("/login")
async def login_page(request: Request, next: str = "/") -> Response:
    """Where one signs in; who is in already goes on, and whose token has ended is told so."""
    service = service_of(request)
    token = await service.session(request)
    reason = ""
    try:
        await service.enter(request, token)
    except AccessError as error:
        reason = reason_of(error) if token is not None else ""
    else:
        return RedirectResponse(local(next), 303)
    return shown("login.html", NOBODY, reason=reason, next=local(next))


@router.post("/login")
async def login(request: Request, token: Annotated[str, Form()] = "", next: Annotated[str, Form()] = "/") -> Response:
    """Keep the token in the browser, if it opens anything."""
    service = service_of(request)
    # A token is needed in any case, so the name under which the service is reached does not matter here.
    session.check_session(request, None, replace(service.settings, open=False))
    given = token.strip()
    try:
        await service.enter(request, given)
    except AccessError as error:
        return shown("login.html", NOBODY, error.status, reason=reason_of(error), next=local(next))
    response = RedirectResponse(local(next), 303)
    session.begin(response, given, service.settings)
    return response


@router.post("/logout")
async def logout(request: Request) -> Response:
    """Let the browser forget the token."""
    service = service_of(request)
    session.check_session(request, await service.session(request), service.settings)
    response = Response(status_code=204)
    session.end(response, service.settings)
    return response


def reason_of(error: AccessError) -> str:
    """Why a token does not open, in words for a person at a browser."""
    said = str(error).partition(f"; {NEEDED}")[0].removeprefix("service: ")
    return f"{said[:1].upper()}{said[1:]}."


def local(wanted: str) -> str:
    """The page to go on to: one of ours, whatever the address says."""
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return "/"
    ours = not parts.scheme and not parts.netloc and wanted.startswith("/") and wanted[1:2] not in ("/", "\\")
    return wanted if ours and wanted.isprintable() and not wanted.startswith("/login") else "/"

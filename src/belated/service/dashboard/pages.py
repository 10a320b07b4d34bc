"""A page from its template, whether all goes well or something is refused."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse

from belated.checks import harmless
from belated.errors import AccessError, BelatedError, ParameterError
from belated.log import SOUGHT, meaning, objectives_text
from belated.service.dashboard import words
from belated.service.dashboard.assets import plotly_path, static_path
from belated.service.dashboard.visitors import NOBODY, Visitor, perhaps
from belated.service.http.refusals import number_of, of_error
from belated.service.people import token_of_session
from belated.show import counted

logger = logging.getLogger("belated.service")
HEADINGS = {
    403: "This token does not open that",
    404: "There is no such page",
    429: "Too many requests",
    503: "The storage cannot be reached",
}


def rendered(template: str, **values: Any) -> str:
    """A template as text; whatever is put in is escaped, and what is no text is spelled out."""
    return harmless(ENVIRONMENT.get_template(template).render(**values))


def shown(template: str, visitor: Visitor, status: int = 200, **values: Any) -> HTMLResponse:
    """A page for this visitor."""
    return HTMLResponse(rendered(template, visitor=visitor, **values), status)


def to_login(request: Request) -> RedirectResponse:
    """Where one signs in, and from there back."""
    wanted = _wanted(request)
    return RedirectResponse("/login" if wanted == "/" else f"/login?next={quote(wanted, safe='')}", 303)


def again(request: Request) -> HTMLResponse:
    """The page once more, from one of ours: where a link of another site leads, browsers leave the cookie out."""
    return shown("again.html", NOBODY, path=_wanted(request))


def _from_elsewhere(request: Request) -> bool:
    followed = request.headers.get("sec-fetch-site") == "cross-site" and request.method == "GET"
    return followed and token_of_session(request) is None


def _wanted(request: Request) -> str:
    """The address as it was sent: what is decoded once must not be decoded again on the way back."""
    path: bytes = request.scope["raw_path"]
    return path.decode("ascii") + (f"?{request.url.query}" if request.url.query else "")


class Page(APIRoute):
    """A route for people: who is not signed in is sent to do so, and what is refused is a page too."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What answers a request."""
        answer = super().get_route_handler()

        async def answer_or_explain(request: Request) -> Response:
            try:
                return await answer(request)
            except AccessError:
                return again(request) if _from_elsewhere(request) else to_login(request)
            except RequestValidationError as error:
                first = error.errors()[0]
                where = ".".join(str(part) for part in first["loc"])
                return _refused(request, ParameterError(f"service: {where}: {first['msg']}; follow a link instead."))
            except BelatedError as error:
                return _refused(request, error)

        return answer_or_explain


def _refused(request: Request, error: BelatedError) -> HTMLResponse:
    visitor: Visitor = getattr(request.state, "visitor", NOBODY)
    number = number_of(request)
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.error("%s", error, extra={"belated": {"request": number}})
    # What the storage says is not for everybody: a page says what a program would be told.
    message = json.loads(bytes(of_error(error, number).body))["error"]["message"]
    heading = HEADINGS.get(error.status, "That did not work")
    return shown("refusal.html", visitor, error.status, heading=heading, message=message, number=number)


async def nowhere(request: Request, status: int) -> HTMLResponse:
    """The page for an address that leads to none."""
    try:
        visitor = await perhaps(request)
    except BelatedError:
        visitor = NOBODY
    message = f"Nothing is to be seen at {request.url.path}. The address may have lost a letter, or a study its name."
    number = number_of(request)
    return shown("refusal.html", visitor, status, heading=HEADINGS[404], message=message, number=number)


def time_tag(at: float, now: float) -> Markup:
    """An instant as it is spoken of, with the date under the pointer; scripts keep it true."""
    if not words.dated(at):
        return escape(words.short(at))
    text = '<time data-at="{}" title="{}">{}</time>'
    return Markup(text).format(f"{at:.3f}", words.in_full(at), words.ago(at, now))


def marked(text: str) -> Markup:
    """A text in which what stands between backticks is code."""
    parts = text.split("`")
    pieces = [Markup("<code>{}</code>").format(part) if place % 2 else escape(part) for place, part in enumerate(parts)]
    return Markup("").join(pieces)


def _environment() -> Environment:
    loader = PackageLoader("belated.service.dashboard")
    environment = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals.update(
        static=static_path, plotly=plotly_path, time=time_tag, counted=counted, meaning=meaning, sought=SOUGHT
    )
    environment.filters.update(
        duration=words.duration,
        short=words.short,
        listed=words.listed,
        in_full=words.in_full,
        marked=marked,
        objectives=objectives_text,
        address=lambda text: quote(str(text), safe="", errors="replace"),
    )
    return environment


ENVIRONMENT = _environment()

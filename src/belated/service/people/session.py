"""A browser's session: the token in a cookie that scripts cannot read, and what keeps other sites from using it.

A cookie comes with requests that other sites make a browser send. So a request that changes something must come from
our own pages, which browsers say, and carry a word that only they know: a keyed digest of the token.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from urllib.parse import urlsplit

from fastapi import Request, Response

from belated.errors import ForbiddenError
from belated.service.settings import ServiceSettings

COOKIE = "belated_token"
HEADER = "x-belated-word"
SAFE = ("GET", "HEAD", "OPTIONS")
SECONDS = 30 * 86400


def token_of_session(request: Request) -> str | None:
    """The token that the browser keeps, if there is one."""
    return request.cookies.get(COOKIE)


def begin(response: Response, token: str, settings: ServiceSettings) -> None:
    """Let the browser keep the token."""
    response.set_cookie(
        COOKIE, token, max_age=SECONDS, httponly=True, samesite="strict", secure=settings.secure, path="/"
    )


def end(response: Response, settings: ServiceSettings) -> None:
    """Let the browser forget it."""
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=settings.secure, path="/")


def word_of(token: str | None) -> str:
    """What our pages send along with a change; nobody can make it up without the token."""
    return hmac.new((token or "").encode(), b"belated: this page is ours", hashlib.sha256).hexdigest()


def check_session(request: Request, token: str | None, settings: ServiceSettings) -> None:
    """Refuse what another site has made a browser send; a program that is no browser says nothing of sites."""
    if settings.open and token is None:
        # A name of another site may lead to this machine.
        host = request.headers.get("host", "")
        if not _is_this_machine(host):
            raise ForbiddenError(
                f"service: got the host {host!r}, and without tokens it answers to 127.0.0.1 and localhost alone; use "
                f"one of these, or make a token."
            )
    if request.method in SAFE:
        return
    origin = request.headers.get("origin")
    elsewhere = request.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")
    if elsewhere or (origin is not None and origin.partition("://")[2] != request.headers.get("host")):
        host = request.headers.get("host", "")
        raise ForbiddenError(
            f"service: the request comes from {origin or 'another site'}, and not from {host}; use the pages of the "
            f"service itself; a proxy before it must pass on the header Host as it came."
        )
    if token is not None and not hmac.compare_digest(request.headers.get(HEADER, "").encode(), word_of(token).encode()):
        raise ForbiddenError(f"service: the page has no valid {HEADER}; load it again.")


def _is_this_machine(host: str) -> bool:
    """Whether a Host header is localhost or a loopback address, with a port or without."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False

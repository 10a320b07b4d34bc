"""Requests to a service, tried again where that can do no harm.

A connection breaks, a service is started anew, a proxy is busy. What changes nothing when it is done twice is then done
again, after a while: reading; telling the same answer; asking with the same key. What would be done twice is sent again
only if it cannot have arrived.
"""

from __future__ import annotations

import json
import os
import random
import time
import weakref
from collections.abc import Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, final
from urllib.parse import quote

from belated.client.refusals import refused, stranger
from belated.errors import MissingPackageError, ParameterError, StorageError

if TYPE_CHECKING:
    import httpx2

TOKEN_VARIABLE = "BELATED_TOKEN"
# Together they outlast a service that is started anew.
ATTEMPTS = 7
# Seconds: before the second attempt, doubled before each further one; and the longest that a service may ask for.
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 30.0
# A model may take long to decide; a machine that does not answer at all is not waited for.
CONNECT_SECONDS, READ_SECONDS = 10.0, 300.0
# The service, or a proxy before it, was too busy to look at the request.
TOO_OFTEN = 429
AWAY = (502, 503, 504)


@final
class HttpConnection:
    """A service at an address, with a token; many threads may use it at once."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = _address(_package(), url)
        self._headers = {"Accept": "application/json", **_authorization(token)}
        self._clients: dict[int, httpx2.Client] = {}  # by process: a forked one must not share its parent's sockets
        weakref.finalize(self, _close, self._clients)

    def get(self, *path: object, **parameters: object) -> Any:
        """What is read."""
        return self._json(self._send("GET", path, None, parameters, repeatable=True))

    def lines(self, *path: object) -> list[Any]:
        """What is read and has one JSON value a line."""
        response = self._send("GET", path, None, {}, repeatable=True)
        return [json.loads(line) for line in response.text.split("\n") if line]

    def send(
        self,
        method: str,
        *path: object,
        body: Any = None,
        parameters: Mapping[str, object] | None = None,
        repeatable: bool,
    ) -> Any:
        """What comes of a request that changes something, or carries much."""
        return self._json(self._send(method, path, body, parameters or {}, repeatable))

    def _client(self) -> httpx2.Client:
        """The client of this process."""
        known = self._clients.get(os.getpid())
        if known is not None:
            return known
        httpx = _package()
        timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS)
        return self._clients.setdefault(os.getpid(), httpx.Client(headers=self._headers, timeout=timeout))

    def _json(self, response: httpx2.Response) -> Any:
        try:
            return response.json()
        except ValueError:
            raise stranger(self.url, response.status_code) from None

    def _send(
        self, method: str, path: tuple[object, ...], body: Any, parameters: Mapping[str, object], repeatable: bool
    ) -> httpx2.Response:
        httpx = _package()
        address = "/".join([self.url, "v1", *(quote(str(part), safe="") for part in path)])
        given: dict[str, Any] = {name: value for name, value in parameters.items() if value is not None}
        content = None if body is None else _written(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        attempt = 1
        while True:
            last = attempt == ATTEMPTS
            try:
                response = self._client().request(method, address, params=given, content=content, headers=headers)
            except httpx.TransportError as trouble:
                unsent = isinstance(trouble, httpx.ConnectError | httpx.ConnectTimeout | httpx.PoolTimeout)
                if last or not (repeatable or unsent):
                    raise self._broken(trouble, repeatable or unsent) from None
                wait = pause(attempt)
            else:
                status = response.status_code
                if response.is_success:
                    return response
                busy = status == TOO_OFTEN or (status in AWAY and repeatable)
                wait = pause(attempt, response.headers.get("retry-after"))
                if last or not busy or wait > LONGEST_PAUSE:
                    raise refused(self.url, status, response.text, response.headers.get("location"))
            time.sleep(wait)
            attempt += 1

    def _broken(self, trouble: Exception, harmless: bool) -> StorageError:
        what = f"{type(trouble).__name__}: {trouble}".rstrip(": ")
        if harmless:
            return StorageError(
                f"{self.url}: the service cannot be reached ({what}); see that it runs and that the address is right."
            )
        return StorageError(
            f"{self.url}: the connection broke before the service answered ({what}), so that it may have done this or "
            f"not; look at the study before you try again."
        )


def pause(attempt: int, asked_for: str | None = None) -> float:
    """Seconds to wait after an attempt: what the service asked for, or a while that doubles, not the same for all."""
    if asked_for is not None and asked_for.isdecimal():
        return float(asked_for)
    return FIRST_PAUSE * 2.0 ** (attempt - 1) * random.uniform(0.5, 1.0)


def _written(body: Any) -> bytes:
    """JSON in ASCII, in which any text survives; numbers that are none are for the service to refuse."""
    try:
        return json.dumps(body).encode()
    except (TypeError, ValueError, RecursionError) as trouble:
        raise ParameterError(
            f"RemoteStudy: got a value that cannot be sent ({trouble}); give texts, booleans and numbers."
        ) from None


def _close(clients: Mapping[int, httpx2.Client]) -> None:
    own = clients.get(os.getpid())
    if own is not None:
        own.close()


def _package() -> ModuleType:
    """The package for HTTP; it is asked for only when a service is."""
    try:
        import httpx2
    except ImportError:
        raise MissingPackageError(
            "RemoteStudy: a service is reached by the package httpx2, which is not installed; Belated's extra "
            "'client' brings it."
        ) from None
    return httpx2


def _address(httpx: ModuleType, url: object) -> str:
    try:
        address = httpx.URL(url)
        sound = address.scheme in ("http", "https") and address.host and not (address.query or address.fragment)
    except (httpx.InvalidURL, TypeError):
        sound = False
    if not sound:
        raise ParameterError(
            f"RemoteStudy: got {url!r} as the address of a service; give one as http://127.0.0.1:8000 or "
            f"https://lab.example."
        )
    return str(url).rstrip("/")


def _authorization(token: str | None) -> dict[str, str]:
    """The header that carries the token, which is in the environment where none is given."""
    given = os.environ.get(TOKEN_VARIABLE) or None if token is None else token
    if given is None:
        return {}
    if not isinstance(given, str) or not given.isascii() or not given.isprintable() or not given or " " in given:
        # The message does not show it: what is nearly a token is a secret too.
        raise ParameterError("RemoteStudy: the token is no token; give what `belated token create` printed.")
    return {"Authorization": f"Bearer {given}"}

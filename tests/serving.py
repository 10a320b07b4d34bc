"""A service for tests: a real server on a free port of this machine, in a thread of this process."""

from __future__ import annotations

import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2 as httpx

from belated.service import Address, Limits, ServiceSettings, create_app, listen, new_token
from belated.service.host.server import Server, configured
from belated.storage import tokens_of

# To read those of the system takes as long as ten requests, and nothing here is reached by https.
NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@contextmanager
def serving(storage: str, open: bool = True, limits: Limits = Limits(), agents: bool = False) -> Iterator[str]:
    """The address of a service on that storage, while it runs."""
    settings = ServiceSettings(storage, open=open, limits=limits, agents=agents)
    with listen(Address(port=0)) as listening:
        port = listening.getsockname()[1]
        server = Server(configured(create_app(settings), "127.0.0.1", port))
        thread = threading.Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.end()
            thread.join(15.0)
            assert not thread.is_alive(), "the server did not end"


def token_for(storage: str, name: str, *scopes: str, study: str | None = None, days: float | None = None) -> str:
    """The text of a new token."""
    text, token = new_token(name, scopes, time.time(), study, days)
    tokens_of(storage).add(token)
    return text


def client(address: str, token: str | None = None) -> httpx.Client:
    """A client of the service, as somebody with this token."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(base_url=address, headers=headers, timeout=30.0, verify=NO_CERTIFICATES)

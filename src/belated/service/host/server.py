"""The server that runs the application: where it listens, and how it ends."""

from __future__ import annotations

import ipaddress
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from belated.checks import require_count
from belated.errors import ParameterError
from belated.service.app import create_app
from belated.service.host.connections import Connections
from belated.service.host.json_logs import log_to_stderr
from belated.service.settings import ServiceSettings
from belated.storage import tokens_of

logger = logging.getLogger("belated.service")

# This many callers may wait to be let in, and this many are let in at once: each takes a file before others can be let
# go for it.
BACKLOG, AT_ONCE = 1024, 8
# Requests under way when the server is told to end have this many seconds.
PATIENCE = 10
# Whatever ends at all does so within this many seconds more.
MOMENT = 4
# An idle connection is kept for this many seconds. Clients and proxies let go of theirs sooner, so that no request is
# sent while the service closes its end: nobody could tell whether that one was done.
IDLE = 180


class Server(uvicorn.Server):
    """A server that says when it has begun, and lets its live streams end first."""

    def __init__(self, config: uvicorn.Config, begun: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self._begun = begun

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        for listening in sockets or ():
            # To let in few at once is to let few wait too, unless it is said anew.
            listening.listen(BACKLOG)
        if self.started:
            self._begun()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told to end by a signal: what ends in order ends well, unlike uvicorn's own, which dies of the signal.

        A model that still runs in a thread when all patience is over, or when Ctrl-C comes twice, does not keep the
        process: nothing of what it decides was acknowledged.
        """
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.end()
        leaving = threading.Timer(MOMENT if self.force_exit else PATIENCE + MOMENT, _leave)
        leaving.daemon = True
        leaving.start()

    def end(self) -> None:
        """Finish what is under way, and end."""
        app: Any = self.config.app
        app.state.service.ending.set()
        self.should_exit = True


def _leave() -> None:
    logger.error("ended while something was under way, which was not acknowledged")
    os._exit(1)


@dataclass(frozen=True)
class Address:
    """Where a service listens, and which proxies before it are believed when they say who calls and by what."""

    host: str = "127.0.0.1"
    port: int = 8000
    proxies: tuple[str, ...] = ()

    @property
    def private(self) -> bool:
        """Whether callers are on this machine for sure: a proxy brings others."""
        return is_loopback(self.host) and not self.proxies


def serve(
    settings: ServiceSettings,
    address: Address,
    listening: socket.socket,
    level: str = "info",
    begun: Callable[[], None] = lambda: None,
) -> None:
    """Serve what comes to a socket until told to end; calls `begun` as soon as it does."""
    log_to_stderr(level)
    app = create_app(settings)
    Server(configured(app, address.host, address.port, address.proxies), begun).run([listening])


def configured(app: FastAPI, host: str, port: int, proxies: Sequence[str] = ()) -> uvicorn.Config:
    """How the application is served."""
    connections = Connections(app.state.service.room)
    return uvicorn.Config(
        app,
        http=connections.connection,  # type: ignore[arg-type] # it is called, and never asked for its type
        ws="none",
        backlog=AT_ONCE,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies),
        timeout_graceful_shutdown=PATIENCE,
        timeout_keep_alive=IDLE,
    )


def listen(address: Address) -> socket.socket:
    """A socket that takes callers in from now on."""
    call = f"serve(host={address.host!r}, port={address.port!r})"
    require_count("serve", "port", address.port, least=0, most=65535)
    try:
        family, _, _, _, place = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # Named as TCP, connections are told not to wait for more before they send: that took 40 ms for each answer.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as trouble:
        raise ParameterError(f"{call}: no address has that name ({trouble}); give another --host.") from None
    try:
        # Connections that have just ended do not keep the next service from starting.
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        listening.listen(BACKLOG)
    except OSError as trouble:
        listening.close()
        raise ParameterError(
            f"{call}: cannot listen there ({trouble.strerror or trouble}); end what does, or give another --port."
        ) from None
    return listening


def check_address(settings: ServiceSettings, address: Address) -> None:
    """Refuse to listen where others can come, as long as there is no token."""
    for proxy in address.proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise ParameterError(
                f"serve(proxy={proxy!r}): that is no address of a proxy; give one as 127.0.0.1 or 10.0.0.0/8."
            ) from None
    if not tokens_of(settings.storage).all() and not address.private:
        where = f"host={address.host!r}" if not is_loopback(address.host) else f"proxy={address.proxies[0]!r}"
        raise ParameterError(
            f"serve({where}): anybody could come in, as there are no tokens; make one with `belated token create`, or "
            f"listen on 127.0.0.1 without a proxy."
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address, or all those that the name stands for."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(ipaddress.ip_address(address).is_loopback for address in found)

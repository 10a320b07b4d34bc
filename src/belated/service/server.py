"""The server that runs the application: where it listens, how many processes, and how it ends."""

from __future__ import annotations

import ipaddress
import socket
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from belated.errors import ParameterError
from belated.service.app import create_app
from belated.service.logs import log_to_stderr
from belated.service.settings import Settings
from belated.storage import tokens_of

# What is under way when the server is told to end has so many seconds.
PATIENCE = 10


class Server(uvicorn.Server):
    """A server that lets its live streams end first."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Told to end by a signal."""
        self.end()
        super().handle_exit(sig, frame)

    def end(self) -> None:
        """Finish what is under way, and end."""
        app: Any = self.config.app
        app.state.service.ending.set()
        self.should_exit = True


def serve(settings: Settings, host: str, port: int, level: str = "info") -> None:
    """Serve until told to end."""
    check_address(settings, host)
    log_to_stderr(level)
    Server(configured(create_app(settings), host, port)).run()


def configured(app: FastAPI, host: str, port: int) -> uvicorn.Config:
    """How the application is served."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=PATIENCE,
    )


def check_address(settings: Settings, host: str) -> None:
    """Refuse to listen where others can come, as long as there is no token."""
    if not is_loopback(host) and not tokens_of(settings.storage).all():
        raise ParameterError(
            f"serve(host={host!r}): anybody could come in, as there are no tokens; make one with `belated token "
            f"create`, or listen on 127.0.0.1."
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

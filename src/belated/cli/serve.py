"""`belated serve`: the studies of a storage over HTTP, with a dashboard."""

from __future__ import annotations

import sys
from enum import StrEnum
from types import ModuleType
from typing import Annotated, Any

import typer

from belated.cli.extra import agents_room, service_room
from belated.cli.options import AsJson, Storage
from belated.cli.output import print_json, say
from belated.storage import DEFAULT_URL, tokens_of

HOST, PORT, RATE = "127.0.0.1", 8000, 100.0
# The addresses at which a browser on this machine finds a service that listens everywhere.
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class Severity(StrEnum):
    """The least important lines that the service still logs."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


Host = Annotated[str, typer.Option(metavar="ADDRESS", help="Where to listen; beyond this machine, only with tokens.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="On which port; 0 takes a free one.")]
ProcessCount = Annotated[int, typer.Option(min=1, metavar="N", help="How many processes answer.")]
Rate = Annotated[float, typer.Option(metavar="N", help="Requests a second that one token may make of a process.")]
Proxies = Annotated[
    list[str] | None,
    typer.Option("--proxy", metavar="ADDRESS", help="A reverse proxy to believe about callers; repeat it for each."),
]
Secure = Annotated[
    bool, typer.Option("--secure", help="It is reached by https: browsers send their cookie by no other.")
]
WithAgents = Annotated[bool, typer.Option("--mcp", help="With a door for agents, at /mcp; see belated mcp.")]
LogLevel = Annotated[Severity, typer.Option(help="How much to write to stderr, one JSON object a line.")]


def serve(
    host: Host = HOST,
    port: Port = PORT,
    workers: ProcessCount = 1,
    rate: Rate = RATE,
    proxies: Proxies = None,
    secure: Secure = False,
    mcp: WithAgents = False,
    log_level: LogLevel = Severity.INFO,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Serve the studies over HTTP, with a dashboard.

    As long as there is no token, only this machine can come in, and needs none. belated token create makes one: from
    then on everybody needs one, and the service may listen elsewhere, as on 0.0.0.0. Ctrl-C ends it in order.

    Example: belated serve --storage sqlite:///lab.db --port 8080
    """
    room = service_room("serve")
    address = room.Address(host, port, tuple(proxies or ()))
    if mcp:
        agents_room("serve")
    settings = room.ServiceSettings(
        storage, open=address.private, secure=secure, limits=room.Limits(rate=rate), agents=mcp
    )
    host_service(room, settings, address, workers, log_level, as_json)


def host_service(
    room: ModuleType, settings: Any, address: Any, workers: int, log_level: Severity, as_json: bool
) -> None:
    """Serve until told to end, after saying where."""
    room.check_address(settings, address)
    listening = room.listen(address)
    with listening:
        _announce(listening.getsockname(), settings, as_json)
        if workers == 1:
            room.serve(settings, address, listening, log_level.value)
        else:
            room.serve_many(settings, address, listening, workers, log_level.value)


def _announce(place: tuple[str, int], settings: Any, as_json: bool) -> None:
    """Say where the service is; a program that reads a pipe is told at once too."""
    host, port = place[:2]
    tokens = bool(tokens_of(settings.storage).all())
    host = EVERYWHERE.get(host, host)
    shown = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    if as_json:
        print_json({"address": shown, "token": tokens, **({"mcp": f"{shown}/mcp"} if settings.agents else {})})
    else:
        say(f"The dashboard is at {shown}" + (", behind a proxy that speaks https" if settings.secure else ""))
        if settings.agents:
            say(f"Agents find their tools at {shown}/mcp")
        say("Sign in with a token" if tokens else "No token is needed: only this machine can come in")
    sys.stdout.flush()

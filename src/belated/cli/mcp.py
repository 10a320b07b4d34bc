"""`belated mcp`: the studies of a storage as tools for agents."""

from __future__ import annotations

from typing import Annotated

import typer

from belated.cli.extra import agents_room, service_room
from belated.cli.options import AsJson, Storage
from belated.cli.serve import HOST, PORT, Severity, host_service
from belated.storage import DEFAULT_URL

NAME = "agent"

OverHttp = Annotated[bool, typer.Option("--http", help="Over HTTP, with tokens, beside the routes of belated serve.")]
AgentName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="By which name the log knows the agent; agent if not given.", show_default=False),
]
HttpHost = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="With --http: where to listen; 127.0.0.1 if not given.", show_default=False),
]
HttpPort = Annotated[
    int | None,
    typer.Option(min=0, max=65535, help="With --http: on which port; 8000 if not given.", show_default=False),
]


def mcp(
    http: OverHttp = False,
    name: AgentName = None,
    host: HttpHost = None,
    port: HttpPort = None,
    storage: Storage = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Let agents ask and tell, by the Model Context Protocol.

    An agent starts it itself, and speaks to it by stdin and stdout; with --http it serves many, each with a token of
    belated token create. For proxies, https and several processes, take belated serve --mcp.

    Example: belated mcp --storage sqlite:///lab.db
    """
    if http and name is not None:
        raise typer.BadParameter("--name goes without --http: there, an agent has the name of its token.")
    if not http and (host is not None or port is not None):
        raise typer.BadParameter("--host and --port go with --http.")
    agents = agents_room("mcp")
    if not http:
        agents.serve_stdio(storage, NAME if name is None else name)
        return
    room = service_room("mcp")
    address = room.Address(HOST if host is None else host, PORT if port is None else port)
    settings = room.ServiceSettings(storage, open=address.private, agents=True)
    host_service(room, settings, address, 1, Severity.INFO, as_json)

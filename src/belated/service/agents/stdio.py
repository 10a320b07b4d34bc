"""The tools over stdin and stdout, for an agent on this machine that starts the process itself.

Who may start it may open the storage, so no token is asked for; what is written is signed by the name that was given.
"""

from __future__ import annotations

import anyio
from mcp.server.stdio import stdio_server

from belated.service.agents.protocol import tool_server
from belated.service.host.json_logs import log_to_stderr
from belated.service.people import SCOPES, Caller
from belated.service.service import Service
from belated.service.settings import ServiceSettings


def serve_stdio(storage: str, name: str, level: str = "warning") -> None:
    """Answer the calls of one agent until it closes stdin."""
    log_to_stderr(level)
    anyio.run(_serve, storage, Caller(name, frozenset(SCOPES)))


async def _serve(storage: str, caller: Caller) -> None:
    tools = tool_server(Service(ServiceSettings(storage)), lambda context: caller)
    async with stdio_server() as (incoming, outgoing):
        await tools.run(incoming, outgoing, tools.create_initialization_options())

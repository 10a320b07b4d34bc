"""The door for agents: the studies as tools of the Model Context Protocol, over HTTP or over stdin and stdout.

It needs the package `mcp`, the official SDK, which nothing else imports.
"""

from belated.service.agents.endpoint import open_to_agents
from belated.service.agents.protocol import tool_server
from belated.service.agents.stdio import serve_stdio

__all__ = ["open_to_agents", "serve_stdio", "tool_server"]

"""The SDK's own client, in this process or over HTTP, and what it is told."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2 as httpx
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from belated.service import SCOPES, ServiceSettings
from belated.service.agents import tool_server
from belated.service.people import Caller
from belated.service.service import Service

NO_CERTIFICATES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def run(work: Callable[[], Awaitable[None]]) -> None:
    """Do what a test does, in an event loop of its own."""
    asyncio.run(work())  # type: ignore[arg-type] # a coroutine function's awaitable is a coroutine


@asynccontextmanager
async def inside(
    storage: str, scopes: Sequence[str] = SCOPES, study: str | None = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    """A client in this process, as somebody with these scopes."""
    caller = Caller("agent", frozenset(scopes), study)
    async with Client(tool_server(Service(ServiceSettings(storage)), lambda context: caller), mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(address: str, token: str | None, mode: str = "auto", **headers: str) -> AsyncIterator[Client]:
    """A client of a service, as somebody with this token."""
    given = headers if token is None else {"Authorization": f"Bearer {token}", **headers}
    async with (
        httpx.AsyncClient(headers=given, timeout=30.0, verify=NO_CERTIFICATES) as http,
        Client(streamable_http_client(f"{address}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


async def result(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """What a tool returns; its text says the same as its structure."""
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, said(found)
    structured: dict[str, Any] = found.structured_content
    assert json.loads(said(found)) == structured
    return structured


async def refusal(client: Client, tool: str, /, **arguments: Any) -> tuple[str, str]:
    """The kind and the words of the error with which a tool refuses."""
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    error = found.structured_content["error"]
    assert said(found) == error["message"]
    return error["kind"], error["message"]


def said(found: CallToolResult) -> str:
    """The one text of a result."""
    (text,) = found.content
    assert isinstance(text, TextContent)
    return text.text

"""The tools as a server of the Model Context Protocol: what each is given is checked, and every refusal is a result.

A model that is told what went wrong, and what to do instead, does that; an error of the protocol would end its turn.
"""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable
from typing import Any

from mcp.server import Server, ServerRequestContext
from mcp.types import (
    CallToolRequestParams,
    CallToolResult,
    ImageContent,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as ToolShown
from pydantic import BaseModel, ValidationError

import belated
from belated.checks import harmless
from belated.errors import BelatedError, ParameterError, out_of_memory, unknown_name
from belated.service.agents.calls import StudyCall
from belated.service.agents.shapes import short
from belated.service.agents.tools import TOOLS, Tool
from belated.service.agents.ways_out import worded
from belated.service.agents.words import INSTRUCTIONS
from belated.service.http.refusals import MOST_DETAILS, kind_of, shortened
from belated.service.http.requests import StudyGiven
from belated.service.people import Caller
from belated.service.service import Service

logger = logging.getLogger("belated.service")
Context = ServerRequestContext[Any, Any]
# What a caller is told of an error, where it is not to be told all.
Discretion = Callable[[BelatedError], str | None]


def tool_server(
    service: Service, caller_of: Callable[[Context], Caller], discretion: Discretion = lambda error: None
) -> Server[Any]:
    """A server with the tools; `caller_of` says who makes a request, as the transport knows."""

    async def on_list_tools(context: Context, given: PaginatedRequestParams | None) -> ListToolsResult:
        held = caller_of(context).scopes
        return ListToolsResult(tools=[_shown(tool) for tool in TOOLS.values() if held & {tool.scope, "admin"}])

    async def on_call_tool(context: Context, given: CallToolRequestParams) -> CallToolResult:
        try:
            return _result(await _called(service, caller_of(context), given.name, given.arguments or {}))
        except BelatedError as error:
            return _refusal(error, discretion)
        except MemoryError as error:
            return _refusal(out_of_memory("service", error), discretion)
        except Exception:
            logger.exception("unforeseen", extra={"belated": {"tool": harmless(given.name)}})
            return _refused("internal", "something went wrong inside; nothing was acknowledged; its log says more.")

    return Server(
        "belated",
        version=belated.__version__,
        title="Belated",
        instructions=INSTRUCTIONS,
        on_list_tools=on_list_tools,
        on_call_tool=on_call_tool,
    )


async def _called(service: Service, caller: Caller, name: str, given: dict[str, Any]) -> dict[str, Any] | bytes:
    """What a call returns; who may not make it is refused before what they give is read."""
    if name not in TOOLS:
        raise unknown_name(f"tool({name!r})", "tool", name, TOOLS)
    tool = TOOLS[name]
    caller.require(tool.scope, caller.study)
    call = _read(tool, given)
    if isinstance(call, StudyCall):
        caller.require(tool.scope, call.study)
    elif isinstance(call, StudyGiven):
        caller.require(tool.scope, call.name)
    return await tool.act(service, caller, call)


def _read(tool: Tool, given: dict[str, Any]) -> BaseModel:
    """What a tool is given, or one error with all that is wrong with it."""
    try:
        return tool.call.model_validate(given)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:MOST_DETAILS]]
        known = ", ".join(tool.call.model_fields) or "nothing"
        raise ParameterError(
            f"{tool.name}(): got arguments that it does not take ({'; '.join(wrong)}); it takes {known}, as its schema "
            f"has them; call it again with these."
        ) from None


def _shown(tool: Tool) -> ToolShown:
    """A tool as agents see it."""
    return ToolShown(
        name=tool.name,
        description=tool.about + tool.more(),
        input_schema=_plain(tool.call.model_json_schema()),
        annotations=ToolAnnotations(
            read_only_hint=tool.effect == "none",
            destructive_hint=False,  # the log keeps everything
            idempotent_hint=tool.effect != "each-time",
            open_world_hint=False,
        ),
    )


def _plain(schema: Any) -> Any:
    """A schema without the titles that repeat its names, and without examples where there are none."""
    if isinstance(schema, dict):
        titled = isinstance(schema.get("title"), str)
        left_out = {*(["title"] if titled else []), *(["examples"] if schema.get("examples") == [] else [])}
        return {name: _plain(part) for name, part in schema.items() if name not in left_out}
    return [_plain(part) for part in schema] if isinstance(schema, list) else schema


def _result(found: dict[str, Any] | bytes) -> CallToolResult:
    if isinstance(found, bytes):
        return CallToolResult(content=[ImageContent(data=base64.b64encode(found).decode(), mime_type="image/png")])
    told = short(found)
    text = json.dumps(told, allow_nan=False, ensure_ascii=False)
    return CallToolResult(content=[TextContent(text=text)], structured_content=told)


def _refusal(error: BelatedError, discretion: Discretion) -> CallToolResult:
    if error.status >= 500:
        logger.error("%s", error)
    return _refused(kind_of(type(error)), discretion(error) or error.worded(worded))


def _refused(kind: str, message: str) -> CallToolResult:
    text = harmless(shortened(message))
    told = {"error": {"kind": kind, "message": text}}
    return CallToolResult(content=[TextContent(text=text)], structured_content=told, is_error=True)

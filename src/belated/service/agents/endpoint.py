"""The tools over HTTP, at /mcp of a service: one POST a call, with the tokens, rates and limits of every route."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from belated.service.agents.protocol import Context, tool_server
from belated.service.http.needs import bearer
from belated.service.http.refusals import public_message
from belated.service.people import Caller, check_session
from belated.service.service import Service

PATH = "/mcp"


class Endpoint:
    """An ASGI application that lets in who has a token, and hands their calls to the tools."""

    def __init__(self, service: Service) -> None:
        self._service = service
        # A session would tie a caller to one of several processes; each call says all that it needs.
        self.sessions = StreamableHTTPSessionManager(
            tool_server(service, _caller_of, public_message),
            json_response=True,
            stateless=True,
            # Whose pages may call is looked at here, as for every route.
            security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            max_request_body_size=service.settings.limits.body,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the caller in, or refuse, and pass the request on."""
        request = Request(scope, receive)
        credentials = await bearer(request)
        token = None if credentials is None else credentials.credentials
        caller = await self._service.enter(request, token)
        request.state.caller = caller.name
        if token is None:
            check_session(request, None, self._service.settings)
        request.state.admitted = caller
        await self.sessions.handle_request(scope, receive, send)


def open_to_agents(app: FastAPI, service: Service) -> None:
    """Give an application the endpoint, which lives as long as the application does."""
    endpoint = Endpoint(service)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with endpoint.sessions.run():
            yield

    app.router.lifespan_context = lifespan
    # A GET would wait for messages that the tools never send; it is answered by 405, as the protocol has it.
    app.router.routes.append(Route(PATH, endpoint, methods=["POST"]))


def _caller_of(context: Context) -> Caller:
    """Whom the endpoint let in."""
    request: Any = context.request
    caller: Caller = request.state.admitted
    return caller

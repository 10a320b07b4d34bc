"""The routes for programs, on a page that needs no script: from the same description that programs read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from belated.service.dashboard.pages import Page, shown
from belated.service.dashboard.visitors import Perhaps
from belated.service.http.refusals import routes_of

router = APIRouter(include_in_schema=False, route_class=Page)
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class RouteParameter:
    """What stands in the path, behind the question mark or in a header."""

    name: str
    place: str
    required: bool
    text: str


@dataclass(frozen=True)
class Operation:
    """A route, its parameters and an example of its use."""

    method: str
    path: str
    summary: str
    text: tuple[str, ...]
    scope: str | None
    parameters: tuple[RouteParameter, ...]
    example: str

    @property
    def anchor(self) -> str:
        """Its place on the page."""
        return f"{self.method}{self.path}".replace("/", "-").replace("{", "").replace("}", "").strip("-")


@router.get("/docs")
async def docs(request: Request, visitor: Perhaps) -> Response:
    """The page that describes every route."""
    described = request.app.openapi()
    return shown("docs.html", visitor, about=described["info"], groups=groups(described, request.app.routes))


def groups(described: Mapping[str, Any], routes: Iterable[BaseRoute]) -> dict[str, list[Operation]]:
    """The routes by what they are about."""
    scopes = {(method, route.path): scope for route, scope in _scoped(routes) for method in route.methods or ()}
    found: dict[str, list[Operation]] = {}
    for path, methods in described["paths"].items():
        for method in METHODS:
            if method in methods:
                operation = methods[method]
                entry = _entry(method.upper(), path, operation, scopes.get((method.upper(), path)), described)
                found.setdefault(operation.get("tags", ["other"])[0], []).append(entry)
    return found


def _entry(
    method: str, path: str, operation: Mapping[str, Any], scope: str | None, described: Mapping[str, Any]
) -> Operation:
    text = tuple(part for part in operation.get("description", "").split("\n\n") if part)
    parameters = tuple(
        RouteParameter(given["name"], given["in"], given.get("required", False), given.get("description", ""))
        for given in operation.get("parameters", [])
    )
    example = _example(operation, described)
    return Operation(method, path, operation.get("summary", ""), text, scope, parameters, example)


def _example(operation: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    """A body that the route takes; empty where it takes none."""
    for content in operation.get("requestBody", {}).get("content", {}).values():
        return json.dumps(_sample(content.get("schema", {}), described), indent=2, ensure_ascii=False)
    return ""


def _sample(schema: Mapping[str, Any], described: Mapping[str, Any]) -> Any:
    """A value that fits a schema: its first example, its default, or one of what it is made of."""
    if "$ref" in schema:
        return _sample(described["components"]["schemas"][schema["$ref"].rpartition("/")[2]], described)
    if schema.get("examples"):
        return schema["examples"][0]
    if "default" in schema:
        return schema["default"]
    for either in schema.get("anyOf", ()):
        return _sample(either, described)
    if "properties" in schema:
        samples = {name: _sample(part, described) for name, part in schema["properties"].items()}
        needed = schema.get("required", ())
        return {name: sample for name, sample in samples.items() if name in needed or sample not in (None, {}, "")}
    if schema.get("type") == "array":
        return [_sample(schema.get("items", {}), described)]
    return {"string": "…", "integer": 1, "number": 0.5, "boolean": False, "object": {}}.get(schema.get("type", ""))


def _scoped(routes: Iterable[BaseRoute]) -> Iterator[tuple[APIRoute, str | None]]:
    """Every route with the scope that it needs."""
    for route in routes_of(routes):
        if isinstance(route, APIRoute):
            scopes = (getattr(needed.call, "scope", None) for needed in route.dependant.dependencies)
            yield route, next((scope for scope in scopes if scope), None)

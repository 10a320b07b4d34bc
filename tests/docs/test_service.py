"""The page of the service names every route, with what it needs."""

from __future__ import annotations

import re
from pathlib import Path

from belated.service import ServiceSettings, create_app
from belated.service.http.refusals import routes_of

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "concepts" / "service.md").read_text(encoding="utf-8")


def needs(route: object) -> str:
    """The scope that a route asks for; nothing where anybody may call it."""
    dependant = getattr(route, "dependant", None)
    scopes = [getattr(part.call, "scope", None) for part in getattr(dependant, "dependencies", [])]
    return next((scope for scope in scopes if scope), "nothing")


def test_the_page_has_every_route_with_the_scope_that_it_needs(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(f"sqlite:///{tmp_path}/lab.db", open=True))
    described = {(method.upper(), path) for path, methods in app.openapi()["paths"].items() for method in methods}
    expected = {
        (method, route.path, needs(route))
        for route in routes_of(app.routes)
        for method in getattr(route, "methods", None) or ()
        if (method, route.path) in described
    }
    listed = re.findall(r"^\| `([A-Z]+) (/[^`]*)` \| (\w+) \|", PAGE, re.MULTILINE)
    assert len(listed) == len(described)
    assert set(listed) == expected

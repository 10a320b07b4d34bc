"""Every route against every scope, another study's token, and what is no token at all."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest
from fastapi.routing import APIRoute

from belated.service import SCOPES, Limits, ServiceSettings, create_app
from belated.service.http.needs import Guarded, ScopeNeeded
from belated.service.http.refusals import routes_of
from belated.space.written import space_of
from belated.storage import tokens_of
from belated.study import Study
from tests.serving import client, serving, token_for

SPACE = {"x": {"float": [-1, 1]}}
POINT = {"x": 0.5}


@dataclass(frozen=True)
class Route:
    """What a route needs, and how it is called so that it succeeds however often."""

    scope: str | None  # None: anybody may
    status: int = 200
    body: dict[str, Any] | None = None
    filtered: bool = False  # shows or makes only what a token for one study opens


STUDY = "/v1/studies/{study}"
QUERY = f"{STUDY}/queries/{{query}}"
ROUTES = {
    ("GET", "/v1/openapi.json"): Route(None),
    ("GET", "/health/live"): Route(None),
    ("GET", "/health/ready"): Route(None),
    ("GET", "/metrics"): Route("read"),
    ("GET", "/v1/policies"): Route("read", filtered=True),
    ("GET", "/v1/studies"): Route("read", filtered=True),
    ("POST", "/v1/studies"): Route(
        "admin", 201, {"name": "mine", "space": SPACE, "or_open": True, "policy": "random"}, filtered=True
    ),
    ("GET", STUDY): Route("read"),
    ("PATCH", STUDY): Route("admin", body={"seed": 3}),
    ("PUT", f"{STUDY}/closure"): Route("admin", body={"reason": "done"}),
    ("DELETE", f"{STUDY}/closure"): Route("admin"),
    ("PUT", f"{STUDY}/archive"): Route("admin", body={"reason": "over"}),
    ("DELETE", f"{STUDY}/archive"): Route("admin"),
    ("PUT", f"{STUDY}/name"): Route("admin", body={"name": "mine"}),
    ("POST", f"{STUDY}/copies"): Route("admin", 409, {"name": "mine"}),
    ("POST", f"{STUDY}/asks"): Route("ask", body={"key": "the same"}),
    ("PUT", f"{QUERY}/answer"): Route("tell", body={"value": 0.25}),
    ("POST", f"{STUDY}/answers"): Route("tell", body={"answers": [{"query": 2, "value": 0.5}]}),
    ("POST", f"{QUERY}/revisions"): Route("tell", body={"value": 0.25}),
    ("PUT", f"{STUDY}/queries/{{query}}/abandonment"): Route("tell", 409, {"reason": "lost"}),
    ("PUT", f"{STUDY}/queries/{{query}}/failure"): Route("tell", 409, {"reason": "spilt"}),
    ("PUT", f"{STUDY}/queries/{{query}}/retraction"): Route("tell", body={"reason": "contaminated"}),
    ("POST", f"{STUDY}/abandonments"): Route("tell", 404, {"queries": [999]}),
    ("POST", f"{STUDY}/failures"): Route("tell", 404, {"queries": [999]}),
    ("POST", f"{STUDY}/retractions"): Route("tell", 404, {"queries": [999]}),
    ("POST", f"{STUDY}/statements"): Route("tell", 404, {"statements": [{"say": "fail", "query": 999}]}),
    ("POST", f"{STUDY}/data"): Route("tell", 201, {"data": [{"point": POINT, "value": 0.5}]}),
    ("GET", f"{STUDY}/best"): Route("read"),
    ("GET", f"{STUDY}/recommendation"): Route("read"),
    ("POST", f"{STUDY}/expectations"): Route("read", body={"points": [POINT]}),
    ("GET", f"{STUDY}/pending"): Route("read"),
    ("GET", f"{STUDY}/queries"): Route("read"),
    ("GET", QUERY): Route("read"),
    ("GET", f"{STUDY}/log"): Route("read"),
    ("GET", f"{STUDY}/export"): Route("read"),
    ("GET", f"{STUDY}/figures/{{kind}}"): Route("read"),
    ("GET", f"{STUDY}/delays"): Route("read"),
    ("GET", f"{STUDY}/explanation"): Route("read"),
    ("GET", f"{STUDY}/events"): Route("read"),
}
# It cannot be called often; tests/http/test_keeping.py has its scopes.
DESTROYING = {("DELETE", STUDY)}
NAMES = [f"{method} {path}" for method, path in ROUTES]


@dataclass(frozen=True)
class Place:
    """A service with a study `mine`, another one, and tokens by their names."""

    address: str
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    storage = f"sqlite:///{tmp_path_factory.mktemp('scopes') / 'lab.db'}"
    tokens = {scope: token_for(storage, scope, scope) for scope in SCOPES}
    tokens["own"] = token_for(storage, "own", *SCOPES, study="mine")
    tokens["foreign"] = token_for(storage, "foreign", *SCOPES, study="other")
    tokens["nowhere"] = token_for(storage, "nowhere", *SCOPES, study="not there")
    tokens["expired"] = token_for(storage, "expired", *SCOPES, days=1e-9)
    tokens["revoked"] = token_for(storage, "revoked", *SCOPES)
    tokens_of(storage).revoke("revoked", time.time())
    tokens["wrong"] = f"{tokens['admin'][:-1]}{'a' if tokens['admin'][-1] != 'a' else 'b'}"
    tokens["no token of ours"] = "secret"
    for name in ("mine", "other"):
        study = Study.create(storage, name, space_of("space", SPACE), policy="random", seed=1)
        study.ask(3)
        study.tell_many({1: 0.25, 2: 0.5})
    with serving(storage, open=False) as address:
        yield Place(address, tokens)


def called(place: Place, method: str, path: str, token: str | None, study: str = "mine") -> httpx.Response:
    """The response of a route, without the body of one that never ends."""
    route = ROUTES[method, path]
    there = path.format(study=study, query=1, kind="progress")
    with (
        client(place.address, None if token is None else place.tokens[token]) as caller,
        caller.stream(method, there, json=route.body) as response,
    ):
        if response.headers["content-type"] != "text/event-stream; charset=utf-8":
            response.read()
        return response


def kind(response: httpx.Response) -> str:
    return str(response.json()["error"]["kind"])


def test_every_route_is_in_the_table(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(f"sqlite:///{tmp_path / 'lab.db'}"))
    found, pages = set(), 0
    for route in routes_of(app.routes):
        if route.endpoint.__module__.startswith("belated.service.dashboard"):
            assert not route.path.startswith("/v1")
            pages += 1
        else:
            found |= {(method, route.path) for method in route.methods - {"HEAD"}}
    assert found == {*ROUTES, *DESTROYING}
    assert pages > 0


def test_whoever_a_route_needs_is_looked_at_before_anything_is_read(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(f"sqlite:///{tmp_path / 'lab.db'}"))
    routes = [route for route in routes_of(app.routes) if isinstance(route, APIRoute)]
    needing = [
        route for route in routes if any(isinstance(part.call, ScopeNeeded) for part in route.dependant.dependencies)
    ]
    assert len(needing) > len(ROUTES) // 2
    assert all(isinstance(route, Guarded) for route in needing)


@pytest.mark.parametrize("method, path", ROUTES, ids=NAMES)
def test_a_route_opens_to_its_scope_and_to_admins_alone(place: Place, method: str, path: str) -> None:
    route = ROUTES[method, path]
    for scope in SCOPES:
        response = called(place, method, path, scope)
        if route.scope in (None, scope) or scope == "admin":
            assert response.status_code == route.status, scope
            continue
        assert response.status_code == 403, scope
        assert response.json()["error"] == {
            "kind": "forbidden",
            "message": f"token({scope!r}): this needs the scope {route.scope!r}, and the token has {scope}; make one "
            "that has it.",
        }


@pytest.mark.parametrize("method, path", ROUTES, ids=NAMES)
def test_without_a_token_that_holds_only_public_routes_open(place: Place, method: str, path: str) -> None:
    route = ROUTES[method, path]
    needed = "give one as `Authorization: Bearer TOKEN`; `belated token create` makes one."
    said = {
        None: f"service: there is no token with the request; {needed}",
        "revoked": f"token('revoked'): it was revoked; {needed}",
        "expired": f"token('expired'): it has expired; {needed}",
        "wrong": f"service: the token is unknown; {needed}",
        "no token of ours": f"service: the token is unknown; {needed}",
    }
    for token, message in said.items():
        response = called(place, method, path, token)
        if route.scope is None:
            assert response.status_code == route.status
            continue
        assert response.status_code == 401, token
        assert response.headers["www-authenticate"] == "Bearer"
        assert response.json()["error"] == {"kind": "access", "message": message}


@pytest.mark.parametrize("method, path", ROUTES, ids=NAMES)
def test_a_token_for_one_study_opens_that_one_alone(place: Place, method: str, path: str) -> None:
    route = ROUTES[method, path]
    about_none = "{study}" not in path and not route.filtered
    expected = 403 if about_none and route.scope else route.status
    assert called(place, method, path, "own").status_code == expected
    if "{study}" in path or route.body:
        refused = called(place, method, path, "foreign")
        assert refused.status_code == 403
        assert refused.json()["error"] == {
            "kind": "forbidden",
            "message": "token('foreign'): it opens the study 'other' alone; make one for this.",
        }


def test_a_token_for_one_study_does_not_learn_which_others_there_are(place: Place) -> None:
    there, missing = (called(place, "GET", STUDY, "foreign", study) for study in ("mine", "missing"))
    assert there.json()["error"] == missing.json()["error"]
    own = called(place, "GET", STUDY, "nowhere", "not there")
    assert own.status_code == 404
    assert own.json()["error"] == {
        "kind": "unknown-study",
        "message": "service: no study is named 'not there'; GET /v1/studies lists those that the token opens.",
    }
    listed = called(place, "GET", "/v1/studies", "foreign").json()
    assert [study["name"] for study in listed["studies"]] == ["other"]
    assert [study["name"] for study in called(place, "GET", "/v1/studies", "read").json()["studies"]] == [
        "mine",
        "other",
    ]
    assert called(place, "GET", "/v1/studies", "nowhere").json() == {"studies": [], "unreadable": []}


def test_a_token_that_is_revoked_while_the_service_runs_opens_nothing_any_more(sqlite: str) -> None:
    limits = Limits(rate=1e6, burst=10**6)
    with serving(sqlite, open=True, limits=limits) as address, client(address) as anybody:
        assert anybody.get("/v1/studies").status_code == 200
        token = token_for(sqlite, "Ada", "read")
        with client(address, token) as ada:
            # The service asks the database every other second.
            while (status := ada.get("/v1/studies").status_code) == 401:
                pass
            assert status == 200
            # Once there is a token, nobody comes in without.
            assert anybody.get("/v1/studies").status_code == 401
            tokens_of(sqlite).revoke("Ada", time.time())
            while (status := ada.get("/v1/studies").status_code) == 200:
                pass
            assert status == 401
        assert anybody.get("/v1/studies").status_code == 401

"""Calls of the routes that tests make again and again."""

from __future__ import annotations

from typing import Any

import httpx2 as httpx

SPACE = {"x": {"float": [-1, 1]}, "kind": ["a", "b"]}
POINT = {"x": 0.5, "kind": "a"}


def begin(caller: httpx.Client, name: str, **given: Any) -> str:
    """The path of a new study."""
    body = {"name": name, "space": SPACE, "seed": 4, "policy": "random", **given}
    assert caller.post("/v1/studies", json=body).status_code == 201
    return f"/v1/studies/{name}"


def ask(caller: httpx.Client, path: str, **given: Any) -> list[dict[str, Any]]:
    response = caller.post(f"{path}/asks", json=given)
    assert response.status_code == 200, response.text
    assert response.json()["balk"] is None
    queries: list[dict[str, Any]] = response.json()["queries"]
    return queries


def tell(caller: httpx.Client, path: str, query: int, **given: Any) -> None:
    assert caller.put(f"{path}/queries/{query}/answer", json=given).json() == {"taken": 1}


def message(response: httpx.Response, status: int) -> str:
    assert response.status_code == status, response.text
    return str(response.json()["error"]["message"])

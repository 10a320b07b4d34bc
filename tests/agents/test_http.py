"""The tools over HTTP: with the tokens of the service, and beside its routes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from belated.service import SCOPES
from belated.space.written import space_of
from belated.study import Study
from tests.agents.clients import over_http, refusal, result, run
from tests.agents.conftest import SPACE
from tests.serving import client, serving, token_for

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_studies", "arguments": {}}}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str], str]]:
    """The address of a service with a token of each scope, these tokens, and its storage."""
    url = f"sqlite:///{tmp_path_factory.mktemp('agents') / 'lab.db'}"
    Study.create(url, "lab", space_of("space", SPACE), policy="random", seed=7)
    tokens = {scope: token_for(url, scope, scope) for scope in SCOPES}
    with serving(url, agents=True) as address:
        yield address, tokens, url


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_each_token_does_what_its_scope_allows_under_its_own_name(
    place: tuple[str, dict[str, str], str], mode: str
) -> None:
    address, tokens, url = place

    async def calls() -> None:
        async with over_http(address, tokens["ask"], mode) as asker:
            (asked,) = (await result(asker, "ask", study="lab"))["queries"]
            kind, message = await refusal(asker, "tell", study="lab", answers=[{"query": asked["query"], "value": 0.5}])
            assert kind == "forbidden"
            assert message == "ask: this needs the scope 'tell', and the token has ask; make one that has it."
        async with over_http(address, tokens["tell"], mode) as teller:
            await result(teller, "tell", study="lab", answers=[{"query": asked["query"], "value": 0.5}])
            assert (await refusal(teller, "best", study="lab"))[0] == "forbidden"
        async with over_http(address, tokens["read"], mode) as reader:
            assert (await result(reader, "best", study="lab"))["value"] == 0.5
        async with over_http(address, tokens["admin"], mode) as admin:
            await result(admin, "create_study", name=mode, space=SPACE, policy="random")
        assert [event.by for event in Study.open(url, "lab").events[-2:]] == ["ask", "tell"]

    run(calls)


def test_without_a_token_nobody_comes_in(place: tuple[str, dict[str, str], str]) -> None:
    address, _, _ = place
    with client(address) as anybody:
        refused = anybody.post("/mcp", json=CALL, headers=ACCEPT)
        assert refused.status_code == 401
        assert refused.headers["www-authenticate"] == "Bearer"
        assert refused.json()["error"] == {
            "kind": "access",
            "message": "service: there is no token with the request; give one as `Authorization: Bearer TOKEN`; "
            "`belated token create` makes one.",
        }


def test_a_session_is_neither_needed_nor_kept(place: tuple[str, dict[str, str], str]) -> None:
    address, tokens, _ = place
    with client(address, tokens["read"]) as reader:
        assert "mcp-session-id" not in reader.post("/mcp", json=CALL, headers=ACCEPT).headers
        for method in ("GET", "DELETE"):
            refused = reader.request(method, "/mcp", headers=ACCEPT)
            assert (refused.status_code, refused.headers["allow"]) == (405, "POST")


def test_without_the_door_for_agents_there_is_no_such_route(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'lab.db'}") as address, client(address) as anybody:
        assert anybody.post("/mcp", json=CALL, headers=ACCEPT).status_code == 404


@pytest.mark.parametrize(
    "headers, said",
    [
        ({"Host": "evil.example"}, "without tokens it answers to 127.0.0.1 and localhost alone"),
        ({"Origin": "https://evil.example"}, "the request comes from https://evil.example"),
    ],
)
def test_before_there_are_tokens_only_this_machine_and_no_page_of_another_site_comes_in(
    storage: str, headers: dict[str, str], said: str
) -> None:
    with serving(storage, agents=True) as address, httpx.Client(base_url=address) as anybody:
        assert anybody.post("/mcp", json=CALL, headers=ACCEPT).status_code == 200
        refused = anybody.post("/mcp", json=CALL, headers={**ACCEPT, **headers})
        assert refused.status_code == 403
        assert said in refused.json()["error"]["message"]


def test_where_the_storage_is_and_what_ails_it_is_not_told(tmp_path: Path) -> None:
    file = tmp_path / "lab.db"
    url = f"sqlite:///{file}"
    Study.create(url, "lab", space_of("space", SPACE), policy="random", seed=7)

    async def calls() -> None:
        async with over_http(address, None) as agent:
            await result(agent, "status", study="lab")
            file.unlink()
            file.mkdir()
            kind, message = await refusal(agent, "status", study="lab")
            assert kind == "storage"
            assert message.startswith("service: the storage cannot be reached or written; what was not acknowledged")
            assert str(tmp_path) not in message

    with serving(url, agents=True) as address:
        run(calls)

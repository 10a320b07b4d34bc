"""What keeps other sites, and those who listen in, from using a service."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest

from belated.service.people import COOKIE, HEADER, word_of
from belated.space.written import space_of
from belated.study import Study
from tests.serving import client, serving, token_for

SPACE = {"x": {"float": [-1, 1]}}
CLOSURE = "/v1/studies/lab/closure"
ELSEWHERE = (
    "service: the request comes from {}, and not from {}; use the pages of the service itself; a proxy before it must "
    "pass on the header Host as it came."
)


@pytest.fixture(scope="module")
def open_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A service that needs no token."""
    storage = f"sqlite:///{tmp_path_factory.mktemp('open') / 'lab.db'}"
    Study.create(storage, "lab", space_of("space", SPACE), policy="random", seed=1)
    with serving(storage, open=True) as address:
        yield address


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "localhost:99", "127.0.0.2:8000", "[::1]:8000", "LOCALHOST"]
)
def test_an_open_service_answers_to_names_of_this_machine(open_address: str, host: str) -> None:
    with client(open_address) as anybody:
        assert anybody.get("/v1/studies", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1", "[", "[::2]", "a:b:c", "testserver"],
)
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_open_service_answers_to_no_other_name(open_address: str, host: str, method: str) -> None:
    with client(open_address) as anybody:
        refused = anybody.request(method, CLOSURE if method == "PUT" else "/v1/studies", headers={"Host": host})
    assert refused.status_code == 403
    assert refused.json()["error"] == {
        "kind": "forbidden",
        "message": f"service: got the host {host!r}, and without tokens it answers to 127.0.0.1 and localhost alone; "
        "use one of these, or make a token.",
    }


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://["},
        {"Origin": ""},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    ],
)
@pytest.mark.parametrize("method, path", [("PUT", CLOSURE), ("DELETE", CLOSURE), ("POST", "/v1/studies/lab/asks")])
def test_an_open_service_takes_no_changes_from_other_sites(
    open_address: str, headers: dict[str, str], method: str, path: str
) -> None:
    with client(open_address) as browser:
        refused = browser.request(method, path, headers=headers, json={})
    assert refused.status_code == 403
    said = ELSEWHERE.format(headers.get("Origin") or "another site", open_address.removeprefix("http://"))
    assert refused.json()["error"] == {"kind": "forbidden", "message": said}


def test_an_open_service_takes_changes_from_its_own_pages_and_from_programs(open_address: str) -> None:
    own = {"Origin": open_address, "Sec-Fetch-Site": "same-origin"}
    typed = {"Sec-Fetch-Site": "none"}
    with client(open_address) as browser:
        for headers in (own, typed, {}):
            assert browser.put(CLOSURE, headers=headers, json={}).status_code == 200
            assert browser.delete(CLOSURE, headers=headers).json()["closed"] is None
        # Looking is harmless from anywhere: without CORS, the other site does not see the answer.
        looked = browser.get("/v1/studies/lab", headers={"Origin": "https://evil.example"})
        assert looked.status_code == 200
        assert "access-control-allow-origin" not in looked.headers


def test_a_cookie_needs_the_word_that_only_our_pages_know(sqlite: str) -> None:
    token, other = token_for(sqlite, "Ada", "admin"), token_for(sqlite, "Bob", "admin")
    Study.create(sqlite, "lab", space_of("space", SPACE), policy="random", seed=1)
    stale = {"kind": "forbidden", "message": f"service: the page has no valid {HEADER}; load it again."}
    with (
        serving(sqlite, open=False) as address,
        httpx.Client(base_url=address, cookies={COOKIE: token}, timeout=30.0) as browser,
    ):
        assert browser.get("/v1/studies").status_code == 200
        wrong = [b"", word_of(other).encode(), word_of(None).encode(), "wörd".encode("latin-1"), b"x" * 5000]
        for headers in ({}, *({HEADER.encode(): word} for word in wrong)):
            refused = browser.put(CLOSURE, json={}, headers=headers)
            assert refused.status_code == 403
            assert refused.json()["error"] == stale
        word = {HEADER: word_of(token)}
        said = ELSEWHERE.format("https://evil.example", address.removeprefix("http://"))
        elsewhere = browser.put(CLOSURE, json={}, headers={**word, "Origin": "https://evil.example"})
        assert elsewhere.json()["error"] == {"kind": "forbidden", "message": said}
        assert browser.put(CLOSURE, json={}, headers=word).status_code == 200
        assert browser.put(CLOSURE, json={}, headers={**word, "Origin": address}).status_code == 200
        # With the token in a header, no cookie counts: no site can make a browser send that.
        shown = browser.put(CLOSURE, json={}, headers={"Authorization": f"Bearer {other}"})
        assert shown.status_code == 200
    assert [event.by for event in Study.open(sqlite, "lab").events] == [None, "Ada"]


def test_where_no_token_was_ever_made_a_cookie_of_another_service_changes_nothing(open_address: str) -> None:
    # Browsers send it to every port of a host.
    with httpx.Client(base_url=open_address, cookies={COOKIE: "belated_1_2"}, timeout=30.0) as browser:
        assert browser.get("/").status_code == 200
        assert browser.get("/login").headers["location"] == "/"
        assert browser.put(CLOSURE, json={}).status_code == 200
        assert browser.delete(CLOSURE).status_code == 200
        for path in ("/", "/v1/studies"):
            assert browser.get(path, headers={"Host": "evil.example"}).status_code == 403
        assert browser.put(CLOSURE, json={}, headers={"Origin": "https://evil.example"}).status_code == 403


def test_a_cookie_with_a_wrong_token_opens_nothing(sqlite: str) -> None:
    token_for(sqlite, "Ada", "admin")
    with serving(sqlite, open=True) as address:
        for token in ("", "belated_1_2", "x" * 5000):
            with httpx.Client(base_url=address, cookies={COOKIE: token}, timeout=30.0) as browser:
                assert browser.get("/v1/studies").status_code == 401


@pytest.mark.parametrize(
    "method, path, status",
    [
        ("GET", "/v1/studies", 200),
        ("GET", "/health/live", 200),
        ("GET", "/metrics", 200),
        ("GET", "/v1/studies/lab/export", 200),
        ("GET", "/v1/openapi.json", 200),
        ("GET", "/v1/studies/none", 404),
        ("GET", "/v1/nowhere", 404),
        ("DELETE", "/v1/studies", 405),
        ("POST", "/v1/studies", 422),
    ],
)
def test_every_response_has_the_headers_that_browsers_heed(
    open_address: str, method: str, path: str, status: int
) -> None:
    with client(open_address) as anybody:
        response = anybody.request(method, path)
    assert response.status_code == status
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["x-frame-options"] == "DENY"
    assert response.headers["referrer-policy"] == "same-origin"
    assert response.headers["cross-origin-opener-policy"] == "same-origin"
    assert response.headers["cross-origin-resource-policy"] == "same-origin"
    assert response.headers["cache-control"] == "no-store"
    assert len(response.headers["x-request-id"]) == 16
    assert "server" not in response.headers
    assert urlsplit(str(response.url)).path == path

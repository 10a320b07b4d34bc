"""One body for every error, and no error of ours whatever a caller sends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx2 as httpx
import pytest

from belated.service import Limits
from belated.space.written import space_of
from belated.study import Study
from tests.serving import client, serving

SPACE = {"x": {"float": [-1, 1]}, "n": {"int": [0, 9]}, "kind": ["a", "b"]}
JSON = {"Content-Type": "application/json"}
BODIES = {
    ("POST", "/v1/studies"): {"name": "new", "space": SPACE},
    ("PATCH", "/v1/studies/lab"): {"seed": 1},
    ("PUT", "/v1/studies/lab/closure"): {"reason": "x"},
    ("POST", "/v1/studies/lab/asks"): {"count": 1},
    ("PUT", "/v1/studies/lab/queries/1/answer"): {"value": 0.5},
    ("PUT", "/v1/studies/lab/queries/2/answer"): {
        "value": {"value": [0.5, 0.25]},
        "sd": 0.1,
        "point": {"x": 0.25, "n": 3.5, "kind": "a"},
    },
    ("POST", "/v1/studies/lab/answers"): {"answers": [{"query": 1, "value": 0.5}]},
    ("POST", "/v1/studies/lab/queries/1/revisions"): {
        "value": {"value": 0.5},
        "sd": {"value": 0.1},
        "point": {"x": 0.25, "n": 3.5, "kind": "a"},
    },
    ("PUT", "/v1/studies/lab/queries/1/failure"): {"reason": "x"},
    ("POST", "/v1/studies/lab/failures"): {"queries": [1], "reason": "x"},
    ("PUT", "/v1/studies/lab/queries/1/abandonment"): {"reason": "x"},
    ("POST", "/v1/studies/lab/abandonments"): {"queries": [1], "reason": "x"},
    ("PUT", "/v1/studies/lab/queries/1/retraction"): {"reason": "x", "outcome": "value"},
    ("POST", "/v1/studies/lab/retractions"): {"queries": [1], "reason": "x"},
    ("POST", "/v1/studies/lab/statements"): {"statements": [{"say": "fail", "query": 1, "reason": "x"}]},
    ("POST", "/v1/studies/lab/data"): {"data": [{"point": {"x": 0, "n": 0, "kind": "a"}, "value": 0.5}]},
    ("POST", "/v1/studies/lab/expectations"): {"points": [{"x": 0, "n": 0, "kind": "a"}]},
}
ROUTES = list(BODIES)
IDS = [f"{method} {path}" for method, path in ROUTES]
UNREADABLE = {
    "empty": b"",
    "no JSON": b"{",
    "a word": b"hello",
    "NaN": b'{"value": NaN, "seed": NaN}',
    "infinite": b'{"value": Infinity}',
    "minus infinite": b'{"value": -Infinity}',
    "nested": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
    "a long number": b'{"value": ' + b"9" * 5000 + b"}",
    "no UTF-8": b'{"reason": "\xff\xfe"}',
    "UTF-16": '{"value": 1}'.encode("utf-16"),
    "half a pair": b'{"reason": "\\ud800"}',
    "half a pair in a name": b'{"\\udfff": 1}',
    "a list": b"[]",
    "null": b"null",
    "a text": b'"x"',
}
# In the place of any value.
STRANGE: dict[str, Any] = {
    "null": None,
    "true": True,
    "a text": "x",
    "an empty text": "",
    "a NUL": "a\0b",
    "a long text": "x" * 100_000,
    "letters": "Ωß漢\U0001f600\u202e",
    "zero": 0,
    "minus one": -1,
    "65 bits": 2**65,
    "200 bits": 2**200,
    "4000 digits": 10**4000,
    "1e308": 1e308,
    "a denormal": 5e-324,
    "minus zero": -0.0,
    "a list": [],
    "an object": {},
    "many": [[[[]]]] * 50,
    "a part": {"part": "GP", "name": "gp-bucb", "kind": "space"},
}


@pytest.fixture(scope="module", params=("sqlite", "postgres"))
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of an open service with a study that has an answered and a pending query."""
    if request.param == "sqlite":
        storage = f"sqlite:///{tmp_path_factory.mktemp('errors') / 'lab.db'}"
    else:
        server = request.getfixturevalue("server")
        storage = server.address(server.create())
    study = Study.create(storage, "lab", space_of("space", SPACE), policy="random", seed=1)
    study.ask(3)
    study.tell(1, 0.5)
    with serving(storage, limits=Limits(rate=1e6, burst=10**6)) as address, client(address) as anybody:
        yield anybody


def check_refusal(response: httpx.Response, status: int | None = None) -> dict[str, Any]:
    """The error, after a look at the body that all of them have."""
    assert 400 <= response.status_code < 500, response.text[:300]
    assert status in (None, response.status_code), response.text[:300]
    assert response.headers["content-type"] == "application/json"
    body = response.json()
    assert set(body) == {"error", "request"}
    assert body["request"] == response.headers["x-request-id"]
    error: dict[str, Any] = body["error"]
    assert {"kind", "message"} <= set(error) <= {"kind", "message", "details"}
    assert isinstance(error["kind"], str)
    assert 10 < len(error["message"]) <= 1000
    assert all(set(detail) == {"where", "what"} for detail in error.get("details", []))
    return error


# Bodies are read before any storage is.
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
@pytest.mark.parametrize("what", UNREADABLE)
@pytest.mark.parametrize("method, path", ROUTES, ids=IDS)
def test_a_body_that_cannot_be_read_is_refused(place: httpx.Client, method: str, path: str, what: str) -> None:
    error = check_refusal(place.request(method, path, content=UNREADABLE[what], headers=JSON), 422)
    assert error["kind"] == "request"
    assert error["message"].startswith("service: the request is not as the description has it (body")
    assert error["message"].endswith("; see /docs for its form.")


@pytest.mark.parametrize("method, path", ROUTES, ids=IDS)
def test_strange_values_are_refused_or_taken_and_break_nothing(place: httpx.Client, method: str, path: str) -> None:
    for value in STRANGE.values():
        for strange in _replaced(BODIES[method, path], value):
            response = place.request(method, path, json=strange)
            if response.status_code >= 300:
                check_refusal(response)
    standing = place.get("/v1/studies/lab")
    assert standing.status_code == 200
    # Whatever was taken can be read again, and the study restored from it.
    assert place.get("/v1/studies/lab/log", params={"limit": 1000}).status_code == 200
    assert place.get("/v1/studies").json()["unreadable"] == []
    for name in [study["name"] for study in place.get("/v1/studies").json()["studies"]]:
        assert place.get(f"/v1/studies/{name}/export").status_code == 200
    place.delete("/v1/studies/lab/closure").raise_for_status()


def _replaced(given: Any, value: Any) -> Iterator[Any]:
    """The same with one thing in it replaced, added or missing, at any depth."""
    yield value
    if isinstance(given, dict):
        for name, entry in given.items():
            for other in _replaced(entry, value):
                yield {**given, name: other}
        yield {**given, "another": value}
        if isinstance(value, str):
            yield {**given, value: 1}
    if isinstance(given, list):
        for place, entry in enumerate(given):
            for other in _replaced(entry, value):
                yield [*given[:place], other, *given[place + 1 :]]


@pytest.mark.parametrize(
    "name", ["%00", "a%00b", "%F0%9F%98%80", "%ff", "%E2%80%AE", "x" * 2000, "..", "%2e%2e", "%20", "'--"]
)
def test_a_study_that_is_not_there_is_not_found_whatever_its_name(place: httpx.Client, name: str) -> None:
    for path in ("", "/best", "/queries/1", "/log", "/export", "/figures/progress", "/events"):
        check_refusal(place.get(f"/v1/studies/{name}{path}"))
    check_refusal(place.post(f"/v1/studies/{name}/asks", json={}))


@pytest.mark.parametrize("query", ["0", "-1", "x", "1.5", "99", "2147483648", "9" * 30, "9" * 5000, "%00", "１"])
def test_a_query_that_is_not_there_is_not_found(place: httpx.Client, query: str) -> None:
    check_refusal(place.get(f"/v1/studies/lab/queries/{query}"))
    check_refusal(place.put(f"/v1/studies/lab/queries/{query}/answer", json={"value": 1.0}))
    check_refusal(place.put(f"/v1/studies/lab/queries/{query}/abandonment", json={}))
    check_refusal(place.post(f"/v1/studies/lab/queries/{query}/revisions", json={"value": 1.0}))


@pytest.mark.parametrize(
    "path, wrong",
    [
        ("queries", {"after": "-1"}),
        ("queries", {"after": "2147483648"}),
        ("queries", {"limit": "0"}),
        ("queries", {"limit": "x"}),
        ("queries", {"limit": "9" * 5000}),
        ("queries", {"state": "lost"}),
        ("log", {"after": "1e3"}),
        ("events", {"after": "x"}),
        ("recommendation", {"context": "{"}),
        ("recommendation", {"context": "[1]"}),
        ("recommendation", {"context": '{"hour": NaN}'}),
        ("recommendation", {"context": "[" * 5000}),
        ("recommendation", {"context": '{"hour": 1}'}),
        ("figures/nothing", {}),
        ("figures/%00", {}),
        ("figures/weights", {}),
    ],
)
def test_what_a_reader_gets_wrong_is_told(place: httpx.Client, path: str, wrong: dict[str, str]) -> None:
    check_refusal(place.get(f"/v1/studies/lab/{path}", params=wrong))


def test_errors_of_the_library_are_as_they_are(place: httpx.Client) -> None:
    place.post("/v1/studies", json={"name": "calm", "space": SPACE, "policy": "random"}).raise_for_status()
    place.post("/v1/studies/calm/asks", json={}).raise_for_status()
    path = "/v1/studies/calm/queries"
    place.put(f"{path}/1/answer", json={"value": 0.5}).raise_for_status()
    assert check_refusal(place.put(f"{path}/1/answer", json={"value": 0.7}), 409) == {
        "kind": "conflict",
        "message": "tell(query=1): already answered with 0.5, and now given 0.7; use revise() to replace the answer.",
    }
    assert check_refusal(place.get("/v1/studies/lab/figures/nothing"), 404)["kind"] == "unknown-name"
    assert check_refusal(place.post("/v1/studies", json={"name": "lab", "space": SPACE}), 409) == {
        "kind": "conflict",
        "message": "create('lab'): a study of that name is there already; open it, or choose another name.",
    }
    assert check_refusal(place.get(f"{path}/99"), 404)["kind"] == "unknown-query"
    wrong = {"data": [{"point": {"x": 2, "n": 0, "kind": "a"}, "value": 0.5}]}
    assert check_refusal(place.post("/v1/studies/lab/data", json=wrong), 422) == {
        "kind": "point",
        "message": "add_many(): x=2 is outside [-1.0, 1.0]; give a number inside.",
    }


def test_a_misshapen_body_is_told_where(place: httpx.Client) -> None:
    response = place.post("/v1/studies/lab/answers", json={"answers": [{"query": 0, "value": "1"}], "more": 1})
    assert check_refusal(response, 422)["details"] == [
        {"where": "body.answers.0.value", "what": "Input should be a number, a list of them, or either by outcome"},
        {"where": "body.answers.0.query", "what": "Input should be greater than or equal to 1"},
        {"where": "body.more", "what": "Extra inputs are not permitted"},
    ]
    response = place.put("/v1/studies/lab/queries/2/answer", content=b'{"value": NaN}', headers=JSON)
    assert check_refusal(response)["details"] == [
        {"where": "body.0", "what": "JSON decode error: NaN is no number of JSON"}
    ]


def test_only_json_is_read(place: httpx.Client) -> None:
    body = json.dumps({"value": 0.25}).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        headers = {"Content-Type": kind}
        check_refusal(place.put("/v1/studies/lab/queries/3/answer", content=body, headers=headers), 422)


@pytest.mark.parametrize(
    "method, path, allowed",
    [
        ("DELETE", "/v1/studies", "GET, HEAD, POST"),
        ("OPTIONS", "/v1/studies/lab", "DELETE, GET, HEAD, PATCH"),
        ("GET", "/v1/studies/lab/closure", "DELETE, PUT"),
        ("HEAD", "/v1/studies/lab/asks", "POST"),
        ("TRACE", "/health/live", "GET, HEAD"),
        ("STRANGE", "/metrics", "GET, HEAD"),
        ("POST", "/v1/openapi.json", "GET, HEAD"),
    ],
)
def test_a_method_that_a_path_does_not_have_is_told_which_it_has(
    place: httpx.Client, method: str, path: str, allowed: str
) -> None:
    response = place.request(method, path)
    assert response.status_code == 405
    assert response.headers["allow"] == allowed
    if method != "HEAD":
        assert check_refusal(response) == {
            "kind": "method",
            "message": f"service: {method} {path}: Method Not Allowed; see /docs for the routes.",
        }
    assert "STRANGE" not in place.get("/metrics").text


@pytest.mark.parametrize("path", ["/v1/nowhere", "/v1", "/v1/studies/lab/", "/v2/studies", "/health", "/%00"])
def test_a_path_that_is_not_there_is_not_found(place: httpx.Client, path: str) -> None:
    response = place.get(path)
    error = check_refusal(response, 404)
    assert error["kind"] == "unknown-route"


@pytest.mark.parametrize(
    "path", ["/health/live", "/health/ready", "/v1/studies", "/v1/studies/lab", "/v1/openapi.json"]
)
def test_a_head_is_a_get_without_a_body(place: httpx.Client, path: str) -> None:
    got, head = place.get(path), place.head(path)
    assert head.status_code == got.status_code == 200
    assert head.content == b""
    assert head.headers["content-length"] == str(len(got.content))
    streamed = place.head("/v1/studies/lab/events")
    assert (streamed.status_code, streamed.content) == (200, b"")

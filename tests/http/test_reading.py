"""What the routes show of a study, and of the service itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2 as httpx

from belated.log import Event
from belated.space.written import space_of
from belated.storage import connect
from belated.study import Study
from tests.http.calls import POINT, SPACE, ask, begin, message, tell
from tests.serving import client, serving


def test_pages_of_queries_and_of_the_log_follow_one_another(caller: httpx.Client, storage: str) -> None:
    path = begin(caller, "paged")
    ask(caller, path, count=7)
    for query in (2, 4, 6):
        tell(caller, path, query, value=float(query))

    def pages(what: str, **given: Any) -> list[list[int]]:
        found, after = [], 0
        while after is not None:
            page = caller.get(f"{path}/{what}", params={"after": after, **given}).json()
            found.append([entry["id" if what == "queries" else "number"] for entry in page[_kind(what)]])
            after = page["next"]
        return found

    assert pages("queries", limit=3) == [[1, 2, 3], [4, 5, 6], [7]]
    assert pages("queries", limit=7) == [[1, 2, 3, 4, 5, 6, 7]]
    assert pages("queries", limit=2, state="answered") == [[2, 4], [6]]
    assert pages("queries", state="abandoned") == [[]]
    assert pages("log", limit=4) == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11]]
    assert pages("log", limit=11) == [list(range(1, 12))]
    assert caller.get(f"{path}/queries", params={"after": 99}).json() == {"queries": [], "next": None}
    assert caller.get(f"{path}/log", params={"after": 99}).json() == {"events": [], "next": None}
    events = caller.get(f"{path}/log").json()["events"]
    assert [Event.from_json(event) for event in events] == list(Study.open(storage, "paged").events)


def _kind(what: str) -> str:
    return "queries" if what == "queries" else "events"


def test_a_study_restored_from_its_export_is_the_same(caller: httpx.Client, storage: str) -> None:
    path = begin(caller, 'Ünï "code" 漢', policy="gp-bucb")
    ask(caller, path, count=2)
    tell(caller, path, 1, value=0.1)
    response = caller.get(f"{path}/export")
    assert response.headers["content-type"] == "application/x-ndjson"
    assert response.headers["content-disposition"] == (
        "attachment; filename*=UTF-8''%C3%9Cn%C3%AF%20%22code%22%20%E6%BC%A2.jsonl"
    )
    events = [Event.from_json(json.loads(line)) for line in response.text.splitlines()]
    restored = Study.restore(storage, "restored", events)
    original = Study.open(storage, 'Ünï "code" 漢')
    assert restored.events == original.events
    assert restored.ask().point == ask(caller, path)[0]["point"]  # type: ignore[union-attr]


def test_before_the_first_answer_there_is_none_to_show(caller: httpx.Client) -> None:
    path = begin(caller, "early")
    for part in ("best", "recommendation"):
        assert caller.get(f"{path}/{part}").json()["error"]["kind"] == "no-answer"
    assert message(caller.post(f"{path}/expectations", json={"points": [POINT]}), 409) == (
        "expect(): no query has an answer yet; tell() or add() one first."
    )
    standing = caller.get(path).json()
    assert (standing["best"], standing["delay"], standing["overdue"]) == (None, None, [])
    assert caller.get(f"{path}/delays").json()["asked"] == 0


def test_the_explanation_is_that_of_the_study(caller: httpx.Client, storage: str) -> None:
    path = begin(caller, "explained", policy="auto")
    ask(caller, path, count=4)
    assert caller.get(f"{path}/explanation").json() == Study.open(storage, "explained").explain().to_json()


def test_figures_and_delays_are_those_of_the_study(caller: httpx.Client, storage: str) -> None:
    path = begin(caller, "drawn", policy="gp-bucb")
    ask(caller, path, count=4)
    for query in (1, 2, 3):
        tell(caller, path, query, value=0.1 * query)
    study = Study.open(storage, "drawn")
    for kind in ("progress", "belief"):
        drawn, own = caller.get(f"{path}/figures/{kind}").json(), json.loads(study.plot(kind).to_json())
        # A figure may say how much time has passed.
        assert drawn["layout"].keys() == own["layout"].keys()
        assert [(trace["type"], trace.get("name")) for trace in drawn["data"]] == [
            (trace["type"], trace.get("name")) for trace in own["data"]
        ]
        assert len(drawn["data"]) >= 2
    found, learned = caller.get(f"{path}/delays").json(), json.loads(json.dumps(study.delays().to_json()))
    counted = ("asked", "answered", "waiting", "abandoned", "queries", "depends")
    assert {name: found[name] for name in counted} == {name: learned[name] for name in counted}
    assert [entry["query"] for entry in found["oldest"]] == [4]
    advice = study.recommend()
    assert caller.get(f"{path}/recommendation").json()["mean"] == advice.mean
    mean, deviation = study.expect([POINT])
    expected = caller.post(f"{path}/expectations", json={"points": [POINT]}).json()
    assert expected == {"mean": mean.tolist(), "deviation": deviation.tolist()}


def test_metrics_say_how_many_queries_wait_now_whoever_asked_them(caller: httpx.Client, storage: str) -> None:
    path = begin(caller, "counted", policy={"name": "gp-bucb", "parameters": {"window": 1}})
    study = Study.open(storage, "counted")
    study.ask(3)
    tell(caller, path, 3, value=0.5)
    assert 'belated_pending{study="counted"} 2.0' in (numbers := caller.get("/metrics").text)
    assert [query.state.value for query in study.pending()] == ["overdue", "pending"]
    assert 'belated_overdue{study="counted"} 1.0' in numbers
    assert 'belated_tells_total{study="counted"} 1.0' in numbers
    study.tell_many({1: 0.5, 2: 0.5})
    assert 'belated_pending{study="counted"} 0.0' in (numbers := caller.get("/metrics").text)
    assert 'belated_overdue{study="counted"} 0.0' in numbers
    assert 'belated_requests_total{method="GET",route="/metrics",status="200"}' in numbers
    ask(caller, path)
    assert 'belated_ask_seconds_count{study="counted"} 1.0' in caller.get("/metrics").text


def test_health_says_whether_the_storage_can_be_read(sqlite: str) -> None:
    with serving(sqlite) as address, client(address) as anybody:
        assert anybody.get("/health/live").json()["status"] == "alive"
        assert anybody.get("/health/ready").json() == {"status": "ready"}
        file = Path(sqlite.removeprefix("sqlite:///"))
        file.rename(file.with_suffix(".away"))
        # What was ready is so for a second.
        while (response := anybody.get("/health/ready")).status_code == 200:
            pass
        assert message(response, 503) == (
            "service: the storage cannot be reached or written; what was not acknowledged may not be written; send the "
            "request again: the same answer twice, or an ask with the same key, changes nothing."
        )
        assert response.headers["retry-after"] == "1"
        assert anybody.get("/health/live").status_code == 200
        file.with_suffix(".away").rename(file)
        assert anybody.get("/health/ready").status_code == 200
        assert anybody.get("/v1/studies").json() == {"studies": [], "unreadable": []}


def test_a_study_that_cannot_be_read_does_not_hide_the_others(sqlite: str) -> None:
    sound = Study.create(sqlite, "sound", space_of("space", SPACE), policy="random", seed=1)
    created = sound.events[0].to_json()
    created["policy"] = {"name": "from-another-package", "parameters": {}}
    connect(sqlite).create("strange", [Event.from_json(created)])
    with serving(sqlite) as address, client(address) as anybody:
        listed = anybody.get("/v1/studies").json()
        assert [study["name"] for study in listed["studies"]] == ["sound"]
        assert [(study["name"], study["kind"]) for study in listed["unreadable"]] == [("strange", "unknown-name")]
        numbers = anybody.get("/metrics").text
        assert 'belated_pending{study="sound"} 0.0' in numbers
        assert 'study="strange"' not in numbers

"""Events as they happen: whoever writes them, from where a reader left off, until the service ends."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import httpx2 as httpx
import pytest
import sqlalchemy as sa

from belated.log import Event
from belated.service import Limits, followers
from belated.service.http.routes import live
from belated.space.written import space_of
from belated.storage import tokens_of
from belated.study import Study
from tests.meanwhile import Meanwhile, until
from tests.serving import client, serving, token_for

SPACE = {"x": {"float": [-1, 1]}}
PATH = "/v1/studies/lab/events"


def begun(storage: str) -> Study:
    return Study.create(storage, "lab", space_of("space", SPACE), policy="random", seed=1)


def told(lines: Iterator[str], count: int) -> list[dict[str, Any]]:
    """The next so many events of a stream: what their fields say."""
    found: list[dict[str, Any]] = []
    fields: dict[str, Any] = {}
    while len(found) < count:
        line = next(lines)
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            fields["data"] = json.loads(fields["data"])
            found.append(fields)
            fields = {}
    return found


def test_what_others_write_arrives(shared: str) -> None:
    study = begun(shared)
    with (
        serving(shared) as address,
        client(address) as reader,
        client(address) as writer,
        reader.stream("GET", PATH) as stream,
    ):
        assert stream.headers["content-type"] == "text/event-stream; charset=utf-8"
        assert stream.headers["x-accel-buffering"] == "no"
        lines = stream.iter_lines()
        assert next(lines) == "retry: 1000"
        # What came before is not told; then one event by another Study, one by a route.
        study.ask()
        writer.put("/v1/studies/lab/queries/1/answer", json={"value": 0.5}).raise_for_status()
        asked, answered = told(lines, 2)
    assert (asked["id"], asked["event"]) == ("2", "asked")
    assert (answered["id"], answered["event"]) == ("3", "answered")
    assert [Event.from_json(event["data"]) for event in (asked, answered)] == list(study.events[1:])


def test_all_that_may_come_of_a_query_arrives(sqlite: str) -> None:
    study = begun(sqlite)
    study.ask(2)
    with serving(sqlite) as address, client(address) as reader, reader.stream("GET", PATH) as stream:
        lines = stream.iter_lines()
        assert next(lines) == "retry: 1000"
        study.tell(1, [0.5, 0.75], point={"x": 0.125})
        study.revise(1, 0.5, sd=0.25)
        study.fail(2, "burnt")
        study.retract([1, 2], "the wrong flask")
        came = told(lines, 6)
    assert [event["event"] for event in came] == [
        "performed",
        "answered",
        "revised",
        "failed",
        "retracted",
        "retracted",
    ]
    assert [Event.from_json(event["data"]) for event in came] == list(study.events[3:])


def test_a_reader_goes_on_after_the_last_event_it_has_seen(sqlite: str) -> None:
    study = begun(sqlite)
    study.ask(4)
    with serving(sqlite) as address, client(address) as reader:
        with reader.stream("GET", PATH, params={"after": 0}) as stream:
            assert [event["id"] for event in told(stream.iter_lines(), 5)] == ["1", "2", "3", "4", "5"]
        for headers, after in (({"Last-Event-ID": "3"}, None), ({"Last-Event-ID": "3"}, 1), ({}, 3)):
            given = {} if after is None else {"after": after}
            with reader.stream("GET", PATH, headers=headers, params=given) as stream:
                assert [event["id"] for event in told(stream.iter_lines(), 2)] == ["4", "5"]


def test_a_number_far_ahead_is_waited_for(sqlite: str) -> None:
    begun(sqlite)
    with serving(sqlite) as address, client(address) as reader:
        with reader.stream("GET", PATH, params={"after": 2**31 - 1}) as stream:
            lines = stream.iter_lines()
            assert next(lines).startswith("retry:")
        assert reader.get(PATH, params={"after": 2**31}).status_code == 422
        assert reader.get("/v1/studies/lab/log", params={"after": 2**31 - 1}).json() == {"events": [], "next": None}


def test_a_strange_number_begins_with_what_is_new(sqlite: str) -> None:
    study = begun(sqlite)
    with serving(sqlite) as address, client(address) as reader, ExitStack() as opened:
        readers = []
        for strange in ("x", "-1", "9" * 5000, "3.5", "99999999999", "²"):
            headers = {b"Last-Event-ID": strange.encode()}
            stream = opened.enter_context(reader.stream("GET", PATH, headers=headers))
            assert stream.status_code == 200
            readers.append(stream.iter_lines())
            next(readers[-1])
        study.ask()
        assert [told(lines, 1)[0]["id"] for lines in readers] == ["2"] * 6


def test_a_stream_ends_with_the_service(sqlite: str) -> None:
    begun(sqlite)
    ended = threading.Event()
    begun_reading = threading.Event()

    def read(address: str) -> None:
        with client(address) as reader, reader.stream("GET", PATH, timeout=60.0) as stream:
            lines = stream.iter_lines()
            next(lines)
            begun_reading.set()
            # A connection that broke would raise.
            assert all(not line.startswith("data") for line in lines)
        ended.set()

    with serving(sqlite) as address:
        thread = threading.Thread(target=read, args=(address,))
        thread.start()
        assert begun_reading.wait(60.0)
    thread.join(60.0)
    assert ended.is_set()


def test_a_stream_ends_with_its_token(sqlite: str) -> None:
    token = token_for(sqlite, "Ada", "read")
    begun(sqlite)
    with (
        serving(sqlite, open=False) as address,
        client(address, token) as reader,
        reader.stream("GET", PATH, timeout=60.0) as stream,
    ):
        lines = stream.iter_lines()
        assert next(lines) == "retry: 1000"
        tokens_of(sqlite).revoke("Ada", time.time())
        assert list(lines) == [""]


@contextmanager
def readings() -> Iterator[list[float]]:
    """When this process began to read or write a database."""
    found: list[float] = []

    def note(*_: object) -> None:
        found.append(time.monotonic())

    sa.event.listen(sa.pool.Pool, "checkout", note)
    try:
        yield found
    finally:
        sa.event.remove(sa.pool.Pool, "checkout", note)


def test_many_who_follow_a_study_and_hear_nothing_cost_no_more_readings_than_one(
    sqlite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followers, "PAUSE", 0.1)
    begun(sqlite)
    counts = []
    with serving(sqlite, limits=Limits(rate=1e6, burst=10**6)) as address:
        for count in (1, 40):
            with ExitStack() as opened:
                for _ in range(count):
                    reader = opened.enter_context(client(address))
                    lines = opened.enter_context(reader.stream("GET", PATH)).iter_lines()
                    assert next(lines) == "retry: 1000"
                time.sleep(0.5)
                with readings() as found:
                    time.sleep(1.5)
                counts.append(len(found))
    alone, many = counts
    assert 0 < many < 2 * alone, f"{alone} readings for one, {many} for forty"


@pytest.mark.parametrize("at_once", [followers.AT_ONCE, 7])
def test_everybody_hears_everything_once_and_in_order_wherever_they_began(
    sqlite: str, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(followers, "AT_ONCE", at_once)
    study = begun(sqlite)
    study.ask(30)
    with serving(sqlite, limits=Limits(rate=1e6, burst=10**6)) as address:
        found: dict[int, list[int]] = {}

        def follow(after: int) -> None:
            with client(address) as reader, reader.stream("GET", PATH, params={"after": after}) as stream:
                found[after] = []
                lines = stream.iter_lines()
                while not found[after] or found[after][-1] < 131:
                    found[after].append(int(told(lines, 1)[0]["id"]))

        # Some come while there is more and more to hear, and one waits for what is not there yet.
        running = [Meanwhile(lambda: follow(100))]
        for after in range(0, 30, 3):
            running.append(Meanwhile(partial(follow, after)))
            study.ask(10)
        for one in running:
            one.result()
    assert found == {after: list(range(after + 1, 132)) for after in (*range(0, 30, 3), 100)}


def test_what_is_written_before_the_end_is_heard(sqlite: str) -> None:
    study = begun(sqlite)
    heard: list[str] = []

    def follow(address: str) -> None:
        with client(address) as reader, reader.stream("GET", PATH) as stream:
            heard.extend(stream.iter_lines())

    with serving(sqlite) as address:
        following = Meanwhile(lambda: follow(address))
        until(lambda: len(heard) > 1, "the stream has begun")
        time.sleep(1.0)
        study.ask()
    following.result()
    assert "event: asked" in heard


def test_so_many_may_follow_at_once(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST", 1)
    begun(sqlite)
    limits = Limits(rate=1e6, burst=10**6)
    with serving(sqlite, limits=limits) as address, client(address) as reader, client(address) as other:
        with reader.stream("GET", PATH) as stream:
            lines = stream.iter_lines()
            assert next(lines) == "retry: 1000"
            refused = other.get(PATH)
            assert refused.status_code == 429
            assert refused.headers["retry-after"] == "1"
            assert refused.json()["error"] == {
                "kind": "rate",
                "message": "service: 1 callers follow events already; read GET /v1/studies/{study}/log instead.",
            }
        # Who has left makes room, as soon as the service has noticed.
        while (status := _status(other)) == 429:
            pass
        assert status == 200


def test_no_more_get_in_when_many_come_at_the_same_time(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST", 10)
    begun(sqlite)
    tokens = [token_for(sqlite, name, "read") for name in ("Ada", "Bea", "Cyd")]
    limits = Limits(rate=1e6, burst=10**6)
    together, all_answered = threading.Barrier(24), threading.Event()
    found: list[tuple[str, int]] = []

    def follow(address: str, token: str) -> None:
        with client(address, token) as reader:
            together.wait(60.0)
            with reader.stream("GET", PATH) as stream:
                found.append((token, stream.status_code))
                assert all_answered.wait(60.0)

    with serving(sqlite, open=False, limits=limits) as address:
        threads = [threading.Thread(target=follow, args=(address, token)) for token in tokens * 8]
        for thread in threads:
            thread.start()
        until(lambda: len(found) == 24, "all have an answer")
        all_answered.set()
        for thread in threads:
            thread.join(60.0)
    admitted = Counter(token for token, status in found if status == 200)
    assert admitted.total() == 10
    assert max(admitted.values()) <= 5
    assert Counter(status for _, status in found) == {200: 10, 429: 14}


def test_a_token_that_holds_its_share_leaves_room_for_another(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "MOST", 4)
    begun(sqlite)
    ada, bea = (token_for(sqlite, name, "read") for name in ("Ada", "Bea"))
    limits = Limits(rate=1e6, burst=10**6)
    with (
        serving(sqlite, open=False, limits=limits) as address,
        client(address, ada) as greedy,
        client(address, bea) as other,
        ExitStack() as opened,
    ):
        for _ in range(2):
            assert opened.enter_context(greedy.stream("GET", PATH)).status_code == 200
        refused = greedy.get(PATH)
        assert refused.status_code == 429
        assert refused.json()["error"] == {
            "kind": "rate",
            "message": "service: 2 callers with this token follow events already; read GET /v1/studies/{study}/log "
            "instead.",
        }
        assert _status(other) == 200
        # Who is refused for anything else takes no place.
        for _ in range(5):
            assert other.get("/v1/studies/none/events").status_code == 404
            assert other.head(PATH).status_code == 200
        assert _status(other) == 200


def test_a_stream_that_never_begins_gives_its_place_back() -> None:
    left: list[str] = []

    async def never() -> AsyncIterator[str]:
        yield "retry: 1000"

    async def gone(message: Any) -> None:
        raise OSError("the caller has left")

    async def receive() -> Any:
        await asyncio.sleep(60.0)

    response = live.Following(never(), lambda: left.append("place"), media_type="text/event-stream")
    with pytest.raises(OSError, match="the caller has left"):
        asyncio.run(response({"type": "http"}, receive, gone))
    assert left == ["place"]


def _status(reader: httpx.Client) -> int:
    with reader.stream("GET", PATH) as stream:
        return stream.status_code

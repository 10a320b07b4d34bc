"""What a client does when the service is away, busy, or not to be found; and with its token."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading

import numpy as np
import pytest

from belated.client import RemoteStudy, connection
from belated.client.connection import FIRST_PAUSE, pause
from belated.errors import (
    AccessError,
    ConflictError,
    ForbiddenError,
    ParameterError,
    PointError,
    RateError,
    SizeError,
    StorageError,
    UnknownStudyError,
)
from belated.log import Query
from belated.service import Limits
from belated.space import Float, Space
from belated.study import Study
from tests.client.proxy import Fate, Proxy, proxied
from tests.serving import serving, token_for

SPACE = Space(heat=Float(20.0, 120.0))


def lab(address: str) -> RemoteStudy:
    return RemoteStudy.create(address, "lab", SPACE, policy="random", seed=3)


def asked(study: RemoteStudy) -> Query:
    query = study.ask()
    assert isinstance(query, Query)
    return query


def test_an_ask_whose_response_was_lost_returns_the_query_that_it_led_to(proxy: Proxy) -> None:
    study = lab(proxy.address)
    proxy.plan = ["lose", "lose"]
    assert asked(study).id == 1
    assert [one.id for one in study.queries()] == [1]
    assert proxy.requests("POST").count("/v1/studies/lab/asks") == 3


def test_a_query_that_nobody_received_is_found_by_the_key_of_the_error(
    proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = lab(proxy.address)
    monkeypatch.setattr(connection, "ATTEMPTS", 2)
    proxy.plan = ["lose", "lose"]
    with pytest.raises(StorageError, match="If a query was asked all the same, ask") as raised:
        study.ask()
    key = str(raised.value).partition("ask(key='")[2].partition("'")[0]
    found = study.ask(key=key)
    assert isinstance(found, Query)
    assert found.id == 1
    proxy.plan = ["lose", "lose"]
    with pytest.raises(StorageError) as own:
        study.ask(key="mine")
    assert "ask(key=" not in str(own.value)


def test_two_asks_are_two_queries(proxy: Proxy) -> None:
    study = lab(proxy.address)
    first, second = asked(study), asked(study)
    assert (first.id, second.id) == (1, 2)
    assert first.key != second.key


@pytest.mark.parametrize("fate", ["lose", "busy", "often"])
def test_what_can_be_done_twice_is_sent_again(proxy: Proxy, fate: Fate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    study = lab(proxy.address)
    study.ask(4)
    assert study.space == SPACE
    for act in (
        lambda: study.tell(1, 0.5),
        lambda: study.tell_many({2: 0.25}),
        lambda: study.abandon(3),
        lambda: study.close("enough"),
        lambda: study.reopen(),
        lambda: study.best(),
        lambda: study.events,
        lambda: study.expect([{"heat": 50.0}]),
    ):
        before = len(proxy.seen)
        proxy.plan = [fate, fate]
        act()
        assert len(proxy.seen) == before + 3
    assert [event.to_json()["event"] for event in study.events[5:]] == [
        "answered",
        "answered",
        "abandoned",
        "closed",
        "reopened",
    ]


def test_what_would_be_done_twice_is_not_sent_again(proxy: Proxy) -> None:
    study = lab(proxy.address)
    study.ask()
    study.tell(1, 0.5)
    assert study.space == SPACE
    said = (
        f"{proxy.address}: the connection broke before the service answered (RemoteProtocolError: Server disconnected "
        "without sending a response.), so that it may have done this or not; look at the study before you try again."
    )
    for act in (
        lambda: study.add({"heat": 50.0}, 0.25),
        lambda: study.revise(1, 0.75),
        lambda: study.change(seed=9),
        lambda: RemoteStudy.create(proxy.address, "other", SPACE),
    ):
        before = len(proxy.seen)
        proxy.plan = ["lose"]
        with pytest.raises(StorageError) as raised:
            act()
        assert str(raised.value) == said
        assert len(proxy.seen) == before + 1
    # Each of them had arrived.
    assert [event.to_json()["event"] for event in study.events[3:]] == ["added", "revised", "seed-changed"]
    assert RemoteStudy.names(proxy.address) == ["lab", "other"]


def test_what_came_too_often_was_not_done_and_is_sent_again_whatever_it_is(proxy: Proxy) -> None:
    study = lab(proxy.address)
    assert study.space == SPACE
    proxy.plan = ["often"]
    study.add({"heat": 50.0}, 0.25)
    assert len(study.record()) == 1
    assert proxy.requests("POST") == ["/v1/studies", "/v1/studies/lab/data", "/v1/studies/lab/data"]


def test_a_study_that_may_be_there_is_created_again(proxy: Proxy) -> None:
    proxy.plan = ["lose"]
    study = RemoteStudy.create(proxy.address, "lab", SPACE, or_open=True)
    assert len(study.events) == 1
    with pytest.raises(ConflictError, match="there already"):
        lab(proxy.address)


def test_a_service_that_stays_busy_is_given_up(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    study = lab(proxy.address)
    before = len(proxy.seen)
    proxy.plan = ["busy"] * 9
    with pytest.raises(StorageError) as raised:
        study.best()
    assert str(raised.value) == (
        f"{proxy.address}: got status 503 from something that is no Belated service, or that stands before one; check "
        "the address."
    )
    assert len(proxy.seen) == before + connection.ATTEMPTS


@pytest.mark.parametrize(
    "fate, way_out",
    [
        ("elsewhere", "got status 301 from something that is no Belated service, or that stands before one; it sends "
         "elsewhere, to https://lab.example/; give that address."),
        ("garbled", "got status 200 from something that is no Belated service, or that stands before one; check the "
         "address."),
    ],
)  # fmt: skip
def test_what_is_no_service_is_told_apart(proxy: Proxy, fate: Fate, way_out: str) -> None:
    proxy.plan = [fate]
    with pytest.raises(StorageError) as raised:
        RemoteStudy.open(proxy.address, "lab")
    assert str(raised.value) == f"{proxy.address}: {way_out}"


def test_a_service_that_is_not_there_is_a_storage_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "FIRST_PAUSE", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(StorageError) as raised:
        RemoteStudy.names(f"http://127.0.0.1:{port}")
    assert str(raised.value).startswith(f"http://127.0.0.1:{port}: the service cannot be reached (ConnectError")
    assert str(raised.value).endswith("; see that it runs and that the address is right.")


def test_a_study_goes_on_when_its_service_comes_back(sqlite: str) -> None:
    with serving(sqlite) as address, proxied(address) as proxy:
        study = lab(proxy.address)
        study.ask()
        with serving(sqlite) as other:
            # Nobody listens where the first one was.
            proxy.upstream, proxy.comes_back = "http://127.0.0.1:1", other
            study.tell(1, 0.5)
        assert Study.open(sqlite, "lab").best().value == 0.5
    assert proxy.requests("PUT") == ["/v1/studies/lab/queries/1/answer"] * 2


@pytest.mark.parametrize("url", ["lab.example", "sqlite:///lab.db", "http://", 5, None, "https://lab.example/?a=1"])
def test_an_address_is_one_of_the_web(url: str) -> None:
    with pytest.raises(ParameterError) as raised:
        RemoteStudy.open(url, "lab")
    assert str(raised.value) == (
        f"RemoteStudy: got {url!r} as the address of a service; give one as http://127.0.0.1:8000 or "
        "https://lab.example."
    )


def test_an_address_may_end_with_a_slash_and_a_name_may_hold_spaces(service: str) -> None:
    study = RemoteStudy.create(f"{service}/", "Suzuki, 2. Versuch (80 °C) 100%", SPACE, policy="random")
    study.tell(asked(study), 0.5)
    assert RemoteStudy.open(service, study.name).best().value == 0.5
    with pytest.raises(ParameterError, match=r"RemoteStudy.open\('a/b'\): got 'a/b' as the study's name"):
        RemoteStudy.open(service, "a/b")


def test_a_study_that_is_not_there_is_unknown_when_it_is_opened(service: str) -> None:
    lab(service)
    with pytest.raises(UnknownStudyError, match="no study is named 'lba'"):
        RemoteStudy.open(service, "lba")


def test_a_service_is_not_found_below_its_address(service: str) -> None:
    with pytest.raises(StorageError) as raised:
        RemoteStudy.open(f"{service}/below", "lab")
    assert str(raised.value) == (
        f"{service}/below: service: GET /below/v1/studies/lab/pending: Not Found; see /docs for the routes. Check the "
        "address, and that client and service are of one release."
    )


# Tokens.


def test_a_token_comes_from_the_call_or_from_the_environment(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    token = token_for(sqlite, "Ada", "admin")
    with serving(sqlite, open=False) as address:
        with pytest.raises(AccessError, match="there is no token with the request"):
            RemoteStudy.create(address, "lab", SPACE)
        RemoteStudy.create(address, "lab", SPACE, token=token)
        monkeypatch.setenv("BELATED_TOKEN", token)
        assert RemoteStudy.names(address) == ["lab"]
        with pytest.raises(AccessError, match="the token is unknown"):
            RemoteStudy.names(address, token="belated_a_b")
    assert Study.open(sqlite, "lab").events[0].by == "Ada"


@pytest.mark.parametrize("token", ["", "a b", "a\nb", "tökén", 5])
def test_what_is_no_token_is_not_shown(token: str) -> None:
    with pytest.raises(ParameterError) as raised:
        RemoteStudy.names("http://127.0.0.1:8000", token=token)
    assert str(raised.value) == ("RemoteStudy: the token is no token; give what `belated token create` printed.")


def test_a_token_that_may_only_ask_and_tell_does_that(sqlite: str) -> None:
    Study.create(sqlite, "lab", SPACE, policy="random", seed=3)
    token = token_for(sqlite, "robot", "ask", "tell", study="lab")
    with serving(sqlite, open=False) as address:
        study = RemoteStudy.open(address, "lab", token=token)
        query = asked(study)
        study.tell(query, 0.5)
        study.tell_many([(query.id, 0.5)])
        assert study.add({"heat": np.float64(50.0)}, 0.25).id == 2
        with pytest.raises(ParameterError, match=r"got a value that cannot be sent \(.*\); give texts, booleans and"):
            study.add({"heat": {50.0}}, 0.25)
        with pytest.raises(PointError, match=r"heat=1000000000\.0 is outside"):
            study.add({"heat": 1e9}, 0.25)
        for read in (lambda: study.best(), lambda: study.space, lambda: study.events, lambda: study.record()):
            with pytest.raises(ForbiddenError) as raised:
                read()
            assert str(raised.value) == (
                "token('robot'): this needs the scope 'read', and the token has ask, tell; make one that has it."
            )
        with pytest.raises(ForbiddenError, match="needs the scope 'admin'"):
            study.close()
    assert Study.open(sqlite, "lab").best().value == 0.5


def test_more_than_the_service_takes_is_refused_in_its_words(sqlite: str) -> None:
    with serving(sqlite, limits=Limits(answers=2, queries=2)) as address:
        study = lab(address)
        with pytest.raises(SizeError, match=r"ask\(count=3\): a request may ask for 2 queries"):
            study.ask(3)
        with pytest.raises(SizeError, match="got 3 rows, and a request may carry 2"):
            study.add_many([({"heat": 50.0}, 0.5)] * 3)


def test_whoever_calls_too_often_waits_and_then_gets_through(sqlite: str) -> None:
    with serving(sqlite, limits=Limits(rate=50.0, burst=1)) as address:
        study = lab(address)
        for _ in range(3):
            study.ask()
        assert len(study.record()) == 3
    with serving(sqlite, limits=Limits(rate=1e-6, burst=3)) as address:
        study = RemoteStudy.open(address, "lab")
        study.pending()
        study.pending()
        # It would be long until the next one: nobody waits for that.
        with pytest.raises(RateError, match="requests a second"):
            study.pending()


def test_pauses_double_unless_the_service_says_how_long() -> None:
    for attempt in (1, 2, 3):
        longest = FIRST_PAUSE * 2.0 ** (attempt - 1)
        assert all(longest / 2 <= pause(attempt) <= longest for _ in range(20))
    assert pause(1, "7") == 7.0
    assert pause(1, "Wed, 21 Oct 2015 07:28:00 GMT") <= FIRST_PAUSE


# Reading.


def test_what_was_read_of_a_log_is_not_read_again(proxy: Proxy) -> None:
    study = lab(proxy.address)
    study.ask(3)
    assert len(study.events) == 4
    study.tell(1, 0.5)
    proxy.seen.clear()
    assert len(study.events) == 5
    assert study.record().n_answers == 1
    assert proxy.requests() == [f"/v1/studies/lab/log?after={after}&limit=1000" for after in (4, 5)]


def test_a_worker_reads_no_log(proxy: Proxy) -> None:
    lab(proxy.address)
    proxy.seen.clear()
    study = RemoteStudy.open(proxy.address, "lab")
    study.tell(asked(study), 0.5)
    assert proxy.requests() == [
        "/v1/studies/lab/pending",
        "/v1/studies/lab/asks",
        "/v1/studies/lab/queries/1/answer",
    ]


def test_a_log_is_read_page_by_page(sqlite: str) -> None:
    with serving(sqlite, limits=Limits(page=2)) as address:
        study = lab(address)
        assert len(study.events) == 1
        study.ask(5)
        assert [event.number for event in study.events] == [1, 2, 3, 4, 5, 6]
        assert [event.number for event in study.since(4)] == [5, 6]
        assert study.events == Study.open(sqlite, "lab").events


def test_threads_share_a_study(service: str) -> None:
    study = lab(service)
    numbers: list[int] = []

    def work() -> None:
        for _ in range(5):
            query = asked(study)
            study.tell(query, 0.5)
            assert study.record().n_answers >= 1
            numbers.append(query.id)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(1, 21))
    assert [event.number for event in study.events] == list(range(1, 42))


FORKED = """
import os, sys
import belated
study = belated.RemoteStudy.open(sys.argv[1], "lab")
study.ask()
child = os.fork()
for _ in range(10):
    query = study.ask()
    study.tell(query, float(query.id))
    assert study.queries()[query.id - 1].answer.value == query.id
if child:
    assert os.waitpid(child, 0)[1] == 0
"""


def test_a_forked_process_has_a_connection_of_its_own(service: str) -> None:
    lab(service)
    done = subprocess.run([sys.executable, "-c", FORKED, service], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    counts = RemoteStudy.open(service, "lab").record().counts
    assert (counts.asked, counts.answered) == (21, 20)


# What it needs.


def test_belated_is_imported_without_the_package_for_http() -> None:
    code = "import sys, belated; belated.RemoteStudy; print('httpx2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_without_the_package_for_http_the_error_names_the_extra() -> None:
    code = (
        "import json, sys; sys.modules['httpx2'] = None\n"
        "import belated\n"
        "try: belated.RemoteStudy.open('http://127.0.0.1:8000', 'lab')\n"
        "except belated.errors.MissingPackageError as error: print(json.dumps(str(error)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == (
        "RemoteStudy: a service is reached by the package httpx2, which is not installed; Belated's extra "
        "'client' brings it."
    )

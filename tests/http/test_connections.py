"""Whoever holds connections and sends nothing, or takes nothing, shuts nobody out: real processes, real sockets."""

from __future__ import annotations

import importlib.util
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx2 as httpx
import pytest
from plotly.offline import get_plotlyjs

from belated.service.dashboard.assets import plotly_path
from belated.service.open_files import room
from belated.space import Float, Space
from belated.study import Study
from tests.forks import BELATED, fork
from tests.http.processes import services
from tests.meanwhile import Meanwhile, until
from tests.serving import client, token_for

resource = pytest.importorskip("resource", reason="a process has limits where there are such")

FILES = 256
FEW_FILES = f"""
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES}))
"""
# Which of its two implementations uvicorn takes depends on what is installed.
OTHER = """
import uvicorn.protocols.http.auto as auto
from uvicorn.protocols.http.{module} import {name}
auto.AutoHTTPProtocol = {name}
"""
IMPLEMENTATIONS = {"h11": ("h11_impl", "H11Protocol"), "httptools": ("httptools_impl", "HttpToolsProtocol")}
N_HALF_OPEN = 300
# Shut out, nobody was answered while the attack went on; let in, in milliseconds. Seconds, for a busy machine.
BOUND = 10.0
HALF_A_HEAD = b"GET /docs HTTP/1.1\r\nHost: 127.0.0.1\r\nX-a:"


@pytest.fixture(params=IMPLEMENTATIONS)
def http(request: pytest.FixtureRequest) -> str:
    """What a process does so that it uses one of the implementations."""
    if importlib.util.find_spec(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    module, name = IMPLEMENTATIONS[request.param]
    return OTHER.format(module=module, name=name)


def begun(storage: str) -> str:
    """A token for a storage with a study."""
    Study.create(storage, "lab", Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    return token_for(storage, "robot", "ask", "tell", "read")


def connected(address: str) -> socket.socket:
    place = urlsplit(address)
    assert place.hostname is not None
    return socket.create_connection((place.hostname, place.port or 0), 60.0)


@contextmanager
def half_open(address: str, count: int, sent: bytes) -> Iterator[None]:
    """So many connections whose request never comes."""
    with ExitStack() as opened:
        for _ in range(count):
            one = opened.enter_context(connected(address))
            one.sendall(sent)
        yield


def closed_after(one: socket.socket, trickle: bytes = b"") -> float:
    """How many seconds it takes until the service closes a connection on which a byte is sent now and then."""
    began = time.monotonic()
    one.settimeout(0.2)
    while time.monotonic() - began < BOUND:
        try:
            if trickle:
                one.sendall(trickle)
            if one.recv(10_000) == b"":
                break
        except TimeoutError:
            continue
        except OSError:
            break
    return time.monotonic() - began


def alive(one: socket.socket) -> bool:
    """Whether the service answers a request on that connection."""
    one.settimeout(60.0)
    one.sendall(b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    got = b""
    while b"}" not in got:
        part = one.recv(10_000)
        if not part:
            return False
        got += part
    return got.startswith(b"HTTP/1.1 200")


def answered(address: str, token: str) -> float:
    """How long somebody waits who comes anew, asks and tells."""
    began = time.monotonic()
    with client(address, token) as robot:
        query = robot.post("/v1/studies/lab/asks", json={}).raise_for_status().json()["queries"][0]["id"]
        robot.put(f"/v1/studies/lab/queries/{query}/answer", json={"value": 0.5}).raise_for_status()
    return time.monotonic() - began


@pytest.mark.parametrize("sent", [b"", HALF_A_HEAD], ids=["nothing sent", "half a head"])
def test_half_open_connections_shut_nobody_out(sqlite: str, http: str, sent: bytes) -> None:
    token = begun(sqlite)
    with services(sqlite, first=http + FEW_FILES) as [service], ExitStack() as opened:
        address = service.address
        kept = opened.enter_context(client(address, token))
        stream = opened.enter_context(kept.stream("GET", "/v1/studies/lab/events", params={"after": 0}))
        lines = stream.iter_lines()
        assert next(line for line in lines if line.startswith("event")) == "event: created"
        opened.enter_context(half_open(address, N_HALF_OPEN, sent))
        assert max(answered(address, token) for _ in range(5)) < BOUND
        # Every thread that works finds a file left for its storage, too.
        with ThreadPoolExecutor(30) as crowd:
            assert max(crowd.map(lambda _: answered(address, token), range(80))) < BOUND
        # Who follows events is there still, though the stream is the oldest connection of all.
        assert [next(line for line in lines if line.startswith("event")) for _ in range(170)].count(
            "event: asked"
        ) == 85
        assert len(service.lines) < 500, "the log is flooded"


def test_somebody_whose_request_is_worked_on_is_not_closed_for_others(sqlite: str, http: str) -> None:
    token = begun(sqlite)
    slow = Study.create(sqlite, "slow", Space(**{f"x{place}": Float(0.0, 1.0) for place in range(8)}), seed=1)
    rows = [({f"x{place}": (row * (place + 3) % 97) / 97 for place in range(8)}, row % 13) for row in range(250)]
    slow.add_many(rows)
    with services(sqlite, first=http + FEW_FILES) as [service], client(service.address, token) as robot:
        asked = Meanwhile(lambda: robot.post("/v1/studies/slow/asks", json={}).status_code)
        assert asked.waits(0.2)
        with half_open(service.address, N_HALF_OPEN, HALF_A_HEAD):
            assert asked.result() == 200


def test_the_connection_without_a_request_for_longest_is_closed_first(sqlite: str, http: str) -> None:
    begun(sqlite)
    few = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))\n"  # room for 12
    with services(sqlite, first=http + few) as [service], ExitStack() as opened:
        early, silent, late = (opened.enter_context(connected(service.address)) for _ in range(3))
        assert all(alive(one) for one in (early, late, early))
        opened.enter_context(half_open(service.address, 11, b""))
        assert closed_after(silent) < BOUND
        assert closed_after(late) < BOUND
        assert alive(early)


def test_neither_slow_senders_shut_newcomers_out_nor_half_open_connections_a_slow_sender(
    sqlite: str, http: str
) -> None:
    token = begun(sqlite)
    form = b"POST /login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    with services(sqlite, first=http + FEW_FILES) as [service], ExitStack() as opened:
        slow = opened.enter_context(connected(service.address))
        slow.sendall(form + b"Content-Length: 9\r\n\r\ntoken=")
        with half_open(service.address, N_HALF_OPEN, HALF_A_HEAD):
            assert answered(service.address, token) < BOUND
            slow.sendall(b"abc")
            assert slow.recv(10_000).startswith(b"HTTP/1.1 401")
        opened.enter_context(half_open(service.address, N_HALF_OPEN, form + b"Content-Length: 1000\r\n\r\ntoken="))
        assert max(answered(service.address, token) for _ in range(5)) < BOUND


def test_half_open_connections_to_several_processes_shut_nobody_out(sqlite: str, tmp_path: Path) -> None:
    token = begun(sqlite)
    command = f"{FEW_FILES}\n{BELATED}"
    arguments = ["serve", "--storage", sqlite, "--port", "0", "--workers", "2", "--json", "--log-level", "error"]
    process = fork(command, tmp_path, None, words=arguments)
    try:
        address = next(line.split('"')[3] for line in process.stdout if '"address"' in line)
        until(lambda: _alive(address), "it answers")
        with half_open(address, 2 * N_HALF_OPEN, HALF_A_HEAD):
            assert max(answered(address, token) for _ in range(10)) < BOUND
    finally:
        process.end(signal.SIGTERM)


def _alive(address: str) -> bool:
    try:
        return httpx.get(f"{address}/health/live").status_code == 200
    except httpx.TransportError:
        return False


QUICKLY = """
from belated.service.host import connections
from belated.service.http import request_body
connections.HEAD = connections.PAUSE = request_body.SECONDS = 1.0
"""


@pytest.mark.longest
def test_a_head_that_does_not_come_is_not_waited_for(sqlite: str, http: str) -> None:
    begun(sqlite)
    with services(sqlite, first=http + QUICKLY) as [service]:
        with connected(service.address) as silent, connected(service.address) as slow:
            assert closed_after(silent) < BOUND
            slow.sendall(HALF_A_HEAD)
            assert closed_after(slow, b"a") < BOUND
        with connected(service.address) as kept:
            assert alive(kept)
            # Between requests, nobody is hurried.
            time.sleep(2.0)
            assert alive(kept)
            kept.sendall(HALF_A_HEAD)
            assert closed_after(kept, b"a") < BOUND


@pytest.mark.longest
def test_a_body_that_does_not_come_is_refused_and_a_slow_one_is_taken(sqlite: str, http: str) -> None:
    token = begun(sqlite)
    Study.open(sqlite, "lab").ask()
    body = b'{"value": 0.5' + b" " * 3_900_000 + b"}"
    head = (
        f"PUT /v1/studies/lab/queries/1/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with services(sqlite, first=http + QUICKLY) as [service]:
        with connected(service.address) as stuck:
            stuck.sendall(head + body[:100])
            answer = b"".join(iter(lambda: stuck.recv(10_000), b""))
            assert answer.startswith(b"HTTP/1.1 408 ")
            assert (
                b"the body came too slowly, in more than 1 s and a second for every 1000 bytes; send it again" in answer
            )
        with connected(service.address) as slow:
            slow.sendall(head)
            # Four times as long as a body has that does not come.
            for start in range(0, len(body), 100_000):
                slow.sendall(body[start : start + 100_000])
                time.sleep(0.1)
            assert slow.recv(10_000).startswith(b"HTTP/1.1 200")


def test_the_rest_of_a_body_that_nobody_reads_is_not_waited_for(sqlite: str, http: str) -> None:
    begun(sqlite)
    head = b"POST /v1/studies/lab/asks HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"
    with services(sqlite, first=http + QUICKLY) as [service], connected(service.address) as stranger:
        stranger.sendall(head)
        assert stranger.recv(10_000).startswith(b"HTTP/1.1 401")
        assert closed_after(stranger, b"a") < BOUND


@pytest.mark.longest
def test_a_response_that_nobody_takes_is_given_up_and_a_slow_reader_gets_all_of_it(sqlite: str, http: str) -> None:
    begun(sqlite)
    # More than the systems of both ends keep for each other.
    wanted = 4
    head = f"GET {plotly_path()} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    requests = f"{head}\r\n" * (wanted - 1) + f"{head}Connection: close\r\n\r\n"
    size = wanted * len(get_plotlyjs().encode())
    with services(sqlite, first=http + QUICKLY) as [service]:
        with connected(service.address) as idle:
            idle.sendall(requests.encode())
            time.sleep(4.0)
            assert len(_all_of(idle)) < size
        with connected(service.address) as slow:
            slow.sendall(requests.encode())
            assert len(_all_of(slow, pause=0.01)) > size


def _all_of(one: socket.socket, pause: float = 0.0) -> bytearray:
    """What comes until the service closes the connection, in order or not."""
    got = bytearray()
    one.settimeout(60.0)
    with suppress(ConnectionResetError):
        while part := one.recv(100_000):
            got += part
            time.sleep(pause)
    return got


def test_there_is_room_for_the_files_of_every_thread() -> None:
    kept = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        for files, connections in ((64, 1), (256, 64), (1024, 816)):
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, kept[1]))
            assert room(72) == connections
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, kept)

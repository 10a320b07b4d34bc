"""The service under load: single answers and asks over HTTP, on PostgreSQL, from several clients at once."""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np

import belated as bl
from belated.log import Answered, Asked, Event, Values
from belated.service import new_token
from belated.storage import connect, tokens_of
from benchmarks.measure import Row, keep
from benchmarks.storing import server

CLIENTS, SECONDS = 8, 8.0
ANSWERED, ASKS = 100, 60
PREPARED = 20_000  # queries to answer; more than fit into the time
SPACE = bl.Space(**{f"x{place}": bl.Float(0, 1) for place in range(4)})
STARTED = re.compile(r"http://127\.0\.0\.1:(\d+)\n")
SERVE = """
import sys
from belated.service import Address, Limits, ServiceSettings, listen, serve
address = Address("127.0.0.1", 0)
listening = listen(address)
sys.stderr.write(f"http://127.0.0.1:{listening.getsockname()[1]}\\n")
serve(ServiceSettings(sys.argv[1], limits=Limits(rate=1e6, burst=10**6)), address, listening)
"""
_meeting: Any = None
NOTES = (
    f"One process of the service, PostgreSQL and {CLIENTS} clients share the cores; every request is HTTP on loopback "
    f"with a token, and every answer is on the disk before it is acknowledged. Answers: {SECONDS:g} seconds, each "
    f"client sends one answer at a time, all to one study. Asks: {ASKS} by one client, each followed by its answer, of "
    f"a study with {ANSWERED} answers, four parameters and the policy gp-bucb. Afterwards the log is compared with "
    "what was acknowledged."
)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, server(Path(folder) / "pg") as url, _serving(url) as port:
        text, token = new_token("load", ("ask", "tell"), time.time())
        tokens_of(url).add(token)
        keep("service", [*answers(url, port, text), *asks(url, port, text)], NOTES)


def answers(url: str, port: int, token: str) -> list[Row]:
    """How many answers a second, how long each takes, and whether all are in the log."""
    connect(url).create("answers", _asked())
    given = [(port, token, place) for place in range(CLIENTS)]
    context = multiprocessing.get_context("spawn")
    with context.Pool(CLIENTS, _meet_at, (context.Barrier(CLIENTS),)) as pool:
        told = pool.starmap(client, given, chunksize=1)
    acknowledged = {query: value for part, _ in told for query, value in part.items()}
    times = np.sort(np.concatenate([part for _, part in told]))
    rate, slow = len(acknowledged) / SECONDS, 1000.0 * float(np.quantile(times, 0.99))
    middle = 1000.0 * float(np.median(times))
    written = [event.body for event in bl.Study.open(url, "answers").events if isinstance(event.body, Answered)]
    once = max(Counter(body.query for body in written).values()) == 1
    kept = once and {body.query: body.value for body in written} == acknowledged
    return [
        Row("single answers", f"{rate:.0f} / s", "", None, "300 / s", rate >= 300),
        Row("median time of one", f"{middle:.1f} ms", "", None, "", True),
        Row("99 of 100 within", f"{slow:.1f} ms", "", None, "< 100 ms", slow < 100),
        Row("every acknowledged answer in the log once", _yes(kept), "", None, "yes", kept),
    ]


def _meet_at(barrier: Any) -> None:
    """Let the clients begin together, however long each takes to start."""
    global _meeting
    _meeting = barrier


def client(port: int, token: str, place: int) -> tuple[dict[int, float], list[float]]:
    """What one client was acknowledged, and how long each answer took."""
    caller = Caller(port, token)
    told: dict[int, float] = {}
    times: list[float] = []
    caller.call("POST", "/v1/studies/answers/asks", {"key": f"warm {place}"})
    _meeting.wait()
    end_at = time.perf_counter() + SECONDS
    for query in range(1 + place, PREPARED + 1, CLIENTS):
        began = time.perf_counter()
        if began >= end_at:
            break
        caller.call("PUT", f"/v1/studies/answers/queries/{query}/answer", {"value": 0.001 * query})
        times.append(time.perf_counter() - began)
        told[query] = 0.001 * query
    return told, times


def asks(url: str, port: int, token: str) -> list[Row]:
    """How many asks a second of a study with answers, and whether all are in the log."""
    study = bl.Study.create(url, "asks", SPACE, policy="gp-bucb", seed=0)
    rng = np.random.default_rng(0)
    points = [SPACE.decode(row) for row in rng.random((ANSWERED, SPACE.dimension))]
    study.add_many([(point, _value(point)) for point in points])
    caller = Caller(port, token)
    caller.call("POST", "/v1/studies/asks/asks", {})
    times: list[float] = []
    asked: dict[int, Any] = {}
    for _ in range(ASKS):
        began = time.perf_counter()
        query = caller.call("POST", "/v1/studies/asks/asks", {})["queries"][0]
        times.append(time.perf_counter() - began)
        asked[query["id"]] = query["point"]
        caller.call("PUT", f"/v1/studies/asks/queries/{query['id']}/answer", {"value": _value(query["point"])})
    rate = len(times) / sum(times)
    written = [event.body for event in study.events if isinstance(event.body, Asked)]
    found = {body.query: dict(body.point) for body in written}
    kept = len(found) == len(written) == ASKS + 1 and asked.items() <= found.items()
    return [
        Row(f"asks of a study with {ANSWERED} answers", f"{rate:.0f} / s", "", None, "10 / s", rate >= 10),
        Row("every acknowledged ask in the log once", _yes(kept), "", None, "yes", kept),
    ]


class Caller:
    """A client that keeps its connection."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60.0)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: dict[str, Any]) -> Any:
        """What comes back; anything but a success ends the benchmark."""
        self._connection.request(method, path, json.dumps(body), self._headers)
        response = self._connection.getresponse()
        text = response.read()
        assert response.status < 300, text
        return json.loads(text)


def _asked() -> list[Event]:
    """The log of a study with queries that wait."""
    created = bl.Study.in_memory(SPACE, policy="random", seed=0).events[0]
    points = [Values(SPACE.decode(row)) for row in np.random.default_rng(0).random((PREPARED, SPACE.dimension))]
    return [created, *(Event(query + 1, 0.0, Asked(query, point)) for query, point in enumerate(points, start=1))]


@contextmanager
def _serving(url: str) -> Iterator[int]:
    with tempfile.TemporaryFile("w+") as lines:
        process = subprocess.Popen([sys.executable, "-c", SERVE, url], stderr=lines)
        try:
            yield _port(process, lines)
        finally:
            process.terminate()
            process.wait(30.0)


def _port(process: subprocess.Popen[bytes], lines: TextIO) -> int:
    """Where the service listens, as soon as its log says so."""
    text = ""
    while (found := STARTED.search(text)) is None:
        assert process.poll() is None, text
        time.sleep(0.05)
        # By its number, as the service writes where the file's own place is.
        text = os.pread(lines.fileno(), 100_000, 0).decode()
    return int(found.group(1))


def _value(point: dict[str, float]) -> float:
    return -sum((point[name] - 0.3) ** 2 for name in point)


def _yes(kept: bool) -> str:
    return "yes" if kept else "no"

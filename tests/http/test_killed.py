"""A service that is killed, or told to end, in the middle of its work."""

from __future__ import annotations

import threading
from collections import Counter

import httpx2 as httpx

from belated.log import Answered, Asked
from belated.study import Study, differences
from tests.http.processes import Process, services
from tests.serving import client, token_for

SPACE = {"x": {"float": [-1, 1]}}
ENOUGH = 40


class Load:
    """Threads that ask and answer until the service is gone, and what was acknowledged to them."""

    def __init__(self, service: Process, token: str, crowd: int = 3) -> None:
        self.asked: dict[int, float] = {}
        self.answered: dict[int, float] = {}
        self.refused: list[tuple[int, str]] = []
        self.enough = threading.Event()
        self._threads = [threading.Thread(target=self._work, args=(service.address, token)) for _ in range(crowd)]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Wait until nobody gets an answer any more."""
        for thread in self._threads:
            thread.join()

    def _work(self, address: str, token: str) -> None:
        with client(address, token) as robot:
            try:
                while True:
                    self._round(robot)
            except httpx.TransportError:
                return

    def _round(self, robot: httpx.Client) -> None:
        response = robot.post("/v1/studies/lab/asks", json={})
        if response.status_code != 200:
            self.refused.append((response.status_code, response.text))
            raise httpx.TransportError("refused")
        query = response.json()["queries"][0]
        self.asked[query["id"]] = query["point"]["x"]
        response = robot.put(f"/v1/studies/lab/queries/{query['id']}/answer", json={"value": query["point"]["x"]})
        if response.status_code != 200:
            self.refused.append((response.status_code, response.text))
            raise httpx.TransportError("refused")
        self.answered[query["id"]] = query["point"]["x"]
        if len(self.answered) >= ENOUGH:
            self.enough.set()


def begun(storage: str) -> str:
    """A token for a storage with a new study."""
    from belated.space.written import space_of

    Study.create(storage, "lab", space_of("space", SPACE), policy="random", seed=11)
    return token_for(storage, "robot", "ask", "tell", "read")


def check_log(storage: str, load: Load) -> None:
    """Everything acknowledged is in the log, once."""
    events = Study.open(storage, "lab").events
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    asked = {event.body.query: event.body.point["x"] for event in events if isinstance(event.body, Asked)}
    answers = [event.body for event in events if isinstance(event.body, Answered)]
    assert asked.items() >= load.asked.items()
    assert {answer.query: answer.value for answer in answers}.items() >= load.answered.items()
    assert max(Counter(answer.query for answer in answers).values()) == 1
    assert list(differences(events)) == []


def test_a_killed_service_has_written_what_it_acknowledged_and_goes_on(shared: str) -> None:
    token = begun(shared)
    with services(shared) as running:
        load = Load(running[0], token)
        assert load.enough.wait(120.0)
        running[0].kill()
        load.end()
        assert load.refused == []
    check_log(shared, load)
    with services(shared) as running, client(running[0].address, token) as robot:
        query = robot.post("/v1/studies/lab/asks", json={}).raise_for_status().json()["queries"][0]
        assert query["id"] > max(load.asked)
        robot.put(f"/v1/studies/lab/queries/{query['id']}/answer", json={"value": 1.0}).raise_for_status()
    check_log(shared, load)


def test_a_service_that_is_told_to_end_finishes_what_is_under_way(sqlite: str) -> None:
    token = begun(sqlite)
    with services(sqlite) as running, client(running[0].address, token) as reader:
        load = Load(running[0], token)
        with reader.stream("GET", "/v1/studies/lab/events", params={"after": 0}, timeout=60.0) as stream:
            lines = stream.iter_lines()
            assert next(line for line in lines if line.startswith("event")) == "event: created"
            assert load.enough.wait(120.0)
            assert running[0].terminate() == 0
            # The stream ends in order: a connection that broke would raise.
            assert any(line == "event: answered" for line in lines)
        load.end()
        assert load.refused == []
        requests = [entry for entry in running[0].entries if entry["what"] == "request"]
    check_log(sqlite, load)
    answered = [entry for entry in requests if entry["path"].endswith("/answer")]
    assert {entry["status"] for entry in answered} == {200}
    # Nothing was written that was not acknowledged.
    events = Study.open(sqlite, "lab").events
    assert sum(isinstance(event.body, Answered) for event in events) == len(load.answered) == len(answered)


def test_every_line_of_a_log_is_json_and_has_no_secret(sqlite: str) -> None:
    token = begun(sqlite)
    secret = token.split("_", 2)[2]
    with services(sqlite) as running:
        with client(running[0].address, token) as robot:
            robot.post("/v1/studies/lab/asks", json={}).raise_for_status()
            assert robot.get("/v1/studies", params={"token": token}).status_code == 200
        with client(running[0].address, f"{token}x") as stranger:
            assert stranger.get("/v1/studies").status_code == 401
        with httpx.Client(base_url=running[0].address, cookies={"belated_token": token}) as browser:
            assert browser.put("/v1/studies/lab/closure", json={}).status_code == 403
            # The package that reads forms has something to say of this one.
            form = {"Content-Type": "multipart/form-data; boundary=x"}
            assert browser.post("/login", content=b"none", headers=form).status_code == 400
        assert running[0].terminate() == 0
        requests = [entry for entry in running[0].entries if entry["what"] == "request"]
        assert [(entry["path"], entry["status"], entry["caller"]) for entry in requests] == [
            ("/v1/studies/lab/asks", 200, "robot"),
            ("/v1/studies", 200, "robot"),
            ("/v1/studies", 401, None),
            ("/v1/studies/lab/closure", 403, "robot"),
            ("/login", 400, None),
        ]
        assert all(entry.keys() >= {"at", "level", "request", "method", "milliseconds"} for entry in requests)
        assert [line for line in running[0].lines if not line.startswith("{")] == [f"{running[0].address}\n"]
        assert secret not in "".join(running[0].lines)
        assert "belated_token" not in "".join(running[0].lines)

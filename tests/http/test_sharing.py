"""Two services on one PostgreSQL, asked and answered at once."""

from __future__ import annotations

import threading
from collections import Counter
from typing import Any

from belated.log import Answered, Asked
from belated.study import Study, differences
from tests.http.processes import services
from tests.serving import client, token_for

SPACE = {"x": {"float": [-1, 1]}, "kind": ["a", "b"]}
ROUNDS, CROWD = 6, 3


def test_what_two_services_acknowledge_is_in_the_log_once(postgres: str) -> None:
    token = token_for(postgres, "Ada", "admin")
    answered: dict[int, float] = {}
    asked: list[dict[str, Any]] = []
    with services(postgres, 2) as running:
        with client(running[0].address, token) as admin:
            created = {"name": "shared", "space": SPACE, "seed": 5, "policy": "gp-bucb"}
            assert admin.post("/v1/studies", json=created).status_code == 201

        def work(address: str, number: int) -> None:
            with client(address, token) as robot:
                for place in range(ROUNDS):
                    key = f"{number}-{place}"
                    given = robot.post("/v1/studies/shared/asks", json={"key": key}).raise_for_status().json()
                    query = given["queries"][0]
                    asked.append(query)
                    value = 1.0 - query["point"]["x"] ** 2
                    answer = {"value": value}
                    path = f"/v1/studies/shared/queries/{query['id']}/answer"
                    robot.put(path, json=answer).raise_for_status()
                    # Sent again, as after a lost response: it must not count twice.
                    robot.put(path, json=answer).raise_for_status()
                    assert (
                        robot.post("/v1/studies/shared/asks", json={"key": key}).json()["queries"][0]["id"]
                        == (query["id"])
                    )
                    answered[query["id"]] = value

        threads = [
            threading.Thread(target=work, args=(service.address, 10 * place + number))
            for place, service in enumerate(running)
            for number in range(CROWD)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        with client(running[1].address, token) as reader:
            shown = reader.get("/v1/studies/shared/queries", params={"limit": 1000}).json()["queries"]
    count = 2 * CROWD * ROUNDS
    events = Study.open(postgres, "shared").events
    assert [event.number for event in events] == list(range(1, len(events) + 1))
    assert sorted(query["id"] for query in asked) == list(range(1, count + 1))
    assert {event.body.query: dict(event.body.point) for event in events if isinstance(event.body, Asked)} == {
        query["id"]: query["point"] for query in asked
    }
    written = Counter(event.body.query for event in events if isinstance(event.body, Answered))
    assert written == Counter(answered.keys()), "an answer is missing, or there twice"
    assert {query["id"]: query["answer"]["value"] for query in shown} == answered
    assert {event.by for event in events} == {"Ada"}
    assert list(differences(events)) == []

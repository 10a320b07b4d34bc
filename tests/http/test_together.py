"""Answers that wait at the same time are written together, and each is taken or refused alone."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from belated.errors import BelatedError, ConflictError, ContextError, StorageError, UnknownQueryError
from belated.log import Answered
from belated.service import Limits, ServiceSettings
from belated.service.service import Service
from belated.space.written import space_of
from belated.study import Study, Telling
from tests.logbook import number_in
from tests.serving import client, serving, token_for

SPACE = {"x": {"float": [-1, 1]}}


def begun(storage: str, asked: int) -> Study:
    study = Study.create(storage, "lab", space_of("space", SPACE), policy="random", seed=1)
    study.ask(asked)
    return study


def gathered(storage: str, *answers: Telling, study: str = "lab") -> list[BaseException | None]:
    """What becomes of answers that are told in the same moment."""

    async def tell() -> list[BaseException | None]:
        queue = Service(ServiceSettings(storage)).answers
        return await asyncio.gather(*(queue.tell(study, answer) for answer in answers), return_exceptions=True)

    return asyncio.run(tell())


def test_each_answer_is_taken_or_refused_as_if_it_had_come_alone(address: str) -> None:
    study = begun(address, 5)
    study.tell(2, 0.5)
    study.abandon(3, "lost")
    alone = Study(study.events)
    answers = [
        Telling(1, 0.25, None, "Ada"),
        Telling(2, 0.75, None, "Ada"),
        Telling(3, 0.75, None, "Bob"),
        Telling(9, 0.75, None, "Bob"),
        Telling(2**40, 0.75, None, "Bob"),
        Telling(4, 1.0, {"hour": 3}, None),
        Telling(5, 2.0, None, "Bob"),
    ]
    expected: list[BelatedError | None] = []
    for answer in answers:
        try:
            alone.tell(answer.query, answer.value, context=answer.context)
            expected.append(None)
        except BelatedError as error:
            expected.append(error)
    foreseen = study.preview(answers)
    assert [str(one) if isinstance(one, BelatedError) else "None" for one in foreseen] == list(map(str, expected))
    found = study.tell_each(answers)
    assert list(map(str, found)) == list(map(str, expected))
    kinds = [type(None), ConflictError, ConflictError, UnknownQueryError, UnknownQueryError, ContextError, type(None)]
    assert list(map(type, found)) == list(map(type, expected)) == kinds
    written = [(event.body.query, number_in(event.body), event.by) for event in study.events[8:]]  # type: ignore[union-attr]
    assert written == [(1, 0.25, "Ada"), (5, 2.0, "Bob")]


def test_answers_of_one_moment_are_one_transaction(shared: str) -> None:
    study = begun(shared, 6)
    outcomes = gathered(shared, *(Telling(query, float(query), None, f"token {query % 2}") for query in range(1, 7)))
    assert outcomes == [None] * 6
    events = study.events[7:]
    assert {event.body.query: event.by for event in events if isinstance(event.body, Answered)} == {
        query: f"token {query % 2}" for query in range(1, 7)
    }
    assert len({event.at for event in events}) == 1, "they were written in several transactions"


def test_answers_to_the_same_query_see_one_another(sqlite: str) -> None:
    study = begun(sqlite, 2)
    told = (0.25, 0.25, 0.75)
    outcomes = gathered(sqlite, *(Telling(1, value, None, None) for value in told), Telling(2, 1.0, None, None))
    assert [type(outcome) for outcome in outcomes] == [type(None), type(None), ConflictError, type(None)]
    assert str(outcomes[2]) == (
        "tell(query=1): already answered with 0.25, and now given 0.75; use revise() to replace the answer."
    )
    assert sorted(event.body.query for event in study.events if isinstance(event.body, Answered)) == [1, 2]


def test_where_all_fail_together_each_has_its_own_error(sqlite: str) -> None:
    begun(sqlite, 3)
    answers = [Telling(query, 1.0, None, None) for query in (1, 2, 3)]

    async def tell() -> list[BaseException | None]:
        service = Service(ServiceSettings(sqlite))
        service.studies.open("lab")
        file = Path(sqlite.removeprefix("sqlite:///"))
        file.rename(file.with_suffix(".away"))
        queue = service.answers
        lost = await asyncio.gather(*(queue.tell("lab", answer) for answer in answers), return_exceptions=True)
        file.with_suffix(".away").rename(file)
        # And it goes on.
        await queue.tell("lab", answers[0])
        return lost

    lost = asyncio.run(tell())
    assert [type(error) for error in lost] == [StorageError] * 3
    assert len(set(map(id, lost))) == 3
    assert len({str(error) for error in lost}) == 1
    assert len(Study.open(sqlite, "lab").events) == 5


def test_a_study_that_is_not_there_is_told_to_each(sqlite: str) -> None:
    begun(sqlite, 1)
    outcomes = gathered(sqlite, Telling(1, 1.0, None, None), Telling(2, 1.0, None, None), study="lost")
    assert [str(outcome) for outcome in outcomes] == [
        "service: no study is named 'lost'; GET /v1/studies lists those that the token opens."
    ] * 2


@pytest.mark.parametrize("crowd", [8])
def test_a_crowd_of_answers_is_in_the_log_once_and_signed(postgres: str, crowd: int) -> None:
    tokens = [token_for(postgres, f"robot {place}", "tell") for place in range(2)]
    study = begun(postgres, 60)
    with serving(postgres, open=False, limits=Limits(rate=1e6, burst=10**6)) as address:

        def tell(place: int) -> list[int]:
            """Every query, as every other robot does: the first one is taken, with its value."""
            with client(address, tokens[place % 2]) as robot:
                return [
                    robot.put(f"/v1/studies/lab/queries/{query}/answer", json={"value": float(place)}).status_code
                    for query in range(1, 61)
                ]

        with ThreadPoolExecutor(crowd) as pool:
            statuses = list(pool.map(tell, range(crowd)))
    taken = Counter(query for told in statuses for query, status in enumerate(told, start=1) if status == 200)
    assert taken == Counter(range(1, 61)), "an answer was acknowledged that another one contradicts"
    assert {status for told in statuses for status in told} == {200, 409}
    answers = [(event.body, event.by) for event in study.events if isinstance(event.body, Answered)]
    assert Counter(body.query for body, _ in answers) == Counter(range(1, 61))
    for body, by in answers:
        place = int(number_in(body))
        assert statuses[place][body.query - 1] == 200
        assert by == f"robot {place % 2}"


def test_asks_that_wait_for_one_another_leave_room_for_everybody_else(shared: str) -> None:
    study = begun(shared, 1)
    crowd = 12  # more than there are threads for what takes long
    with (
        serving(shared, limits=Limits(rate=1e6, burst=10**6)) as address,
        ThreadPoolExecutor(crowd) as pool,
        client(address) as other,
    ):

        def ask(place: int) -> int:
            with client(address) as robot:
                response = robot.post("/v1/studies/lab/asks", json={"key": str(place)}, timeout=120.0)
                return int(response.json()["queries"][0]["id"])

        with study._log.asking():
            # Another process decides what to ask, and takes its time.
            waiting = [pool.submit(ask, place) for place in range(crowd)]
            for _ in range(20):
                assert other.get("/v1/studies/lab/best").status_code == 409
                assert other.put("/v1/studies/lab/queries/1/answer", json={}).status_code == 422
            assert not any(done.done() for done in waiting)
        assert sorted(done.result() for done in waiting) == list(range(2, crowd + 2))


def test_writers_that_wait_for_the_storage_leave_room_for_readers(sqlite: str) -> None:
    crowd = 40  # more than there are threads for writing
    begun(sqlite, crowd)
    blocked = sqlite3.connect(sqlite.removeprefix("sqlite:///"), isolation_level=None)
    with (
        serving(sqlite, limits=Limits(rate=1e6, burst=10**6)) as address,
        ThreadPoolExecutor(crowd) as pool,
        client(address) as other,
    ):

        def abandon(query: int) -> int:
            with client(address) as robot:
                path = f"/v1/studies/lab/queries/{query}/abandonment"
                return robot.put(path, json={"reason": "lost"}, timeout=120.0).status_code

        assert other.get("/v1/studies/lab").status_code == 200
        blocked.execute("BEGIN IMMEDIATE")
        try:
            waiting = [pool.submit(abandon, query) for query in range(1, crowd + 1)]
            time.sleep(1.0)
            for path in ("/health/ready", "/v1/studies/lab/pending", "/v1/policies"):
                assert other.get(path, timeout=10.0).status_code == 200
            assert not any(done.done() for done in waiting)
        finally:
            blocked.execute("ROLLBACK")
            blocked.close()
        assert [done.result() for done in waiting] == [200] * crowd

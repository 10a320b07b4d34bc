"""One reader does not stall the others: slow work is shared among studies and tokens."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx2 as httpx
import pytest

from belated import Float, Space, Study
from belated.errors import RateError
from belated.service.threads import SharedThreads
from tests.meanwhile import until
from tests.serving import client, serving, token_for

# First come, first served, the ask waited for the figures that came before it: several seconds.
QUICK = 2.0  # seconds
N_FIGURES, N_BODIES = 20, 30


def big(storage: str) -> None:
    """A study whose belief takes a while to draw."""
    study = Study.create(storage, "long", Space(**{f"x{place}": Float(0.0, 1.0) for place in range(8)}), seed=1)
    study.add_many(
        [({f"x{place}": (row * (place + 3) % 97) / 97 for place in range(8)}, row % 13) for row in range(330)]
    )


def asked(caller: httpx.Client) -> float:
    """How long an ask took, in seconds."""
    began = time.perf_counter()
    assert caller.post("/v1/studies/small/asks", json={}).status_code == 200
    return time.perf_counter() - began


@contextmanager
def loaded(call: Callable[[], None], count: int) -> Iterator[None]:
    """Meanwhile, this many threads make a call again and again, and have begun to a second before."""
    over = threading.Event()

    def again_and_again() -> None:
        call()
        while not over.is_set():
            call()

    with ThreadPoolExecutor(count) as crowd:
        calling = [crowd.submit(again_and_again) for _ in range(count)]
        time.sleep(1.0)
        try:
            yield
        finally:
            over.set()
        for each in calling:
            each.result()


@pytest.mark.longest
def test_an_ask_of_a_small_study_stays_quick_while_the_belief_of_a_big_one_is_drawn_twenty_times(sqlite: str) -> None:
    big(sqlite)
    Study.create(sqlite, "small", Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    reading = token_for(sqlite, "reader", "read", study="long")
    asking = token_for(sqlite, "worker", "ask", study="small")
    with serving(sqlite, open=False) as address, client(address, asking) as worker:
        asked(worker)
        alone = min(asked(worker) for _ in range(3))

        gone = threading.Event()

        def draw() -> None:
            with httpx.Client(headers={"Authorization": f"Bearer {reading}"}, timeout=600.0) as reader:
                status = reader.get(f"{address}/v1/studies/long/figures/belief").status_code
                assert status == 200 or (gone.is_set() and status == 404)

        with loaded(draw, N_FIGURES):
            under_load = [asked(worker) for _ in range(5)]
            gone.set()
            Study.delete(sqlite, "long")  # nobody draws the figures that are still waited for
    assert max(under_load) < QUICK + alone, f"{alone:.3f} s alone, {max(under_load):.3f} s under load"


def test_an_ask_of_a_small_study_stays_quick_while_large_bodies_come(sqlite: str) -> None:
    for name in ("long", "small"):
        Study.create(sqlite, name, Space(x=Float(0.0, 1.0)), policy="random", seed=1)
    reading = token_for(sqlite, "reader", "read", study="long")
    asking = token_for(sqlite, "worker", "ask", study="small")
    # They are refused, but only once all of their JSON has been read.
    point = ",".join(f'"x{place}": 0.{place:020}' for place in range(11))
    body = ('{"points": [' + ",".join([f"{{{point}}}"] * 10_000) + "]}").encode()
    assert 3_000_000 < len(body) < 4_000_000
    with serving(sqlite, open=False) as address, client(address, asking) as worker:
        asked(worker)
        alone = min(asked(worker) for _ in range(3))

        def send() -> None:
            headers = {"Authorization": f"Bearer {reading}", "Content-Type": "application/json"}
            with httpx.Client(headers=headers, timeout=600.0) as reader:
                assert reader.post(f"{address}/v1/studies/long/expectations", content=body).status_code == 422

        with loaded(send, N_BODIES):
            under_load = [asked(worker) for _ in range(5)]
    assert max(under_load) < QUICK + alone, f"{alone:.3f} s alone, {max(under_load):.3f} s under load"


class Work:
    """Pieces of slow work that say when they run, and end when they are told to."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.gate = threading.Event()

    def __call__(self, name: str) -> None:
        self.order.append(name)
        assert self.gate.wait(60.0)


async def _started(shared: SharedThreads, work: Work, *pieces: tuple[str, str | None]) -> list[asyncio.Task[None]]:
    """Tasks that wait in the order given; those that can, run."""
    tasks = []
    for number, (token, study) in enumerate(pieces):
        name = f"{token} {study} {number}"
        tasks.append(asyncio.create_task(shared.run(lambda name=name: work(name), token, study)))  # type: ignore[misc]
        await asyncio.sleep(0.02)
    return tasks


def test_a_study_has_one_thread_and_a_token_its_share() -> None:
    async def play() -> list[str]:
        shared, work = SharedThreads(8, 4), Work()
        tasks = await _started(shared, work, *[("a", "big")] * 5, *[("a", None)] * 5, ("b", "small"))
        await asyncio.to_thread(until, lambda: len(work.order) >= 5, "all threads that may have begun")
        await asyncio.sleep(0.05)  # one too many would begin by now
        running = sorted(work.order)
        work.gate.set()
        await asyncio.gather(*tasks)
        assert len(work.order) == 11
        return running

    assert asyncio.run(play()) == ["a None 5", "a None 6", "a None 7", "a big 0", "b small 10"]


def test_who_waits_is_served_by_tokens_in_turn_and_by_their_studies_in_turn() -> None:
    async def play() -> list[str]:
        shared, work = SharedThreads(1, 1), Work()
        pieces = [("a", "x"), ("a", "x"), ("a", "x"), ("a", "y"), ("b", "x"), ("c", None)]
        tasks = await _started(shared, work, *pieces)
        work.gate.set()
        await asyncio.gather(*tasks)
        return work.order

    assert asyncio.run(play()) == ["a x 0", "a x 1", "b x 4", "c None 5", "a y 3", "a x 2"]


def test_who_leaves_while_waiting_takes_no_thread() -> None:
    async def play() -> list[str]:
        shared, work = SharedThreads(1, 1), Work()
        tasks = await _started(shared, work, ("a", "x"), ("a", "x"), ("b", None))
        tasks[1].cancel()
        work.gate.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        await shared.run(lambda: work("last"), "a", "x")
        return work.order

    assert asyncio.run(play()) == ["a x 0", "b None 2", "last"]


def test_an_absurd_number_of_waiting_requests_is_refused_and_other_tokens_are_not() -> None:
    async def play() -> None:
        shared, work = SharedThreads(1, 1, most_waiting=2), Work()
        tasks = await _started(shared, work, ("a", "x"), ("a", "x"), ("a", "y"))
        with pytest.raises(RateError) as refused:
            await shared.run(lambda: None, "a")
        assert str(refused.value) == (
            "service: 2 requests of this token wait for a model already, and 2 may; wait for their answers, or try "
            "again later."
        )
        tasks += await _started(shared, work, ("b", "x"))
        work.gate.set()
        await asyncio.gather(*tasks)
        assert len(work.order) == 4

    asyncio.run(play())

"""The full house: 32 workers start at once, evaluations differ a hundredfold, two workers die, and one hangs."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from multiprocessing.process import BaseProcess
from pathlib import Path

import numpy as np
import pytest

import belated as bl
from belated.log import Answered, Asked
from belated.study import differences
from tests.durability.crowd import joined, started
from tests.durability.gates import Gate
from tests.meanwhile import until
from tests.reference.discrepancy import squared_discrepancy

N, ROUNDS = 32, 2
WORKERS = [f"gpu-{place}" for place in range(N)]
DEAD, HANGING, SLOWEST = ("gpu-5", "gpu-17"), "gpu-11", "gpu-20"
SPACE = bl.Space(rate=bl.Float(1e-4, 1e-1, log=True), dropout=bl.Float(0.0, 0.5), width=bl.Int(16, 512))


def loss(query: bl.Query) -> float:
    """What training with these settings comes to."""
    rate, dropout, width = unit(query)
    return (rate - 0.6) ** 2 + (dropout - 0.3) ** 2 + 0.5 * (width - 0.7) ** 2


def unit(query: bl.Query) -> tuple[float, float, float]:
    """The settings, each as a share of its range."""
    point = query.point
    return math.log10(point["rate"] / 1e-4) / 3.0, point["dropout"] / 0.5, (point["width"] - 16) / 496


class House:
    """32 workers on one study, each in a process of its own, and the gates at which some of them stand."""

    def __init__(self, address: str, folder: Path) -> None:
        self.study = bl.Study.create(address, "training", SPACE, goal="minimize", seed=4)
        self._address, self._folder = address, folder
        self.full = Gate(folder / "full")
        self.troubles = {worker: Gate(folder / worker) for worker in (*DEAD, HANGING, SLOWEST)}
        self._processes = {worker: self._hired(worker, self.troubles.get(worker)) for worker in WORKERS}

    def _hired(self, worker: str, trouble: Gate | None = None) -> BaseProcess:
        return started(work, self._address, worker, self.full, trouble, complaints=self._complaints(worker))

    def _complaints(self, worker: str) -> Path:
        return self._folder / f"{worker}.stderr"

    def kill(self, worker: str) -> None:
        """End a worker's process while it trains."""
        self.troubles[worker].await_arrival()
        self._processes[worker].kill()
        self._processes[worker].join()

    def hire_again(self, worker: str) -> None:
        """Start the worker anew, under the same name."""
        self._processes[worker] = self._hired(worker)

    def await_end_of(self, workers: Sequence[str]) -> None:
        """Wait until these have done all that they had to."""
        joined([self._processes[worker] for worker in workers], [self._complaints(worker) for worker in workers])

    def close(self) -> None:
        """Leave nobody behind."""
        for process in self._processes.values():
            process.kill()
            process.join()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The workers, who have all begun."""
    folder = tmp_path_factory.mktemp("house")
    opened = House(f"sqlite:///{folder / 'lab.db'}", folder)
    try:
        until(lambda: len(opened.study.pending()) == N, "all have asked")
        yield opened
    finally:
        opened.close()


def work(address: str, worker: str, full: Gate, trouble: Gate | None) -> None:
    """What a worker does: ask under its name, train, tell; the first training of some does not end by itself."""
    study = bl.Study.open(address, "training")
    for round_ in range(ROUNDS):
        query = study.ask(worker=worker)
        assert isinstance(query, bl.Query)
        full.stand()  # no training is so short that it ends before all have begun
        if trouble is not None and round_ == 0:
            trouble.stand()
        # Ten milliseconds to a second: a hundredth of what training takes.
        time.sleep(0.01 * 100.0 ** np.random.default_rng(query.id).random())
        study.tell(query, loss(query))


def test_the_first_points_spread(house: House) -> None:
    first = house.study.queries()[:N]
    assert {query.worker for query in first} == set(WORKERS)
    # No two trainings are the same, and they fill the space more evenly than 999 of 1,000 random designs.
    assert len({query.point["width"] for query in first}) == N
    points = np.array([unit(query) for query in first])
    rng = np.random.default_rng(0)
    at_random = [squared_discrepancy(rng.random((N, 3))) for _ in range(10_000)]
    assert squared_discrepancy(points) < np.quantile(at_random, 0.001)


def test_nobody_waits_for_the_slowest_and_nothing_is_lost(house: House) -> None:
    first = {query.worker: query for query in house.study.queries()[:N]}
    house.full.open()
    for worker in DEAD:
        house.kill(worker)
    # All others end their rounds while one has not returned yet and one never will.
    house.await_end_of([worker for worker in WORKERS if worker not in house.troubles])
    assert {query.worker for query in house.study.pending()} == {*DEAD, HANGING, SLOWEST}
    house.troubles[SLOWEST].open()
    house.await_end_of([SLOWEST])
    # What died or hangs is still waited for, and whoever comes under its name takes it up.
    left = {query.worker: query for query in house.study.pending()}
    assert left == {worker: first[worker] for worker in (*DEAD, HANGING)}
    house.kill(HANGING)
    for worker in (*DEAD, HANGING):
        house.hire_again(worker)
    house.await_end_of([*DEAD, HANGING])
    assert house.study.pending() == []
    events = house.study.events
    queries = [event.body for event in events if isinstance(event.body, Asked)]
    answers = {event.body.query: event.body.value for event in events if isinstance(event.body, Answered)}
    assert [asked.query for asked in queries] == list(range(1, ROUNDS * N + 1))
    assert answers == {query.id: loss(query) for query in house.study.queries()}
    assert all([asked.worker for asked in queries].count(worker) == ROUNDS for worker in WORKERS)
    assert list(differences(events)) == []

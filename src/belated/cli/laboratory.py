"""The laboratory of the demonstration: one problem, late and lost answers, three ways to work with them.

Each way runs in a process of its own with one thread of linear algebra: its matrices are small, and threads that wait
for each other on busy cores would make it ten times slower.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from queue import Empty
from typing import Any

from belated import policies, simulate
from belated.experiments import one_thread_each
from belated.log import Window
from belated.policies import Recipe
from belated.simulate import Run
from belated.study import Study

PROBLEM = "coupling"
MEAN_DELAY = 10
LOSS = 0.1
# Of Poisson(10) delays, 2 in 100,000 are longer.
PATIENCE = 25

EVERY_DAY, ONE_BY_ONE, AT_RANDOM = "Belated, every day", "Waiting for each", "Random, every day"


def strategy(label: str) -> Recipe:
    """The policy of each way of working; the first two have the same belief, the same rule and the same window."""
    window = Window(seconds=PATIENCE)
    match label:
        case "Belated, every day":
            return policies.gp_bucb(window=window)
        case "Waiting for each":
            # With one query at a time nothing is ever hallucinated: this is GP-UCB that waits for every answer.
            return policies.hbbo_ucb(maximum=1, window=window)
        case _:
            return policies.random()


@dataclass(frozen=True)
class Glimpse:
    """How a way of working stands on a day: its best answer so far, if any, and how many queries are under way."""

    label: str
    day: int
    best: float | None
    pending: int


def delays() -> simulate.DelayLaw:
    """Poisson delays of ten days on average; one answer in ten never comes."""
    return simulate.lost(LOSS, simulate.poisson(MEAN_DELAY))


def compare(days: int, seed: int, show: Callable[[Glimpse], None]) -> dict[str, Run]:
    """The runs of all ways of working, in one laboratory with the same luck; `show` is called with every day."""
    labels = (EVERY_DAY, ONE_BY_ONE, AT_RANDOM)
    spawn = multiprocessing.get_context("spawn")
    with one_thread_each():
        news: Any = spawn.Queue()
        with ProcessPoolExecutor(len(labels), mp_context=spawn, initializer=_connect, initargs=(news,)) as pool:
            futures = {label: pool.submit(_simulate, label, days, seed) for label in labels}
            for glimpse in _news(news, list(futures.values())):
                show(glimpse)
            return {label: future.result() for label, future in futures.items()}


def _news(news: Any, futures: list[Future[Run]]) -> Iterator[Glimpse]:
    """What the processes send, until all of them have ended and nothing is left."""
    while True:
        ended = all(future.done() for future in futures)
        try:
            yield news.get(timeout=0.1)
        except Empty:
            if ended:
                return


# In the processes.

_channel: Any = None


def _connect(news: Any) -> None:
    global _channel
    _channel = news


def _simulate(label: str, days: int, seed: int) -> Run:
    def watch(day: int, study: Study) -> None:
        record = study.record()
        best = study.best().value if record.n_answers else None
        _channel.put(Glimpse(label, day, best, record.counts.waiting))

    return simulate.run(PROBLEM, strategy(label), delays(), days, seed, watch)

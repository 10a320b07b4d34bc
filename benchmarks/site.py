"""A large site: ten thousand asks in flight, a million answers, arrivals at a thousand a second, one study.

The costs are those of the real parts: `egp-ts`, a log in SQLite or PostgreSQL, a process that takes over. What they add
up to under so many arrivals is played on a virtual clock, with one server for each shard. `SITE_ANSWERS=100000` makes
the site smaller.
"""

from __future__ import annotations

import heapq
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, islice
from pathlib import Path
from typing import Any

import numpy as np

import belated as bl
from belated.log import Answered, Asked, Body, Values
from belated.storage.database import close_connections
from belated.study.insight import summary
from benchmarks.lasting import SPACE
from benchmarks.measure import Row, keep
from benchmarks.storing import server

ANSWERS = int(os.environ.get("SITE_ANSWERS", "1000000"))
SIZES = tuple(size for size in (1_000, 10_000, 100_000, 1_000_000) if size <= ANSWERS)
PENDING, CHUNK = 10_000, 20_000
REPEATS, BATCH, SINGLE = 40, 1_000, 200
ON_SERVER = min(ANSWERS, 100_000)
RATE, DELAY, SECONDS = 1_000.0, PENDING / 1_000.0, 60.0  # by Little's law, in flight = rate × delay
RATES = (50.0, 75.0, 100.0, 125.0)  # on one
SHARDS = (1, 2, 4, 8, 12, 16)

Figures = dict[str, tuple[float, str]]  # with their units

NOTES = (
    f"One study with five parameters and `egp-ts`, n answers, and {PENDING:,} queries pending beside them. Times are "
    f"processor times of one thread (medians of {REPEATS}, where something repeats), of a fresh process that opens the "
    f"study in SQLite; the ratios are to {SIZES[0]:,} answers. Each ask takes in one answer more. Rates are by the "
    "clock. The last lines are played on a virtual clock with the costs of an ask and a tell at "
    f"{SIZES[-1]:,} answers: {SECONDS:g} seconds of Poisson arrivals, each one ask, answered after {DELAY:g} seconds "
    "on average (exponentially). A shard is a study with a processor of its own; the load is the share of it that is "
    "wanted."
)


def main() -> None:
    found: dict[int, Figures] = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            found[size] = on_file(Path(folder) / f"{size}.db", size)
            print(f"{size:,} answers: {found[size]}", flush=True)
        rows = [compared(what, size, found) for what in found[SIZES[0]] for size in SIZES]
        rows += on_server(Path(folder) / "pg")
    rows += on_a_table()
    ask, tell = (found[SIZES[-1]][what][0] / 1e3 for what in ("one ask", "one tell"))
    rows += [played(ask, tell, rate, 1) for rate in RATES]
    rows += [played(ask, tell, RATE, shards) for shards in SHARDS]
    keep("site", rows, NOTES)


def compared(what: str, size: int, found: dict[int, Figures]) -> Row:
    """A figure beside the same with the fewest answers."""
    (amount, unit), (least, _) = found[size][what], found[SIZES[0]][what]
    shown = f"{amount:,.0f}" if amount >= 100 else f"{amount:.3g}"
    return Row(f"{what}, n = {size:,}", f"{shown} {unit}", "", amount / least, "", True)


# The real parts.


def on_file(path: Path, size: int) -> Figures:
    """What a study with so many answers costs on SQLite."""
    url = f"sqlite:///{path}"
    spent = processor_seconds(lambda: write(url, size))
    close_connections()  # then the write-ahead log is taken into the file
    events, on_disk = 2 * size + PENDING, path.stat().st_size
    command = [sys.executable, "-m", "benchmarks.site", url]
    taken: Figures = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {
        "written, an event": (1e6 * spent / events, "µs"),
        "on the disk, an event": (on_disk / events, "bytes"),
    } | taken


def write(url: str, size: int) -> None:
    """Write the log of a study with so many answers, in transactions of some thousand events."""
    study = bl.Study.create(url, "site", SPACE, policy="egp-ts", seed=0)
    events = bodies(size)
    while part := list(islice(events, CHUNK)):
        with study._log.writing() as writer:
            writer.append(part, 1.0)


def bodies(size: int) -> Iterator[Body]:
    """Asks, each answered when as many are in flight as shall be."""
    rng = np.random.default_rng(0)
    answers: dict[int, float] = {}
    for query in range(1, size + PENDING + 1):
        place = rng.uniform(-1.0, 3.0, SPACE.dimension)
        answers[query] = float(np.sin(place).sum() + 0.1 * rng.standard_normal())
        yield Asked(query, Values(zip(SPACE.names, place.tolist(), strict=True)))
        if query > PENDING:
            yield Answered(query - PENDING, answers.pop(query - PENDING))


def taken_over(url: str) -> Figures:
    """What a fresh process pays that opens the study and goes on."""
    study = bl.Study.open(url, "site")
    before = memory_now()
    opened = processor_seconds(study.record)
    n_rows = len(study.record())
    taken = memory_now() - before
    begun = processor_seconds(study.ask)
    waiting = count(n_rows - PENDING + 1)

    def tell() -> None:
        study.tell(next(waiting), 0.5)

    told, asked = np.median([(processor_seconds(tell), processor_seconds(study.ask)) for _ in range(REPEATS)], axis=0)
    names = [partial(study.ask, worker=f"worker {place}") for place in range(REPEATS)]
    began = time.perf_counter()
    for _ in range(SINGLE):
        tell()
    rate = SINGLE / (time.perf_counter() - began)
    lots = [{next(waiting): 0.5 for _ in range(BATCH)} for _ in range(5)]
    batches = [processor_seconds(partial(study.tell_many, lot)) for lot in lots]
    return {
        "opened, with its whole history": (opened, "s"),
        "in memory, a query": (taken / n_rows, "bytes"),
        "the first ask: fit, and sums over all answers": (begun, "s"),
        "one ask": (1e3 * float(asked), "ms"),
        "one ask by a worker's name": (1e3 * float(np.median([processor_seconds(ask) for ask in names])), "ms"),
        f"one of {REPEATS} asked together": (1e3 * processor_seconds(lambda: study.ask(REPEATS)) / REPEATS, "ms"),
        "one tell": (1e3 * float(told), "ms"),
        "single tells, by the clock": (rate, "/ s"),
        f"one of {BATCH:,} told together": (1e3 * float(np.median(batches)) / BATCH, "ms"),
        "what is pending, listed": (processor_seconds(study.pending), "s"),
        "how it stands, as on the dashboard": (processor_seconds(lambda: summary(study)), "s"),
        "the process, after all that": (memory_now() / 2**20, "MB"),
    }


def on_server(folder: Path) -> list[Row]:
    """The same writes on PostgreSQL, by the clock."""
    with server(folder) as url:
        write(url, ON_SERVER)
        study = bl.Study.open(url, "site")
        waiting = count(ON_SERVER + 1)
        began = time.perf_counter()
        for _ in range(SINGLE):
            study.tell(next(waiting), 0.5)
        single = SINGLE / (time.perf_counter() - began)
        began = time.perf_counter()
        study.tell_many({next(waiting): 0.5 for _ in range(BATCH)})
        batch = BATCH / (time.perf_counter() - began)
    where = f"PostgreSQL, n = {ON_SERVER:,}"
    return [
        Row(f"{where}: single tells", f"{single:.0f} / s", "", None, "", True),
        Row(f"{where}: {BATCH:,} told together", f"{batch:,.0f} / s", "", None, "", True),
    ]


def on_a_table() -> list[Row]:
    """An ask where there are only a thousand candidates, with ten thousand answers."""
    rng = np.random.default_rng(1)
    table = bl.Candidates(rng.random((1_000, SPACE.dimension)))
    study = bl.Study.in_memory(table, policy="egp-ts", seed=0)
    points = [table.decode(row) for row in table.sample(1_000, rng)]
    study.add_many([(point, float(sum(point.values()))) for point in points for _ in range(10)])
    study.ask()
    spent = np.median([processor_seconds(study.ask) for _ in range(REPEATS)])
    return [Row("one ask, of a table of 1,000 candidates, n = 10,000", f"{1e3 * spent:.3g} ms", "", None, "", True)]


def processor_seconds(action: Callable[[], Any]) -> float:
    """The processor time of an action: on a machine that does other things too, it says more than the clock."""
    began = time.process_time()
    action()
    return time.process_time() - began


def memory_now() -> int:
    """The bytes of this process that are in memory."""
    return 1024 * int(Path("/proc/self/status").read_text().split("VmRSS:")[1].split()[0])


# The virtual clock.


class Shard:
    """One study with a processor of its own, which decides and writes one thing after the other."""

    def __init__(self) -> None:
        self.free_at = 0.0

    def serve(self, now: float, cost: float) -> float:
        """When something that comes now and costs so much is done."""
        self.free_at = max(self.free_at, now) + cost
        return self.free_at


def played(ask: float, tell: float, rate: float, n_shards: int) -> Row:
    """Some time of arrivals, shared out at random among the shards."""
    rng = np.random.default_rng(0)
    shards = [Shard() for _ in range(n_shards)]
    number = count()
    agenda = [(float(rng.exponential(1.0 / rate)), next(number), -1)]
    waits: list[float] = []
    asked = told = 0
    while agenda[0][0] < SECONDS:
        now, _, shard = heapq.heappop(agenda)
        if shard >= 0:
            shards[shard].serve(now, tell)
            told += 1
            continue
        place = int(rng.integers(n_shards))
        done = shards[place].serve(now, ask)
        waits.append(done - now)
        asked += done < SECONDS
        heapq.heappush(agenda, (done + float(rng.exponential(DELAY)), next(number), place))
        heapq.heappush(agenda, (now + float(rng.exponential(1.0 / rate)), next(number), -1))
    slow = float(np.quantile(waits, 0.99))
    load = rate * (ask + tell) / n_shards
    held = (
        f"{asked / SECONDS:,.0f} asks / s, {asked - told:,} in flight, 99 of 100 within {slow:.3g} s, load {load:.2f}"
    )
    shown = f"{n_shards} shards" if n_shards > 1 else "one study"
    return Row(f"{rate:,.0f} arrivals / s on {shown}", held, "", None, "", True)


if __name__ == "__main__":
    print(json.dumps(taken_over(sys.argv[1])))

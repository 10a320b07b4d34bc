"""Studies with very many answers: whether an ask and a tell still take what they take among the first thousand."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator
from itertools import count

import numpy as np

import belated as bl
from belated.log import Answered, Asked, Event, Values
from benchmarks.measure import Row, keep, seconds

SPACE = bl.Space(**{f"x{place}": bl.Float(-1.0, 3.0) for place in range(5)})
SIZES = (1_000, 10_000, 100_000, 1_000_000)
WEIGHED, PENDING, REPEATS = 20_000, 10, 200

NOTES = (
    f"Five parameters, policy `random`, in memory, {PENDING} queries pending; medians of {REPEATS}. The ratios are to "
    f"the times with {SIZES[0]:,} answers. Bytes are those of the log and of the record, with {WEIGHED:,} answers."
)


def main() -> None:
    weight = bytes_per_answer()
    rows = [Row("memory per answer", f"{weight:.0f} bytes", "", None, "", True)]
    first: dict[str, float] = {}
    for size in SIZES:
        for what, spent in measured(size).items():
            ratio = spent / first.setdefault(what, spent)
            goal = "at most 1.5 times" if size > SIZES[0] else ""
            rows.append(Row(f"{what}, n = {size:,}", f"{1e6 * spent:.0f} µs", "", ratio, goal, ratio <= 1.5))
    keep("lasting", rows, NOTES)


def measured(size: int) -> dict[str, float]:
    """Seconds of an ask, of a tell, and of reading all arrivals."""
    study = bl.Study(log(size), clock=lambda: 1e9)
    gc.collect()
    queries = count(size + 1)
    # Each ask takes in the answer before it, as in a study that is under way.
    times = [(seconds(study.ask), seconds(lambda: study.tell(next(queries), 0.5))) for _ in range(REPEATS)]
    ask, tell = np.median(times, axis=0)
    return {"ask": float(ask), "tell": float(tell), "arrivals": seconds(study.evidence().arrivals, REPEATS)}


def bytes_per_answer() -> float:
    """What a study takes for every answer that it has."""
    tracemalloc.start()
    study = bl.Study(log(WEIGHED))
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / study.record().n_answers


def log(size: int, policy: str | bl.policies.Recipe = "random") -> Iterator[Event]:
    """A log of this many answers, each as many asks late as there are pending queries."""
    rng = np.random.default_rng(0)
    number = 1
    answers = {}
    yield Event(1, 0.0, bl.Study.in_memory(SPACE, policy=policy, seed=0).events[0].body)
    for query in range(1, size + PENDING + 1):
        number += 1
        place = rng.uniform(-1.0, 3.0, 5)
        answers[query] = float(np.sin(place).sum() + 0.1 * rng.standard_normal())
        yield Event(number, float(number), Asked(query, Values(zip(SPACE.names, place.tolist(), strict=True))))
        if query > PENDING:
            number += 1
            yield Event(number, float(number), Answered(query - PENDING, answers.pop(query - PENDING)))

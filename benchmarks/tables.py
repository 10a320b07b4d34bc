"""Large tables of candidates: whole against the rank-one updates alone, and lazily in little memory."""

from __future__ import annotations

import resource
import subprocess
import sys
import time

import numpy as np

from belated import GP, Candidates, Study, policies
from belated.log import Query
from belated.space import Array
from benchmarks.measure import Row, keep

LENGTHSCALE, NOISE, DELAY = 0.2, 0.01, 5
WHOLE = (100_000, 300)
LAZY = (1_000_000, 200)


def main() -> None:
    """Run both tables, the lazy one in a process of its own so that its memory can be read."""
    rows_, rounds = WHOLE
    ours = study_seconds(*WHOLE)
    alone = update_seconds(*WHOLE)
    lazily = subprocess.run([sys.executable, "-m", "benchmarks.tables"], check=True, capture_output=True, text=True)
    spent, gigabytes = map(float, lazily.stdout.split())
    keep(
        "tables",
        [
            Row(
                f"gp-bucb, {rows_:,} candidates, {rounds} rounds",
                f"{ours:.1f} s",
                f"{alone:.1f} s (NumPy, the rank-one updates alone)",
                ours / alone,
                "≤ 3 times as long",
                ours <= 3.0 * alone,
            ),
            Row(
                f"gp-bucb, {LAZY[0]:,} candidates, {LAZY[1]} rounds, lazily",
                f"{gigabytes:.2f} GB, {spent:.0f} s",
                "",
                None,
                "< 4 GB",
                gigabytes < 4.0,
            ),
        ],
        f"Squared exponential kernel with known hyperparameters in 3-d, answers {DELAY} queries late.",
    )


def study_seconds(size: int, rounds: int) -> float:
    """The time of a delayed study on a random table."""
    table = np.random.default_rng(0).random((size, 3))
    belief = GP(kernel="se", lengthscale=LENGTHSCALE, variance=1.0, noise=NOISE, mean="zero")
    study = Study.in_memory(Candidates(table), policy=policies.gp_bucb(belief=belief), seed=0)
    began = time.perf_counter()
    waiting: list[Query] = []
    for _ in range(rounds):
        query = study.ask()
        assert isinstance(query, Query)
        waiting.append(query)
        if len(waiting) > DELAY:
            answered = waiting.pop(0)
            x = answered.point
            study.tell(answered.id, float(np.sin(5 * x["x0"]) + x["x2"] * np.cos(3 * x["x1"])))
    return time.perf_counter() - began


def update_seconds(size: int, rounds: int) -> float:
    """The time of as many rank-one updates of all variances, the points given: what any such study must do."""
    table = np.random.default_rng(0).random((size, 3))
    chosen = np.random.default_rng(1).integers(size, size=rounds)
    rows: Array = np.empty((rounds, size))
    variance = np.ones(size)
    began = time.perf_counter()
    for step, point in enumerate(chosen):
        distances = np.sum((table - table[point]) ** 2, axis=1)
        row = np.exp(-0.5 / LENGTHSCALE**2 * distances) - rows[:step, point] @ rows[:step]
        row /= np.sqrt(variance[point] + NOISE)
        rows[step] = row
        variance -= row * row
    return time.perf_counter() - began


if __name__ == "__main__":
    elapsed = study_seconds(*LAZY)
    print(elapsed, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6)

"""Ensembles of random features: whether an ask and a tell cost the same however many answers there are."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import count

import numpy as np

import belated as bl
from belated.beliefs import Memory
from benchmarks.lasting import log
from benchmarks.measure import Row, keep, seconds

SIZES = (1_000, 10_000, 100_000, 1_000_000)
EXACT = (1_000, 2_000)
REPEATS, EXACT_REPEATS = 50, 7
PROCESS = bl.GP(kernel="matern52", lengthscale=0.5, variance=1.0, noise=0.01)

NOTES = (
    f"Five parameters, D = 50, answers in memory; medians of {REPEATS} ({EXACT_REPEATS} for the exact process). An ask "
    f"takes in the answer that was told since. The ratios are to the time with {SIZES[0]:,} answers. The exact process "
    f"is `gp-ts` with known hyperparameters, in the same run. The memory is what the belief keeps, without the log."
)


def main() -> None:
    rows = []
    first: dict[str, float] = {}
    for size in SIZES:
        times, kept = measured(bl.policies.egp_ts("a"), size, REPEATS)
        for what, spent in times.items():
            ratio = spent / first.setdefault(what, spent)
            goal = "at most 1.5 times" if size > SIZES[0] else ""
            rows.append(Row(f"egp-ts, {what}, n = {size:,}", f"{1e3 * spent:.3g} ms", "", ratio, goal, ratio <= 1.5))
        ratio = kept / first.setdefault("memory", kept)
        goal = "flat" if size > SIZES[0] else ""
        rows.append(Row(f"egp-ts, memory, n = {size:,}", f"{kept / 2**20:.1f} MiB", "", ratio, goal, ratio <= 1.1))
    eleven, _ = measured(bl.policies.egp_ts("b"), SIZES[0], REPEATS)
    rows.append(
        Row("egp-ts, ask, 11 members", f"{1e3 * eleven['ask']:.3g} ms", "", None, "under 30 ms", eleven["ask"] < 0.03)
    )
    for size in EXACT:
        times, _ = measured(bl.policies.gp_ts(belief=PROCESS), size, EXACT_REPEATS)
        ratio = times["ask"] / first["ask"]
        rows.append(Row(f"exact process, ask, n = {size:,}", f"{1e3 * times['ask']:.3g} ms", "", ratio, "", True))
    keep("ensembles", rows, NOTES)


def measured(policy: bl.policies.Recipe, size: int, repeats: int) -> tuple[dict[str, float], int]:
    """Seconds of an ask and of a tell, and the bytes that the belief keeps."""
    study = bl.Study(log(size, policy), clock=lambda: 1e9)
    study.ask()  # fits hyperparameters and adds up all answers
    gc.collect()
    queries = count(size + 1)
    times = [(seconds(lambda: study.tell(next(queries), 0.5)), seconds(study.ask)) for _ in range(repeats)]
    tell, ask = np.median(times, axis=0)
    return {"ask": float(ask), "tell": float(tell)}, kept_by(policy, study.evidence())


def kept_by(policy: bl.policies.Recipe, evidence: bl.Evidence) -> int:
    """What a memory holds after a decision, beyond the evidence itself."""
    memory = Memory()
    gc.collect()
    tracemalloc.start()
    policy.compose(evidence, 1e9).decide(evidence, 1e9, 0, memory)
    gc.collect()
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken

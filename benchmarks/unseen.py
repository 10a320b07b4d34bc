"""Contexts seen after the decision: what a hundred queries cost in time and regret, against SBO-KDE on BoTorch.

`python -m benchmarks.unseen POLICY SEED [QUERIES]` measures one run and prints it as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

import numpy as np

import belated as bl
from belated.simulate import problems, run
from belated.simulate.problems import Problem
from belated.simulate.randomness import Purpose, generator
from benchmarks.measure import Row, keep
from benchmarks.simulating import ONE_THREAD

PROBLEM, QUERIES, INITIAL = "ackley-context", 100, 10
POLICIES = ("sbo-kde", "drbo-kde", "stableopt", "drbo-mmd-minimax", "drbo-mmd", "gp-ucb-blind")
PEER = "botorch"
SEEDS, PEER_SEEDS = range(5), range(3)  # a run of the peer takes a quarter of an hour

NOTES = (
    f"Ackley's function of two decisions and one context that is seen after them; {QUERIES} queries, the first "
    f"{INITIAL} of them the same design for all, no delay, hyperparameters fitted anew for every query, the "
    f"expectations over 1024 contexts. Seconds are processor time on one thread, each run in a process of its own; "
    f"{len(SEEDS)} seeds, {len(PEER_SEEDS)} of them with BoTorch too, and the n-th query meets the same context in "
    f"every run of a seed. On BoTorch, SBO-KDE has the same model, priors and density (1024 raw samples, 50 "
    f"restarts). Regrets are cumulative, of the expectation over the contexts, with standard errors."
)


@dataclass(frozen=True)
class Course:
    """One run: its processor time, and the regret of each query."""

    seconds: float
    regrets: tuple[float, ...]

    @property
    def regret(self) -> float:
        return sum(self.regrets)


def main() -> None:
    courses: dict[str, list[Course]] = {name: [] for name in (*POLICIES, PEER)}
    for seed in SEEDS:
        for name in (*POLICIES, *((PEER,) if seed in PEER_SEEDS else ())):
            courses[name].append(apart(name, seed))
    keep("contexts", [*time_rows(courses), *regret_rows(courses)], NOTES)


def time_rows(courses: dict[str, list[Course]]) -> list[Row]:
    """Seconds per run; of each seed's runs the ratio, and of the ratios the mean."""
    first = courses["sbo-kde"]
    theirs = ratio(courses[PEER], first)
    rows = [
        Row(
            "sbo-kde, seconds",
            seconds(first),
            f"{seconds(courses[PEER])} (BoTorch)",
            theirs,
            "≥ 5 times faster",
            theirs >= 5.0,
        )
    ]
    for name in POLICIES[1:]:
        times = ratio(courses[name], first)
        goal, met = ("≤ 1.3 times sbo-kde", times <= 1.3) if name == "drbo-kde" else ("", True)
        rows.append(Row(f"{name}, seconds", seconds(courses[name]), f"{seconds(first)} (sbo-kde)", times, goal, met))
    return rows


def regret_rows(courses: dict[str, list[Course]]) -> list[Row]:
    """Cumulative regrets, and the difference to BoTorch over the seeds that both have."""
    rows = [Row(f"{name}, regret", spread([c.regret for c in courses[name]]), "", None, "", True) for name in POLICIES]
    pairs = list(zip(courses["sbo-kde"], courses[PEER], strict=False))
    gaps = [ours.regret - theirs.regret for ours, theirs in pairs]
    first = Row(
        f"sbo-kde, regret, the {len(pairs)} seeds of BoTorch (difference {spread(gaps)})",
        spread([ours.regret for ours, _ in pairs]),
        f"{spread([theirs.regret for _, theirs in pairs])} (BoTorch)",
        None,
        "equal or lower, but for two standard errors",
        float(np.mean(gaps)) <= 2.0 * error(gaps),
    )
    return [first, *rows]


def ratio(some: list[Course], others: list[Course]) -> float:
    return float(np.mean([one.seconds / other.seconds for one, other in zip(some, others, strict=False)]))


def seconds(courses: list[Course]) -> str:
    return f"{np.mean([course.seconds for course in courses]):.1f} s"


def error(numbers: list[float]) -> float:
    """The standard error of the mean; of one number, unknown."""
    return float(np.std(numbers, ddof=1) / np.sqrt(len(numbers))) if len(numbers) > 1 else np.inf


def spread(numbers: list[float]) -> str:
    """Mean and standard error."""
    return f"{np.mean(numbers):.1f} ± {error(numbers):.1f}" if len(numbers) > 1 else f"{numbers[0]:.1f}"


def apart(name: str, seed: int) -> Course:
    """One run in a process of its own, on one thread."""
    command = [sys.executable, "-m", "benchmarks.unseen", name, str(seed)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **ONE_THREAD})
    course = Course(**json.loads(done.stdout))
    # A run of the peer is long: whoever waits sees how far it is.
    print(f"{name}, seed {seed}: {course.seconds:.1f} s, regret {course.regret:.1f}", file=sys.stderr, flush=True)
    return course


def measured(name: str, seed: int, queries: int) -> Course:
    return botorch_course(seed, queries) if name == PEER else belated_course(name, seed, queries)


def belated_course(name: str, seed: int, queries: int) -> Course:
    policy = bl.policies.build(name, belief=bl.GP(refit=1), initial=INITIAL)
    began = time.process_time()
    done = run(PROBLEM, policy, rounds=queries, seed=seed)
    return Course(time.process_time() - began, tuple(done.regrets.tolist()))


def botorch_course(seed: int, queries: int) -> Course:
    """From our initial design, SBO-KDE on BoTorch; the time is that of its decisions alone."""
    import torch

    from benchmarks.peers import botorch_fit
    from benchmarks.unseen_peer import botorch_sbo_kde

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    problem, rng = problems.build(PROBLEM, seed), np.random.default_rng(seed)
    start = run(problem, bl.policies.build("sbo-kde", initial=INITIAL), rounds=INITIAL, seed=seed)
    points = [problem.space.encode(point) for point in start.points]
    botorch_fit(np.array(points), np.arange(float(INITIAL)))  # what is done once only is not its time
    spent = 0.0
    contexts: list[np.ndarray] = []
    values: list[float] = []
    for number in range(1, queries + 1):
        if number > INITIAL:
            began = time.process_time()
            points.append(botorch_sbo_kde(np.array(points), np.array(contexts), np.array(values), rng))
            spent += time.process_time() - began
        context, value = answer(problem, points[number - 1], seed, number)
        contexts.append(context)
        values.append(value)
    regrets = [problem.optimum - problem.value(problem.space.decode(point)) for point in points]
    return Course(spent, tuple(regrets))


def answer(problem: Problem, point: np.ndarray, seed: int, number: int) -> tuple[np.ndarray, float]:
    """The context that the n-th query of a seed meets, and its value there, as in `run`."""
    chance = problem.chance
    assert chance is not None
    context = chance.draw(generator(seed, Purpose.CONTEXT, number))
    return chance.context.space.encode(context), chance.outcome(problem.space.decode(point), context)


if __name__ == "__main__":
    wanted, seed, *queries = sys.argv[1:]
    print(json.dumps(asdict(measured(wanted, int(seed), *(map(int, queries) if queries else (QUERIES,))))))

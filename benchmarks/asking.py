"""One ask with ten pending queries, against BoTorch and Optuna, and the quality of the maximiser."""

from __future__ import annotations

import time

import numpy as np

from belated import Study, policies
from belated.beliefs import GaussianProcess
from belated.log import Query
from belated.rules import Constant, Situation, UpperBound
from belated.space import Array
from benchmarks.data import SIZES, SPACE, design, objective
from benchmarks.measure import Row, keep
from benchmarks.peers import OptunaStudy, botorch_ask, botorch_maximiser

WIDTH = 2.0
PENDING = 10
ROUNDS = 20
PEER_ROUNDS = {50: 20, 200: 10, 1000: 3}  # a peer's ask at 1000 answers takes many seconds


def main() -> None:
    """Time the asks of all three, and compare our maximiser with BoTorch's under one posterior."""
    rows = []
    for size in SIZES:
        ours, gaps = our_asks(size)
        for peer, theirs, goal in (("BoTorch", botorch_asks(size), 10.0), ("Optuna", optuna_asks(size), 5.0)):
            ratio = theirs / ours
            rows.append(
                Row(
                    f"ask, n = {size}, 10 pending",
                    f"{1e3 * ours:.1f} ms",
                    f"{1e3 * theirs:.0f} ms ({peer})",
                    ratio,
                    f"≥ {goal:g} times faster",
                    ratio >= goal,
                )
            )
        worst = min(gaps)
        rows.append(
            Row(
                f"maximiser, n = {size}, worst of {len(gaps)} (our UCB less BoTorch's, in deviations)",
                f"{worst:+.1e}",
                "0 (BoTorch)",
                None,
                "≥ −1e-3",
                worst >= -1e-3,
            )
        )
    notes = (
        f"Hartmann-6, an answer told and a query asked in each round; ours averaged over {ROUNDS} rounds with the "
        f"default refit schedule, BoTorch refitting and maximising qUCB with X_pending (16 restarts, 1024 raw "
        f"samples) over {list(PEER_ROUNDS.values())} rounds, Optuna's GPSampler likewise."
    )
    keep("ask", rows, notes)


def our_asks(size: int) -> tuple[float, list[float]]:
    """Seconds per ask, and the advantage of our maximisers over BoTorch's on a few of the posteriors."""
    rng = np.random.default_rng(1)
    study = Study.in_memory(SPACE, policy=policies.gp_bucb(width=WIDTH), seed=0)
    for point, value in zip(*design(size), strict=True):
        study.add(SPACE.decode(point), float(value))
    waiting = [ask(study) for _ in range(PENDING)]
    spent, gaps = 0.0, []
    for turn in range(ROUNDS):
        answered = waiting.pop(0)
        study.tell(answered.id, objective(SPACE.encode(answered.point), rng))
        before = study.events
        began = time.perf_counter()
        waiting.append(ask(study))
        spent += time.perf_counter() - began
        if turn % 5 == 0:
            gaps.append(advantage(Study(before), SPACE.encode(waiting[-1].point)))
    return spent / ROUNDS, gaps


def ask(study: Study) -> Query:
    """A query; this policy never balks."""
    query = study.ask()
    assert isinstance(query, Query)
    return query


def advantage(study: Study, ours: Array) -> float:
    """How much higher the upper confidence bound is at our point than at BoTorch's, in deviations at ours."""
    situation = Situation(study.policy.moment(study.evidence(), 0.0, 0, study._knowledge.memory))
    belief = situation.belief
    assert isinstance(belief, GaussianProcess), "the benchmark's policy has one process"
    theirs = botorch_maximiser(belief, WIDTH)
    score = UpperBound(Constant(WIDTH)).score(situation)
    values = score.values(np.array([ours, theirs]))
    return float((values[0] - values[1]) / belief.moments(ours[None]).deviation[0])


def botorch_asks(size: int) -> float:
    """Seconds per ask of BoTorch."""
    rng = np.random.default_rng(1)
    points, values = design(size)
    waiting = np.random.default_rng(2).random((PENDING, points.shape[1]))
    spent = 0.0
    for _ in range(PEER_ROUNDS[size]):
        points = np.vstack([points, waiting[:1]])
        values = np.append(values, objective(waiting[0], rng))
        began = time.perf_counter()
        found = botorch_ask(points, values, waiting[1:])
        spent += time.perf_counter() - began
        waiting = np.vstack([waiting[1:], found])
    return spent / PEER_ROUNDS[size]


def optuna_asks(size: int) -> float:
    """Seconds per ask of Optuna."""
    rng = np.random.default_rng(1)
    study = OptunaStudy(*design(size))
    waiting = [study.ask() for _ in range(PENDING)]
    spent = 0.0
    for _ in range(PEER_ROUNDS[size]):
        trial, point = waiting.pop(0)
        study.tell(trial, objective(point, rng))
        began = time.perf_counter()
        waiting.append(study.ask())
        spent += time.perf_counter() - began
    return spent / PEER_ROUNDS[size]

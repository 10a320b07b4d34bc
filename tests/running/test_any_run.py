"""Runs on terms drawn at random, of objectives that fail at random: the log and the result agree with what happened."""

from __future__ import annotations

import math
import threading
from collections import Counter
from typing import Any

import numpy as np
import pytest

from belated import Retries
from belated.beliefs import GP
from belated.errors import ObjectiveError
from belated.policies import Recipe, gp_aucb
from belated.study import differences
from tests.running.studies import begun, squared, states, told

KNOWN = GP(lengthscale=0.2, variance=1.0, noise=0.01, mean="zero")
NEVER = 10**9
# A belief may ask the same point again, and then it works as often as before.
POLICIES: list[tuple[str | Recipe, tuple[int, ...]]] = [
    ("random", (0, 0, 0, 1, 2, 5)),
    (gp_aucb(belief=KNOWN), (0, 0, NEVER)),
    (gp_aucb(limit=1e-9, belief=KNOWN), (0, 0, NEVER)),
]


class Moody:
    """An objective that fails at each point so many times before it works; how often is drawn from the point."""

    def __init__(self, seed: int, moods: tuple[int, ...]) -> None:
        self._seed, self._moods, self._access = seed, moods, threading.Lock()
        self.evaluated: Counter[float] = Counter()
        self.at_once = self.most_at_once = 0

    def failures(self, heat: float) -> int:
        return int(np.random.default_rng([self._seed, int(heat * 1e9)]).choice(self._moods))

    def __call__(self, point: dict[str, Any]) -> Any:
        heat = point["heat"]
        with self._access:
            self.evaluated[heat] += 1
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
            tried = self.evaluated[heat]
        threading.Event().wait(float(np.random.default_rng([self._seed, tried]).uniform(0.0, 0.003)))
        with self._access:
            self.at_once -= 1
        if tried > self.failures(heat):
            return squared(point)
        if tried % 2:
            raise ValueError(tried)
        return None


# Objectives that fail, and what lies at a bound, are noticed by the study too.
@pytest.mark.filterwarnings("ignore::belated.errors.BelatedWarning")
@pytest.mark.parametrize("seed", range(25))
def test_the_result_and_the_log_of_any_run_say_what_happened(seed: int) -> None:
    rng = np.random.default_rng(seed)
    queries, workers, times = int(rng.integers(1, 30)), int(rng.integers(1, 7)), int(rng.integers(0, 4))
    policy, moods = POLICIES[seed % 3]
    study, moody = begun(policy), Moody(seed, moods)
    ran = study.run(
        moody, queries, workers=workers, retries=Retries(times, wait=float(rng.choice([0.0, 0.002]))), tolerate=math.inf
    )
    heats = [query.point["heat"] for query in study.queries()]
    works = [moody.failures(heat) <= times for heat in heats]
    assert (ran.asked, ran.answered, ran.failed) == (queries, sum(works), queries - sum(works))
    assert states(study) == ["answered" if work else "failed" for work in works]
    assert sorted(told(study)) == sorted(
        squared({"heat": heat}) for heat, work in zip(heats, works, strict=True) if work
    )
    expected: Counter[float] = Counter()
    for heat in heats:
        expected[heat] += min(moody.failures(heat), times) + 1
    assert moody.evaluated == expected
    assert moody.most_at_once <= workers
    assert list(differences(study.events)) == []


@pytest.mark.parametrize("seed", range(100, 110))
def test_a_run_that_stops_leaves_nothing_in_flight(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tolerated, workers = int(rng.integers(0, 4)), int(rng.integers(1, 7))
    study, moody = begun(), Moody(seed, (0, 0, NEVER))
    with pytest.raises(ObjectiveError, match=f"failed and {tolerated} are tolerated"):
        study.run(moody, 1000, workers=workers, tolerate=tolerated)
    counts = Counter(states(study))
    assert set(counts) <= {"answered", "failed"}
    assert tolerated < counts["failed"] <= tolerated + workers
    assert moody.evaluated == Counter(query.point["heat"] for query in study.queries())

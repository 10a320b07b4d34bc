"""Monte Carlo claims about whole studies, each over enough seeds that chance cannot make it fail."""

from __future__ import annotations

import numpy as np
import pytest

from belated import policies, simulate
from belated.policies import Recipe
from belated.space import Array

pytestmark = pytest.mark.slow

SEEDS = range(30)
ROUNDS = 60
# One-sided, at this many standard errors of the paired differences: about one in thirty thousand.
STANDARD_ERRORS = 4.0


def cumulative_regrets(policy: Recipe, problem: str, delay: simulate.DelayLaw) -> Array:
    """The final cumulative regret for each seed; every policy meets the same functions, noise and delays."""
    runs = [simulate.run(problem, policy, delay, rounds=ROUNDS, seed=seed) for seed in SEEDS]
    return np.array([run.cumulative_regret[-1] for run in runs])


def assert_lower(first: Array, second: Array) -> None:
    differences = second - first
    error = differences.std(ddof=1) / np.sqrt(len(differences))
    assert differences.mean() > STANDARD_ERRORS * error, (first.mean(), second.mean())


@pytest.mark.parametrize("problem", ["branin", "coupling"])
def test_hallucinating_pending_queries_beats_asking_at_random(problem: str) -> None:
    delay = simulate.lost(0.1, simulate.poisson(10))
    assert_lower(
        cumulative_regrets(policies.gp_bucb(window=25), problem, delay),
        cumulative_regrets(policies.random(), problem, delay),
    )


def test_hallucinating_pending_queries_beats_ignoring_them_under_long_delays() -> None:
    delay = simulate.constant(10)
    assert_lower(
        cumulative_regrets(policies.gp_bucb(), "branin", delay),
        cumulative_regrets(policies.gp_ucb(), "branin", delay),
    )


def test_without_delay_hallucinating_and_ignoring_are_the_same_study() -> None:
    delay = simulate.none()
    hallucinated = cumulative_regrets(policies.gp_bucb(), "branin", delay)
    np.testing.assert_array_equal(hallucinated, cumulative_regrets(policies.gp_ucb(), "branin", delay))

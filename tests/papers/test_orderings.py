"""The orders that the papers report, over paired trials with common random numbers.

The short tests take settings in which the order is plain after a few trials; the slow ones are the papers' own.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from belated.beliefs import GP
from belated.experiments import Arm, Experiment, conduct
from belated.experiments.papers import desautels2014, lu2022, vakili2023, verma2022
from belated.experiments.papers.paper import PaperPanel
from belated.experiments.statistics import below
from belated.policies import Recipe, banditbo, bpe_delay, egp_ts, exp3bo, gp_ucb_blind, sbo_kde
from belated.simulate import batch, constant, none, run
from belated.simulate.problems import tabulated
from belated.space import Array, Candidates
from tests.tolerance import STANDARD_ERRORS

COSINES = desautels2014.SETTINGS[3]


def finals(arm: Arm, measure: str, trials: int, folder: Path) -> Array:
    """A measure after the last round, for the seeds 0, 1, 2, …"""
    return conduct(Experiment("ordering", (arm,), tuple(range(trials))), folder, workers=0).final(measure)[arm.label]


def assert_below(lower: Array, higher: Array) -> None:
    """The mean of the paired differences is below 0 by five standard errors."""
    differences = lower - higher
    error = float(np.std(differences, ddof=1)) / len(differences) ** 0.5
    assert differences.mean() < -STANDARD_ERRORS * error, f"{differences.mean():.4g} ± {error:.2g}"


@pytest.mark.longest
def test_longer_batches_and_longer_delays_cost_average_regret(tmp_path: Path) -> None:
    for law in ("batch", "delay"):
        build = batch if law == "batch" else constant
        short, long = (
            finals(desautels2014.bucb(COSINES, f"{law} {size}", build(size), 40), "average", 10, tmp_path)
            for size in (2, 20)
        )
        assert_below(short, long)


def test_hallucination_keeps_a_batch_of_five_close_to_no_delay(tmp_path: Path) -> None:
    setting = desautels2014.SETTINGS[1]
    in_batches = finals(desautels2014.bucb(setting, "batch", batch(5), 100), "average", 10, tmp_path)
    sequential = finals(desautels2014.sequential(setting, 100), "average", 10, tmp_path)
    # What a batch costs is paid in the first one, before anything is answered: four queries of at most the range.
    ranges = [
        arm.optimum - (arm.worst or 0.0) for arm in (desautels2014.sequential(setting, 1).posed(s) for s in range(10))
    ]
    assert np.mean(in_batches - sequential) < 4.0 * np.mean(ranges) / 100


@pytest.mark.longest
def test_the_regret_of_batch_exploration_grows_with_the_delay(tmp_path: Path) -> None:
    horizon = 250

    def regrets(mean: int) -> Array:
        arm = vakili2023.bpe_arm("rkhs-f1", f"mean {mean}", mean)
        policy = bpe_delay(horizon, float(mean), belief=vakili2023.BELIEF)
        return finals(replace(arm, rounds=horizon, policy=policy), "cumulative", 5, tmp_path)

    assert_below(regrets(0), regrets(50))


def test_batch_exploration_ends_below_both_ways_of_censoring(tmp_path: Path) -> None:
    """The headline of vakili2023, with fewer queries: the means lie some eight standard errors apart."""
    horizon, mean, problem = 250, 25, "rkhs-f2"
    ours = replace(
        vakili2023.bpe_arm(problem, "ours", mean), policy=bpe_delay(horizon, float(mean), belief=vakili2023.BELIEF)
    )
    arms = (ours, vakili2023.sdf_arm(problem, "theirs", mean), vakili2023.variant_arm(problem, "variant", mean))
    batches, theirs, variant = (finals(replace(arm, rounds=horizon), "cumulative", 9, tmp_path) for arm in arms)
    assert_below(batches, theirs)
    assert_below(batches, variant)


@pytest.mark.longest
def test_longer_delays_keep_simple_regret_up_for_longer(tmp_path: Path) -> None:
    arms = tuple(replace(verma2022.censored(f"mean {mean}", mean, 2 * mean), rounds=40) for mean in (5, 40))
    results = conduct(Experiment("ordering", arms, tuple(range(30))), tmp_path, workers=0)
    short, long = (np.nanmean(results[arm.label].measure("simple"), axis=1) for arm in arms)
    assert_below(short, long)


@pytest.mark.longest
def test_censoring_leaves_less_regret_than_ignoring(tmp_path: Path) -> None:
    title, law, window = verma2022.DELAYS[1]
    asked = verma2022.policies(0, window)
    arms = tuple(Arm(label, verma2022.SYNTHETIC, asked[label], law, 60, 5) for label in ("GP-UCB-SDF", "GP-UCB"))
    results = conduct(Experiment(title, arms, tuple(range(45))), tmp_path, workers=0)
    censored, ignored = (np.nanmean(results[arm.label].measure("simple"), axis=1) for arm in arms)
    assert_below(censored, ignored)


@pytest.mark.longest
def test_a_law_of_contexts_that_is_learned_is_worth_more_than_contexts_that_are_left_out(tmp_path: Path) -> None:
    recipes = {"learned": sbo_kde(initial=10, samples=64), "left out": gp_ucb_blind(initial=10)}
    arms = [Arm(label, "newsvendor", recipe, rounds=40) for label, recipe in recipes.items()]
    learned, left_out = (finals(arm, "cumulative", 14, tmp_path) for arm in arms)
    # Of policies that are worth the same, one in a thousand would be so far ahead, by changes of signs.
    assert below(learned, left_out) < 1e-3, f"{learned} {left_out}"


@pytest.mark.slow
@pytest.mark.parametrize("panel", verma2022.synthetic().panels[2:], ids=lambda panel: panel.key)
def test_censoring_ends_below_hallucination_and_below_ignoring(tmp_path: Path, panel: PaperPanel) -> None:
    censored, hallucinated, ignored = (finals(arm, "simple", 100, tmp_path) for arm in panel.arms[:3])
    assert_below(censored, hallucinated)
    assert_below(censored, ignored)


@pytest.mark.slow
@pytest.mark.parametrize("problem", vakili2023.PROBLEMS)
def test_batch_exploration_ends_far_below_censoring(tmp_path: Path, problem: str) -> None:
    ours = finals(vakili2023.bpe_arm(problem, "ours", 50), "cumulative", 10, tmp_path)
    theirs = finals(vakili2023.sdf_arm(problem, "theirs", 50), "cumulative", 10, tmp_path)
    assert_below(ours, theirs)


@pytest.mark.slow
@pytest.mark.parametrize("problem", vakili2023.PROBLEMS)
def test_the_cost_of_delays_is_linear_in_their_mean(tmp_path: Path, problem: str) -> None:
    none, short, long = (
        finals(vakili2023.bpe_arm(problem, f"mean {mean}", mean), "cumulative", 10, tmp_path)
        for mean in vakili2023.MEANS
    )
    assert_below(none, short)
    assert_below(short, long)
    bend = (long - short) - (short - none)
    error = float(np.std(bend, ddof=1)) / len(bend) ** 0.5
    assert abs(bend.mean()) < STANDARD_ERRORS * error


@pytest.mark.longest
def test_an_ensemble_regrets_less_than_bandits_where_f_is_drawn_from_one_of_its_kernels() -> None:
    # The setting of [lu2022, theorem 1]: a kernel drawn from the dictionary, then f from a process with that kernel.
    scales, table = (0.03, 0.1, 0.3, 1.0), Candidates(np.linspace(0.0, 1.0, 60)[:, None])
    squares = np.subtract.outer(table.table[:, 0], table.table[:, 0]) ** 2
    kernels = [GP(kernel="se", lengthscale=scale, variance=1.0, noise=0.01, mean="zero") for scale in scales]
    policies = [build(kernels, initial=0) for build in (egp_ts, banditbo, exp3bo)]
    regrets = []
    for seed in range(28):
        rng = np.random.default_rng(seed)
        covariance = np.exp(-squares / (2.0 * rng.choice(scales) ** 2))
        values = rng.multivariate_normal(np.zeros(len(table)), covariance, method="eigh")
        problem = tabulated("drawn", table, values, 0.1, "A function drawn from one kernel of a dictionary.")
        regrets.append([run(problem, policy, none(), 30, seed).regrets.sum() for policy in policies])
    ensemble, highest, weighed = np.array(regrets).T
    assert_below(ensemble, highest)
    assert_below(ensemble, weighed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "policies, other", [(lu2022.forms(), lu2022.BANDIT), (lu2022.lengthscales(), lu2022.EXP3)], ids=["a", "b"]
)
def test_an_ensemble_ends_below_a_bandit_over_its_kernels(
    tmp_path: Path, policies: dict[str, Recipe], other: str
) -> None:
    chosen = {label: policies[label] for label in (lu2022.OURS, other)}
    panel = lu2022.panel("ackley-unit-5", "Ackley-5d", chosen, ())
    ensemble, bandit = (finals(arm, "simple", 64, tmp_path) for arm in panel.arms)
    assert_below(ensemble, bandit)

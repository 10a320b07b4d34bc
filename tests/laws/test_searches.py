"""The search of a table: whatever the way, the best row, or a fair draw among rows that are equally good."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.beliefs import Combine, Combined, GaussianProcess, Memory
from belated.rules.improvement import log_expected_improvement
from belated.search import MomentScore, maximise_table
from belated.search.ascent import _along
from belated.space import Array, Candidates
from tests.builders import processes_of, table
from tests.tolerance import STANDARD_ERRORS

LAZY, PLAIN = 0, 10**9


@dataclass(frozen=True)
class Listed:
    """A score that is a list."""

    listed: Array

    def values(self, points: Array) -> Array:
        """The list."""
        return self.listed

    def slopes(self, points: Array) -> tuple[Array, Array]:
        """Not asked for on a table."""
        raise AssertionError


def belief_on(
    domain: Candidates, lazy_from: int, n: int, form: str = "matern52", noise: float = 0.04
) -> GaussianProcess:
    prior, _ = processes_of(domain, form, noise=noise)
    prior.setting.memory.lazy_from = lazy_from
    rng = np.random.default_rng(n)
    rows = rng.integers(len(domain), size=n)
    return prior.condition(domain.table[rows], np.sin(3.0 * rows))


def upper_bound(mean: Array, deviation: Array) -> Combined:
    return Combined(mean + 2.0 * deviation, np.ones_like(mean), np.full_like(mean, 2.0))


def lower_bound(mean: Array, deviation: Array) -> Combined:
    return Combined(mean - 2.0 * deviation, np.ones_like(mean), np.full_like(mean, -2.0))


def deviation_alone(mean: Array, deviation: Array) -> Combined:
    return Combined(deviation, np.zeros_like(mean), np.ones_like(mean))


def improvement(mean: Array, deviation: Array) -> Combined:
    return log_expected_improvement(mean, deviation, 0.5)


COMBINES: dict[str, Combine] = {
    "upper bound": upper_bound,
    "lower bound": lower_bound,
    "deviation": deviation_alone,
    "log EI": improvement,
}
every_combine = pytest.mark.parametrize("combine", COMBINES)
both_ways = pytest.mark.parametrize("lazy_from", [PLAIN, LAZY], ids=["plain", "lazy"])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_largest_of_a_list_is_found(seed: int) -> None:
    listed = np.random.default_rng(seed).standard_normal(500) * 1e6 - 4e7
    assert maximise_table(Listed(listed), np.zeros((500, 1)), np.random.default_rng(0)) == int(np.argmax(listed))


def test_equal_rows_are_drawn_evenly() -> None:
    listed = np.array([0.0, 7.0, 3.0, 7.0, 7.0, -1.0])
    rng = np.random.default_rng(5)
    n = 3000
    counts = np.bincount([maximise_table(Listed(listed), np.zeros((6, 1)), rng) for _ in range(n)], minlength=6)
    assert_array_equal(counts[[0, 2, 5]], 0)
    assert np.all(np.abs(counts[[1, 3, 4]] - n / 3) <= STANDARD_ERRORS * np.sqrt(n * (1 / 3) * (2 / 3)))


def test_rows_that_are_not_finite_are_never_chosen() -> None:
    listed = np.array([np.nan, -np.inf, 2.0, np.inf, 1.0])
    for seed in range(10):
        assert maximise_table(Listed(listed), np.zeros((5, 1)), np.random.default_rng(seed)) == 2


def test_a_table_of_one_row_has_one_choice() -> None:
    for listed in ([3.0], [np.nan], [-np.inf]):
        assert maximise_table(Listed(np.array(listed)), np.zeros((1, 1)), np.random.default_rng(0)) == 0


@every_combine
@both_ways
@pytest.mark.parametrize("n", [0, 1, 2, 5, 30, 70])
def test_a_score_of_moments_is_maximised_whole_or_lazily(n: int, lazy_from: int, combine: str) -> None:
    domain = table(700)
    belief = belief_on(domain, lazy_from, n)
    row = maximise_table(MomentScore(belief, COMBINES[combine]), domain.table, np.random.default_rng(1))
    exact = belief_on(domain, PLAIN, n)
    values = MomentScore(exact, COMBINES[combine]).values(domain.table)
    spread = np.quantile(values, 0.99) - np.quantile(values, 0.5)
    assert values[row] >= values.max() - 1e-8 * (spread + 1e-3)


@every_combine
@pytest.mark.parametrize("lengthscale_form", ["se", "matern12", "linear"])
def test_lazy_and_plain_choose_the_same_rows_along_a_growth(lengthscale_form: str, combine: str) -> None:
    domain = table(700)
    chosen: list[list[int]] = []
    for lazy_from in (PLAIN, LAZY):
        prior, _ = processes_of(domain, lengthscale_form)
        prior.setting.memory.lazy_from = lazy_from
        rows: list[int] = []
        for step in range(40):
            belief = prior.condition(domain.table[rows], np.cos(np.array(rows, dtype=float)))
            rows.append(
                maximise_table(MomentScore(belief, COMBINES[combine]), domain.table, np.random.default_rng(step))
            )
        chosen.append(rows)
    assert chosen[0] == chosen[1]


@both_ways
def test_a_flat_score_is_drawn_from_all_rows(lazy_from: int) -> None:
    domain = table(400)
    belief = belief_on(domain, lazy_from, 0)
    rng = np.random.default_rng(3)
    rows = {maximise_table(MomentScore(belief, upper_bound), domain.table, rng) for _ in range(150)}
    assert len(rows) > 100


@both_ways
def test_mirrored_rows_tie_and_both_are_chosen(lazy_from: int) -> None:
    # The answer is in the middle of the table, so that its two ends are equally uncertain.
    domain = Candidates(np.linspace(-3.0, 5.0, 301)[:, None])
    prior, _ = processes_of(domain)
    prior.setting.memory.lazy_from = lazy_from
    belief = prior.condition(domain.table[[150]], np.array([0.3]))
    rng = np.random.default_rng(9)
    rows = {maximise_table(MomentScore(belief, deviation_alone), domain.table, rng) for _ in range(40)}
    assert rows == {0, 300}


@both_ways
@pytest.mark.parametrize("noise", [1e-12, 1e-9, 1e-4])
def test_rows_known_to_have_nothing_to_gain_do_not_blur_the_choice_among_the_others(
    noise: float, lazy_from: int
) -> None:
    # Log EI falls to −1e9 and lower at answered rows; a share of that range is no measure of a tie.
    domain = Candidates(np.linspace(0.0, 1.0, 400)[:, None])
    prior, _ = processes_of(domain, "se", noise=noise)
    prior.setting.memory.lazy_from = lazy_from
    rows = np.array([0, 100, 200, 300, 399])
    belief = prior.condition(domain.table[rows], np.sin(7.0 * domain.table[rows, 0]))
    score = MomentScore(belief, improvement)
    values = score.values(domain.table)
    for seed in range(20):
        row = maximise_table(score, domain.table, np.random.default_rng(seed))
        assert values[row] >= values.max() - 1e-6


def test_a_model_that_hardly_bends_gives_a_long_step_and_no_overflow() -> None:
    steps = _along(np.array([[1.0, -1.0]]), 1e-320 * np.eye(2)[None])
    assert not np.isnan(steps).any()


def test_memories_are_told_apart_by_their_threshold() -> None:
    assert Memory(LAZY).lazy_from == LAZY
    assert Memory(LAZY).aside().lazy_from == LAZY

"""The score tests hold their level whatever a policy does, and find what is there."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from belated.delays import curve
from belated.delays.comparison import groups_of, ranks_of
from belated.delays.score import Risk, Sets, of_all, of_answered, of_groups, of_numbers, p_value
from belated.space import Array, Indices, Mask

# The share of R tests that fall below a level a has the deviation √(a (1 − a) / R); four of them are exceeded once in
# 16,000 runs. The χ² law is an approximation; these tests may be too strict by a half, and too lenient by a fifth.
RUNS = 1500
LEVELS = (0.01, 0.05, 0.2)


def held(p_values: list[float]) -> None:
    for level in LEVELS:
        share = float(np.mean(np.array(p_values) < level))
        slack = 4.0 * math.sqrt(level * (1.0 - level) / len(p_values))
        assert 0.5 * level - slack < share < 1.2 * level + slack, (level, share)


class Watched:
    """A study of n queries, one in each unit of time, whose points and values move as it goes on, as a policy's do."""

    def __init__(self, rng: np.random.Generator, n: int, slower: Callable[[Array], Array] | None = None) -> None:
        number = np.arange(n, dtype=float)
        self.point = number / n + rng.normal(0.0, 0.3, n)
        self.option = ((3.0 * number / n + rng.integers(0, 4, n)) % 4).astype(np.intp)
        self.value = 2.0 * number / n + rng.normal(0.0, 0.5, n)
        delays = rng.exponential(8.0, n) * (slower(self.point) if slower else 1.0)
        self.followed = n - number
        self.answered: Mask = delays <= self.followed
        self.delays, self.lengths = delays, np.minimum(delays, self.followed)

    def of_all(self) -> Risk:
        return of_all(self.lengths, self.followed, np.flatnonzero(self.answered))

    def of_answered(self) -> Risk:
        followed = self.followed[self.answered]
        chances = 1.0 - curve(self.lengths, self.answered).survived(followed)
        return of_answered(self.delays[self.answered], followed, chances)


def p_of_point(study: Watched) -> float:
    return p_value(of_numbers(study.of_all(), ranks_of(study.point)))


def p_of_option(study: Watched) -> float:
    groups = groups_of(study.option.astype(float))
    return p_value(of_groups(study.of_all(), groups, int(groups.max()) + 1))


def p_of_value(study: Watched) -> float:
    return p_value(of_numbers(study.of_answered(), ranks_of(study.value[study.answered])))


def p_of_option_answered(study: Watched) -> float:
    groups = groups_of(study.option[study.answered].astype(float))
    return p_value(of_groups(study.of_answered(), groups, int(groups.max()) + 1))


def p_of_order(study: Watched) -> float:
    return p_value(of_numbers(study.of_all(), np.arange(len(study.lengths), dtype=float)))


@pytest.mark.parametrize("test", [p_of_point, p_of_option, p_of_option_answered, p_of_value, p_of_order])
@pytest.mark.parametrize("n", [30, 100])
def test_no_dependence_is_found_more_often_than_its_level_says(test: Callable[[Watched], float], n: int) -> None:
    rng = np.random.default_rng([n, 5])
    held([test(Watched(rng, n)) for _ in range(RUNS)])


def test_answers_that_improve_do_not_seem_to_come_sooner_as_they_would_without_regard_to_how_long_was_waited() -> None:
    """Of the young queries only quick answers are there, so that whatever changes with time seems to hasten them."""
    rng = np.random.default_rng(7)
    careless, careful = [], []
    for _ in range(200):
        study = Watched(rng, 60, lambda point: np.full(len(point), 3.0))
        delays, rising = study.delays[study.answered], ranks_of(-study.followed[study.answered])
        always = np.ones(len(delays))
        careless.append(p_value(of_numbers(of_answered(delays, 1e9 * always, always), rising)))
        careful.append(p_value(of_numbers(study.of_answered(), rising)))
    assert np.mean(np.array(careless) < 0.05) > 0.2
    # The level, and four deviations of a share of 200.
    assert np.mean(np.array(careful) < 0.05) < 0.05 + 4.0 * math.sqrt(0.05 * 0.95 / 200)


def test_a_delay_that_doubles_along_a_parameter_is_found() -> None:
    rng = np.random.default_rng(8)
    found = [p_of_point(Watched(rng, 100, lambda point: np.exp(point))) for _ in range(200)]
    assert np.mean(np.array(found) < 0.05) > 0.5
    found = [p_of_point(Watched(rng, 100, lambda point: np.exp(2.0 * point))) for _ in range(200)]
    assert np.mean(np.array(found) < 0.01) > 0.95


def slow_means(sets: Sets, numbers: Array) -> list[float]:
    inside = [(sets.enters <= time) & (time <= sets.leaves) for time in sets.times]
    return [float(np.average(numbers[mask], weights=sets.weights[mask])) for mask in inside]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_means_over_those_at_risk_are_what_their_definition_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    enters = rng.integers(0, 6, 40).astype(float)
    sets = Sets(enters, enters + rng.integers(0, 9, 40), np.unique(enters), rng.integers(1, 4, 40).astype(float))
    numbers = rng.normal(size=40)
    np.testing.assert_allclose(sets.means(numbers), slow_means(sets, numbers), atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_scores_are_those_of_a_slow_sum_over_answers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths, followed = rng.integers(0, 8, 50).astype(float), np.full(50, 8.0)
    events: Indices = np.flatnonzero(rng.random(50) < 0.7)
    numbers, groups = rng.normal(size=50), rng.integers(0, 3, 50)
    total, variance, in_groups = 0.0, 0.0, np.zeros(3)
    for time in np.unique(lengths[events]):
        at_risk = lengths >= time
        came = events[lengths[events] == time]
        d, r = len(came), int(at_risk.sum())
        total += float(np.sum(numbers[came] - numbers[at_risk].mean()))
        # All were followed as long, so that the mixture is that of everybody.
        variance += d * (r - d) / max(r - 1, 1) * float(numbers.var())
        in_groups += np.bincount(groups[came], minlength=3) - d * np.bincount(groups[at_risk], minlength=3) / r
    risk = of_all(lengths, followed, events)
    score = of_numbers(risk, numbers)
    assert score.total[0] == pytest.approx(total)
    assert score.covariance[0, 0] == pytest.approx(variance)
    np.testing.assert_allclose(of_groups(risk, groups, 3).total, in_groups, atol=1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_backwards_in_time_an_answer_is_compared_with_those_that_could_have_shown_as_long_a_delay(seed: int) -> None:
    rng = np.random.default_rng(seed)
    delays = rng.integers(0, 8, 40).astype(float)
    followed: Array = delays + rng.integers(0, 5, 40).astype(float)
    numbers = rng.normal(size=40)
    chances: Array = (1.0 + followed) / 13.0
    total, variance = 0.0, 0.0
    for time in np.unique(delays):
        at_risk, came = (delays <= time) & (time <= followed), delays == time
        d, r = int(came.sum()), int(at_risk.sum())
        total += r / 40 * float(np.sum(numbers[came] - numbers[at_risk].mean()))
        alike = followed >= time
        mean = np.average(numbers[alike], weights=1.0 / chances[alike])
        spread = np.average((numbers[alike] - mean) ** 2, weights=1.0 / chances[alike])
        variance += (r / 40) ** 2 * d * (r - d) / max(r - 1, 1) * float(spread)
    score = of_numbers(of_answered(delays, followed, chances), numbers)
    assert score.total[0] == pytest.approx(total)
    assert score.covariance[0, 0] == pytest.approx(variance)


def test_two_groups_are_tested_as_one_number_that_tells_them_apart() -> None:
    rng = np.random.default_rng(6)
    study = Watched(rng, 60)
    groups = (study.point > 0.5).astype(np.intp)
    one = p_value(of_groups(study.of_all(), groups, 2))
    assert one == pytest.approx(p_value(of_numbers(study.of_all(), groups.astype(float))))


def test_where_all_are_alike_nothing_is_found() -> None:
    risk = of_all(np.array([1.0, 2.0, 3.0]), np.full(3, 9.0), np.arange(3))
    assert p_value(of_numbers(risk, np.ones(3))) == 1.0
    together = of_all(np.zeros(3), np.zeros(3), np.arange(3))
    assert p_value(of_numbers(together, np.arange(3.0))) == 1.0

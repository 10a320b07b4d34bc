"""What a belief says of an answer without it, against the belief that never saw it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GP, Features, Memory
from belated.evidence import Data, Errors, Evidence
from belated.space import Array, Float, Space
from tests.builders import processes_of, table
from tests.reference.gp import PlainGP

SPACE = Space(x=Float(0.0, 1.0), y=Float(0.0, 1.0))
KNOWN = GP(kernel="se", lengthscale=0.3, variance=2.0, noise=0.05, mean="zero")


def answers(n: int = 25) -> Data:
    rng = np.random.default_rng(2)
    points = rng.random((n, 2))
    return Data(points, np.sin(5.0 * points.sum(axis=1)) + 0.2 * rng.normal(size=n))


def test_an_exact_process_says_what_it_would_say_without_the_answer() -> None:
    prior, plain = processes_of(table())
    assert isinstance(plain, PlainGP)
    data = answers()
    found = prior.condition(*data).left_out(data)
    for place in range(len(data.values)):
        others = np.arange(len(data.values)) != place
        mean, deviation = plain.moments(data.points[others], data.values[others], data.points[place : place + 1])
        assert found.mean[place] == pytest.approx(mean[0], abs=1e-8)
        assert found.deviation[place] ** 2 == pytest.approx(deviation[0] ** 2 + plain.noise, rel=1e-8)


def test_so_does_a_regression_on_random_features() -> None:
    prior = Features(KNOWN, 40).prior(Evidence.none(SPACE), Memory())
    data = answers()
    found = prior.condition(*data).left_out(data)
    for place in (0, 7, 24):
        others = np.arange(len(data.values)) != place
        without = prior.condition(data.points[others], data.values[others])
        mean, deviation = without.moments(data.points[place : place + 1])
        assert found.mean[place] == pytest.approx(mean[0], abs=1e-7)
        assert found.deviation[place] ** 2 == pytest.approx(deviation[0] ** 2 + 0.05, rel=1e-7)


@pytest.mark.parametrize("belief", [KNOWN, Features(KNOWN, 40)], ids=["process", "features"])
def test_of_the_last_answers_alone_it_says_the_same(belief: GP | Features) -> None:
    data = answers()
    conditioned = belief.prior(Evidence.none(SPACE), Memory()).condition(*data)
    every, last = conditioned.left_out(data), conditioned.left_out(data.last(6))
    assert_allclose(last.mean, every.mean[-6:], atol=1e-12)
    assert_allclose(last.deviation, every.deviation[-6:], atol=1e-12)


def test_a_well_specified_process_is_calibrated() -> None:
    """Of 2000 answers drawn from the prior itself, 4.6 % lie two deviations from what the others say."""
    rng = np.random.default_rng(9)
    beyond, whole = 0, 0
    for _ in range(20):
        points: Array = rng.random((100, 2))
        prior = KNOWN.prior(Evidence.none(SPACE), Memory())
        covariance = prior.covariance(points) + 0.05 * np.eye(100)
        values = np.linalg.cholesky(covariance) @ rng.normal(size=100)
        data = Data(points, values)
        mean, deviation = prior.condition(*data).left_out(data)
        beyond += int(np.count_nonzero(np.abs(values - mean) > 2.0 * deviation))
        whole += 100
    # Four standard deviations of a binomial, and half as much again since the errors of neighbours go together.
    assert abs(beyond / whole - 0.0455) < 6.0 * np.sqrt(0.0455 * 0.9545 / whole)


def test_a_process_that_is_told_the_errors_of_its_answers_is_calibrated() -> None:
    """The same of answers with errors from a hundredth to the size of the function itself, and of means of repeats."""
    rng, beyond, n = np.random.default_rng(9), 0, 0
    prior = KNOWN.prior(Evidence.none(SPACE), Memory())
    for _ in range(40):
        points, kinds = rng.random((50, 2)), np.arange(50) % 3
        truth = np.linalg.cholesky(prior.kernel.gram(points, points) + 1e-9 * np.eye(50)) @ rng.standard_normal(50)
        errors = Errors(
            np.where(kinds == 0, np.exp(rng.uniform(np.log(0.01), np.log(1.5), 50)), np.nan),
            np.where(kinds == 1, 4.0, 1.0),
            np.zeros(50),
        )
        data = Data(points, truth + np.sqrt(errors.variances(prior.noise)) * rng.standard_normal(50), errors)
        mean, deviation = prior.condition(*data).left_out(data)
        beyond, n = beyond + int(np.count_nonzero(np.abs(data.values - mean) > 2.0 * deviation)), n + 50
    share = 0.0455
    # Answers of one function are not independent of each other; five standard errors leave room for that.
    assert abs(beyond / n - share) < 5.0 * (share * (1.0 - share) / n) ** 0.5

"""Distributions of a context: their draws follow them, and expectations under them are exact."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad

from belated.simulate.problems.distributions import (
    Burr,
    Cauchy,
    Distribution,
    MixedDistribution,
    Normal,
    Uniform,
    clipped,
    reduced,
)
from tests.tolerance import ROUNDING

MIXTURE = MixedDistribution((Normal(0.1, 0.02), Normal(0.7, 0.075), Cauchy(0.2, 0.02)))
DISTRIBUTIONS: list[Distribution] = [
    Uniform(),
    Normal(0.5, 0.15),
    Normal(0.1, 0.02),
    Cauchy(0.8, 0.02),
    Burr(2.0, 20.0),
    MIXTURE,
]

# A statement about so many draws that holds fails at most once in this many tests.
ONCE_IN = 1e5


def frozen(distribution: Distribution) -> Any:
    """The same distribution by SciPy."""
    match distribution:
        case Normal(mean, deviation):
            return stats.norm(mean, deviation)
        case Cauchy(median, scale):
            return stats.cauchy(median, scale)
        case Burr(first, second):
            return stats.burr12(first, second)
    return stats.uniform()


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_density_and_share_are_those_of_scipy(distribution: Distribution) -> None:
    values = np.array([-0.3, 0.05, 0.2, 0.5, 0.81, 0.999, 1.4])
    parts = distribution.parts if isinstance(distribution, MixedDistribution) else (distribution,)
    density = np.mean([frozen(part).pdf(values) for part in parts], axis=0)
    share = np.mean([frozen(part).cdf(values) for part in parts], axis=0)
    assert distribution.density(values) == pytest.approx(density, rel=1e-10)
    assert distribution.share_below(values) == pytest.approx(share, abs=ROUNDING)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_draws_follow_their_distribution(distribution: Distribution) -> None:
    rng = np.random.default_rng(11)
    drawn = np.array([distribution.draw(rng) for _ in range(20_000)])
    # As u = F(c) is even on [0, 1].
    assert stats.kstest(distribution.share_below(drawn), "uniform").pvalue > 1.0 / ONCE_IN


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_the_expectation_of_what_is_clipped_is_that_of_adaptive_quadrature(distribution: Distribution) -> None:
    def wave(c: float) -> float:
        return float(np.exp(np.sin(9.0 * c)) + c)

    def share(c: float) -> float:
        return float(distribution.share_below(np.array([c]))[0])

    inside, _ = quad(
        lambda c: wave(c) * float(distribution.density(np.array([c]))[0]),
        *(0.0, 1.0),
        points=[0.1, 0.2, 0.7, 0.8],
        limit=500,
        epsabs=1e-12,
    )
    nodes, weights = clipped(distribution)
    expected = inside + share(0.0) * wave(0.0) + (1.0 - share(1.0)) * wave(1.0)
    assert sum(weight * wave(node) for node, weight in zip(nodes, weights, strict=True)) == pytest.approx(
        expected, abs=1e-11
    )
    assert weights.sum() == pytest.approx(1.0, abs=ROUNDING)
    assert (nodes.min(), nodes.max()) == (0.0, 1.0)
    assert weights.min() >= 0.0


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
@pytest.mark.parametrize("count", [1, 4, 12])
def test_a_reduced_rule_has_the_same_moments_up_to_twice_its_size(distribution: Distribution, count: int) -> None:
    full = clipped(distribution)
    few = reduced(full, count)
    assert few.nodes.shape == few.weights.shape == (count,)
    assert np.all((few.nodes >= 0.0) & (few.nodes <= 1.0))
    for power in range(2 * count):
        assert few.weights @ few.nodes**power == pytest.approx(full.weights @ full.nodes**power, abs=ROUNDING)

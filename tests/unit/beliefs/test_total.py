"""The mean and the deviation of a weighted sum of f at several points, for every kind of belief."""

from __future__ import annotations

import math

import numpy as np
import pytest

from belated.beliefs import GP, Belief, Description, Ensemble, Features, GaussianProcess, Memory, Mixture
from belated.evidence import Evidence
from belated.space import Array, Choice, Float, Int, Space
from tests.reference.features import PlainRegression
from tests.reference.gp import PlainGP, PlainKernel
from tests.tolerance import SOLVE_TOLERANCE, STANDARD_ERRORS

SPACE = Space(heat=Float(-30.0, 170.0), steps=Int(1, 8), solvent=Choice("DMF", "THF"))
SE = GP(kernel="se", lengthscale=0.4, variance=1.2, noise=0.02, mean=0.1)
MATERN = GP(kernel="matern52", lengthscale=0.7, variance=0.8, noise=0.05, mean="zero")
MASK = (False, False, True)
PLAIN = (
    PlainGP(PlainKernel("se", 1.2, (0.4,), (1.0,), MASK), 0.02, 0.1),
    PlainGP(PlainKernel("matern52", 0.8, (0.7,), (1.0,), MASK), 0.05, 0.0),
)
BELIEFS: dict[str, Description] = {
    "process": SE,
    "processes": Ensemble((SE, MATERN), 0.2),
    "features": Features(SE, 6),
    "regressions": Ensemble((Features(SE, 6), Features(MATERN, 6)), 0.3),
    "mixed": Ensemble((Features(SE, 6), MATERN), 0.3),
}
WEIGHTS = {
    "a law": np.array([0.1, 0.2, 0.3, 0.15, 0.25]),
    "a difference": np.array([1.0, -1.0, 0.0, 2.0, -0.5]),
    "one point": np.array([0.0, 0.0, 1.0, 0.0, 0.0]),
}


def data_of(n: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(5)
    points = SPACE.sample(n, rng)
    return points, rng.normal(0.3, 1.0, n)


def probes() -> Array:
    return SPACE.sample(5, np.random.default_rng(6))


def believed(name: str, n: int) -> Belief:
    return BELIEFS[name].prior(Evidence.none(SPACE), Memory()).condition(*data_of(n))


@pytest.mark.parametrize("n", [0, 1, 9])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_sum_under_a_process_has_the_sums_of_its_mean_and_covariance(weights: str, n: int) -> None:
    own = WEIGHTS[weights]
    mean, covariance = PLAIN[0].posterior(*data_of(n), probes())
    found = believed("process", n).total(probes(), own)
    assert found[0] == pytest.approx(own @ mean, abs=SOLVE_TOLERANCE)
    assert found[1] == pytest.approx(math.sqrt(own @ covariance @ own), abs=1e-7)


@pytest.mark.parametrize("n", [0, 9])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_sum_under_a_mixture_has_the_spread_of_the_members_means_too(weights: str, n: int) -> None:
    own, belief = WEIGHTS[weights], believed("processes", n)
    assert isinstance(belief, Mixture)
    parts = [plain.posterior(*data_of(n), probes()) for plain in PLAIN]
    means = np.array([own @ mean for mean, _ in parts])
    squares = np.array([own @ covariance @ own for _, covariance in parts])
    mean = belief.weights @ means
    found = belief.total(probes(), own)
    assert found[0] == pytest.approx(mean, abs=SOLVE_TOLERANCE)
    assert found[1] == pytest.approx(math.sqrt(belief.weights @ (squares + means**2) - mean**2), abs=1e-7)


@pytest.mark.parametrize("n", [0, 9])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_the_sum_under_random_features_is_that_of_their_regression(weights: str, n: int) -> None:
    own, belief = WEIGHTS[weights], believed("features", n)
    assert isinstance(belief, Mixture)
    [part] = belief.parts
    maps = part.maps  # type: ignore[attr-defined]
    points, values = data_of(n)
    mean, covariance = PlainRegression(0.02, 0.1).posterior(maps(points)[0], values, maps(probes())[0])
    found = belief.total(probes(), own)
    assert found[0] == pytest.approx(own @ mean, abs=SOLVE_TOLERANCE)
    assert found[1] == pytest.approx(math.sqrt(own @ covariance @ own), abs=1e-7)


@pytest.mark.parametrize("name", ["regressions", "mixed", "process"])
def test_the_sum_has_the_moments_of_functions_drawn_from_the_belief(name: str) -> None:
    belief, own, n = believed(name, 5), WEIGHTS["a law"], 600
    rng = np.random.default_rng(8)
    drawn = np.array([own @ belief.draw(rng).values(probes()) for _ in range(n)])
    mean, deviation = belief.total(probes(), own)
    assert abs(drawn.mean() - mean) <= STANDARD_ERRORS * drawn.std() / math.sqrt(n)
    fourth = np.mean((drawn - drawn.mean()) ** 4) - drawn.var() ** 2
    assert abs(drawn.var() - deviation**2) <= STANDARD_ERRORS * math.sqrt(fourth / n) + 0.02 * deviation**2


@pytest.mark.parametrize("name", BELIEFS)
def test_the_sum_at_one_point_has_the_moments_there_and_equal_points_count_together(name: str) -> None:
    belief, points = believed(name, 7), probes()
    moments = belief.moments(points)
    for place in range(5):
        found = belief.total(points[[place]], np.ones(1))
        assert found == pytest.approx((moments.mean[place], moments.deviation[place]), abs=1e-7)
        thirds = belief.total(points[[place] * 3], np.full(3, 1.0 / 3.0))
        assert thirds == pytest.approx(found, abs=1e-6)


def test_where_answers_have_settled_all_the_deviation_is_zero_and_no_root_of_rounding() -> None:
    belief = GP(kernel="se", lengthscale=3.0, variance=1.0, noise=0.0, mean="zero").prior(
        Evidence.none(SPACE), Memory()
    )
    assert isinstance(belief, GaussianProcess)
    points = probes()
    settled = belief.condition(np.repeat(points, 20, axis=0), np.zeros(100))
    mean, deviation = settled.total(points, np.full(5, 0.2))
    assert mean == pytest.approx(0.0, abs=1e-6)
    assert 0.0 <= deviation < 1e-3

"""Fitting hyperparameters to answers with errors of their own: likelihoods, slopes, and what is fitted in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GP, Memory, gp
from belated.beliefs.answer_noise import LEAST_RIDGE, log_scatter, noise_variances
from belated.beliefs.features.likelihood import FeatureLikelihood
from belated.beliefs.features.spectrum import drawn_spectrum
from belated.beliefs.fitting.fit import Hyperparameters, Likelihood, Prior, Task, fit, standard
from belated.beliefs.fitting.hyperdensity import Target, box_of
from belated.beliefs.fitting.hyperlaws import Intervals, Law, Weak
from belated.beliefs.fitting.likelihood import log_marginal_likelihood
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.fitting.posterior import hyperparameter_draws
from belated.beliefs.kernels.forms import FORMS
from belated.beliefs.kernels.hyperparameters import NOISE
from belated.beliefs.kernels.simple import SimpleKernel
from belated.evidence import Data, Errors
from belated.space import Array
from tests.laws.test_errors_of_answers import groups_of, mixed, noises_of, repeated, separate, sure
from tests.reference import noisy
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STEP
from tests.unit.beliefs.kernels.vectors import logarithms

KERNEL = SimpleKernel(FORMS["matern52"], 1.4, (0.4, 0.8))
PRIORS = [None, Prior()]
# Two climbs of one objective, whose values differ by rounding, end this far apart in the logarithms.
PLACE_TOLERANCE = 0.03
each_prior = pytest.mark.parametrize("prior", PRIORS, ids=["ml", "map"])


def features() -> Likelihood:
    return FeatureLikelihood("tested", drawn_spectrum(KERNEL, (None, None), 20, np.random.default_rng(6)))


LIKELIHOODS: dict[str, Callable[[], Likelihood]] = {"exact": lambda: log_marginal_likelihood, "features": features}
each_likelihood = pytest.mark.parametrize("name", LIKELIHOODS)
each_mean = pytest.mark.parametrize("mean", [None, 0.3])


# Likelihoods.


@each_mean
@each_likelihood
def test_the_likelihood_of_repeats_is_that_of_as_many_answers(name: str, mean: float | None) -> None:
    likelihood, (points, groups) = LIKELIHOODS[name](), groups_of(3)
    (p, y, errors), (q, z, _) = repeated(points, groups), separate(points, groups)
    together, alone = likelihood(p, y, KERNEL, 0.1, mean, errors), likelihood(q, z, KERNEL, 0.1, mean, None)
    assert together.value == pytest.approx(alone.value, rel=SOLVE_TOLERANCE)
    assert together.mean == pytest.approx(alone.mean, rel=SOLVE_TOLERANCE)
    for parameter, slope in alone.slopes.items():
        assert together.slopes[parameter] == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_the_likelihood_is_the_dense_one_with_a_diagonal_of_noises() -> None:
    data = mixed(5)
    assert data.errors is not None
    found = log_marginal_likelihood(data.points, data.values, KERNEL, 0.1, 0.3, data.errors).value
    among = KERNEL.gram(data.points, data.points)
    expected = noisy.log_density(among, 0.3, data.values, noises_of(data.errors, 0.1))
    assert found == pytest.approx(expected + log_scatter(data.errors, 0.1).value, rel=SOLVE_TOLERANCE)


@each_mean
@each_prior
@each_likelihood
@pytest.mark.parametrize("n", [3, 14, 40])
def test_the_slopes_are_those_of_differences(name: str, prior: Prior | None, mean: float | None, n: int) -> None:
    data = mixed(7, n)
    parameters = Parameters.of(KERNEL, 2)
    task = Task(data.points, data.values, parameters, prior, mean, LIKELIHOODS[name](), data.errors)
    objective, logs = task.objective(), np.append(logarithms(KERNEL), np.log(0.1))
    steps = STEP * np.eye(len(logs))
    differences = [(objective(logs + step)[0] - objective(logs - step)[0]) / (2.0 * STEP) for step in steps]
    assert_allclose(objective(logs)[1], differences, rtol=SLOPE_TOLERANCE, atol=SLOPE_TOLERANCE)


def test_where_every_error_was_told_the_noise_has_no_slope() -> None:
    data = mixed(9)
    told = log_marginal_likelihood(data.points, data.values, KERNEL, 0.1, None, sure(14, 0.2))
    assert told.slopes[NOISE.name] == 0.0
    assert told.value == log_marginal_likelihood(data.points, data.values, KERNEL, 7.0, None, sure(14, 0.2)).value


@pytest.mark.parametrize("law", [Intervals(noise=(0.05, 0.3)), Weak()])
@each_mean
def test_the_posterior_of_hyperparameters_is_that_of_as_many_answers(law: Law, mean: float | None) -> None:
    points, groups = groups_of(11)
    box = box_of(law, Parameters.of(KERNEL, 2), None)
    (p, y, errors), (q, z, _) = repeated(points, groups), separate(points, groups)
    together, alone = Target(p, y, KERNEL, law, mean, box, errors), Target(q, z, KERNEL, law, mean, box)
    places = np.random.default_rng(1).normal(size=(6, 4))
    # Both lack (n/2) log 2π, of which the density of repeats about their means has its part.
    expected = alone.log_densities(places) - 0.5 * (len(z) - len(y)) * np.log(2.0 * np.pi)
    assert_allclose(together.log_densities(places), expected, rtol=SOLVE_TOLERANCE)
    for place in places:
        assert_allclose(together.slope(place)[1], alone.slope(place)[1], rtol=1e-6, atol=1e-6)


def test_draws_of_hyperparameters_read_the_errors() -> None:
    """Answers far apart for their noise, unless large errors were told: then the noise is what is believed of it."""
    rng = np.random.default_rng(3)
    points, values = rng.random((20, 2)), rng.normal(size=20)
    drawn = {}
    for sd in (1e-3, 1.0):
        drawn[sd] = hyperparameter_draws(
            points, values, KERNEL, law=Weak(), mean=None, count=32, seed=5, errors=sure(20, sd)
        )
    scales = {sd: np.median([min(scale for scale in lengthscales(draw)) for draw in drawn[sd]]) for sd in drawn}
    assert scales[1e-3] < 0.3 < scales[1.0]


def lengthscales(draw: Hyperparameters) -> tuple[float, ...]:
    assert isinstance(draw.kernel, SimpleKernel)
    return draw.kernel.lengthscales


# Units.


def test_repeats_are_standardised_as_as_many_answers() -> None:
    points, groups = groups_of(13)
    together, alone = repeated(points, groups), separate(points, groups)
    for mean in (None, 0.4):
        assert_allclose(standard(together.values, mean, together.errors), standard(alone.values, mean), rtol=ROUNDING)


def test_a_value_that_may_be_anything_moves_neither_mean_nor_spread() -> None:
    values, errors = np.random.default_rng(2).normal(size=12), sure(12, 0.1)
    plain = standard(values[:11], None, errors.of(slice(11)))
    for far in (1e3, 1e9, 1e20):
        rough = replace(errors, sd=np.where(np.arange(12) == 11, far, 0.1))
        # It still counts in n/(n − 1).
        assert_allclose(standard(np.append(values[:11], 0.3 * far), None, rough), plain, rtol=0.01)


def test_equal_errors_standardise_as_none() -> None:
    values = np.random.default_rng(4).normal(size=12)
    for sd in (1e-6, 1.0, 1e6, 1e200):
        assert_allclose(standard(values, None, sure(12, sd)), standard(values, None), rtol=1e-9)
    for constant in (np.zeros(3), np.full(3, 7.0)):
        assert_allclose(standard(constant, None, sure(3, 1.0)), standard(constant, None), rtol=ROUNDING)


def test_a_ridge_that_rounding_would_lose_is_made_larger() -> None:
    errors = Errors(np.array([1e-30, 0.5, np.nan]), np.ones(3), np.zeros(3))
    assert_allclose(noise_variances(errors, 0.1, 2.0), [2.0 * LEAST_RIDGE, 0.25, 0.1], rtol=ROUNDING)


# Fits.


@each_prior
@each_likelihood
def test_a_fit_to_repeats_is_the_fit_to_as_many_answers(name: str, prior: Prior | None) -> None:
    data = waves(seed=2, n=14, repeats=4, noise=0.2)
    together, alone = fitted(repeated(*data), prior, name), fitted(separate(*data), prior, name)
    assert_allclose(parameters_of(together), parameters_of(alone), atol=PLACE_TOLERANCE)
    assert together.mean == pytest.approx(alone.mean, abs=PLACE_TOLERANCE)


def test_repeats_tell_how_much_noise_there_is() -> None:
    """Five repeats at each of 30 points: 120 degrees of freedom for σ² = 0.04, to five standard errors."""
    found = fitted(repeated(*waves(seed=4, n=30, repeats=5, noise=0.2)), None)
    assert found.noise == pytest.approx(0.04, rel=5.0 * (2.0 / 120.0) ** 0.5)


@each_prior
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_a_fit_with_errors_scales_with_the_values(prior: Prior | None, scale: float) -> None:
    data = mixed(15, 30)
    assert data.errors is not None
    errors = Errors(scale * data.errors.sd, data.errors.repeats, scale**2 * data.errors.scatter)
    plain, scaled = fitted(data, prior), fitted(Data(data.points, scale * data.values, errors), prior)
    expected = replace(plain, kernel=plain.kernel.scaled(scale**2), noise=scale**2 * plain.noise)
    assert_allclose(parameters_of(scaled), parameters_of(expected), atol=PLACE_TOLERANCE)


@each_likelihood
def test_where_every_error_was_told_the_noise_stays_what_is_believed_beforehand(name: str) -> None:
    data = mixed(17, 20)._replace(errors=sure(20, 0.3))
    top = np.exp(NOISE.law.location - NOISE.law.spread**2)
    for prior in PRIORS:
        found = fitted(data, prior, name)
        unit = standard(data.values, None, data.errors)[1]
        assert found.noise / unit**2 == pytest.approx(top, rel=0.05)


@each_prior
@pytest.mark.parametrize("sd", [1e-12, 1.0, 1e12, 1e200])
@pytest.mark.parametrize("values", ["drawn", "equal", "zero", "one"])
def test_degenerate_answers_with_errors_leave_sound_hyperparameters(
    values: str, sd: float, prior: Prior | None
) -> None:
    n = 1 if values == "one" else 8
    points = np.tile(np.random.default_rng(1).random((n, 2)), (2 if n > 1 else 1, 1))
    some = {"drawn": np.sin(9.0 * points[:, 0]), "equal": np.full(len(points), 5.0), "zero": np.zeros(len(points))}
    found = fitted(Data(points, some.get(values, np.array([2.0])), sure(len(points), sd)), prior)
    assert np.isfinite(found.mean)
    assert np.all(np.isfinite(parameters_of(found)))


def test_errors_that_were_told_are_not_taken_for_structure() -> None:
    """Half of the answers come from an instrument a hundred times as rough: told so, the fit sees the function."""
    rng = np.random.default_rng(8)
    points, sd = rng.random((40, 2)), np.where(np.arange(40) % 2, 2.0, 0.02)
    truth = np.sin(5.0 * points[:, 0]) + points[:, 1]
    data = Data(points, truth + sd * rng.normal(size=40), Errors(sd, np.ones(40), np.zeros(40)))
    errors = {}
    for name, known in (("told", data), ("not told", data._replace(errors=None))):
        found = fitted(known, Prior())
        among = found.kernel.gram(points, points)
        noises = np.full(40, found.noise) if known.errors is None else known.errors.variances(found.noise)
        mean, _ = noisy.posterior(among, among, among, found.mean, data.values, noises)
        errors[name] = float(np.sqrt(np.mean((mean - truth) ** 2)))
    assert errors["told"] < 0.15 < errors["not told"]


def test_a_known_process_without_a_mean_averages_repeats_one_by_one() -> None:
    known = GP(lengthscale=0.3, variance=1.0, noise=0.1)
    points, groups = groups_of(21)
    assert known._average(repeated(points, groups)) == pytest.approx(known._average(separate(points, groups)))


def waves(seed: int, n: int, repeats: int, noise: float) -> tuple[Array, list[list[float]]]:
    rng = np.random.default_rng(seed)
    points = rng.random((n, 2))
    truth = np.sin(6.0 * points[:, 0]) + points[:, 1] ** 2
    return points, [(value + noise * rng.normal(size=repeats)).tolist() for value in truth]


def fitted(data: Data, prior: Prior | None, likelihood: str = "exact") -> Hyperparameters:
    found = LIKELIHOODS[likelihood]()
    return fit(data.points, data.values, KERNEL, prior=prior, likelihood=found, errors=data.errors)


def parameters_of(found: Hyperparameters) -> Array:
    return np.append(logarithms(found.kernel), np.log(found.noise))


def test_memories_hold_fits_apart_by_their_errors() -> None:
    memory, data = Memory(), mixed(25)
    found = [gp.fitted(each, KERNEL, memory, Prior()) for each in (data, data._replace(errors=None), data)]
    assert found[0] is found[2]
    assert found[0] != found[1]

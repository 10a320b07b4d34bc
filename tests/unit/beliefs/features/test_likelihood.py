"""The likelihood that features are fitted by: the dense formula's value, with the slopes of central differences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GP, Features, Memory, Regressions, SimpleKernel
from belated.beliefs.features.likelihood import FeatureLikelihood
from belated.beliefs.features.maps import feature_maps
from belated.beliefs.features.spectrum import drawn_spectrum
from belated.space import Array
from belated.study import Study
from tests.builders import DOMAINS, Clock, Domain, kernels_of
from tests.reference.features import PlainRegression
from tests.tolerance import SLOPE_TOLERANCE, SOLVE_TOLERANCE, STEP
from tests.unit.beliefs.kernels.vectors import in_order, logarithms, with_logarithms

each_domain = pytest.mark.parametrize("domain", ["box", "mixed"])
each_ard = pytest.mark.parametrize("ard", [True, False], ids=["ard", "shared"])
every_form = pytest.mark.parametrize("form", ["se", "matern12", "matern32", "matern52"])
each_mean = pytest.mark.parametrize("mean", [0.3, None], ids=["known mean", "likely mean"])


class Case:
    """Answers and a kernel with its spectral draws."""

    def __init__(self, domain: str, form: str, ard: bool, n: int = 14, spectral: int = 10) -> None:
        self.space: Domain = DOMAINS[domain]()
        self.kernel = kernels_of(self.space, form, ard)[0]
        rng = np.random.default_rng(5)
        self.points, self.values = self.space.sample(n, rng), rng.standard_normal(n) + 0.5
        self.spectrum = drawn_spectrum(self.kernel, self.space.levels, spectral, np.random.default_rng(6))
        self.evidence = FeatureLikelihood("tested", self.spectrum)

    def features(self, kernel: SimpleKernel) -> Array:
        return np.asarray(feature_maps([kernel], [self.spectrum], self.space.dimension)(self.points)[0])

    def value(self, logs: Array, mean: float | None) -> float:
        kernel, noise = with_logarithms(self.kernel, logs[:-1]), math.exp(logs[-1])
        return self.evidence(self.points, self.values, kernel, noise, mean).value


@pytest.mark.parametrize("n", [1, 14, 40])
@each_mean
@each_ard
@each_domain
@every_form
def test_the_value_is_the_dense_likelihood(form: str, domain: str, ard: bool, mean: float | None, n: int) -> None:
    case = Case(domain, form, ard, n)
    features = case.features(case.kernel)
    found = case.evidence(case.points, case.values, case.kernel, 0.07, mean)
    if mean is None:
        inverse = np.linalg.inv(features @ features.T + 0.07 * np.eye(n))
        mean = float(inverse.sum(axis=0) @ case.values / inverse.sum())
    assert found.mean == pytest.approx(mean, abs=SOLVE_TOLERANCE)
    expected = PlainRegression(0.07, mean).log_likelihood(features, case.values)
    assert found.value == pytest.approx(expected, abs=SOLVE_TOLERANCE)


@pytest.mark.parametrize("n", [3, 14, 40])
@each_mean
@each_ard
@each_domain
@every_form
def test_the_slopes_equal_central_differences(form: str, domain: str, ard: bool, mean: float | None, n: int) -> None:
    case = Case(domain, form, ard, n)
    logs = np.append(logarithms(case.kernel), math.log(0.07))
    slopes = in_order(case.kernel, case.evidence(case.points, case.values, case.kernel, 0.07, mean).slopes)
    steps = STEP * np.eye(len(logs))
    expected = [(case.value(logs + step, mean) - case.value(logs - step, mean)) / (2 * STEP) for step in steps]
    # Matérn 1/2 has frequencies of every size, for which no step is small.
    allowed = 0.01 if form == "matern12" else SLOPE_TOLERANCE
    assert_allclose(slopes, expected, atol=allowed * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("contrast", [0.69314, 1e-4, 30.0])
def test_contrasts_at_which_signs_cancel_or_agree_have_slopes_too(contrast: float) -> None:
    case = Case("mixed", "se", True)
    kernel = SimpleKernel(case.kernel.form, 1.7, case.kernel.lengthscales, (contrast, 0.9), case.kernel.categorical)
    logs = np.append(logarithms(kernel), math.log(0.07))
    slopes = in_order(kernel, case.evidence(case.points, case.values, kernel, 0.07, 0.3).slopes)
    steps = STEP * np.eye(len(logs))
    expected = [(case.value(logs + step, 0.3) - case.value(logs - step, 0.3)) / (2 * STEP) for step in steps]
    assert_allclose(slopes, expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))


def test_the_evidence_that_is_fitted_is_that_of_the_regressions() -> None:
    case = Case("mixed", "matern32", True)
    maps = feature_maps([case.kernel], [case.spectrum], 4)
    belief = Regressions(maps, np.array([0.07]), np.array([0.3]), "tested").condition(case.points, case.values)
    found = case.evidence(case.points, case.values, case.kernel, 0.07, 0.3).value
    assert belief.log_evidence()[0] == pytest.approx(found, abs=SOLVE_TOLERANCE)


@pytest.mark.parametrize("fit", ["ml", "map"])
@each_domain
def test_a_fit_explains_the_answers_by_the_features_at_least_as_well_as_the_exact_fit_does(
    domain: str, fit: Any
) -> None:
    space = DOMAINS[domain]()
    study = Study.in_memory(space, policy="random", seed=3, clock=Clock())
    rng = np.random.default_rng(7)
    for point in space.sample(30, rng):
        study.add(space.decode(point), float(np.sin(5.0 * point[:2].sum()) + 0.1 * rng.standard_normal()))
    evidence = study.evidence()
    process = GP(kernel="se", ard=False, fit=fit, refit=5)
    belief = Features(process, 8)
    prior = belief.prior(evidence, Memory())
    fitted = float(prior.condition(*evidence.arrivals()).log_evidence[0])
    exact = process.hyperparameters(evidence, Memory())
    _, spectrum = belief.spectrum(evidence, 0, Memory())
    likelihood = FeatureLikelihood("tested", spectrum)
    other = likelihood(*evidence.arrivals()[:2], exact.kernel, exact.noise, exact.mean).value
    # A posteriori the prior may hold the fit back a little.
    assert fitted >= other - (1e-3 if fit == "ml" else 3.0)

"""Draws of hyperparameters: their law against quadrature, their bounds, and that they are a function of the data."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs.fitting import hyperdensity, posterior
from belated.beliefs.fitting.fit import Hyperparameters, Prior, spaced
from belated.beliefs.fitting.hyperdensity import Target, box_of
from belated.beliefs.fitting.hyperlaws import Intervals, Law, Weak
from belated.beliefs.fitting.parameters import Parameters
from belated.beliefs.fitting.posterior import hyperparameter_draws
from belated.beliefs.kernels.forms import FORMS
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import SimpleKernel
from belated.errors import MissingPackageError, NoAnswerError, ParameterError
from belated.space.arrays import Array
from tests.tolerance import ROUNDING, SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP
from tests.unit.beliefs.kernels.vectors import logarithms, simple

pytest.importorskip("emcee", reason="needs emcee, of the extra `sampling`")

ISOTROPIC = SimpleKernel(FORMS["se"], 1.0, (1.0,))
MIXED = SimpleKernel(FORMS["matern52"], 1.0, (1.0, 1.0), (1.0,), (False, True, False))
ONE = (1.0, 1.0)

# Draws of different moments are THINNING steps apart, at least an integrated autocorrelation time; were their
# correlations those of a first-order process, exp(−2), the effective number would still be three quarters.
EFFECTIVE_SHARE = 0.75


def some_answers(seed: int, count: int, columns: int = 2, noise: float = 0.3) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    points = rng.random((count, columns))
    return points, np.sin(6.0 * points[:, 0]) + points[:, -1] ** 2 + noise * rng.standard_normal(count)


def table(draws: tuple[Hyperparameters, ...]) -> Array:
    """Rows (log variance, log ℓ…, log contrast…, log noise)."""
    return np.array([[*logarithms(k), np.log(n)] for k, n in pairs(draws)])


def pairs(draws: tuple[Hyperparameters, ...]) -> list[tuple[Kernel, float]]:
    return [(draw.kernel, draw.noise) for draw in draws]


def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """For what holds of every draw, however few the steps were."""
    monkeypatch.setattr(posterior, "PROPOSALS", 64)
    monkeypatch.setattr(posterior, "STEPS", 4)
    monkeypatch.setattr(posterior, "THINNING", 2)


# The plain posterior on a grid. The kernel is squared exponential with one lengthscale.


def plain_log_likelihood(
    points: Array, values: Array, variance: float, scale: float, noise: float, mean: float | None
) -> float:
    """log N(y; μ 1, C), or, for a flat mean, log ∫ N(y; μ 1, C) dμ up to a constant: by inverse and determinant."""
    squares = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    covariance = variance * np.exp(-squares / (2.0 * scale**2)) + noise * np.eye(len(values))
    inverse = np.linalg.inv(covariance)
    value = -0.5 * np.linalg.slogdet(covariance)[1]
    if mean is None:
        ones = np.ones((len(values), 1))
        total = float((ones.T @ inverse @ ones)[0, 0])
        inverse = inverse - inverse @ ones @ ones.T @ inverse / total
        return float(value - 0.5 * values @ inverse @ values - 0.5 * np.log(total))
    return float(value - 0.5 * (values - mean) @ inverse @ (values - mean))


def marginals(axes: list[Array], heights: Array) -> list[tuple[Array, Array]]:
    """Every axis with the probabilities of its cells, from the log densities of log θ on an even grid."""
    weights = np.exp(heights - heights.max())
    weights /= weights.sum()
    return [
        (axis, weights.sum(axis=tuple(other for other in range(weights.ndim) if other != place)))
        for place, axis in enumerate(axes)
    ]


def cells(low: float, high: float, count: int) -> Array:
    """The middles of even cells between the logarithms of two bounds."""
    edges = np.linspace(np.log(low), np.log(high), count + 1)
    return np.asarray(0.5 * (edges[1:] + edges[:-1]))


def assert_drawn_from(drawn: Array, axis: Array, probabilities: Array, effective: float) -> None:
    """Mean and quantiles of draws of log θ are those of the grid, give or take the standard errors."""
    mean = float(axis @ probabilities)
    spread = float(np.sqrt((axis - mean) ** 2 @ probabilities))
    width = float(axis[1] - axis[0])
    assert abs(drawn.mean() - mean) < STANDARD_ERRORS * spread / effective**0.5 + width
    below = np.cumsum(probabilities)
    for share in (0.1, 0.25, 0.5, 0.75, 0.9):
        place = int(np.searchsorted(below, share))
        expected = float(below[place])
        error = (expected * (1.0 - expected) / effective) ** 0.5
        # Where the last place of the grid holds the quantile, the sum may round to 1, and all draws must lie below.
        assert abs(np.mean(drawn <= axis[place] + 0.5 * width) - expected) <= STANDARD_ERRORS * error


def case_of_one_lengthscale() -> tuple[Array, Array, Law, float | None, list[int], list[tuple[Array, Array]]]:
    """Few noisy answers, so that both a short lengthscale and any long one explain them: two tops."""
    points, values = some_answers(2, 8)
    axis = cells(1e-3, 1e3, 1000)
    heights = [plain_log_likelihood(points, values, 1.0, scale, 0.3, 0.5) for scale in np.exp(axis)]
    law = Intervals(variance=ONE, noise=(0.3, 0.3))
    return points, values, law, 0.5, [1], marginals([axis], np.array(heights) + axis)


def case_of_lengthscale_and_noise() -> tuple[Array, Array, Law, float | None, list[int], list[tuple[Array, Array]]]:
    """The paper's intervals but for the variance, and a mean that is integrated out."""
    points, values = some_answers(3, 9, noise=0.8)
    axes = [cells(1e-3, 1e3, 250), cells(0.1, 0.3, 60)]
    heights = [
        [
            plain_log_likelihood(points, values, 2.0, scale, noise, None) + np.log(scale * noise)
            for noise in np.exp(axes[1])
        ]
        for scale in np.exp(axes[0])
    ]
    law = Intervals(variance=(2.0, 2.0))
    return points, values, law, None, [1, 2], marginals(axes, np.array(heights))


def case_of_weak_priors() -> tuple[Array, Array, Law, float | None, list[int], list[tuple[Array, Array]]]:
    """Variance and lengthscale under log-normal priors in standardised units, the noise known to be 0.04 of them."""
    points, values = some_answers(4, 9)
    values = 50.0 + 7.0 * (values - values.mean()) / values.std(ddof=1)
    standardised = (values - 50.0) / 7.0
    axes = [cells(1e-3, 1e3, 150), cells(5e-3, 1e3, 150)]
    location, spread = 2.0**0.5 + 0.5 * np.log(2.0), 3.0**0.5
    heights = [
        [
            plain_log_likelihood(points, standardised, np.exp(log_variance), np.exp(log_scale), 0.04, None)
            - 0.5 * log_variance**2
            - 0.5 * ((log_scale - location) / spread) ** 2
            for log_scale in axes[1]
        ]
        for log_variance in axes[0]
    ]
    (variances, weights), scales = marginals(axes, np.array(heights))
    return points, values, Weak(), None, [0, 1], [(variances + 2.0 * np.log(7.0), weights), scales]


CASES = {
    "one lengthscale": (case_of_one_lengthscale, None),
    "lengthscale and noise": (case_of_lengthscale_and_noise, None),
    "weak priors": (case_of_weak_priors, 0.04 * 49.0),
}


@pytest.mark.parametrize("count", [256, pytest.param(4096, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_many_draws_have_the_marginal_laws_that_quadrature_gives(name: str, count: int) -> None:
    case, noise = CASES[name]
    points, values, law, mean, columns, expected = case()
    draws = hyperparameter_draws(points, values, ISOTROPIC, law=law, mean=mean, count=count, seed=7, noise=noise)
    drawn = table(draws)
    for column, (axis, probabilities) in zip(columns, expected, strict=True):
        assert_drawn_from(drawn[:, column], axis, probabilities, EFFECTIVE_SHARE * count)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_few_draws_from_each_of_many_seeds_have_these_laws_too(name: str) -> None:
    case, noise = CASES[name]
    points, values, law, mean, columns, expected = case()
    rest: dict[str, Any] = {"law": law, "mean": mean, "count": 16, "noise": noise}
    drawn = np.concatenate(
        [table(hyperparameter_draws(points, values, ISOTROPIC, seed=[5, seed], **rest)) for seed in range(80)]
    )
    for column, (axis, probabilities) in zip(columns, expected, strict=True):
        assert_drawn_from(drawn[:, column], axis, probabilities, EFFECTIVE_SHARE * len(drawn))


def test_one_answer_with_a_flat_mean_tells_nothing_and_leaves_the_prior() -> None:
    points = np.random.default_rng(5).random((1, 3))
    draws = hyperparameter_draws(points, np.array([3.0]), MIXED, law=Weak(), mean=None, count=256, seed=8)
    # A single value has its own size for a unit.
    drawn = table(draws) - np.array([2.0 * np.log(3.0), 0.0, 0.0, 0.0, 2.0 * np.log(3.0)])
    scale = 2.0**0.5 + 0.5 * np.log(2.0)
    spreads = np.array([1.0, 3.0**0.5, 3.0**0.5, 1.0, 1.0])
    error = STANDARD_ERRORS / (EFFECTIVE_SHARE * 256) ** 0.5
    # The contrast's law ends at ten, 2.3 deviations up, where it loses less than a twentieth of a deviation.
    assert_allclose(drawn.mean(axis=0), [0.0, scale, scale, 0.0, -4.0], atol=np.max((error + 0.05) * spreads))
    assert_allclose(drawn.std(axis=0), spreads, rtol=error)


@pytest.mark.parametrize("shift", [0.0, -40.0])
def test_a_mean_that_is_not_known_is_drawn_given_the_others(shift: float) -> None:
    points, values = some_answers(6, 7)
    law = Intervals(variance=(4.0, 4.0), lengthscale=(0.5, 0.5), noise=(0.2, 0.2))
    draws = hyperparameter_draws(points, values + shift, ISOTROPIC, law=law, mean=None, count=4000, seed=9)
    squares = ((points[:, None, :] - points[None, :, :]) ** 2).sum(axis=2)
    inverse = np.linalg.inv(4.0 * np.exp(-2.0 * squares) + 0.2 * np.eye(7))
    precision = inverse.sum()
    means = np.array([draw.mean for draw in draws])
    error = STANDARD_ERRORS / 4000**0.5
    assert_allclose(means.mean(), shift + inverse.sum(axis=0) @ values / precision, atol=error / precision**0.5)
    assert_allclose(means.var(), 1.0 / precision, rtol=error * 2.0**0.5)
    assert {(draw.kernel, draw.noise) for draw in draws} == {(SimpleKernel(FORMS["se"], 4.0, (0.5,)), 0.2)}


@pytest.mark.parametrize("law", [Intervals(), Weak()])
@pytest.mark.parametrize("mean", [0.4, None])
def test_the_slopes_that_are_climbed_are_those_of_the_density(law: Law, mean: float | None) -> None:
    points, values = some_answers(10, 12, columns=3)
    points[:, 1] = np.round(2.0 * points[:, 1]) / 2.0
    target = Target(points, values, MIXED, law, mean, box_of(law, Parameters.of(MIXED, 3), None))
    place = np.array([0.3, -0.4, 0.2, 0.1, -0.2])
    steps = STEP * np.eye(5)
    differences = [(target.slope(place + step)[0] - target.slope(place - step)[0]) / (2.0 * STEP) for step in steps]
    assert_allclose(target.slope(place)[1], differences, rtol=SLOPE_TOLERANCE, atol=SLOPE_TOLERANCE)
    if mean is not None:
        places = np.array([place, place + 1.0, place - 2.0])
        gaps = [target.slope(at)[0] for at in places] - target.log_densities(places)
        assert_allclose(gaps, gaps[0], rtol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("mean", [0.4, None])
def test_densities_of_many_places_are_the_plain_ones_however_they_are_cut(
    mean: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    points, values = some_answers(20, 12)
    law = Intervals()
    target = Target(points, values, ISOTROPIC, law, mean, box_of(law, Parameters.of(ISOTROPIC, points.shape[1]), None))
    logs = np.log([[2.0, 0.3, 0.1], [50.0, 0.9, 0.3], [1.5, 0.05, 0.2], [3.0, 4.0, 0.15]])
    plain = [plain_log_likelihood(points, values, v, scale, noise, mean) for v, scale, noise in np.exp(logs).tolist()]
    assert_allclose(target.log_evidences(logs), plain, rtol=SOLVE_TOLERANCE)
    for block in (1, 300, 10**6):
        monkeypatch.setattr(hyperdensity, "BLOCK", block)
        assert_allclose(target.log_evidences(logs), plain, rtol=SOLVE_TOLERANCE)
    places = np.array([[0.0, 0.0, 0.0], [0.0, 2.0 * hyperdensity.FURTHEST, 0.0], [1.0, -1.0, 0.5]])
    together = target.log_densities(places)
    assert together[1] == -np.inf
    assert_allclose(together, [target.log_densities(place[None])[0] for place in places], rtol=SOLVE_TOLERANCE)


def test_a_covariance_that_rounding_leaves_indefinite_is_steadied_and_its_neighbours_are_not() -> None:
    points, values = some_answers(21, 40)
    law = Intervals(noise=(1e-30, 1.0))
    target = Target(points, values, ISOTROPIC, law, 0.0, box_of(law, Parameters.of(ISOTROPIC, points.shape[1]), None))
    singular, plain = np.log([1.0, 900.0, 1e-30]), np.log([2.0, 0.3, 0.1])
    both = target.log_evidences(np.array([singular, plain]))
    assert np.isfinite(both).all()
    assert_allclose(both[1], target.log_evidences(plain[None])[0], rtol=ROUNDING)


def test_draws_stay_within_their_intervals_even_where_the_answers_press_against_the_ends() -> None:
    points, values = some_answers(11, 30)
    law = Intervals(variance=(1.0, 1.5), lengthscale=(0.7, 0.8), noise=(1e-4, 2e-4))
    for factor in (1e-3, 1.0, 1e3):
        draws = hyperparameter_draws(points, factor * values, ISOTROPIC, law=law, mean=0.0, count=32, seed=12)
        for draw in draws:
            assert 1.0 <= draw.kernel.variance <= 1.5
            assert 0.7 <= simple(draw.kernel).lengthscales[0] <= 0.8
            assert 1e-4 <= draw.noise <= 2e-4
            assert draw.mean == 0.0
    assert len(set(draws)) > 1


def test_the_same_data_and_seed_give_the_same_draws_whatever_the_global_generator_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    quick(monkeypatch)
    points, values = some_answers(13, 12)
    rest: dict[str, Any] = {"law": Weak(), "mean": None, "count": 70}
    before = np.random.get_state()[1].copy()  # type: ignore[index] # noqa: NPY002
    once = hyperparameter_draws(points, values, ISOTROPIC, seed=14, **rest)
    assert_array_equal(np.random.get_state()[1], before)  # type: ignore[index] # noqa: NPY002
    np.random.seed(3)  # noqa: NPY002
    other = replace(ISOTROPIC, variance=9.0, lengthscales=(0.2,))
    assert hyperparameter_draws(points.copy(), values.copy(), other, seed=14, **rest) == once
    assert hyperparameter_draws(points, values, ISOTROPIC, seed=[14], **rest) == once
    assert not set(once) & set(hyperparameter_draws(points, values, ISOTROPIC, seed=[14, 1], **rest))


@pytest.mark.parametrize("count", [1, 31, 32, 33, 100])
def test_as_many_are_drawn_as_were_asked_for(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    quick(monkeypatch)
    points, values = some_answers(15, 6)
    assert len(hyperparameter_draws(points, values, ISOTROPIC, law=Intervals(), mean=0.0, count=count, seed=1)) == count


def test_rescaling_the_values_rescales_the_draws_under_the_weak_law(monkeypatch: pytest.MonkeyPatch) -> None:
    quick(monkeypatch)
    points, values = some_answers(16, 12)
    rest: dict[str, Any] = {"law": Weak(), "mean": None, "count": 8, "seed": 17}
    plain = hyperparameter_draws(points, values, ISOTROPIC, **rest)
    # By a power of two, so that nothing is rounded.
    moved = hyperparameter_draws(points, 1024.0 * values, ISOTROPIC, **rest)
    for one, other in zip(plain, moved, strict=True):
        assert other == Hyperparameters(one.kernel.scaled(2.0**20), 2.0**20 * one.noise, 1024.0 * one.mean)


@pytest.mark.parametrize("law", [Intervals(), Weak()])
@pytest.mark.parametrize("noise", [0.0, 1e-14, 0.7])
def test_a_known_mean_and_a_known_noise_are_kept(law: Law, noise: float, monkeypatch: pytest.MonkeyPatch) -> None:
    quick(monkeypatch)
    points, values = some_answers(18, 20, noise=0.0)
    draws = hyperparameter_draws(points, values, ISOTROPIC, law=law, mean=0.5, count=8, seed=1, noise=noise)
    assert {(draw.mean, draw.noise) for draw in draws} == {(0.5, noise)}


def test_past_the_largest_sample_an_even_subset_stands_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    quick(monkeypatch)
    monkeypatch.setattr(posterior, "LARGEST_SAMPLE", 10)
    points, values = some_answers(19, 35)
    rows = spaced(35, 10)
    rest: dict[str, Any] = {"law": Weak(), "mean": None, "count": 4, "seed": 1}
    all_rows = hyperparameter_draws(points, values, ISOTROPIC, **rest)
    assert all_rows == hyperparameter_draws(points[rows], values[rows], ISOTROPIC, **rest)


POINTS = np.random.default_rng(20).random((20, 3))
DEGENERATE = {
    "one value": (POINTS[:1], np.array([3.0])),
    "one zero": (POINTS[:1], np.array([0.0])),
    "two values": (POINTS[:2], np.array([3.0, 3.1])),
    "constant": (POINTS, np.full(20, 0.1)),
    "all zero": (POINTS, np.zeros(20)),
    "nearly constant": (POINTS, 1.0 + 1e-15 * np.arange(20)),
    "no noise": (POINTS, POINTS.sum(axis=1)),
    "tiny": (POINTS, 1e-12 * np.arange(20.0)),
    "huge": (POINTS, 1e12 * np.arange(20.0)),
    "hugest": (POINTS, 1e57 * np.arange(20.0)),
    "duplicates": (np.repeat(POINTS[:1], 15, axis=0), np.arange(15.0)),
    "equal duplicates": (np.repeat(POINTS[:5], 4, axis=0), np.repeat(np.arange(5.0), 4)),
    "one outlier": (POINTS, np.append(np.zeros(19), 1e6)),
    "a line": (np.linspace(0.0, 1.0, 60)[:, None] * np.ones(3), np.linspace(0.0, 1.0, 60)),
}


@pytest.mark.parametrize("case", DEGENERATE)
@pytest.mark.parametrize("law", [Intervals(), Weak()], ids=["intervals", "weak"])
def test_degenerate_answers_give_sound_draws(case: str, law: Law, monkeypatch: pytest.MonkeyPatch) -> None:
    quick(monkeypatch)
    points, values = DEGENERATE[case]
    turn = list(DEGENERATE).index(case) + isinstance(law, Weak)
    for place, kernel in enumerate((ISOTROPIC, MIXED, SimpleKernel(FORMS["linear"], 1.0, (1.0,) * 3))):
        for noise in (None, 0.0):
            # Half of all, so that any two of case, law, kernel, noise and mean meet.
            if (turn + place + (noise is None)) % 2:
                continue
            if noise == 0.0 and case.startswith("huge") and isinstance(law, Intervals):
                continue
            mean = None if (place % 2 == 0) == (noise is None) else 0.0
            draws = hyperparameter_draws(points, values, kernel, law=law, mean=mean, count=3, seed=21, noise=noise)
            assert np.isfinite([draw.mean for draw in draws]).all()
            assert all(noise == 0.0 or 0.0 < draw.noise < np.inf for draw in draws)


def test_categorical_columns_alone_are_drawn_for(monkeypatch: pytest.MonkeyPatch) -> None:
    quick(monkeypatch)
    points = (np.floor(3.0 * POINTS) + 0.5) / 3.0
    template = SimpleKernel(FORMS["matern52"], 1.0, (), (1.0,) * 3, (True,) * 3)
    (draw,) = hyperparameter_draws(points, points[:, 0], template, law=Intervals(), mean=None, count=1, seed=1)
    assert len(simple(draw.kernel).contrasts) == 3


def test_the_laws_are_numbers_that_json_keeps() -> None:
    law = Intervals(variance=(1, 5), noise=[0.1, 0.2])  # type: ignore[arg-type]
    assert law == Intervals(**json.loads(json.dumps(asdict(law))))
    assert hash(law) == hash(Intervals(variance=(1.0, 5.0), noise=(0.1, 0.2)))
    assert json.loads(json.dumps(asdict(Weak())))["prior"]["noise"] == {"location": -4.0, "spread": 1.0}
    assert Weak() == Weak(Prior())


def test_without_emcee_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "emcee", None)
    with pytest.raises(MissingPackageError) as caught:
        hyperparameter_draws(*some_answers(1, 5), ISOTROPIC, law=Weak(), mean=None, count=1, seed=1)
    assert str(caught.value) == (
        "hyperparameter_draws(): needs the package emcee, which is not installed; Belated's extra 'sampling' brings it."
    )


@pytest.mark.parametrize(
    "interval", [(0.3, 0.1), (0.0, 1.0), (-1.0, 1.0), (1.0, float("inf")), (1.0,), (1.0, 2.0, 3.0), 0.1, ("a", "b")]
)
def test_what_is_no_interval_is_refused(interval: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        Intervals(noise=interval)
    assert str(caught.value) == (
        f"Intervals(noise={interval!r}): an interval is two positive finite numbers, the smaller first; "
        "equal ones are a known number."
    )


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"count": 0}, "hyperparameter_draws(count=0): count must be a whole number of at least 1."),
        ({"count": 2.0}, "hyperparameter_draws(count=2.0): count must be a whole number of at least 1."),
        ({"noise": -1.0}, "hyperparameter_draws(noise=-1.0): noise must be a finite number of at least 0."),
        ({"mean": np.inf}, "hyperparameter_draws(mean=inf): mean must be a finite number."),
        (
            {"seed": -1},
            "hyperparameter_draws(seed=-1): a seed is a whole number of at least 0, or several of them.",
        ),
        (
            {"seed": 0.5},
            "hyperparameter_draws(seed=0.5): a seed is a whole number of at least 0, or several of them.",
        ),
        (
            {"seed": None},
            "hyperparameter_draws(seed=None): a seed is a whole number of at least 0, or several of them.",
        ),
        (
            {"values": np.ones(4)},
            "hyperparameter_draws(): got points of shape (5, 2) and values of shape (4,); give one row of coordinates "
            "for each value.",
        ),
        (
            {"values": np.array([1.0, 2.0, np.nan, 4.0, 5.0])},
            "hyperparameter_draws(): got values that are not finite; leave them out.",
        ),
        (
            {"values": 1e70 * np.arange(5.0), "law": Intervals()},
            "hyperparameter_draws(law=Intervals(variance=(1.0, 100.0), lengthscale=(0.001, 1000.0), noise=(0.1, 0.3), "
            "contrast=(0.001, 10.0))): got answers up to 4e+70, of which none can be believed under a noise variance "
            "of 0.1; give intervals in the units of the answers, or Weak().",
        ),
    ],
)
def test_bad_input_is_refused_by_name(changes: dict[str, Any], message: str) -> None:
    points, values = some_answers(1, 5)
    given: dict[str, Any] = {"values": values, "law": Weak(), "mean": None, "count": 1, "seed": 1} | changes
    with pytest.raises(ParameterError) as caught:
        hyperparameter_draws(points, given.pop("values"), ISOTROPIC, **given)
    assert str(caught.value) == message


def test_no_answers_are_refused() -> None:
    with pytest.raises(NoAnswerError) as caught:
        hyperparameter_draws(np.empty((0, 2)), np.empty(0), ISOTROPIC, law=Weak(), mean=None, count=1, seed=1)
    assert str(caught.value) == (
        "hyperparameter_draws(values=[]): got no answers; a posterior needs at least one; tell() one first."
    )

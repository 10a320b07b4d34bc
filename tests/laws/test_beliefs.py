"""What every belief must do, for every kernel: agree with the dense formulas, however it came to be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GaussianProcess, Memory, Setting
from belated.beliefs.process.columns import LazyColumns, WholeColumns
from belated.beliefs.process.on_table import OnTable
from belated.beliefs.schedule import Milestones, doubling, milestone
from belated.search import MomentScore
from belated.space import Array, Candidates
from tests.builders import DOMAINS, box, mixed, probes_of, processes_of, table
from tests.pairs import every_pair, first
from tests.reference.combines import COMBINES, upper_bound
from tests.reference.gp import PlainGP
from tests.tolerance import SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP

FORM_NAMES = ["se", "matern12", "matern32", "matern52", "linear"]
every_form = pytest.mark.parametrize("form", FORM_NAMES)
every_domain = pytest.mark.parametrize("domain", DOMAINS)
each_ard = pytest.mark.parametrize("ard", [True, False], ids=["ard", "shared"])


def data_of(domain: str, n: int, seed: int = 3) -> tuple[Array, Array]:
    """Points of a domain and values for them."""
    rng = np.random.default_rng(seed)
    return DOMAINS[domain]().sample(n, rng), rng.standard_normal(n)


def pair(domain: str, form: str = "matern52", ard: bool = True) -> tuple[GaussianProcess, PlainGP]:
    return processes_of(DOMAINS[domain](), form, ard)


def whole(rows: int) -> int:
    """A growth that factorises everything at once."""
    return rows


def nothing(rows: int) -> int:
    """A growth that appends every row by itself."""
    return 0


# Against the dense formulas.


@each_ard
@every_domain
@every_form
def test_the_posterior_equals_the_dense_formulas(form: str, domain: str, ard: bool) -> None:
    prior, plain = pair(domain, form, ard)
    points, values = data_of(domain, 14)
    probes = probes_of(DOMAINS[domain]())
    belief = prior.condition(points, values)
    mean, covariance = plain.posterior(points, values, probes)
    assert_allclose(belief.moments(probes).mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.moments(probes).deviation, np.sqrt(np.diagonal(covariance)), atol=SOLVE_TOLERANCE)
    assert_allclose(belief.covariance(probes), covariance, atol=SOLVE_TOLERANCE)


@each_ard
@every_domain
@every_form
def test_information_and_gains_equal_the_dense_determinants(form: str, domain: str, ard: bool) -> None:
    prior, plain = pair(domain, form, ard)
    points, values = data_of(domain, 9)
    probes = probes_of(DOMAINS[domain]())
    belief = prior.condition(points, values)
    assert belief.information(probes) == pytest.approx(plain.information(points, probes), abs=SOLVE_TOLERANCE)
    assert_allclose(prior.gains(points), plain.gains(points), atol=SOLVE_TOLERANCE)
    assert belief.gains(probes).sum() == pytest.approx(belief.information(probes), abs=SOLVE_TOLERANCE)


@every_domain
def test_before_any_answer_the_belief_is_the_prior(domain: str) -> None:
    prior, plain = pair(domain)
    probes = probes_of(DOMAINS[domain]())
    none = np.empty((0, probes.shape[1]))
    for belief in (prior, prior.condition(none, np.empty(0))):
        assert_allclose(belief.moments(probes).mean, 0.3)
        assert_allclose(belief.moments(probes).deviation, np.sqrt(1.7))
        assert_allclose(belief.covariance(probes), plain.kernel.matrix(probes, probes), atol=SOLVE_TOLERANCE)
        assert belief.information(none) == 0.0
        assert len(belief.gains(none)) == 0


@every_domain
def test_another_prior_mean_moves_the_values_with_it(domain: str) -> None:
    prior, _ = pair(domain)
    points, values = data_of(domain, 8)
    probes = probes_of(DOMAINS[domain]())
    moved = prior.with_mean(5.3).condition(points, values + 5.0).moments(probes)
    plain = prior.condition(points, values).moments(probes)
    assert_allclose(moved.mean, plain.mean + 5.0, atol=SOLVE_TOLERANCE)
    assert_array_equal(moved.deviation, plain.deviation)


# Growing.


@every_domain
@every_form
def test_growing_row_by_row_equals_factorising_at_once(form: str, domain: str) -> None:
    prior, _ = pair(domain, form)
    points, values = data_of(domain, 30)
    probes = probes_of(DOMAINS[domain]())
    beliefs = [grown(prior, growth, Memory()).condition(points, values) for growth in (whole, nothing, milestone)]
    one_by_one = grown(prior, nothing, Memory())
    for point, value in zip(points, values, strict=True):
        one_by_one = one_by_one.condition(point[None], np.array([value]))
    for belief in [*beliefs[1:], one_by_one]:
        assert_allclose(belief.moments(probes).mean, beliefs[0].moments(probes).mean, atol=SOLVE_TOLERANCE)
        assert_allclose(belief.covariance(probes), beliefs[0].covariance(probes), atol=SOLVE_TOLERANCE)
        assert_allclose(belief.gains(probes), beliefs[0].gains(probes), atol=SOLVE_TOLERANCE)


def grown(prior: GaussianProcess, growth: Milestones, memory: Memory) -> GaussianProcess:
    return replace(prior, setting=replace(prior.setting, growth=growth, memory=memory))


def everything(belief: GaussianProcess, probes: Array) -> list[Array]:
    """All that is read from a belief, for comparing bit by bit."""
    read = [*belief.moments(probes), belief.covariance(probes), np.array(belief.information(probes))]
    read += MomentScore(belief, upper_bound).slopes(probes)
    if belief.setting.table is not None:
        read += OnTable(belief, belief.setting.table).moments()
    return read


@pytest.mark.parametrize("growth", [doubling, milestone], ids=["doubling", "milestone"])
@pytest.mark.parametrize("domain", ["mixed", "table"])
def test_a_warm_memory_gives_the_bits_of_a_cold_one_along_a_whole_growth(domain: str, growth: Milestones) -> None:
    prior, _ = pair(domain)
    points, values = data_of(domain, 140)
    probes = probes_of(DOMAINS[domain]())
    warm = Memory()
    for size in [*range(12), *range(12, 60, 7), *range(60, 70), 100, *range(126, 131), 140]:
        first = grown(prior, growth, warm).condition(points[:size], values[:size])
        afresh = grown(prior, growth, Memory()).condition(points[:size], values[:size])
        for known, cold in zip(everything(first, probes), everything(afresh, probes), strict=True):
            assert_array_equal(known, cold)


@pytest.mark.parametrize("growth", [doubling, milestone], ids=["doubling", "milestone"])
@pytest.mark.parametrize("domain", ["mixed", "table"])
def test_two_orders_that_share_a_beginning_keep_both_right(domain: str, growth: Milestones) -> None:
    prior, plain = pair(domain)
    points, values = data_of(domain, 90)
    probes = probes_of(DOMAINS[domain]())
    rng = np.random.default_rng(8)
    memory = Memory()
    for size in (5, 20, 63, 66, 70, 90):
        asked = np.arange(size)
        orders = [asked, np.concatenate([asked[: size // 2], rng.permutation(asked[size // 2 :])]), asked[: size // 2]]
        for order in [*orders, orders[0], orders[1]]:
            belief = grown(prior, growth, memory).condition(points[order], values[order])
            afresh = grown(prior, growth, Memory()).condition(points[order], values[order])
            for known, cold in zip(everything(belief, probes), everything(afresh, probes), strict=True):
                assert_array_equal(known, cold)
    mean, deviation = plain.moments(points[orders[1]], values[orders[1]], probes)
    belief = grown(prior, growth, memory).condition(points[orders[1]], values[orders[1]])
    assert_allclose(belief.moments(probes).mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.moments(probes).deviation, deviation, atol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("domain", ["mixed", "table"])
def test_more_orders_than_a_memory_holds_change_nothing(domain: str) -> None:
    prior, _ = pair(domain)
    points, values = data_of(domain, 20)
    probes = probes_of(DOMAINS[domain]())
    rng = np.random.default_rng(4)
    orders = [rng.permutation(20)[: rng.integers(1, 20)] for _ in range(15)]
    memory = Memory()
    for order in [*orders, *orders]:
        belief = grown(prior, doubling, memory).condition(points[order], values[order])
        afresh = grown(prior, doubling, Memory()).condition(points[order], values[order])
        for known, cold in zip(everything(belief, probes), everything(afresh, probes), strict=True):
            assert_array_equal(known, cold)


@pytest.mark.parametrize("domain", ["mixed", "table"])
def test_what_is_imagined_aside_never_changes_what_the_parent_gives(domain: str) -> None:
    prior, _ = pair(domain)
    points, values = data_of(domain, 40)
    probes = probes_of(DOMAINS[domain]())
    memory = Memory()
    belief = grown(prior, doubling, memory).condition(points[:10], values[:10])
    before = everything(belief, probes)
    held = list(memory._factors)
    aside = memory.aside()
    for last in range(11, 20):
        # Imagined points follow the parent's own and then differ from what the parent will see.
        order = [*range(5, last), *range(5)] if last % 2 else [*range(10), *range(39, 39 - last, -1)]
        imagined = grown(prior, doubling, aside).condition(points[order], values[order])
        cold = grown(prior, doubling, Memory()).condition(points[order], values[order])
        for known, afresh in zip(everything(imagined, probes), everything(cold, probes), strict=True):
            assert_array_equal(known, afresh)
        for now, then in zip(everything(belief, probes), before, strict=True):
            assert_array_equal(now, then)
    assert memory._factors == held
    further = grown(prior, doubling, memory).condition(points[:25], values[:25])
    cold = grown(prior, doubling, Memory()).condition(points[:25], values[:25])
    for known, afresh in zip(everything(further, probes), everything(cold, probes), strict=True):
        assert_array_equal(known, afresh)


# Slopes.


def differences(values: Callable[[Array], Array], points: Array, columns: list[int]) -> Array:
    """Central differences in some columns, zero in the others."""
    slopes = np.zeros_like(points)
    for column in columns:
        step = np.zeros(points.shape[1])
        step[column] = STEP
        slopes[:, column] = (values(points + step) - values(points - step)) / (2 * STEP)
    return slopes


@every_pair(form=FORM_NAMES, domain=["box", "mixed"], combine=COMBINES, n_answers=[0, 12])
def test_slopes_equal_central_differences(form: str, domain: str, combine: str, n_answers: int) -> None:
    space = DOMAINS[domain]()
    prior, _ = pair(domain, form)
    points, values = data_of(domain, n_answers)
    belief = prior.condition(points, values)
    score = MomentScore(belief, COMBINES[combine])
    probes = 0.05 + 0.9 * probes_of(space)
    numeric = [column for column, kind in enumerate(space.categorical) if not kind]
    nominal = [column for column, kind in enumerate(space.categorical) if kind]
    probes[:, nominal] = probes_of(space)[:, nominal]
    at, slopes = score.slopes(probes)
    assert_allclose(at, score.values(probes), atol=SOLVE_TOLERANCE)
    expected = differences(score.values, probes, numeric)
    assert_allclose(slopes, expected, atol=SLOPE_TOLERANCE * (1 + np.abs(expected).max()))


# Tables.


@pytest.mark.parametrize("domain", ["table", "mixed table"])
@every_form
def test_whole_and_lazy_columns_equal_the_dense_table(form: str, domain: str) -> None:
    candidates = DOMAINS[domain]()
    assert isinstance(candidates, Candidates)
    prior, plain = pair(domain, form)
    points, values = data_of(domain, 70)
    for lazy_from, kind in ((10**9, WholeColumns), (0, LazyColumns)):
        memory = Memory(lazy_from)
        for size in (0, 1, 30, 70, 20):
            belief = grown(prior, doubling, memory).condition(points[:size], values[:size])
            mean, deviation = plain.moments(points[:size], values[:size], candidates.table)
            own = belief.on(candidates.table)
            assert own is not None
            assert isinstance(own.columns, kind)
            assert_allclose(own.mean(), mean, atol=SOLVE_TOLERANCE)
            assert np.all(own.bounds() >= deviation - SOLVE_TOLERANCE)
            chosen = np.array([3, 17, 4])
            assert_allclose(own.deviation(chosen), deviation[chosen], atol=SOLVE_TOLERANCE)
            assert_allclose(own.deviation(), deviation, atol=SOLVE_TOLERANCE)
            assert_allclose(belief.moments(candidates.table).deviation, deviation, atol=SOLVE_TOLERANCE)


# Draws.


def check_draws(drawn: Array, mean: Array, covariance: Array) -> None:
    """Draws (n, m) have this mean and covariance, to five standard errors."""
    n = len(drawn)
    variance = np.diagonal(covariance)
    assert np.all(np.abs(drawn.mean(axis=0) - mean) <= STANDARD_ERRORS * np.sqrt(variance / n) + 1e-9)
    centred = drawn - mean
    found = centred.T @ centred / n
    # Var(ab) = Σ_aa Σ_bb + Σ_ab² for a Gaussian pair.
    error = np.sqrt((np.outer(variance, variance) + covariance**2) / n)
    assert np.all(np.abs(found - covariance) <= STANDARD_ERRORS * error + 1e-7)


@every_pair(form=FORM_NAMES, domain=["table", "mixed table"], n_answers=[0, 6])
def test_joint_table_draws_have_the_posterior_mean_and_covariance(form: str, domain: str, n_answers: int) -> None:
    prior, plain = pair(domain, form)
    assert prior.setting.table is not None
    rows = prior.setting.table.rows
    points, values = data_of(domain, n_answers)
    belief = prior.condition(points, values)
    rng = np.random.default_rng(12)
    draws = np.array([belief.draw(rng).values(rows) for _ in range(1500)])
    mean, covariance = plain.posterior(points, values, rows)
    check_draws(draws, mean, covariance)


@pytest.mark.parametrize("count", first(1, 300, 600))
@every_pair(form=FORM_NAMES, domain=["box", "mixed"], n_answers=[0, 5])
def test_paths_have_the_posterior_mean_and_covariance(form: str, domain: str, n_answers: int, count: int) -> None:
    prior, plain = pair(domain, form)
    points, values = data_of(domain, n_answers)
    belief = prior.condition(points, values)
    probes = probes_of(DOMAINS[domain](), 6)
    rng = np.random.default_rng(13)
    draws = np.array([belief.draw(rng).values(probes) for _ in range(count)])
    mean, covariance = plain.posterior(points, values, probes)
    check_draws(draws, mean, covariance)


@pytest.mark.parametrize("domain", ["box", "mixed"])
@pytest.mark.parametrize("form", ["se", "matern12", "matern32", "matern52"])
def test_paths_pass_through_answers_without_noise(form: str, domain: str) -> None:
    prior, _ = processes_of(DOMAINS[domain](), form, noise=1e-10)
    points, values = data_of(domain, 7)
    path = prior.condition(points, values).draw(np.random.default_rng(2))
    assert_allclose(path.values(points), values, atol=1e-3)


@pytest.mark.parametrize("domain", ["box", "mixed"])
@every_form
def test_the_gradients_of_paths_equal_central_differences(form: str, domain: str) -> None:
    space = DOMAINS[domain]()
    prior, _ = pair(domain, form)
    points, values = data_of(domain, 6)
    path = prior.condition(points, values).draw(np.random.default_rng(1))
    probes = probes_of(space)
    numeric = [column for column, kind in enumerate(space.categorical) if not kind]
    at, slopes = path.slopes(probes)
    assert_allclose(at, path.values(probes), atol=SOLVE_TOLERANCE)
    expected = differences(path.values, probes, numeric)
    # The paths of Matérn 1/2 have frequencies of every size, and no third derivative to speak of.
    allowed = 0.02 if form == "matern12" else SLOPE_TOLERANCE
    assert_allclose(slopes, expected, atol=allowed * (1 + np.abs(expected).max()))


def test_a_process_that_knows_points_outside_its_table_still_draws_on_it() -> None:
    candidates = table()
    prior, plain = processes_of(candidates)
    points, values = np.array([[0.123, 0.456], [0.9, 0.05]]), np.array([1.0, -1.0])
    belief = prior.condition(points, values)
    rng = np.random.default_rng(3)
    draws = np.array([belief.draw(rng).values(candidates.table[:5]) for _ in range(600)])
    mean, covariance = plain.posterior(points, values, candidates.table[:5])
    check_draws(draws, mean, covariance)


def test_a_path_on_a_table_too_large_for_joint_draws_has_the_right_moments() -> None:
    candidates = Candidates(np.linspace(-4.0, 11.0, 2600)[:, None])
    prior, plain = processes_of(candidates)
    points, values = candidates.table[[100, 1300]], np.array([1.0, -1.0])
    belief = prior.condition(points, values)
    rng = np.random.default_rng(3)
    some = [0, 700, 1310, 2599]
    draws = np.array([belief.draw(rng).values(candidates.table[some]) for _ in range(400)])
    mean, covariance = plain.posterior(points, values, candidates.table[some])
    check_draws(draws, mean, covariance)


@pytest.mark.parametrize("space", [box, mixed], ids=["box", "mixed"])
def test_duplicated_points_share_their_answers_by_the_noise(space: Callable[[], object]) -> None:
    prior, plain = processes_of(box() if space is box else mixed())
    points = np.repeat(probes_of(box() if space is box else mixed(), 1), 6, axis=0)
    values = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    belief = prior.condition(points, values)
    # Six answers at one point are one answer, their mean, with a sixth of the noise.
    share = 1.7 / (1.7 + 0.04 / 6)
    assert belief.moments(points[:1]).mean[0] == pytest.approx(0.3 + share * (3.5 - 0.3), abs=SOLVE_TOLERANCE)
    assert belief.moments(points[:1]).deviation[0] ** 2 == pytest.approx(1.7 * (1 - share), abs=SOLVE_TOLERANCE)
    assert belief.information(points) == pytest.approx(plain.information(points, points), abs=SOLVE_TOLERANCE)


def test_settings_of_beliefs_are_their_own() -> None:
    prior, _ = processes_of(box())
    assert isinstance(prior.setting, Setting)
    assert prior.setting.memory is not processes_of(box())[0].setting.memory

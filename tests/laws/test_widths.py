"""Every width against its formula, written out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from belated.beliefs import GP, Memory
from belated.errors import ParameterError, UnsupportedError
from belated.evidence import Evidence
from belated.log import FOREVER, Window
from belated.pacing import Always
from belated.pending import Censor, Hallucinate, Ignore
from belated.policies import Policy, Recipe, build, from_json, gp_ucb, sbo_kde
from belated.rules import (
    Alternating,
    AverageLipschitz,
    BoundedNorm,
    Constant,
    Delayed,
    Finite,
    Initially,
    Lipschitz,
    Martingale,
    Rule,
    Simultaneous,
    Situation,
    Thompson,
    UpperBound,
    Width,
)
from belated.space import Context, Float
from tests.builders import Clock, Given, box, processes_of, random_evidence, random_study, situation_of, table
from tests.reference.policies import alpha_box, alpha_finite, alpha_norm, information_bound
from tests.tolerance import SOLVE_TOLERANCE

WIDTHS: list[Width] = [
    Constant(1.5),
    Finite(0.05, 0.2),
    Lipschitz(1.0, 2.0, 0.1, 0.5),
    AverageLipschitz(2.0, 3.0, 0.5),
    BoundedNorm(3.0, 0.1, 0.01),
    Martingale(0.5, 0.1, 2.0, 0.05),
    Delayed(Window(queries=4), 0.7, Constant(1.1)),
    Simultaneous(4, 1.3, 0.8, 0.02),
    Alternating(0.3, 2.5),
]
each_width = pytest.mark.parametrize("width", WIDTHS, ids=lambda width: type(width).__name__)
each_size = pytest.mark.parametrize("answered, pending", [(0, 0), (1, 0), (0, 3), (9, 4)])


@each_size
@each_width
def test_a_width_is_a_finite_number_of_at_least_zero(width: Width, answered: int, pending: int) -> None:
    domain = table(30)
    situation = situation_of(random_evidence(2, answered, pending, domain=domain), Given(processes_of(domain)[0]))
    found = width(situation)
    assert isinstance(found, float)
    assert 0.0 <= found < math.inf


@each_width
def test_a_width_survives_the_log(width: Width) -> None:
    recipe = gp_ucb(width=width)
    for again in (from_json(recipe.to_json()), build("gp-ucb", **recipe.parameters)):
        assert again == recipe
        assert again.beginning(table()) == recipe.beginning(table())


@each_size
def test_the_finite_schedule_is_case_1_of_theorem_2_after_fb_answers(answered: int, pending: int) -> None:
    domain = table(30)
    situation = situation_of(random_evidence(2, answered, pending, domain=domain), Given(processes_of(domain)[0]))
    expected = math.sqrt(0.2 * alpha_finite(30, answered + 1, 0.05))
    assert Finite(0.05, 0.2)(situation) == pytest.approx(expected, rel=1e-12)


@each_size
def test_the_alternating_width_is_far_for_odd_queries_and_near_for_even_ones(answered: int, pending: int) -> None:
    domain = table(30)
    situation = situation_of(random_evidence(2, answered, pending, domain=domain), Given(processes_of(domain)[0]))
    odd = (answered + pending) % 2 == 0  # the next is one more than were asked
    assert Alternating(0.25, 3.0)(situation) == (3.0 if odd else 0.25)


@each_size
def test_the_schedule_of_a_box_is_case_2_of_theorem_2_at_query_t(answered: int, pending: int) -> None:
    domain = box()
    situation = situation_of(random_evidence(2, answered, pending, domain=domain), Given(processes_of(domain)[0]))
    t = answered + pending + 1
    expected = math.sqrt(0.5 * alpha_box(2, t, 0.1, 1.0, 2.0))
    assert Lipschitz(1.0, 2.0, 0.1, 0.5)(situation) == pytest.approx(expected, rel=1e-12)


@each_size
def test_the_schedule_of_expected_regret_is_that_of_theorem_1_at_query_t(answered: int, pending: int) -> None:
    situation = situation_of(random_evidence(2, answered, pending, domain=box()), Given(processes_of(box())[0]))
    t = answered + pending + 1
    tau = t**2 * 2 * 2.0 * 3.0 * math.sqrt(math.pi) / 2  # lemma 9 writes β_t with it
    expected = math.sqrt(0.5 * 2 * math.log(t**2 * tau**2 / math.sqrt(2 * math.pi)))
    assert AverageLipschitz(2.0, 3.0, 0.5)(situation) == pytest.approx(expected, rel=1e-12)


def test_a_schedule_of_expected_regret_below_zero_is_no_width_at_all() -> None:
    situation = situation_of(random_evidence(2, 0, 0, domain=box()), Given(processes_of(box())[0]))
    assert AverageLipschitz(0.1, 0.1)(situation) == 0.0


def test_the_schedule_of_expected_regret_counts_the_columns_of_points_and_not_those_of_contexts() -> None:
    policy = sbo_kde(width=AverageLipschitz()).beginning(box(), Context(c=Float(0, 1), d=Float(0, 1), seen="after"))
    evidence = Evidence.none(box(), Context(c=Float(0, 1), d=Float(0, 1), seen="after"))
    situation = Situation(policy.moment(evidence, 0.0, 0, Memory()))
    assert AverageLipschitz(2.0, 3.0)(situation) == pytest.approx(
        math.sqrt(2 * math.log((2 * 2.0 * 3.0 * math.sqrt(math.pi) / 2) ** 2 / math.sqrt(2 * math.pi))), rel=1e-12
    )


@each_size
def test_the_schedule_of_a_norm_is_case_3_of_theorem_2_after_fb_answers(answered: int, pending: int) -> None:
    domain = table(30)
    prior, plain = processes_of(domain)
    situation = situation_of(random_evidence(2, answered, pending, domain=domain), Given(prior))
    gamma = information_bound(plain, domain.table, answered + 1)
    expected = math.sqrt(0.01 * alpha_norm(3.0, gamma, answered + 1, 0.1))
    assert BoundedNorm(3.0, 0.1, 0.01)(situation) == pytest.approx(expected, rel=SOLVE_TOLERANCE)


@each_size
def test_the_base_of_nu_is_beta_t_of_verma_with_gamma_of_all_queries_before(answered: int, pending: int) -> None:
    domain = table(30)
    prior, plain = processes_of(domain)
    situation = situation_of(random_evidence(2, answered, pending, domain=domain), Given(prior))
    asked = answered + pending
    gamma = information_bound(plain, domain.table, asked) if asked else 0.0
    expected = 0.5 + (0.1 + 2.0) * math.sqrt(2 * (gamma + 1 + math.log(2 / 0.05)))
    assert Martingale(0.5, 0.1, 2.0, 0.05)(situation) == pytest.approx(expected, rel=SOLVE_TOLERANCE)


def test_the_base_of_nu_for_thompson_sampling_is_that_of_half_the_probability() -> None:
    domain = table(30)
    prior, plain = processes_of(domain)
    situation = situation_of(random_evidence(2, 6, 3, domain=domain), Given(prior))
    gamma = information_bound(plain, domain.table, 9)
    expected = 0.5 + (0.1 + 2.0) * math.sqrt(2 * (gamma + 1 + math.log(4 / 0.05)))
    assert Martingale(0.5, 0.1, 2.0, 0.05 / 2)(situation) == pytest.approx(expected, rel=SOLVE_TOLERANCE)


@pytest.mark.parametrize("m", [0, 1, 4, 100])
@pytest.mark.parametrize("seed", [4, 11])
def test_nu_sums_the_deviations_of_the_last_m_queries(seed: int, m: int) -> None:
    domain = table(30)
    prior, plain = processes_of(domain)
    study = random_study(seed, 8, 5, domain=domain, n_added=2)
    window = Window(queries=m)
    situation = situation_of(study.evidence(), Given(prior), Censor(window, 0.0))
    asked = [domain.encode(query.point) for query in study.queries() if query.number]
    everything = np.array([domain.encode(query.point) for query in study.queries()])
    t = len(asked) + 1
    total = 0.0
    for s in range(max(1, t - m), t):
        total += float(plain.deviation(everything, asked[s - 1][None])[0])
    assert Delayed(window, 0.7, Constant(1.1))(situation) == pytest.approx(0.7 * total + 1.1, abs=SOLVE_TOLERANCE)


def test_nu_with_a_window_in_time_sums_over_the_queries_asked_within_it() -> None:
    domain = table(30)
    prior, plain = processes_of(domain)
    clock = Clock()
    study = random_study(4, 8, 5, domain=domain, clock=clock)
    now = clock.now + 1.0
    window = Window(seconds=10.0)
    situation = situation_of(study.evidence(), Given(prior), Censor(window, 0.0), now=now)
    everything = np.array([domain.encode(query.point) for query in study.queries()])
    recent = np.array([now - query.asked_at <= 10.0 for query in study.queries()])
    assert 0 < recent.sum() < len(recent)
    expected = 0.7 * plain.deviation(everything, everything[recent]).sum() + 1.1
    assert Delayed(window, 0.7, Constant(1.1))(situation) == pytest.approx(expected, abs=SOLVE_TOLERANCE)


def test_nu_without_a_bound_counts_in_units_of_the_prior_deviation() -> None:
    domain = table(30)
    prior, _ = processes_of(domain)
    situation = situation_of(random_evidence(4, 6, 3, domain=domain), Given(prior), Censor(FOREVER, 0.0))
    own, given = (Delayed(Window(queries=4), bound)(situation) for bound in (None, 1.0 / math.sqrt(1.7)))
    assert own == pytest.approx(given, abs=SOLVE_TOLERANCE)


def test_an_abandoned_query_does_not_widen_nu() -> None:
    domain = table(30)
    prior, plain = processes_of(domain)
    study = random_study(4, 6, 3, domain=domain, n_abandoned=3)
    situation = situation_of(study.evidence(), Given(prior), Censor(FOREVER, 0.0))
    kept = np.array([domain.encode(q.point) for q in study.queries() if q.state.value != "abandoned"])
    expected = plain.deviation(kept, kept).sum() + 1.0
    assert Delayed(Window(queries=100), 1.0)(situation) == pytest.approx(expected, abs=SOLVE_TOLERANCE)


def test_the_width_of_all_rounds_is_that_of_theorem_6_1() -> None:
    domain = table(30)
    situation = situation_of(random_evidence(2, 3, 1, domain=domain), Given(processes_of(domain)[0]))
    expected = 1.3 + 0.8 * math.sqrt(2 * math.log(4 * 4 * 30 / 0.02))
    assert Simultaneous(4, 1.3, 0.8, 0.02)(situation) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("treatment", [Ignore(), Hallucinate()], ids=["ignore", "hallucinate"])
def test_the_schedules_do_not_depend_on_the_treatment(treatment: Ignore | Hallucinate) -> None:
    domain = table(30)
    evidence = random_evidence(2, 5, 4, domain=domain)
    prior, _ = processes_of(domain)
    for width in WIDTHS[:6]:
        assert width(situation_of(evidence, Given(prior), treatment)) == width(situation_of(evidence, Given(prior)))


@pytest.mark.parametrize(
    "rule",
    [UpperBound(Finite()), Initially(None, UpperBound(Delayed(Window(3), base=Finite()))), Thompson(Finite())],
    ids=["upper bound", "within others", "inflation"],
)
def test_the_finite_schedule_needs_a_table_whatever_holds_it(rule: Rule) -> None:
    recipe = Recipe("mine", {}, Policy(GP(), Hallucinate(), rule, Always()))
    with pytest.raises(UnsupportedError, match=r"^create\(\): got a box as the space for 'mine', which looks at every"):
        recipe.check("create()", box())
    recipe.check("create()", table())


@pytest.mark.parametrize(
    "make",
    [
        lambda: Constant(-1.0),
        lambda: Constant(math.nan),
        lambda: Finite(0.0),
        lambda: Finite(1.0),
        lambda: Finite(0.1, -1.0),
        lambda: Lipschitz(a=0.0),
        lambda: Lipschitz(b=-1.0),
        lambda: AverageLipschitz(a=0.0),
        lambda: AverageLipschitz(b=-1.0),
        lambda: AverageLipschitz(premultiplier=-1.0),
        lambda: BoundedNorm(-1.0),
        lambda: Martingale(delta=2.0),
        lambda: Delayed(Window(queries=3), math.inf),
        lambda: Simultaneous(0),
        lambda: Alternating(near=-1.0),
        lambda: Alternating(far=math.nan),
    ],
)
def test_a_width_refuses_what_makes_no_width(make: object) -> None:
    assert callable(make)
    with pytest.raises(ParameterError):
        make()

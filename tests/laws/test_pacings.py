"""Every pacing against its definition by brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.beliefs import GP, Memory
from belated.errors import ParameterError, UnsupportedError
from belated.evidence import Evidence
from belated.log import Balk, Query, Window
from belated.pacing import (
    AfterInitialisation,
    Always,
    Batches,
    Bounded,
    InformationLimited,
    LocallyLimited,
    Pacing,
    Predictable,
    Until,
)
from belated.pending import Hallucinate, Rounds
from belated.policies import Policy, Recipe, gp_aucb, gp_aucb_local
from belated.rules import Constant, Explore, ExploreFirst, Moment, Situation, UpperBound, Waiting
from belated.space import Array, Candidates, Context, Float
from belated.study import Study
from tests.builders import Clock, Given, box, known_gp, processes_of, random_evidence, situation_of, table
from tests.pairs import every_pair
from tests.reference.gp import PlainGP
from tests.reference.policies import information_bound, initial_set_complete, local_bound
from tests.tolerance import SOLVE_TOLERANCE, STANDARD_ERRORS

PACINGS: list[Pacing] = [
    Always(),
    Bounded(3),
    Batches(4),
    InformationLimited(),
    LocallyLimited(),
    Predictable(),
    AfterInitialisation(ExploreFirst(3, 0.5, UpperBound(Constant()))),
    Until(Rounds(100)),
]
every_pacing = pytest.mark.parametrize("pacing", PACINGS, ids=lambda pacing: type(pacing).__name__)
SEEDS = [1, 2, 3, 4, 5, 6]
every_seed = pytest.mark.parametrize("seed", SEEDS)


def everything_pending(evidence: Evidence) -> Waiting:
    """What is waited for if it is for ever."""
    rows = np.flatnonzero(evidence.pending_mask)
    return Waiting(rows, evidence.points[rows])


class Case:
    """A situation on a table, with what is waited for, and the reference."""

    def __init__(self, seed: int, n_answered: int, n_pending: int, noise: float = 0.04) -> None:
        self.domain = table(25)
        self.evidence = random_evidence(seed, n_answered, n_pending, domain=self.domain)
        prior, self.plain = processes_of(self.domain, noise=noise)
        self.situation: Situation = situation_of(self.evidence, Given(prior), Hallucinate())
        self.waiting: Waiting = everything_pending(self.evidence)
        self.answered: Array = self.evidence.points[self.evidence.answered_mask]

    def says(self, pacing: Pacing) -> bool:
        """Whether the pacing lets ask."""
        return pacing(self.situation, self.waiting, lambda: self.domain.table[7]) is None


@every_pacing
def test_with_nothing_pending_no_pacing_balks(pacing: Pacing) -> None:
    for answered in (0, 1, 8):
        assert Case(3, answered, 0).says(pacing)


@every_pacing
def test_a_pacing_gives_no_reason_or_a_text(pacing: Pacing) -> None:
    case = Case(3, 4, 6)
    reason = pacing(case.situation, case.waiting, lambda: case.domain.table[7])
    assert reason is None or (isinstance(reason, str) and len(reason) > 10)


@pytest.mark.parametrize("pending", [0, 1, 2, 3, 4])
def test_a_bounded_queue_takes_so_many_and_no_more(pending: int) -> None:
    assert Case(3, 4, pending).says(Bounded(3)) == (pending < 3)


def test_batches_wait_for_every_answer_of_the_last() -> None:
    belief, _ = known_gp()
    case = Case(3, 0, 0)
    pacing = Batches(3)
    study = Study.in_memory(case.domain, policy="random", seed=1, clock=Clock())
    allowed = []
    for step in range(24):
        evidence = study.evidence()
        waiting = everything_pending(evidence)
        situation = situation_of(evidence, belief)
        allowed.append(pacing(situation, waiting, lambda: case.domain.table[0]) is None)
        asked, answered = evidence.n_asked, evidence.n_answered
        assert allowed[-1] == (asked % 3 != 0 or answered == asked)
        if allowed[-1]:
            study.ask()
        else:
            study.tell(study.pending()[step % len(study.pending())].id, 0.0)
    assert not all(allowed)


# Information.


@pytest.mark.parametrize("minimum", [2, 3, 5])
def test_the_limit_of_information_is_the_smaller_of_both_bounds(minimum: int) -> None:
    case = Case(1, 3, 2)
    limit = InformationLimited(None, minimum).threshold(case.situation)
    assert limit == pytest.approx(information_bound(case.plain, case.domain.table, minimum), rel=SOLVE_TOLERANCE)
    assert InformationLimited(0.7, minimum).threshold(case.situation) == 0.7


def test_each_of_the_two_bounds_is_sometimes_the_smaller() -> None:
    domain = table(25)
    for lengthscale, linear in ((0.01, True), (5.0, False)):
        belief, plain = known_gp("se", lengthscale)
        situation = situation_of(random_evidence(1, 1, 1, domain=domain), belief)
        gains = plain.greedy_gains(domain.table, 4)
        found = InformationLimited(None, 4).threshold(situation)
        assert found == pytest.approx(gains[0] * 4 if linear else math.e / (math.e - 1) * sum(gains), rel=1e-6)


@every_pair(seed=SEEDS, pending=[1, 2, 4, 8], limit=[0.3, 1.5, 3.0, None])
def test_the_global_limit_compares_the_dense_information_with_c(seed: int, pending: int, limit: float | None) -> None:
    case = Case(seed, 5, pending)
    pacing = InformationLimited(limit)
    information = case.plain.information(case.answered, case.waiting.points)
    assert case.says(pacing) == (information < pacing.threshold(case.situation))


@pytest.mark.parametrize("noise", np.linspace(0.011, 0.9, 40).tolist())
@pytest.mark.parametrize("policy", [gp_aucb, gp_aucb_local], ids=["global", "local"])
def test_with_a_minimum_of_one_a_fresh_study_asks_one_by_one(policy: object, noise: float) -> None:
    # One pending query at the prior tells γ_1 exactly, which is C, and the inequality is strict.
    assert callable(policy)
    belief, _ = known_gp("se", 0.05, 0.5, noise)
    study = Study.in_memory(
        Candidates(np.linspace(0, 1, 30)[:, None]), policy=policy(minimum=1, belief=belief), seed=3, clock=Clock()
    )
    assert isinstance(study.ask(), Query)
    assert isinstance(study.ask(), Balk)


def test_what_is_exactly_a_limit_that_is_given_is_no_balk() -> None:
    # One pending query at the prior tells γ_1, and shrinks its own deviation by exp(γ_1): C itself.
    case = Case(3, 0, 1)
    first = case.plain.greedy_gains(case.domain.table, 1)[0]
    for given, derived in (
        (InformationLimited(first), InformationLimited(minimum=1)),
        (LocallyLimited(limit=first), LocallyLimited(minimum=1)),
    ):
        assert given.threshold(case.situation) == pytest.approx(derived.threshold(case.situation), rel=1e-12)
        assert case.says(given)
        assert not case.says(derived)
    assert not case.says(InformationLimited(0.999 * first))
    assert not case.says(LocallyLimited(limit=0.999 * first))


@every_pair(seed=SEEDS, pending=[1, 3, 7, 9], limit=[0.2, 0.5, 0.9])
def test_a_local_limit_may_be_given(seed: int, pending: int, limit: float) -> None:
    case = Case(seed, 4, pending, noise=0.5)
    before = case.plain.deviation(case.answered, case.domain.table)
    after = case.plain.deviation(np.concatenate([case.answered, case.waiting.points]), case.domain.table)
    assert case.says(LocallyLimited(limit=limit)) == (float(np.max(before / after)) <= math.exp(limit))


@every_pair(seed=SEEDS, pending=[1, 3, 7, 9, 10, 12], minimum=[1, 2, 4])
def test_the_local_limit_compares_the_largest_ratio_of_dense_deviations_with_exp_c(
    seed: int, pending: int, minimum: int
) -> None:
    case = Case(seed, 4, pending, noise=0.5)
    pacing = LocallyLimited(minimum, 10)
    limit = local_bound(case.plain, case.domain.table, minimum)
    assert pacing.threshold(case.situation) == pytest.approx(limit, rel=1e-12)
    before = case.plain.deviation(case.answered, case.domain.table)
    after = case.plain.deviation(np.concatenate([case.answered, case.waiting.points]), case.domain.table)
    ratio = float(np.max(before / after))
    assert pacing.largest_ratio(case.situation) == pytest.approx(ratio, rel=SOLVE_TOLERANCE)
    # No shortcut by the global test here: it may only spare work.
    assert case.says(pacing) == (pending < 10 and ratio < math.exp(limit))


def test_the_local_limit_decides_both_ways_in_these_tests() -> None:
    said = [Case(seed, 4, 7, noise=0.5).says(LocallyLimited(1, 10)) for seed in range(1, 30)]
    assert any(said)
    assert not all(said)


@every_seed
def test_information_below_c_bounds_every_ratio_by_exp_c(seed: int) -> None:
    case = Case(seed, 4, 6)
    information = case.plain.information(case.answered, case.waiting.points)
    assert LocallyLimited().largest_ratio(case.situation) <= math.exp(information) * (1 + SOLVE_TOLERANCE)


def test_the_local_limit_refuses_a_box() -> None:
    recipe = Recipe("mine", {}, Policy(GP(), Hallucinate(), Explore(), LocallyLimited()))
    with pytest.raises(UnsupportedError, match=r"^create\(\): got a box as the space for 'mine', which looks at every"):
        recipe.check("create()", box())
    recipe.check("create()", table())


def test_the_limit_with_a_context_does_not_depend_on_what_was_remembered() -> None:
    belief, _ = known_gp("linear", 0.3, 1.0, 0.05)
    evidence = Evidence.none(table(20), Context(z=Float(0.0, 1.0), seen="before"))
    memory = Memory()
    for z in (0.5, 0.0):
        warm, cold = (
            Situation(Moment(belief, Hallucinate(), evidence, 0.0, 0, kept, np.array([z])))
            for kept in (memory, Memory())
        )
        assert InformationLimited().threshold(warm) == InformationLimited().threshold(cold)


# HBBO.


@pytest.mark.parametrize("row", [0, 7, 19])
@every_seed
def test_the_expected_change_of_the_mean_is_that_of_simulated_answers(seed: int, row: int) -> None:
    case = Case(seed, 4, 3)
    point = case.domain.table[row]
    values = case.evidence.values[case.evidence.answered_mask]
    plain, n = case.plain, 4000
    before, _ = plain.moments(case.answered, values, point[None])
    means, covariance = plain.posterior(case.answered, values, case.waiting.points)
    covariance = covariance + plain.noise * np.eye(len(means))
    answers = np.random.default_rng(seed).multivariate_normal(means, covariance, size=n)
    everything = np.concatenate([case.answered, case.waiting.points])
    matrix = plain.kernel.matrix(everything, everything) + plain.noise * np.eye(len(everything))
    weights = np.linalg.solve(matrix, plain.kernel.matrix(everything, point[None]))[:, 0]
    known = weights[: len(values)] @ (values - plain.mean)
    after = plain.mean + known + (answers - plain.mean) @ weights[len(values) :]
    change = np.abs(after - before[0])
    expected = Predictable().expected_change(case.situation, point)
    assert abs(change.mean() - expected) <= STANDARD_ERRORS * change.std() / math.sqrt(n) + 1e-9


@pytest.mark.parametrize("pending", [1, 4, 9, 10])
@every_seed
def test_hbbo_balks_when_the_change_exceeds_epsilon_or_the_queue_is_full(seed: int, pending: int) -> None:
    case = Case(seed, 4, pending)
    everything = np.concatenate([case.answered, case.waiting.points])
    point = case.domain.table[7][None]
    before = case.plain.deviation(case.answered, point)[0]
    after = case.plain.deviation(everything, point)[0]
    change = math.sqrt(2 / math.pi * (before**2 - after**2))
    for tolerance in (0.02, 0.2, change * 0.999, change * 1.001):
        assert case.says(Predictable(tolerance, 10)) == (change <= tolerance and pending < 10)


# Phases.


@pytest.mark.parametrize("asked", range(14))
def test_after_initialisation_all_its_answers_are_waited_for(asked: int) -> None:
    domain = table(25)
    belief, plain = known_gp("se", 0.4, 1.0, 0.1)
    evidence = random_evidence(3, 0, asked, domain=domain)
    phase = ExploreFirst(3, 1.5, UpperBound(Constant()))
    situation = situation_of(evidence, belief, Hallucinate())
    pacing = AfterInitialisation(phase)
    complete = any(initial_set_complete(plain, evidence.points[:size], 3, 1.5) for size in range(asked + 1))
    assert (pacing(situation, everything_pending(evidence), lambda: domain.table[0]) is None) == (not complete)


def test_answers_of_later_queries_are_not_waited_for_after_initialisation() -> None:
    domain = table(25)
    belief, _ = known_gp("se", 0.4, 1.0, 0.1)
    study = Study.in_memory(domain, policy="random", seed=3, clock=Clock())
    phase = ExploreFirst(3, 1.5, UpperBound(Constant()))
    for _ in range(14):
        study.ask()
    initial = phase.initial_set(situation_of(study.evidence(), belief))
    assert initial is not None
    length = len(initial)
    assert 0 < length < 14
    for query in range(1, length + 1):
        evidence = study.evidence()
        waiting = everything_pending(evidence)
        said = AfterInitialisation(phase)(situation_of(evidence, belief), waiting, lambda: domain.table[0])
        assert said is not None
        assert str(length - query + 1) in said
        study.tell(query, 0.0)
    evidence = study.evidence()
    waiting = everything_pending(evidence)
    assert AfterInitialisation(phase)(situation_of(evidence, belief), waiting, lambda: domain.table[0]) is None


@every_seed
def test_after_initialisation_another_pacing_may_follow(seed: int) -> None:
    domain, (belief, _) = table(25), known_gp("se", 0.4, 1.0, 0.1)
    phase = ExploreFirst(3, 1.5, UpperBound(Constant()))
    for answered, pending in ((0, 3), (9, 4)):
        evidence = random_evidence(seed, answered, pending, domain=domain)
        situation, waiting = situation_of(evidence, belief, Hallucinate()), everything_pending(evidence)
        initial = phase.initial_set(situation)
        said = [
            pacing(situation, waiting, lambda: domain.table[0]) is None
            for pacing in (AfterInitialisation(phase, Bounded(2)), AfterInitialisation(phase), Bounded(2))
        ]
        assert said[0] == (initial is None or (said[1] and said[2]))


def test_until_asks_the_horizon_and_no_more() -> None:
    domain = table(25)
    belief, _ = known_gp()
    for asked in range(6):
        evidence = random_evidence(1, 0, asked, domain=domain)
        situation = situation_of(evidence, belief)
        said = Until(Rounds(4))(situation, everything_pending(evidence), lambda: domain.table[0])
        assert (said is None) == (asked < 4)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Bounded(0),
        lambda: Bounded(True),
        lambda: Batches(-1),
        lambda: InformationLimited(0.0),
        lambda: InformationLimited(math.nan),
        lambda: InformationLimited(minimum=0),
        lambda: LocallyLimited(0),
        lambda: LocallyLimited(2, 0),
        lambda: LocallyLimited(limit=0.0),
        lambda: Predictable(0.0),
        lambda: Predictable(0.02, 0),
    ],
)
def test_a_pacing_refuses_what_makes_no_pace(make: object) -> None:
    assert callable(make)
    with pytest.raises(ParameterError):
        make()


def test_windows_end_the_wait_for_pacing_too() -> None:
    belief, _ = known_gp("se", 0.05)
    clock = Clock()
    policy = gp_aucb(limit=0.1, belief=belief, window=Window(seconds=10.0))
    study = Study.in_memory(table(25), policy=policy, seed=1, clock=clock)
    assert study.ask()
    assert not study.ask()
    clock.now += 10.5
    assert study.ask()


def test_the_reference_of_information_is_the_sum_of_gains() -> None:
    case = Case(2, 3, 5)
    plain: PlainGP = case.plain
    assert sum(plain.gains(case.waiting.points)) == pytest.approx(
        plain.information(case.waiting.points[:0], case.waiting.points)
    )


def test_a_query_that_is_lost_or_abandoned_is_none_of_the_initial_set() -> None:
    domain, (belief, _) = table(25), known_gp("se", 0.4, 1.0, 0.1)
    clock = Clock()
    study = Study.in_memory(domain, policy="random", seed=3, clock=clock)
    for _ in range(14):
        study.ask()
    study.abandon(1, "the vial broke")
    phase, window = ExploreFirst(3, 1.5, UpperBound(Constant())), Window(queries=100, seconds=5.0)
    treatment = Hallucinate(window)
    now = study.now()
    initial = phase.initial_set(situation_of(study.evidence(), belief, treatment, now=now))
    assert initial is not None
    assert initial[0] == 1
    for row in initial[:-1].tolist():
        study.tell(row + 1, 0.0)
    evidence = study.evidence()
    waiting = everything_pending(evidence)
    situation = situation_of(evidence, belief, treatment, now=now)
    said = AfterInitialisation(phase)(situation, waiting, lambda: domain.table[0])
    assert said == f"1 answers of the initial set of {len(initial)} are still to come"
    # Once nobody waits for the others any more, the set is what was answered, and that is too little.
    later = situation_of(evidence, belief, treatment, now=now + 100.0)
    assert phase.initial_set(later) is None
    assert_array_equal(phase.choose(later), Explore().choose(later))

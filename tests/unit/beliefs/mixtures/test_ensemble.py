"""Ensembles: weights by marginal likelihood, features that follow the log, and nonsense refused."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, Description, Ensemble, Features, Memory, Mixture, Regressions, SimpleKernel
from belated.beliefs.mixtures.ensemble import shares
from belated.beliefs.mixtures.members import Exact
from belated.errors import BelatedWarning, ParameterError, UnknownNameError, UnsupportedError
from belated.evidence import Evidence
from belated.log import Added, Balk, Event
from belated.pending import Censor, Hallucinate, Ignore, Nearest, Treatment
from belated.policies import (
    Recipe,
    build,
    egp_ei,
    egp_ts,
    egp_ucb,
    from_json,
    gp_bucb,
    gp_ei,
    gp_ts,
    gp_ucb,
    uncertainty,
)
from belated.policies.lu2022 import kernels
from belated.space import Array, Choice, Context, Float, Space
from belated.study import Study, differences
from tests.builders import DOMAINS, Clock, Domain, box, mixed, probes_of, random_evidence, random_study, table
from tests.pairs import in_turn
from tests.reference.features import PlainRegression
from tests.reference.gp import PlainGP, PlainKernel
from tests.tolerance import ROUNDING, SOLVE_TOLERANCE


def known(form: str, lengthscale: float, noise: float = 0.05, mean: float = 0.2) -> GP:
    return GP(kernel=form, lengthscale=lengthscale, variance=1.3, noise=noise, mean=mean)


SMOOTH, ROUGH, WIDE = known("se", 0.3), known("matern12", 0.6, 0.1, -0.4), known("matern52", 1.5)
LEARNED = GP(kernel="se", ard=False, fit="ml", refit=5)
BELIEFS: dict[str, Ensemble] = {
    "exact": Ensemble((SMOOTH, ROUGH, WIDE)),
    "features": Ensemble((Features(SMOOTH, 12), Features(ROUGH, 12), Features(WIDE, 12))),
    "of two sizes": Ensemble((Features(SMOOTH, 12), Features(ROUGH, 7), Features(WIDE, 12))),
    "mixed": Ensemble((Features(SMOOTH, 12), ROUGH, SMOOTH, Features(WIDE, 9))),
}
every_belief = pytest.mark.parametrize("name", BELIEFS)


def added(domain: Domain, points: Array, values: Array, seed: int = 0) -> Evidence:
    """A study that was told these values, and asked nothing."""
    study = Study.in_memory(domain, policy="random", seed=seed, clock=Clock())
    for point, value in zip(points, values, strict=True):
        study.add(domain.decode(point), float(value))
    return study.evidence()


def prior_of(belief: Description, evidence: Evidence, memory: Memory | None = None) -> Mixture:
    found = belief.prior(evidence, memory or Memory())
    assert isinstance(found, Mixture)
    return found


def frequencies_of(belief: Description, evidence: Evidence) -> list[Array]:
    """The frequencies of every part with random features, in units of the lengthscales."""
    return [part.maps.frequencies for part in prior_of(belief, evidence).parts if isinstance(part, Regressions)]


def plain_evidence(belief: Ensemble, evidence: Evidence) -> list[float]:
    """log N(y; m, C) for each member by itself, with features as the library drew them."""
    points, values, _ = evidence.arrivals()
    found: list[float] = []
    for part in prior_of(belief, evidence).parts:
        if isinstance(part, Exact):
            kernel = part.process.kernel
            assert isinstance(kernel, SimpleKernel)
            plain = PlainKernel(kernel.form.name, kernel.variance, kernel.lengthscales)
            found.append(PlainGP(plain, part.process.noise, part.process.prior_mean).log_likelihood(points, values))
        else:
            assert isinstance(part, Regressions)
            for place in range(part.count):
                plain_one = PlainRegression(float(part.noises[place]), float(part.prior_means[place]))
                found.append(plain_one.log_likelihood(part.maps(points)[place], values))
    return found


def softmax(logs: list[float]) -> list[float]:
    return [1.0 / sum(math.exp(other - one) for other in logs) for one in logs]


# Weights.


@pytest.mark.parametrize("n", [1, 5, 20])
@every_belief
def test_weights_are_in_proportion_to_the_marginal_likelihoods(name: str, n: int) -> None:
    evidence = random_evidence(4, n, 3)
    found = prior_of(BELIEFS[name], evidence)
    assert_allclose(found.weights, softmax(plain_evidence(BELIEFS[name], evidence)), atol=SOLVE_TOLERANCE)
    assert found.weights.sum() == pytest.approx(1.0, abs=ROUNDING)


@every_belief
def test_members_keep_their_order_among_the_parts(name: str) -> None:
    members = BELIEFS[name].members
    noises = np.concatenate([part.noises for part in prior_of(BELIEFS[name], random_evidence(4, 6, 0)).parts])
    processes = [member.process if isinstance(member, Features) else member for member in members]
    assert_array_equal(noises, [process.noise for process in processes])


@every_belief
def test_before_any_answer_weights_are_alike(name: str) -> None:
    for evidence in (random_evidence(4, 0, 0), random_evidence(4, 0, 3)):
        weights = prior_of(BELIEFS[name], evidence).weights
        assert_array_equal(weights, np.full(len(weights), 1.0 / len(weights)))


@pytest.mark.parametrize("floor", [0.01, 0.1, 1.0 / 3.0])
def test_with_a_floor_no_weight_falls_below_it(floor: float) -> None:
    evidence = random_evidence(4, 30, 3)
    plain = prior_of(BELIEFS["features"], evidence).weights
    found = prior_of(Ensemble(BELIEFS["features"].members, floor), evidence).weights
    assert plain.min() < floor
    assert np.all(found >= floor - ROUNDING)
    assert found.sum() == pytest.approx(1.0, abs=ROUNDING)
    assert_allclose(found, floor + (1.0 - 3.0 * floor) * plain, atol=ROUNDING)
    if floor < 0.3:
        assert np.argmax(found) == np.argmax(plain)


@pytest.mark.parametrize(
    "treatment", [Ignore(), Hallucinate(), Nearest(2), Censor(), Censor(floor=-50.0)], ids=lambda part: repr(part)[:30]
)
@every_belief
def test_what_is_imagined_or_censored_teaches_no_weights(name: str, treatment: Treatment) -> None:
    clock = Clock()
    evidence = random_evidence(6, 12, 6, clock=clock)
    prior = prior_of(BELIEFS[name], evidence)
    assert_array_equal(treatment(prior, evidence, clock.now).weights, prior.weights)
    answers = evidence.arrivals()
    alone = prior_of(BELIEFS[name], added(table(), *answers[:2], seed=evidence.seed))
    assert_allclose(prior.weights, alone.weights, atol=ROUNDING)


@pytest.mark.parametrize("truth", [0, 1, 2])
@pytest.mark.parametrize("approximated", [False, True], ids=["exact", "features"])
def test_weights_concentrate_on_the_member_that_the_data_come_from(truth: int, approximated: bool) -> None:
    processes = [known("se", 0.1, 0.01, 0.0), known("se", 0.7, 0.01, 0.0), known("matern12", 0.3, 0.01, 0.0)]
    scale = (0.1, 0.7, 0.3)[truth]
    plain = PlainKernel(processes[truth].kernel, 1.3, (scale,))
    rng = np.random.default_rng(31)
    points = box().sample(200, rng)
    covariance = plain.matrix(points, points) + 0.01 * np.eye(200)
    values = np.linalg.cholesky(covariance) @ rng.standard_normal(200)
    belief = Ensemble(tuple(Features(one, 400) if approximated else one for one in processes))
    weights = [prior_of(belief, added(box(), points[:n], values[:n])).weights[truth] for n in (5, 200)]
    assert weights[1] > 0.999
    assert weights[1] > weights[0]


def test_weights_of_many_answers_do_not_underflow() -> None:
    points = box().sample(400, np.random.default_rng(2))
    values = 30.0 * np.sin(9.0 * points.sum(axis=1))
    belief = Ensemble((Features(known("se", 0.3), 20), Features(known("se", 3.0), 20)))
    evidence = added(box(), points, values)
    prior = prior_of(belief, evidence)
    assert prior.condition(*evidence.arrivals()).log_evidence.max() < -1000.0
    assert prior.weights.max() == pytest.approx(1.0)


@pytest.mark.parametrize(
    "evidence, expected",
    [
        ([0.0, 0.0], [0.5, 0.5]),
        ([-1e9, -1e9 + math.log(3.0)], [0.25, 0.75]),
        ([-math.inf, -3.0], [0.0, 1.0]),
        ([math.nan, -3.0, -3.0], [0.0, 0.5, 0.5]),
        ([1e4], [1.0]),
    ],
)
def test_shares_are_taken_in_logarithms(evidence: list[float], expected: list[float]) -> None:
    assert_allclose(shares(np.array(evidence), 0.0), expected, atol=1e-6)


@pytest.mark.parametrize("evidence", [[-math.inf, -math.inf], [math.nan, math.nan], [math.nan, -math.inf]], ids=repr)
@pytest.mark.parametrize("floor", [0.0, 0.2])
def test_weights_that_all_vanish_are_set_alike_and_it_is_said(evidence: list[float], floor: float) -> None:
    said = (
        f"Ensemble(): no member explains the answers (log evidences {evidence}); "
        f"all weights would vanish, and are set alike; look for an answer that is far off."
    )
    with pytest.warns(BelatedWarning, match="^" + re.escape(said) + "$"):
        weights = shares(np.array(evidence), floor)
    assert_array_equal(weights, [0.5, 0.5])


@pytest.mark.parametrize("approximated", [False, True], ids=["exact", "features"])
def test_a_study_goes_on_after_an_answer_that_no_member_explains(approximated: bool) -> None:
    tiny = [GP(kernel=form, lengthscale=0.4, variance=1e-40, noise=1e-42, mean="zero") for form in ("se", "matern52")]
    belief = Ensemble(tuple(Features(one, 10) if approximated else one for one in tiny))
    study = Study.in_memory(box(), policy=gp_ucb(belief=belief), seed=1, clock=Clock())
    study.add({"heat": 0.0, "dose": 1.0}, 1e139)
    for _ in range(2):
        with pytest.warns(BelatedWarning, match="no member explains the answers"):
            assert not isinstance(study.ask(), Balk)


# Features follow the log.


def evidence_of(n: int, seed: int = 3) -> Evidence:
    points = box().sample(40, np.random.default_rng(2))
    return added(box(), points[:n], np.sin(5.0 * points[:n].sum(axis=1)), seed)


def test_features_are_drawn_anew_at_refits_and_stay_the_same_between_them() -> None:
    belief = Features(LEARNED, 8)
    before: list[Array] = []
    for n in range(8, 22):
        after = frequencies_of(belief, evidence_of(n))
        if n > 8:
            same = np.array_equal(before[0], after[0])
            assert same == (n not in (9, 10, 15, 20))
        before = after


def test_features_drawn_anew_are_not_the_old_ones_rescaled() -> None:
    ratios = (
        frequencies_of(Features(LEARNED, 8), evidence_of(5))[0]
        / frequencies_of(Features(LEARNED, 8), evidence_of(10))[0]
    )
    assert ratios.std() > 0.1


def test_features_of_known_kernels_are_drawn_once() -> None:
    belief = Ensemble((Features(SMOOTH, 8), Features(WIDE, 8)))
    first = frequencies_of(belief, evidence_of(0))
    for n in (1, 7, 30):
        for one, other in zip(frequencies_of(belief, evidence_of(n)), first, strict=True):
            assert_array_equal(one, other)


def test_features_are_a_function_of_the_studys_seed() -> None:
    belief = Features(SMOOTH, 8)
    again = frequencies_of(belief, evidence_of(6, seed=3))[0]
    assert_array_equal(frequencies_of(belief, evidence_of(6, seed=3))[0], again)
    assert not np.allclose(frequencies_of(belief, evidence_of(6, seed=4))[0], again)


def test_members_of_one_kernel_draw_features_of_their_own() -> None:
    first, second = (known("se", 0.3, noise) for noise in (0.05, 0.1))
    found = frequencies_of(Ensemble((Features(first, 8), Features(second, 8))), evidence_of(4))[0]
    assert not np.allclose(found[0], found[1])


def test_the_same_process_with_features_of_two_sizes_is_fitted_to_each() -> None:
    few, many, exact = Features(LEARNED, 4), Features(LEARNED, 30), LEARNED
    memory = Memory()
    for n in (6, 11, 23):
        evidence = evidence_of(n)
        parts = prior_of(Ensemble((few, exact, many)), evidence, memory).parts
        # Each in the same place of an ensemble, where its features are the same, beside another that it never meets.
        others = (Ensemble((few, SMOOTH)), Ensemble((SMOOTH, exact)), Ensemble((SMOOTH, ROUGH, many)))
        apart = [prior_of(other, evidence).parts[place] for place, other in enumerate(others)]
        for within, by_itself in zip(parts, apart, strict=True):
            assert_array_equal(within.noises, by_itself.noises)
            assert_array_equal(within.scales, by_itself.scales)


def test_with_many_answers_hyperparameters_and_features_are_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("belated.beliefs.mixtures.ensemble.LAST_FIT", 12)
    belief = Ensemble((Features(LEARNED, 8), Features(GP(kernel="matern32", refit=5), 8)))
    settled = frequencies_of(belief, evidence_of(12))[0]
    for n in (13, 15, 30, 40):
        assert_array_equal(frequencies_of(belief, evidence_of(n))[0], settled)


@every_belief
def test_a_warm_memory_gives_the_bits_of_a_cold_one_as_answers_come(name: str) -> None:
    warm = Memory()
    probes = probes_of(table())
    for n in (0, 1, 2, 9, 10, 11, 40, 64, 70):
        study = random_study(5, n, 2)
        evidence, now = study.evidence(), 2000.0
        for treatment in (Ignore(), Hallucinate(), Censor()):
            known_, cold = (
                treatment(prior_of(BELIEFS[name], evidence, memory), evidence, now) for memory in (warm, Memory())
            )
            assert_array_equal(known_.weights, cold.weights)
            assert_array_equal(known_.moments(probes).mean, cold.moments(probes).mean)
            assert_array_equal(known_.moments(probes).deviation, cold.moments(probes).deviation)


@pytest.mark.parametrize("name", ["features", "mixed"])
def test_revisions_and_records_that_part_share_a_memory_soundly(name: str) -> None:
    memory, probes = Memory(), probes_of(box())
    study = Study.in_memory(box(), policy="random", seed=4, clock=Clock())
    points = box().sample(200, np.random.default_rng(2))
    for point in points[:150]:
        study.add(box().decode(point), float(np.sin(5.0 * point.sum())))

    def check(evidence: Evidence) -> None:
        warm, cold = (prior_of(BELIEFS[name], evidence, kept) for kept in (memory, Memory()))
        assert_array_equal(warm.weights, cold.weights)
        known_, afresh = (prior.condition(*evidence.arrivals()).moments(probes) for prior in (warm, cold))
        assert_array_equal(known_.mean, afresh.mean)
        assert_array_equal(known_.deviation, afresh.deviation)

    before = study.record()
    check(Evidence.of(before))
    study.revise(7, 3.5)
    check(study.evidence())
    check(Evidence.of(before))
    # Other records go on from the same one, with different answers.
    number = before.n_events
    for values in ((1.0, 2.0), (-4.0, 9.0), (1.0, 2.5)):
        more = [
            Event(number + 1 + i, 2000.0, Added(151 + i, box().decode(points[150 + i]), values[i % 2]))
            for i in range(50)
        ]
        check(Evidence.of(before.extend(more)))
        check(Evidence.of(before))


LEARNING = Ensemble((Features(LEARNED, 8), GP(kernel="matern32", ard=False), Features(GP(kernel="matern52"), 6)), 0.05)
POLICIES: dict[str, Callable[[], Recipe]] = {
    "egp-ts": lambda: egp_ts(features=8, initial=3, refit=3),
    "egp-ts, b": lambda: egp_ts("b", features=5, initial=5),
    "egp-ei": lambda: egp_ei(initial=3),
    "egp-ucb": lambda: egp_ucb(initial=3),
    "ucb": lambda: gp_ucb(belief=LEARNING, initial=3),
    "hallucinated": lambda: gp_bucb(belief=LEARNING, initial=3),
    "ei on the mixture": lambda: gp_ei(belief=BELIEFS["mixed"]),
    "features": lambda: gp_ts(belief=Features(LEARNED, 9), initial=3),
    "exploring": lambda: uncertainty(belief=BELIEFS["of two sizes"]),
}
SPACES: dict[str, Callable[[], Domain]] = {"box": box, "mixed": mixed, "mixed table": DOMAINS["mixed table"]}


def value_at(study: Study, point: dict[str, Any]) -> float:
    return float(np.sin(4.0 * study.space.encode(point).sum()))


@in_turn(name=POLICIES, domain=SPACES)
def test_a_study_asked_again_with_a_cold_memory_asks_the_same(name: str, domain: str) -> None:
    study = Study.in_memory(SPACES[domain](), policy=POLICIES[name](), seed=8, clock=Clock())
    for turn in range(7):
        query = study.ask()
        assert not isinstance(query, Balk)
        if turn % 3 != 1:
            study.tell(query.id, value_at(study, query.point))
    assert list(differences(study.events, forgetful=True)) == []
    assert math.isfinite(study.recommend().mean)


@pytest.mark.parametrize("name", ["egp-ts", "egp-ei", "hallucinated", "ei on the mixture"])
def test_a_context_seen_before_the_decision_is_part_of_every_members_input(name: str) -> None:
    context = Context(hour=Float(0, 24), site=Choice("north", "south"), seen="before")
    study = Study.in_memory(box(), policy=POLICIES[name](), seed=8, context=context, clock=Clock())
    for turn in range(6):
        seen = {"hour": 4.0 * turn, "site": "north" if turn % 2 else "south"}
        query = study.ask(context=seen)
        assert not isinstance(query, Balk)
        study.tell(query.id, value_at(study, query.point) + turn % 2)
    assert list(differences(study.events, forgetful=True)) == []
    assert math.isfinite(study.recommend(context={"hour": 3.0, "site": "south"}).mean)


def test_a_prior_mean_for_all_members() -> None:
    moved = LEARNING.around(4.0)
    prior = prior_of(moved, evidence_of(8))
    assert_array_equal(np.concatenate([part.prior_means for part in prior.parts]), [4.0] * 3)
    lowest = prior_of(LEARNING.around("smallest"), evidence_of(8))
    assert lowest.prior_mean == pytest.approx(float(evidence_of(5).arrivals().values.min()), abs=1.0)
    assert LEARNING.floor == moved.floor


def test_what_is_known_is_known_of_every_member() -> None:
    assert Features(SMOOTH).known
    assert not Features(GP()).known
    assert BELIEFS["mixed"].known
    assert not LEARNING.known


def test_an_ensemble_given_as_a_list_is_the_same() -> None:
    assert Ensemble([SMOOTH, WIDE]) == Ensemble((SMOOTH, WIDE))  # type: ignore[arg-type]
    assert hash(Ensemble([SMOOTH, WIDE])) == hash(Ensemble((SMOOTH, WIDE)))  # type: ignore[arg-type]


# Nonsense.


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: Ensemble(()), "Ensemble(members=()): an ensemble has at least one member; give bl.GP(…) or others."),
        (lambda: Ensemble([]), "Ensemble(members=()): an ensemble has at least one member; give bl.GP(…) or others."),  # type: ignore[arg-type]
        (
            lambda: Ensemble(SMOOTH),  # type: ignore[arg-type]
            f"Ensemble(members={SMOOTH!r}): an ensemble has at least one member; give bl.GP(…) or others.",
        ),
        (
            lambda: Ensemble((SMOOTH, WIDE, known("se", 0.3))),
            f"Ensemble(): got {SMOOTH!r} twice; members differ; leave one of them out.",
        ),
        (
            lambda: Ensemble((SMOOTH, "se")),  # type: ignore[arg-type]
            "Ensemble(): got the member 'se'; members are bl.GP(…) or bl.Features(…).",
        ),
        (
            lambda: Ensemble((SMOOTH, Ensemble((WIDE,)))),  # type: ignore[arg-type]
            f"Ensemble(): got the member {Ensemble((WIDE,))!r}; members are bl.GP(…) or bl.Features(…).",
        ),
        (
            lambda: Ensemble((SMOOTH, WIDE), 0.6),
            "Ensemble(floor=0.6): floor must be a finite number of at least 0 and at most 0.5.",
        ),
        (
            lambda: Ensemble((SMOOTH,), -0.1),
            "Ensemble(floor=-0.1): floor must be a finite number of at least 0 and at most 1.",
        ),
        (
            lambda: Ensemble((SMOOTH,), math.nan),
            "Ensemble(floor=nan): floor must be a finite number of at least 0 and at most 1.",
        ),
        (
            lambda: Ensemble((SMOOTH,), True),
            "Ensemble(floor=True): floor must be a finite number of at least 0 and at most 1.",
        ),
        (lambda: Features("se"), "Features(process='se'): features approximate a bl.GP(…); give one."),  # type: ignore[arg-type]
        (lambda: Features(SMOOTH, 0), "Features(count=0): count must be a whole number of at least 1."),
        (lambda: Features(SMOOTH, -3), "Features(count=-3): count must be a whole number of at least 1."),
        (lambda: Features(SMOOTH, True), "Features(count=True): count must be a whole number of at least 1."),
        (lambda: Features(SMOOTH, math.nan), "Features(count=nan): count must be a whole number of at least 1."),  # type: ignore[arg-type]
        (lambda: Features(SMOOTH, 2.5), "Features(count=2.5): count must be a whole number of at least 1."),  # type: ignore[arg-type]
        (lambda: Features(SMOOTH, 10_001), "Features(count=10001): count must be at most 10000."),
        (
            lambda: GP(lengthscale=1e10),
            "GP(lengthscale=10000000000.0): lengthscale must be a finite number of at least 1e-09 and at most 1e+09.",
        ),
        (
            lambda: GP(lengthscale=9e-10),
            "GP(lengthscale=9e-10): lengthscale must be a finite number of at least 1e-09 and at most 1e+09.",
        ),
        (
            lambda: GP(lengthscale=(0.3, math.inf)),
            "GP(lengthscale=inf): lengthscale must be a finite number of at least 1e-09 and at most 1e+09.",
        ),
        (
            lambda: egp_ts(dictionary=[]),
            "egp_ts(dictionary=[]): a dictionary is 'a', 'b' or a list of bl.GP(…), at least one; give that.",
        ),
        (
            lambda: egp_ei(dictionary=[SMOOTH, 3]),  # type: ignore[list-item]
            f"egp_ei(dictionary=[{SMOOTH!r}, 3]): "
            "a dictionary is 'a', 'b' or a list of bl.GP(…), at least one; give that.",
        ),
        (
            lambda: egp_ts(dictionary=SMOOTH),  # type: ignore[arg-type]
            f"egp_ts(dictionary={SMOOTH!r}): a dictionary is 'a', 'b' or a list of bl.GP(…), at least one; give that.",
        ),
        (
            lambda: egp_ei(dictionary=[SMOOTH, SMOOTH]),
            f"egp_ei(): Ensemble(): got {SMOOTH!r} twice; members differ; leave one of them out.",
        ),
        (lambda: egp_ts(features=0), "egp_ts(): Features(count=0): count must be a whole number of at least 1."),
        (
            lambda: egp_ts(floor=0.3),
            "egp_ts(): Ensemble(floor=0.3): floor must be a finite number of at least 0 and at most 0.25.",
        ),
    ],
    ids=lambda said: said[:60] if isinstance(said, str) else "",
)
def test_nonsense_is_refused_with_what_was_got_and_the_way_out(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ParameterError, match="^" + re.escape(said) + "$"):
        make()


def test_an_unknown_dictionary_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"^dictionary\(\): no dictionary is named 'c'; choose one of a, b\.$"):
        egp_ts(dictionary="c")


def test_features_of_a_linear_kernel_are_refused_in_a_policy_too() -> None:
    with pytest.raises(UnsupportedError, match=r"Features\(\): got the kernel 'linear'; random features need"):
        egp_ts(dictionary=[GP(kernel="linear")])


def test_the_lengthscales_at_the_bounds_are_taken() -> None:
    for scale in (1e-9, 1e9):
        belief = Features(known("se", scale), 6)
        mean, deviation = (
            prior_of(belief, evidence_of(6)).condition(*evidence_of(6).arrivals()).moments(probes_of(box()))
        )
        assert np.all(np.isfinite(mean))
        assert np.all(deviation > 0.0)


# Dictionaries and recipes.


def test_the_dictionaries_are_those_of_the_paper() -> None:
    assert [(one.kernel, one.ard, one.fit) for one in kernels("a")] == [
        ("se", False, "ml"),
        ("se", True, "ml"),
        ("matern32", False, "ml"),
        ("matern52", False, "ml"),
    ]
    assert [one.lengthscale for one in kernels("b")] == [10.0**power for power in range(-4, 7)]
    assert {one.kernel for one in kernels("b")} == {"se"}


MADE: dict[str, Callable[[], Recipe]] = {
    **POLICIES,
    "given kernels": lambda: egp_ts([GP(kernel="se", lengthscale=(0.2, 0.4)), GP(kernel="matern12")], 30, 0.1, None, 4),
    "given for ei": lambda: egp_ei((SMOOTH, GP(refit=3)), 0.2, None, 0),
    "features of a known process": lambda: gp_ucb(belief=Features(SMOOTH, 7)),
    "floored": lambda: gp_ei(belief=Ensemble((Features(SMOOTH, 7), ROUGH), 0.25)),
}


@pytest.mark.parametrize("name", MADE)
def test_policies_with_features_and_ensembles_survive_json(name: str) -> None:
    recipe = MADE[name]()
    written = json.loads(json.dumps(recipe.to_json(), allow_nan=False))
    again = from_json(written)
    assert again == recipe
    assert from_json(recipe.to_json()) == recipe
    assert again.composition == recipe.composition
    assert build(written["name"], **written["parameters"]) == recipe


def test_a_lengthscale_that_does_not_fit_the_space_is_refused_when_the_study_begins() -> None:
    policy = gp_ucb(belief=Ensemble((SMOOTH, Features(GP(kernel="se", lengthscale=(0.1, 0.2, 0.3)), 5))))
    with pytest.raises(ParameterError, match="the space has 2 numeric columns"):
        Study.in_memory(box(), policy=policy, seed=1, clock=Clock())


def test_a_space_of_labels_alone_works() -> None:
    space = Space(solvent=Choice("DMF", "THF", "water"), fast=Choice(True, False))
    study = Study.in_memory(space, policy=egp_ts(features=10, initial=2), seed=2, clock=Clock())
    for _ in range(6):
        query = study.ask()
        assert not isinstance(query, Balk)
        study.tell(query.id, float(query.point["fast"]))
    assert study.recommend().point["fast"] is True

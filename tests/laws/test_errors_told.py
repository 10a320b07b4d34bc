"""Errors that are told with answers reach every policy, treatment and reading, by `tell` and `revise` of a study."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import Ensemble, HalfRanks, Memory
from belated.contexts import Expectation
from belated.evidence import Evidence
from belated.log import Query, Window
from belated.pacing import Always
from belated.pending import (
    Censor,
    ExpectLess,
    Hallucinate,
    Ignore,
    ImputeSilence,
    Lie,
    Nearest,
    Open,
    Rehallucinate,
    Rounds,
    Treatment,
    WithinRound,
)
from belated.policies import Policy, build
from belated.rules import Constant, Situation, UpperBound
from belated.space import Array, Context, Float
from belated.study import Study, differences
from tests.builders import ACROSS, Clock, known_gp, table
from tests.laws.test_policies import EVERY, made
from tests.laws.test_policies_across import SMALL
from tests.reference import noisy
from tests.tolerance import SOLVE_TOLERANCE

NOISE, MEAN, LATER = 0.04, 0.3, 1e6
KNOWN, PLAIN = known_gp("se", 0.3, 1.7, NOISE, MEAN)
DEMAND = Context(demand=Float(0.0, 1.0), seen="after")
# Three times by one instrument, by a precise one, by a rough one, and by one of which nothing is known.
TOLD: tuple[Callable[[float], tuple[Any, float | None]], ...] = (
    lambda value: ([value - 0.2, value + 0.1, value + 0.1], None),
    lambda value: (value, 0.02),
    lambda value: (value, 1.5),
    lambda value: (value, None),
)
# One of each kind of belief, decision and treatment, and one across contexts.
KINDS = ["auto", "gp-bucb", "gp-ts", "gp-ei", "egp-ts", "gp-ucb-sdf", "exp3bo", "banditbo", "random", "sbo-kde"]


def study_of(name: str, goal: Any = "maximize", **parameters: Any) -> Study:
    across = name in ACROSS
    recipe = build(name, **{**SMALL[name], **parameters}) if across else made(name, **parameters)
    context = DEMAND if across else None
    return Study.in_memory(table(), policy=recipe, context=context, goal=goal, seed=3, clock=Clock(), notices=False)


def demand(study: Study, query: Query) -> dict[str, float] | None:
    return None if study.context is None else {"demand": (query.id * 0.37) % 1.0}


def wave(point: Any) -> float:
    return float(np.sin(4.0 * table().encode(point).sum()))


def go_on(study: Study, n: int) -> Study:
    """n queries, of which every fifth waits; the others are told with errors of every kind."""
    for _ in range(n):
        query = study.ask()
        if isinstance(query, Query) and query.id % 5:
            # No two answers are the same, though a point may be asked again.
            measured, sd = TOLD[query.id % 4](wave(query.point) + 1e-3 * query.id)
            study.tell(query, measured, sd=sd, context=demand(study, query))
    return study


def gram(first: Array, second: Array) -> Array:
    return PLAIN.kernel.matrix(first, second)


def noise_of(query: Query) -> float:
    """ν, from what was told of a query; of one that waits, that of one measurement."""
    if query.answer is None:
        return NOISE
    if query.answer.sd is not None:
        return query.answer.sd**2
    return NOISE / max(1, len(query.answer.repeats))


def expected(
    queries: list[Query], study: Study, values: list[float], probes: Array, mean: float = MEAN
) -> tuple[Array, Array]:
    """The dense posterior in which these queries have these values, with the errors that were told of them."""
    points = np.array([row_of(study, query) for query in queries])
    noises = np.array([noise_of(query) for query in queries])
    among, across, at = gram(points, points), gram(points, probes), gram(probes, probes)
    return noisy.posterior(among, across, at, mean, np.array(values), noises)


def row_of(study: Study, query: Query) -> Array:
    row = table().encode(query.point)
    if study.context is None:
        return row
    assert query.context is not None
    return np.concatenate([study.context.encode(query.context), row])


def answered(study: Study) -> tuple[list[Query], list[float]]:
    """The queries with answers, and those."""
    queries = [query for query in study.queries() if query.answer is not None]
    return queries, [query.answer.value for query in queries if query.answer is not None]


# Every policy.


@pytest.mark.parametrize("name", [*EVERY, *ACROSS])
def test_every_policy_believes_a_precise_answer_and_not_a_rough_one(name: str) -> None:
    means, where = {}, {"context": {"demand": 0.5}} if name in ACROSS else {}
    rows = np.random.default_rng(5).choice(40, 8, replace=False).tolist()
    for sd in (1e-3, 1e3):
        study = study_of(name)
        for place, row in enumerate(rows):
            study.add(table().point(row), wave(table().point(row)) + 0.01 * place, **where)
        query = study.ask()
        assert isinstance(query, Query)
        study.tell(query, 12.0, sd=sd, **where)
        means[sd] = float(study.expect([query.point])[0][0])
    # What is expected over the law of contexts is more than the one in which it was told.
    assert means[1e-3] > (4.0 if name in ACROSS else 9.0)
    assert means[1e3] < 3.0


@pytest.mark.parametrize("name", KINDS)
def test_a_process_that_has_just_started_asks_the_same_whatever_was_told_of_errors(name: str) -> None:
    study = go_on(study_of(name), 8)
    study.revise(1, 0.4, sd=0.3)
    go_on(study, 3)
    assert list(differences(study.events, forgetful=True)) == []
    again = Study(study.events, clock=Clock())
    assert again.recommend() == study.recommend()
    assert again.best() == study.best()


@pytest.mark.parametrize("name", ["gp-bucb", "egp-ts", "sbo-kde"])
def test_a_study_that_minimises_is_the_mirror_of_one_that_maximises(name: str) -> None:
    up, down = study_of(name), study_of(name, "minimize")
    for _ in range(8):
        query, other = up.ask(), down.ask()
        assert isinstance(query, Query)
        assert isinstance(other, Query)
        assert query.point == other.point
        measured, sd = TOLD[query.id % 4](wave(query.point))
        up.tell(query, measured, sd=sd, context=demand(up, query))
        mirrored = [-each for each in measured] if isinstance(measured, list) else -measured
        down.tell(other, mirrored, sd=sd, context=demand(up, query))
    assert up.recommend().point == down.recommend().point


def test_what_was_told_of_errors_and_taken_back_leaves_no_trace() -> None:
    plain, told = study_of("random"), study_of("random")
    for study in (plain, told):
        for number in range(1, 7):
            query = study.ask()
            assert isinstance(query, Query)
            study.tell(query, wave(query.point), sd=0.5 if study is told and number == 3 else None)
    assert told.recommend() != plain.recommend()
    told.revise(3, wave(told.queries()[2].point) + 1.0)
    plain.revise(3, wave(plain.queries()[2].point) + 1.0)
    assert told.evidence().arrivals().errors is None
    assert told.recommend() == plain.recommend()


# Exactly.


@pytest.mark.parametrize("name", ["gp-ucb", "gp-bucb", "gp-ts", "gp-ei"])
def test_what_a_study_expects_is_what_the_dense_formulas_say(name: str) -> None:
    study = go_on(study_of(name, belief=KNOWN), 14)
    found = study.expect([table().point(row) for row in range(9)])
    mean, deviation = expected(*answered_in(study), table().table[:9])
    assert_allclose(found[0], mean, atol=SOLVE_TOLERANCE)
    assert_allclose(found[1], deviation, atol=SOLVE_TOLERANCE)


def answered_in(study: Study) -> tuple[list[Query], Study, list[float]]:
    queries, values = answered(study)
    return queries, study, values


def test_repeats_told_are_answers_added_one_by_one() -> None:
    together, alone = study_of("gp-bucb", belief=KNOWN), study_of("gp-bucb", belief=KNOWN)
    rng = np.random.default_rng(2)
    for _ in range(6):
        query = together.ask()
        assert isinstance(query, Query)
        repeats = (wave(query.point) + 0.2 * rng.normal(size=3)).tolist()
        together.tell(query, repeats)
        for value in repeats:
            alone.add(query.point, value)
    points = [table().point(row) for row in range(40)]
    assert_allclose(together.expect(points), alone.expect(points), atol=SOLVE_TOLERANCE)
    assert together.recommend().point == alone.recommend().point


def test_a_policy_asks_what_the_dense_formulas_prefer() -> None:
    """GP-BUCB on a table: the mean of the answers, the deviation of all that was asked."""
    study = study_of("gp-bucb", belief=KNOWN, width=1.5)
    for _ in range(14):
        queries = list(study.queries())
        mean, _ = expected(*answered_in(study), table().table)
        _, deviation = expected(queries, study, [0.0] * len(queries), table().table)
        score = mean + 1.5 * deviation
        query = study.ask()
        assert isinstance(query, Query)
        assert score[table().index(query.point)] == pytest.approx(score.max(), abs=SOLVE_TOLERANCE)
        if query.id % 5:
            measured, sd = TOLD[query.id % 4](wave(query.point))
            study.tell(query, measured, sd=sd)


def test_an_ensemble_weighs_its_members_by_what_they_say_of_answers_with_errors() -> None:
    study, others = go_on(study_of("random"), 14), known_gp("se", 0.35, 1.5, NOISE, 0.2)
    prior = Ensemble((KNOWN, others[0])).prior(study.evidence(), Memory())
    queries, values = answered(study)
    points, noises = study.evidence().points[study.evidence().answered_mask], [noise_of(query) for query in queries]
    logs = [
        noisy.log_density(plain.kernel.matrix(points, points), plain.mean, np.array(values), np.array(noises))
        for plain in (PLAIN, others[1])
    ]
    # The repeats about their means say the same under both, whose σ² is one.
    assert prior.weights[0] == pytest.approx(1.0 / (1.0 + np.exp(logs[1] - logs[0])), abs=SOLVE_TOLERANCE)
    assert 0.01 < prior.weights[0] < 0.999


def test_across_contexts_the_errors_stay_with_their_answers() -> None:
    policy = Policy(KNOWN, Hallucinate(), UpperBound(Constant(1.5)), Always(), Expectation(samples=20))
    study = go_on(study_of("sbo-kde"), 14)
    seen = policy.moment(study.evidence(), LATER, 3, Memory())
    probes = np.concatenate([np.full((9, 1), 0.25), table().table[:9]], axis=1)
    assert_allclose(seen.known.moments(probes).mean, expected(*answered_in(study), probes)[0], atol=SOLVE_TOLERANCE)
    # Those that wait have contexts that were drawn for them.
    rows = {query.id - 1: row_of(study, query) for query in answered(study)[0]}
    points = np.array([rows.get(row, seen.evidence.points[row]) for row in range(14)])
    noises = np.array([noise_of(query) for query in study.queries()])
    among, across, at = gram(points, points), gram(points, probes), gram(probes, probes)
    _, deviation = noisy.posterior(among, across, at, MEAN, np.zeros(14), noises)
    assert_allclose(Situation(seen).belief.moments(probes).deviation, deviation, atol=SOLVE_TOLERANCE)


TREATMENTS: dict[str, Treatment] = {
    "ignore": Ignore(),
    "open": Open(),
    "hallucinate": Hallucinate(),
    "nearest": Nearest(3),
    "rehallucinate": Rehallucinate(),
    "censor": Censor(Window(queries=4), floor=-2.0),
    "silence": ImputeSilence(Window(queries=4), floor=-2.0, silence=1.0),
    "lie": Lie("worst"),
    "expect less": ExpectLess(),
    "within a round": WithinRound(Rounds(60)),
}


@pytest.mark.parametrize("name", TREATMENTS)
def test_a_treatment_leaves_answers_their_errors_and_gives_the_others_that_of_one_measurement(name: str) -> None:
    study = go_on(study_of("random"), 14)
    evidence, treatment = study.evidence(), TREATMENTS[name]
    prior = KNOWN.prior(evidence, Memory())
    found = treatment(prior, evidence, LATER).moments(table().table).deviation
    every = answered(study)[0] if name in ("ignore", "open") else list(study.queries())
    if name == "within a round":
        first, _ = Rounds(60).bounds(15)[-1]
        every = [query for query in every if (query.number or 0) >= first]
    _, deviation = expected(every, study, [0.0] * len(every), table().table)
    assert_allclose(found, deviation, atol=SOLVE_TOLERANCE)


def test_an_answer_that_a_treatment_discards_counts_as_one_measurement_of_the_floor() -> None:
    study = study_of("random")
    queries = [query for query in (study.ask() for _ in range(6)) if isinstance(query, Query)]
    for query in queries:
        study.tell(query, wave(query.point), sd=0.01)
    evidence = study.evidence()
    late = Window(queries=2)
    belief = Censor(late, floor=-2.0, late="discard")(KNOWN.prior(evidence, Memory()), evidence, LATER)
    in_time = ~evidence.late_mask(late)
    points = evidence.points
    noises = np.where(in_time, 1e-4, NOISE)
    values = np.where(in_time, evidence.values, -2.0)
    among, across, at = gram(points, points), gram(points, table().table), gram(table().table, table().table)
    mean, deviation = noisy.posterior(among, across, at, -2.0, values, noises)
    assert 0 < np.count_nonzero(in_time) < 6
    assert_allclose(belief.moments(table().table).mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.moments(table().table).deviation, deviation, atol=SOLVE_TOLERANCE)


# Readings, and what is said.


def test_on_a_scale_errors_have_its_slope() -> None:
    study = go_on(study_of("random"), 14)
    evidence = study.evidence()
    read = HalfRanks(margin=-np.inf)(evidence, Memory())
    plain, scaled = evidence.arrivals(), read.arrivals()
    assert read.scale is not None
    assert plain.errors is not None
    assert scaled.errors is not None
    told = plain.errors.told_mask
    low, high = (plain.values + sign * plain.errors.sd for sign in (-1.0, 1.0))
    within, slope = told & (low >= read.scale.knots[0]), read.scale.inward
    assert np.count_nonzero(within) > 2
    assert_allclose(scaled.errors.sd[within], (slope(high) - slope(low))[within] / 2.0)
    assert np.all(scaled.errors.sd[told] > 0.0)
    assert_array_equal(scaled.errors.repeats, plain.errors.repeats)
    above = plain.values - 0.5 > read.scale.knots[-1]
    assert_allclose(scaled.errors.scatter[above], plain.errors.scatter[above])


def test_the_best_answer_is_as_it_was_told_and_the_recommendation_goes_by_the_belief() -> None:
    study = study_of("gp-bucb", belief=KNOWN)
    for place in range(5):
        study.add(table().point(place), 0.5 + 0.01 * place)
    query = study.ask()
    assert isinstance(query, Query)
    study.tell(query, 9.0, sd=1e3)
    assert study.best().value == 9.0
    assert study.recommend().mean < 1.0


def test_a_study_says_which_noise_was_told() -> None:
    study = study_of("gp-bucb")
    for _ in range(6):
        query = study.ask()
        assert isinstance(query, Query)
        study.tell(query, wave(query.point), sd=0.1 * query.id)
    assert "as told with every answer, deviations of 0.1 to 0.6" in str(study.explain())


def test_evidence_before_an_ask_and_of_one_arm_have_the_errors_of_their_answers() -> None:
    study = go_on(study_of("exp3bo"), 20)
    evidence = study.evidence()
    for some in (evidence.before(15), evidence.played_by(0), evidence.only(np.arange(20) % 2 == 0)):
        found = some.arrivals()
        assert_same_errors(some, found.points, found.values, study)


def assert_same_errors(evidence: Evidence, points: Array, values: Array, study: Study) -> None:
    errors = evidence.arrivals().errors
    assert errors is not None
    known = {query.answer.value: noise_of(query) for query in answered(study)[0] if query.answer is not None}
    assert_allclose(errors.variances(NOISE), [known[value] for value in values.tolist()])

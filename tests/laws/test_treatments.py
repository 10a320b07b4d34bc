"""What each treatment makes of unanswered queries, against the dense formulas and the indicator written out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GaussianProcess
from belated.evidence import Evidence
from belated.log import FOREVER, Query, State, Window
from belated.pending import (
    Censor,
    ExpectLess,
    Fantasise,
    Hallucinate,
    Ignore,
    ImputeSilence,
    Lie,
    Nearest,
    Open,
    Rehallucinate,
    Rounds,
    Settling,
    Treatment,
    WithinRound,
)
from belated.space import Array
from tests.builders import DOMAINS, Clock, probes_of, processes_of, random_study
from tests.pairs import every_pair
from tests.reference.gp import PlainGP
from tests.tolerance import SOLVE_TOLERANCE

LATER = 5.0  # time between the last event and the decision

every_domain = pytest.mark.parametrize("domain", DOMAINS)
SEEDS = [3, 17, 91]
every_seed = pytest.mark.parametrize("seed", SEEDS)
WINDOWS = {"for ever": FOREVER, "queries": Window(queries=4), "time": Window(seconds=9.0)}
every_window = pytest.mark.parametrize("window", WINDOWS)

TREATMENTS: dict[str, Treatment] = {
    "ignore": Ignore(),
    "open": Open(),
    "hallucinate": Hallucinate(),
    "hallucinate, window": Hallucinate(Window(queries=4)),
    "nearest": Nearest(3),
    "rehallucinate": Rehallucinate(),
    "censor": Censor(Window(queries=4), floor=-2.0, late="discard"),
    "censor, learned": Censor(),
    "within a round": WithinRound(Rounds(60)),
    "doubt": ImputeSilence(Window(queries=4), floor=-2.0, silence=1.0),
    "doubt, learned": ImputeSilence(),
    "lie": Lie("worst"),
    "lie, mean": Lie("mean"),
    "lie, best": Lie("best"),
    "expect less": ExpectLess(1.5),
    "fantasise": Fantasise(6),
}


class Case:
    """What was asked and answered, the moment after it, and the prior for library and reference."""

    def __init__(self, domain: str, seed: int, **counts: int) -> None:
        clock = Clock()
        sizes: dict[str, Any] = {"n_answered": 12, "n_pending": 5, "n_added": 2, "n_abandoned": 2, **counts}
        self.domain = DOMAINS[domain]()
        study = random_study(seed, domain=self.domain, clock=clock, **sizes)
        self.evidence: Evidence = study.evidence()
        self.queries: Sequence[Query] = study.queries()
        self.now = clock.now + LATER
        self.prior: GaussianProcess
        self.plain: PlainGP
        self.prior, self.plain = processes_of(self.domain)
        self.probes = probes_of(self.domain)

    def rows(self, *states: str) -> list[int]:
        """Rows in these states: answered, waiting (as if for ever) or abandoned."""
        named = {State.ANSWERED: "answered", State.ABANDONED: "abandoned"}
        return [i for i, q in enumerate(self.queries) if named.get(q.state, "pending") in states]

    def overdue(self, row: int, window: Window) -> bool:
        """Whether a pending row has waited longer than the window."""
        query = self.queries[row]
        age = sum(other.number > query.number for other in self.queries) if query.number else 0
        return age > (window.queries or math.inf) or self.now - query.asked_at > (window.seconds or math.inf)

    def waiting(self, window: Window) -> list[int]:
        return [row for row in self.rows("pending") if not self.overdue(row, window)]

    def values(self, rows: list[int]) -> Array:
        answers = [self.queries[row].answer for row in rows]
        return np.array([answer.value for answer in answers if answer is not None])

    def points(self, rows: list[int]) -> Array:
        encoded = [self.domain.encode(self.queries[row].point) for row in rows]
        return np.array(encoded).reshape(len(rows), self.domain.dimension)

    def answers(self) -> tuple[Array, Array]:
        rows = self.rows("answered")
        return self.points(rows), self.values(rows)

    def check(self, treatment: Treatment, points: Array, values: Array, plain: PlainGP | None = None) -> None:
        """The treatment's belief is the posterior of these points and values."""
        mean, covariance = (plain or self.plain).posterior(points, values, self.probes)
        belief = treatment(self.prior, self.evidence, self.now)
        assert_allclose(belief.moments(self.probes).mean, mean, atol=SOLVE_TOLERANCE)
        assert isinstance(belief, GaussianProcess)
        assert_allclose(belief.covariance(self.probes), covariance, atol=SOLVE_TOLERANCE)


# Laws of every treatment.


@every_domain
@pytest.mark.parametrize("treatment", TREATMENTS)
def test_a_treatment_alters_neither_prior_nor_evidence(treatment: str, domain: str) -> None:
    case = Case(domain, 5)
    points, values = case.evidence.points.copy(), case.evidence.values.copy()
    first = TREATMENTS[treatment](case.prior, case.evidence, case.now).moments(case.probes)
    again = TREATMENTS[treatment](case.prior, case.evidence, case.now).moments(case.probes)
    assert_array_equal(first.mean, again.mean)
    assert_array_equal(first.deviation, again.deviation)
    assert_array_equal(case.evidence.points, points)
    assert_array_equal(case.evidence.values, values)
    assert case.prior.factor is None


@every_domain
@pytest.mark.parametrize(
    "treatment",
    ["ignore", "hallucinate", "rehallucinate", "nearest", "censor, learned", "lie", "expect less", "fantasise"],
)
def test_with_every_answer_in_all_treatments_are_the_posterior_of_the_answers(treatment: str, domain: str) -> None:
    case = Case(domain, 8, n_pending=0, n_abandoned=0)
    floor = case.answers()[1].min()
    plain = PlainGP(case.plain.kernel, case.plain.noise, floor) if treatment == "censor, learned" else case.plain
    case.check(TREATMENTS[treatment], *case.answers(), plain)


@every_domain
@pytest.mark.parametrize("treatment", TREATMENTS)
def test_with_nothing_asked_every_treatment_is_the_prior(treatment: str, domain: str) -> None:
    case = Case(domain, 8, n_answered=0, n_pending=0, n_abandoned=0, n_added=0)
    belief = TREATMENTS[treatment](case.prior, case.evidence, case.now)
    expected = {"censor": -2.0, "censor, learned": 0.0}.get(treatment, 0.3)
    assert_allclose(belief.moments(case.probes).mean, expected)
    assert_allclose(belief.moments(case.probes).deviation, np.sqrt(1.7))


# Ignore and hallucinate.


@every_seed
@every_domain
def test_ignoring_is_the_posterior_of_the_answers(domain: str, seed: int) -> None:
    case = Case(domain, seed)
    case.check(Ignore(), *case.answers())


@every_window
@every_seed
@every_domain
def test_hallucinating_keeps_the_mean_and_has_the_deviation_of_all_asked_points(
    domain: str, seed: int, window: str
) -> None:
    case = Case(domain, seed)
    belief = Hallucinate(WINDOWS[window])(case.prior, case.evidence, case.now)
    mean, _ = case.plain.moments(*case.answers(), case.probes)
    asked = case.points(case.rows("answered", "pending"))
    assert_allclose(belief.moments(case.probes).mean, mean, atol=SOLVE_TOLERANCE)
    deviation = case.plain.deviation(asked, case.probes)
    assert_allclose(belief.moments(case.probes).deviation, deviation, atol=SOLVE_TOLERANCE)


@every_seed
@every_domain
def test_hallucinating_is_conditioning_on_the_means_of_the_answers(domain: str, seed: int) -> None:
    case = Case(domain, seed)
    points, values = case.answers()
    pending = case.points(case.waiting(FOREVER))
    imagined, _ = case.plain.moments(points, values, pending)
    case.check(Hallucinate(), np.concatenate([points, pending]), np.concatenate([values, imagined]))


@every_seed
@every_domain
def test_hallucinating_never_widens_the_deviation(domain: str, seed: int) -> None:
    case = Case(domain, seed)
    ignored, imagined = (treat(case.prior, case.evidence, case.now) for treat in (Ignore(), Hallucinate()))
    assert np.all(imagined.moments(case.probes).deviation <= ignored.moments(case.probes).deviation + SOLVE_TOLERANCE)


# Nearest.


@pytest.mark.parametrize("k", [1, 3, 50])
@every_seed
@every_domain
def test_nearest_fills_in_the_mean_of_the_k_nearest_posterior_means(domain: str, seed: int, k: int) -> None:
    case = Case(domain, seed)
    points, values = case.answers()
    pending = case.points(case.waiting(FOREVER))
    means, _ = case.plain.moments(points, values, points)
    imagined = []
    for point in pending:
        distances = [math.dist(point, other) for other in points]
        order = sorted(range(len(points)), key=lambda i: distances[i])[:k]
        imagined.append(float(np.mean([means[i] for i in order])))
    case.check(Nearest(k), np.concatenate([points, pending]), np.concatenate([values, imagined]))


def test_nearest_without_answers_is_the_prior_mean() -> None:
    case = Case("box", 4, n_answered=0, n_added=0)
    pending = case.points(case.waiting(FOREVER))
    case.check(Nearest(2), pending, np.full(len(pending), 0.3))


# Censor.


@every_pair(
    domain=DOMAINS,
    seed=SEEDS,
    window=["for ever", "queries", "time"],
    floor=[-3.0, None],
    late=["accept", "discard"],
)
def test_censoring_equals_formula_1_with_the_indicator_written_out(
    domain: str, seed: int, window: str, floor: float | None, late: Literal["accept", "discard"]
) -> None:
    case = Case(domain, seed, n_answered=16, n_pending=6)
    m = WINDOWS[window]
    least = floor if floor is not None else float(case.answers()[1].min())
    t = case.evidence.n_asked + 1
    censored, kept = [], []
    for row, query in enumerate(case.queries):
        if query.state is State.ABANDONED:
            continue
        kept.append(row)
        value = 0.0
        if query.answer is not None:
            age = t - 1 - query.number if query.number else 0
            if m.seconds is not None:
                waited = query.answer.at - query.asked_at
                available = waited <= (case.now - query.asked_at)
                in_time = waited <= m.seconds
            else:
                available = query.answer.delay <= age
                in_time = query.answer.delay <= (m.queries if m.queries is not None else math.inf)
            assert available
            if in_time or late == "accept":
                value = query.answer.value - least
        censored.append(value)
    assert 0.0 in censored
    plain = PlainGP(case.plain.kernel, case.plain.noise, 0.0)
    mean, covariance = plain.posterior(case.points(kept), np.array(censored), case.probes)
    belief = Censor(m, floor, late)(case.prior, case.evidence, case.now)
    assert_allclose(belief.moments(case.probes).mean - least, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.covariance(case.probes), covariance, atol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("window", [Window(queries=2), Window(seconds=3.0)], ids=["queries", "time"])
def test_some_answers_of_the_censoring_tests_are_late_and_some_are_not(window: Window) -> None:
    late = [Case("table", seed, n_answered=16).evidence.late_mask(window) for seed in (3, 17, 91)]
    assert all(0 < mask.sum() < 16 for mask in late)


@every_domain
def test_censoring_never_raises_the_mean_above_that_of_imagined_answers_at_pending_points(domain: str) -> None:
    case = Case(domain, 23)
    pending = case.points(case.waiting(FOREVER))
    floor = float(case.answers()[1].min())
    same_prior = case.prior.with_mean(floor)
    imagined = Hallucinate()(same_prior, case.evidence, case.now).moments(pending)
    censored = Censor(FOREVER, floor)(same_prior, case.evidence, case.now).moments(pending)
    assert_allclose(censored.deviation, imagined.deviation, atol=SOLVE_TOLERANCE)
    assert censored.mean.sum() < imagined.mean.sum()


# The goal's sign.


@pytest.mark.parametrize(
    "up, down",
    [
        (Ignore(), Ignore()),
        (Hallucinate(Window(queries=3)), Hallucinate(Window(queries=3))),
        (Nearest(2), Nearest(2)),
        (Censor(Window(queries=3), -2.5, "discard"), Censor(Window(queries=3), 2.5, "discard")),
        (Censor(Window(seconds=9.0)), Censor(Window(seconds=9.0))),
        (Lie("worst"), Lie("worst")),
        (ExpectLess(), ExpectLess()),
        (Fantasise(), Fantasise()),
    ],
    ids=["ignore", "hallucinate", "nearest", "censor", "censor, learned", "lie", "expect less", "fantasise"],
)
def test_minimising_is_maximising_the_negative(up: Treatment, down: Treatment) -> None:
    clocks = Clock(), Clock()
    studies = random_study(7, 10, 4, clock=clocks[0]), random_study(7, 10, 4, minimise=True, clock=clocks[1])
    told, negated = ([query.answer.value for query in study.queries() if query.answer] for study in studies)
    assert negated == [-value for value in told]
    most, least = (study.evidence() for study in studies)
    prior, _ = processes_of(DOMAINS["table"]())
    probes = probes_of(DOMAINS["table"]())
    first, second = up(prior, most, clocks[0].now).moments(probes), down(prior, least, clocks[1].now).moments(probes)
    assert_array_equal(first.mean, second.mean)
    assert_array_equal(first.deviation, second.deviation)


# States.


@every_seed
def test_overdue_queries_keep_their_places_when_hallucinating_and_the_floor_when_censoring(seed: int) -> None:
    case = Case("table", seed, n_answered=6, n_pending=8)
    window = Window(queries=3)
    overdue = [row for row in case.rows("pending") if case.overdue(row, window)]
    assert overdue
    assert_array_equal(np.flatnonzero(case.evidence.overdue_mask(window, case.now)), overdue)
    with_window = Hallucinate(window)(case.prior, case.evidence, case.now).moments(case.points(overdue)).deviation
    without = Hallucinate()(case.prior, case.evidence, case.now).moments(case.points(overdue)).deviation
    assert_array_equal(with_window, without)
    wide, narrow = Censor(FOREVER, -3.0), Censor(window, -3.0)
    for treatment in (wide, narrow):
        deviation = treatment(case.prior, case.evidence, case.now).moments(case.points(overdue)).deviation
        assert np.all(deviation <= 0.2 + SOLVE_TOLERANCE)


@pytest.mark.parametrize("treatment", ["ignore", "hallucinate", "nearest", "censor", "lie", "expect less"])
def test_an_abandoned_query_counts_as_if_it_had_never_been_asked(treatment: str) -> None:
    case = Case("mixed", 31, n_answered=8, n_pending=3, n_abandoned=4)
    abandoned = case.rows("abandoned")
    belief = TREATMENTS[treatment](case.prior, case.evidence, case.now)
    asked = case.rows("answered") + (case.waiting(TREATMENTS[treatment].window) if treatment != "ignore" else [])
    if treatment == "censor":
        asked = case.rows("answered", "pending")
    deviation = case.plain.deviation(case.points(asked), case.points(abandoned))
    assert_allclose(belief.moments(case.points(abandoned)).deviation, deviation, atol=SOLVE_TOLERANCE)


@pytest.mark.parametrize("n_asked", [0, 1, 7, 8, 30])
def test_within_a_round_only_its_own_points_count(n_asked: int) -> None:
    case = Case("table", 3, n_answered=n_asked, n_pending=0, n_abandoned=0, n_added=0)
    rounds = Rounds(60)  # of 8, 22 and 30 queries
    assert rounds.ends() == (8, 30, 60)
    first = max(end for end in (0, 8, 30) if end <= n_asked)
    belief = WithinRound(rounds)(case.prior, case.evidence, case.now)
    own = case.points(list(range(first, n_asked)))
    deviation = case.plain.deviation(own, case.probes)
    assert_allclose(belief.moments(case.probes).deviation, deviation, atol=SOLVE_TOLERANCE)
    assert_allclose(belief.moments(case.probes).mean, 0.3, atol=SOLVE_TOLERANCE)


# What counts when nothing is decided.


@every_domain
@every_seed
def test_of_what_is_censored_only_what_is_lost_is_settled(domain: str, seed: int) -> None:
    """Late answers count, whatever the policy does with them; a query that is still waited for does not."""
    case = Case(domain, seed)
    window = Window(queries=4)
    treatment = Censor(window, floor=-2.0, late="discard")
    lost = [row for row in case.rows("pending") if case.overdue(row, window)]
    points, values = case.answers()
    together = np.concatenate([points, case.points(lost)]), np.concatenate([values, np.full(len(lost), -2.0)])
    plain = PlainGP(case.plain.kernel, case.plain.noise, -2.0)
    mean, deviation = plain.moments(*together, case.probes)
    found = treatment.settled(case.prior, case.evidence, case.now).moments(case.probes)
    assert_allclose(found.mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(found.deviation, deviation, atol=SOLVE_TOLERANCE)


@every_domain
def test_where_silence_says_nothing_only_answers_are_settled(domain: str) -> None:
    case = Case(domain, 3)
    found = (
        ImputeSilence(Window(queries=4), -2.0, 0.0).settled(case.prior, case.evidence, case.now).moments(case.probes)
    )
    mean, deviation = case.plain.moments(*case.answers(), case.probes)
    assert_allclose(found.mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(found.deviation, deviation, atol=SOLVE_TOLERANCE)
    assert [name for name, kind in TREATMENTS.items() if isinstance(kind, Settling)] == [
        "censor",
        "censor, learned",
        "doubt",
        "doubt, learned",
    ]

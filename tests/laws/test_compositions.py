"""Every belief goes with every treatment, rule and pacing: the grid of compositions, most of which no paper has.

A composition here has no name and no recipe. It is driven by hand, on a log in which answers come late, out of order,
revised or never, and every decision is held against the laws of decisions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, Description, Ensemble, Features, Memory
from belated.evidence import Evidence
from belated.log import Abandoned, Answered, Asked, Balk, Body, Created, Event, Record, Retracted, Revised, Window
from belated.pacing import Always, Batches, Bounded, InformationLimited, Pacing, Predictable
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
    Treatment,
)
from belated.policies import Policy
from belated.rules import (
    BoundOrExplore,
    Constant,
    Explore,
    Improvement,
    ImprovementOnAsked,
    NoisyImprovement,
    OneMember,
    Rule,
    Situation,
    Thompson,
    UpperBound,
    point_of,
)
from belated.space import Array, Candidates, Float, Space
from tests.builders import Domain, table
from tests.logbook import signed
from tests.pairs import every_pair
from tests.reference.gp import PlainGP, PlainKernel
from tests.tolerance import SOLVE_TOLERANCE, STANDARD_ERRORS, TIE_TOLERANCE

SE = GP(kernel="se", lengthscale=0.4, variance=1.2, noise=0.02)
MATERN = GP(kernel="matern52", lengthscale=0.7, variance=0.8, noise=0.05, mean="zero")
ROUGH = GP(kernel="matern32", lengthscale=0.3, variance=1.0, noise=0.02)
BELIEFS: dict[str, Description] = {
    "process": SE,
    "features": Features(SE, 8),
    "ensemble of features": Ensemble((Features(SE, 6), Features(MATERN, 6), Features(ROUGH, 6)), 0.05),
    "ensemble of processes": Ensemble((SE, MATERN)),
    "mixed ensemble": Ensemble((Features(SE, 6), MATERN, Features(ROUGH, 4))),
}
TREATMENTS: dict[str, Treatment] = {
    "ignore": Ignore(),
    "open": Open(),
    "hallucinate": Hallucinate(),
    "nearest": Nearest(2),
    "rehallucinate": Rehallucinate(),
    "censor": Censor(),
    "doubt": ImputeSilence(Window(queries=4), silence=0.6),
    "lie": Lie("worst"),
    "expect less": ExpectLess(),
    "fantasise": Fantasise(4),
}
RULES: dict[str, Rule] = {
    "upper bound": UpperBound(Constant(1.5)),
    "thompson": Thompson(),
    "improvement": Improvement(),
    "improvement on asked": ImprovementOnAsked(),
    "noisy improvement": NoisyImprovement(16),
    "bound or explore": BoundOrExplore(),
    "one member's improvement": OneMember(Improvement()),
    "explore": Explore(),
}
PACINGS: dict[str, Pacing] = {
    "always": Always(),
    "bounded": Bounded(3),
    "information": InformationLimited(minimum=1),
    "predictable": Predictable(tolerance=0.15, maximum=4),
    "batches": Batches(3),
}
# Turns until the answer to each query comes, None for never: out of order, and some two at once.
DELAYS = [2, 0, 4, 1, None, 3, 0, 5, 2, 1, 0, 2, 1]

every_belief = pytest.mark.parametrize("belief", BELIEFS)
every_rule = pytest.mark.parametrize("rule", RULES)


def small_table() -> Candidates:
    return table(25)


def small_box() -> Space:
    return Space(heat=Float(-30.0, 170.0), dose=Float(1e-4, 10.0, log=True))


def composed(belief: str, treatment: str, rule: str, pacing: str = "always") -> Policy:
    return Policy(BELIEFS[belief], TREATMENTS[treatment], RULES[rule], PACINGS[pacing])


def wave(row: Array) -> float:
    return float(np.sin(5.0 * row[0]) + 0.5 * np.cos(7.0 * row[1]))


@dataclass
class Course:
    """A policy on its way through a study: the log so far, what was chosen, and when it balked."""

    policy: Policy
    domain: Domain
    sign: float = 1.0
    seed: int = 5
    memory: Memory = field(default_factory=Memory)
    now: float = 100.0
    chosen: list[Array] = field(default_factory=list)
    balks: list[str] = field(default_factory=list)
    due: list[tuple[int, int, float]] = field(default_factory=list)  # turn, query, value

    def __post_init__(self) -> None:
        self.record = Record.empty(self.domain, None, signed(self.sign))
        goal = "maximize" if self.sign > 0 else "minimize"
        composed_ = {"name": "composed", "parameters": {}}
        self.write(Created(self.domain.to_json(), None, goal, composed_, self.seed))  # type: ignore[arg-type]

    def write(self, body: Body) -> None:
        self.record = self.record.extend([Event(self.record.n_events + 1, self.now, body)])

    @property
    def evidence(self) -> Evidence:
        return Evidence.of(self.record)

    def decision(self, policy: Policy, memory: Memory) -> Array | Balk:
        decided = policy.decide(self.evidence, self.now, self.seed, memory).outcome
        assert isinstance(decided, Balk | np.ndarray)
        return decided

    def go(self, n_asks: int, check: Callable[[Course, Array | Balk], None], delays: list[int | None] = DELAYS) -> None:
        """So many queries; a policy that balks gets the answer that has been due for longest, or any that waits."""
        turn = 0
        while len(self.chosen) < n_asks:
            turn += 1
            self.now += 1.0
            for entry in [entry for entry in self.due if entry[0] <= turn]:
                self.answer(entry)
            decided = self.decision(self.policy, self.memory)
            check(self, decided)
            if isinstance(decided, Balk):
                self.balks.append(decided.reason)
                self.unblock()
                continue
            query, delay = len(self.evidence) + 1, delays[len(self.chosen) % len(delays)]
            self.chosen.append(decided)
            self.write(Asked(query, self.domain.decode(decided)))
            if delay is not None:
                self.due.append((turn + delay, query, wave(self.domain.encode(self.domain.decode(decided)))))
            if len(self.chosen) == 8 and self.evidence.n_answered:
                answered = int(np.flatnonzero(self.evidence.answered_mask)[0]) + 1
                self.write(Revised(answered, self.sign * 0.25))

    def answer(self, entry: tuple[int, int, float]) -> None:
        self.due.remove(entry)
        self.write(Answered(entry[1], self.sign * entry[2]))

    def unblock(self) -> None:
        """Tell what is due first; where nothing is, nobody waits for the lost any more."""
        waiting = self.record.pending()
        assert waiting, "a policy that waits for nothing has no reason to balk"
        if self.due:
            self.answer(min(self.due))
        else:
            self.write(Abandoned(waiting[0].id, "lost"))


def check_laws(course: Course, decided: Array | Balk) -> None:
    """What holds of every decision."""
    policy, domain = course.policy, course.domain
    # A decision is a function of the log: a cold memory does not change it.
    again = course.decision(policy, Memory())
    assert isinstance(again, Balk) == isinstance(decided, Balk)
    if isinstance(decided, Balk):
        assert again == decided
    else:
        assert_array_equal(again, decided)
    # Balks come from the pacing, which never changes what is chosen.
    moment = policy.moment(course.evidence, course.now, course.seed, course.memory)
    waiting = moment.waiting(policy.window)
    assert_array_equal(waiting.rows, np.flatnonzero(course.evidence.waiting_mask(policy.window, course.now)))
    assert_array_equal(waiting.points, course.evidence.points[waiting.rows])
    if isinstance(decided, Balk):
        assert not isinstance(policy.pacing, Always)
        assert len(waiting)
        situation = Situation(moment)
        chosen = course.decision(replace(policy, pacing=Always()), course.memory)
        assert not isinstance(chosen, Balk)
        assert policy.pacing(situation, waiting, lambda: point_of(chosen)) == decided.reason
        return
    if isinstance(policy.pacing, Bounded):
        assert len(waiting) < policy.pacing.limit
    if not isinstance(policy.pacing, Always):
        free = course.decision(replace(policy, pacing=Always()), course.memory)
        assert not isinstance(free, Balk)
        assert_array_equal(free, decided)
    # What is asked is a point of the space.
    assert decided.shape == (domain.dimension,)
    assert np.all((decided >= 0.0) & (decided <= 1.0))
    point = domain.decode(decided)
    if isinstance(domain, Candidates):
        assert_array_equal(domain.table[domain.index(point)], decided)
    else:
        assert_array_equal(domain.encode(domain.decode(domain.encode(point))), domain.encode(point))


def nothing_to_check(course: Course, decided: Array | Balk) -> None:
    """For runs that are compared as a whole."""


@every_pair(belief=BELIEFS, treatment=TREATMENTS, rule=RULES, pacing=PACINGS)
def test_every_composition_keeps_the_laws_on_a_table(belief: str, treatment: str, rule: str, pacing: str) -> None:
    course = Course(composed(belief, treatment, rule, pacing), small_table())
    course.go(12, check_laws)
    assert course.evidence.n_asked == 12
    assert (pacing == "always") <= (not course.balks)


@every_pair(belief=BELIEFS, treatment=TREATMENTS, rule=RULES, pacing=PACINGS)
def test_every_composition_keeps_the_laws_in_a_box(belief: str, treatment: str, rule: str, pacing: str) -> None:
    course = Course(composed(belief, treatment, rule, pacing), small_box())
    course.go(4, check_laws)
    assert len({tuple(point) for point in course.chosen}) > 1


@every_pair(belief=BELIEFS, treatment=TREATMENTS, rule=RULES)
def test_minimising_asks_what_maximising_the_negative_does(belief: str, treatment: str, rule: str) -> None:
    most, least = (Course(composed(belief, treatment, rule, "bounded"), small_table(), sign) for sign in (1.0, -1.0))
    for course in (most, least):
        course.go(12, nothing_to_check)
    assert_array_equal(most.chosen, least.chosen)
    assert most.balks == least.balks


@every_rule
@every_belief
def test_with_no_delay_treatments_that_imagine_values_ask_what_ignoring_does(belief: str, rule: str) -> None:
    courses = [
        Course(composed(belief, name, rule), small_table()) for name in ("ignore", "hallucinate", "nearest", "doubt")
    ]
    for course in courses:
        course.go(10, nothing_to_check, [0])
    for course in courses[1:]:
        assert_array_equal(course.chosen, courses[0].chosen)


@every_pair(treatment=TREATMENTS, rule=RULES, pacing=["always", "information", "predictable"])
def test_an_ensemble_of_one_is_its_member(treatment: str, rule: str, pacing: str) -> None:
    parts = TREATMENTS[treatment], RULES[rule], PACINGS[pacing]
    courses = [Course(Policy(one, *parts), small_table()) for one in (Features(SE, 8), Ensemble((Features(SE, 8),)))]
    if rule != "thompson":  # a draw from an ensemble begins with the draw of a member
        courses += [Course(Policy(one, *parts), small_table()) for one in (SE, Ensemble((SE,)))]
    for course in courses:
        course.go(12, nothing_to_check)
    for alone, within in zip(courses[::2], courses[1::2], strict=True):
        assert_array_equal(alone.chosen, within.chosen)
        assert len(alone.balks) == len(within.balks)


@pytest.mark.parametrize("pacing", [name for name in PACINGS if name != "always"])
def test_the_pacings_of_the_grid_do_balk(pacing: str) -> None:
    for belief in BELIEFS:
        course = Course(composed(belief, "hallucinate", "upper bound", pacing), small_table())
        course.go(12, nothing_to_check)
        assert 0 < len(course.balks) < 40


# Against brute force.

PAIR = (GP(kernel="se", lengthscale=0.4, variance=1.2, noise=0.02, mean=0.1), MATERN)
PLAIN = (PlainGP(PlainKernel("se", 1.2, (0.4,)), 0.02, 0.1), PlainGP(PlainKernel("matern52", 0.8, (0.7,)), 0.05, 0.0))


def halfway(n_asks: int) -> Course:
    """A course with answers, and queries that wait."""
    course = Course(Policy(Ensemble(PAIR), Hallucinate(), Explore(), Always()), small_table())
    course.go(n_asks, nothing_to_check)
    assert course.evidence.n_answered
    assert course.record.pending()
    return course


def plain_weights(course: Course) -> list[float]:
    answers = course.evidence.arrivals()
    logs = [plain.log_likelihood(*answers[:2]) for plain in PLAIN]
    return [1.0 / sum(math.exp(other - own) for other in logs) for own in logs]


def plain_moments(course: Course, treatment: str = "hallucinate") -> list[tuple[Array, Array]]:
    """Of each member on the table, with a value for every point asked that each member imagines by itself."""
    rows, asked = course.domain.table, course.evidence.points  # type: ignore[union-attr]
    points, values, _ = course.evidence.arrivals()
    found = []
    for own in PLAIN:
        plain = PlainGP(own.kernel, own.noise, float(values.min())) if treatment == "censor" else own
        means, filled = plain.moments(points, values, points)[0], course.evidence.values.copy()
        for row in np.flatnonzero(np.isnan(filled)):
            if treatment == "hallucinate":
                filled[row] = plain.moments(points, values, asked[row : row + 1])[0][0]
            elif treatment == "nearest":
                near = sorted(range(len(points)), key=lambda i: math.dist(points[i], asked[row]))[:2]
                filled[row] = np.mean([means[i] for i in near])
            else:
                filled[row] = values.min()
        found.append(plain.moments(asked, filled, rows))
    return found


def assert_best(course: Course, rule: Rule, scores: Array, treatment: str = "hallucinate") -> None:
    policy = Policy(Ensemble(PAIR), TREATMENTS[treatment], rule, Always())
    decided = course.decision(policy, Memory())
    assert not isinstance(decided, Balk)
    row = course.domain.index(course.domain.decode(decided))  # type: ignore[union-attr]
    assert scores[row] >= scores.max() - TIE_TOLERANCE * np.ptp(scores)


@pytest.mark.parametrize("treatment", ["hallucinate", "nearest", "censor"])
@pytest.mark.parametrize("n_asks", [5, 7, 8, 9, 10, 12])
def test_the_upper_bound_under_an_ensemble_is_that_of_the_plain_mixture(n_asks: int, treatment: str) -> None:
    course = halfway(n_asks)
    weights, moments = plain_weights(course), plain_moments(course, treatment)
    mean = sum(w * own for w, (own, _) in zip(weights, moments, strict=True))
    square = sum(w * (s**2 + m**2) for w, (m, s) in zip(weights, moments, strict=True))
    belief = TREATMENTS[treatment](Ensemble(PAIR).prior(course.evidence, Memory()), course.evidence, course.now)
    found = belief.moments(course.domain.table)  # type: ignore[union-attr]
    assert_allclose(found.mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(found.deviation, np.sqrt(square - mean**2), atol=SOLVE_TOLERANCE)
    assert_best(course, UpperBound(Constant(1.5)), np.asarray(mean + 1.5 * np.sqrt(square - mean**2)), treatment)


@pytest.mark.parametrize("n_asks", [7, 8, 9, 12])
def test_the_improvement_under_an_ensemble_is_the_weighted_sum_of_the_members(n_asks: int) -> None:
    course = halfway(n_asks)
    weights, moments = plain_weights(course), plain_moments(course)
    answers = course.evidence.arrivals()
    means = [plain.moments(*answers[:2], answers.points)[0] for plain in PLAIN]
    best = max(sum(w * own[i] for w, own in zip(weights, means, strict=True)) for i in range(len(answers.values)))
    scores = np.zeros(25)
    for weight, (mean, deviation) in zip(weights, moments, strict=True):
        for row in range(25):
            z = (mean[row] - best) / deviation[row]
            density, tail = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi), 0.5 * math.erfc(-z / math.sqrt(2))
            scores[row] += weight * deviation[row] * (density + z * tail)
    assert_best(course, Improvement(), np.log(scores))


def test_the_improvement_of_one_member_is_that_of_members_drawn_by_their_weights() -> None:
    course = halfway(6)
    alone = []
    for member in PAIR:
        decided = course.decision(Policy(member, Hallucinate(), Improvement(), Always()), Memory())
        assert not isinstance(decided, Balk)
        alone.append(tuple(decided))
    assert alone[0] != alone[1]
    policy, n = Policy(Ensemble(PAIR, 0.25), Hallucinate(), OneMember(Improvement()), Always()), 600
    drawn = []
    for _ in range(n):
        decided = course.decision(policy, course.memory)
        assert not isinstance(decided, Balk)
        drawn.append(tuple(decided))
        # A query of which nothing came leaves no trace but its number; where one was only lost, nothing is asked again.
        query = len(course.evidence) + 1
        course.write(Asked(query, course.domain.decode(decided)))
        course.write(Abandoned(query, "lost"))
        course.write(Retracted(query, "it was not"))
    assert set(drawn) == set(alone)
    expected = 0.25 + 0.5 * plain_weights(course)[0]
    error = math.sqrt(expected * (1 - expected) / n)
    assert abs(drawn.count(alone[0]) / n - expected) <= STANDARD_ERRORS * error


# Beliefs that learn.

LEARNED: dict[str, Description] = {
    "features": Features(GP(kernel="se", ard=False, fit="ml", refit=4), 6),
    "ensemble": Ensemble((GP(kernel="matern52", ard=False), Features(GP(kernel="se", refit=4), 6)), 0.1),
}


@every_pair(
    belief=LEARNED,
    treatment=["hallucinate", "censor"],
    rule=["upper bound", "thompson", "improvement"],
    pacing=["always", "information"],
)
def test_beliefs_that_learn_their_hyperparameters_keep_the_laws(
    belief: str, treatment: str, rule: str, pacing: str
) -> None:
    policy = Policy(LEARNED[belief], TREATMENTS[treatment], RULES[rule], PACINGS[pacing])
    course = Course(policy, small_table())
    course.go(8, check_laws)

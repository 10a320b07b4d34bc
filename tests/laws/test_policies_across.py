"""Contexts seen after the decision, late answers and every other part: the grid of compositions, which no paper has.

Each composition looks at a log in which answers and contexts came late, out of order, one without the other or never,
and its decisions are held against the laws of decisions.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.beliefs import GP, Description, Ensemble, Features, Memory
from belated.contexts import (
    Aim,
    ContextLaw,
    DensityBall,
    Expectation,
    KernelDensity,
    Known,
    MeanDiscrepancyBall,
    MinimaxDiscrepancy,
    Observed,
    WithinDeviation,
    placed_evidence,
)
from belated.errors import UnsupportedError
from belated.evidence import Evidence
from belated.log import Abandoned, Added, Answered, Asked, Balk, Body, ContextSeen, Created, Event, Query, Record
from belated.pacing import Always, Batches, Bounded, InformationLimited, Pacing, Predictable
from belated.pending import (
    Censor,
    ExpectLess,
    Fantasise,
    Hallucinate,
    Ignore,
    Lie,
    Nearest,
    Rehallucinate,
    Treatment,
)
from belated.policies import Policy, Recipe, build, names
from belated.rules import Constant, Explore, Improvement, Initially, Rule, Situation, Thompson, UpperBound
from belated.space import Array, Candidates, Choice, Context, Float, Int, Space
from belated.study import Study, differences
from tests.builders import ACROSS, Clock, Domain, table
from tests.logbook import signed
from tests.pairs import every_pair
from tests.reference.gp import PlainGP, PlainKernel
from tests.tolerance import ROUNDING, SOLVE_TOLERANCE, STANDARD_ERRORS

pytest.importorskip("clarabel", reason="needs clarabel, of the extra `robust`")

SE = GP(kernel="se", lengthscale=0.4, variance=1.2, noise=0.02, mean=0.1)
MATERN = GP(kernel="matern52", lengthscale=0.7, variance=0.8, noise=0.05, mean="zero")
PLAIN = PlainGP(PlainKernel("se", 1.2, (0.4,)), 0.02, 0.1)
AIMS: dict[str, Aim] = {
    "expectation": Expectation(samples=40),
    "density ball": DensityBall(samples=40, infimum=10),
    "within deviation": WithinDeviation(samples=40),
    "discrepancy ball": MeanDiscrepancyBall(grid=4),
    "minimax": MinimaxDiscrepancy(grid=40),
}
TREATMENTS: dict[str, Treatment] = {
    "ignore": Ignore(),
    "hallucinate": Hallucinate(),
    "nearest": Nearest(2),
    "rehallucinate": Rehallucinate(),
    "censor": Censor(),
    "lie": Lie("worst"),
    "expect less": ExpectLess(),
    "fantasise": Fantasise(4),
}
PACINGS: dict[str, Pacing] = {
    "always": Always(),
    "bounded": Bounded(3),
    "batches": Batches(3),
    "information": InformationLimited(limit=5.2),
    "predictable": Predictable(tolerance=0.075, maximum=9),
}
RULES: dict[str, Rule] = {"upper bound": UpperBound(Constant(1.5)), "thompson": Thompson(), "explore": Explore()}
BELIEFS: dict[str, Description] = {
    "process": SE,
    "features": Ensemble((Features(SE, 5), Features(MATERN, 5))),
    "processes": Ensemble((SE, MATERN)),
}
CONTEXTS = {
    "line": Context(demand=Float(10.0, 90.0), seen="after"),
    "mixed": Context(demand=Float(1e-2, 1e2, log=True), shift=Int(1, 3), site=Choice("north", "south"), seen="after"),
}
every_aim = pytest.mark.parametrize("aim", AIMS)
each_context = pytest.mark.parametrize("context", CONTEXTS)


def small_table() -> Candidates:
    return table(12)


def small_box() -> Space:
    return Space(heat=Float(-30.0, 170.0), steps=Int(1, 4))


SPACES: dict[str, Any] = {"table": small_table, "box": small_box}


def wave(row: Array) -> float:
    return float(np.sin(5.0 * row[0]) + 0.5 * np.cos(3.0 * row.sum()))


@cache
def records(domain: str, context: str, sign: float = 1.0) -> tuple[Record, Record]:
    """A study at two moments: answers and contexts came together, alone, late, or not at all."""
    space, declared = SPACES[domain](), CONTEXTS[context]
    rng = np.random.default_rng(3)
    points = [space.decode(row) for row in space.sample(12, rng)]
    seen = [declared.space.decode(row) for row in declared.space.sample(12, rng)]
    values = [
        sign * wave(np.concatenate([declared.encode(one), space.encode(point)]))
        for one, point in zip(seen, points, strict=True)
    ]

    def asked(query: int) -> Asked:
        return Asked(query, points[query - 1])

    def told(query: int, context: bool = True) -> Answered:
        return Answered(query, values[query - 1], seen[query - 1] if context else None)

    def sighted(query: int) -> ContextSeen:
        return ContextSeen(query, seen[query - 1])

    goal: Any = "maximize" if sign > 0 else "minimize"
    first: list[Body] = [
        Created(space.to_json(), declared.to_json(), goal, {"name": "composed", "parameters": {}}, 5),
        *(asked(query) for query in range(1, 4)),
        told(2),
        sighted(3),
        asked(4),
        told(1, context=False),
        told(3, context=False),
        Added(5, points[4], values[4], seen[4]),
        *(asked(query) for query in range(6, 10)),
        Abandoned(4, "lost"),
        sighted(4),
        told(7),
        sighted(8),
    ]
    # Pending: 6 and 9 in contexts unknown, 8 in a known one; 1 is answered, its context to come.
    then: list[Body] = [sighted(1), asked(10), sighted(6), told(8, context=False)]
    events = [Event(number, 100.0 + number, body) for number, body in enumerate([*first, *then], start=1)]
    early = Record.empty(space, declared, signed(sign)).extend(events[: len(first)])
    return early, early.extend(events[len(first) :])


def moments(domain: str, context: str, sign: float = 1.0) -> tuple[Evidence, Evidence]:
    """The evidence of both moments."""
    early, late = records(domain, context, sign)
    return Evidence.of(early), Evidence.of(late)


NOW, SEED = 200.0, 5


def decided(policy: Policy, evidence: Evidence, memory: Memory) -> Array | Balk:
    outcome = policy.decide(evidence, NOW, SEED, memory).outcome
    assert isinstance(outcome, Balk | np.ndarray)
    return outcome


def assert_valid(domain: Domain, point: Array) -> None:
    assert point.shape == (domain.dimension,)
    assert np.all((point >= 0.0) & (point <= 1.0))
    decoded = domain.decode(point)
    if isinstance(domain, Candidates):
        assert_array_equal(domain.table[domain.index(decoded)], point)
    else:
        assert_array_equal(domain.snap(point[None])[0], point)


def assert_laws(policy: Policy, domain: str, context: str) -> None:
    """Valid points, the same from an empty memory, and balks from the pacing alone."""
    memory = Memory()
    for evidence in moments(domain, context):
        found, again = decided(policy, evidence, memory), decided(policy, evidence, Memory())
        assert isinstance(found, Balk) == isinstance(again, Balk)
        if isinstance(found, Balk):
            assert found == again
            assert not isinstance(policy.pacing, Always)
            continue
        assert_array_equal(found, again)
        assert_valid(SPACES[domain](), found)
        waiting = len(evidence.waiting_rows(policy.window, NOW))
        if isinstance(policy.pacing, Bounded):
            assert waiting < policy.pacing.limit
        if isinstance(policy.pacing, Batches):
            assert evidence.n_asked % policy.pacing.size or not waiting


@every_pair(aim=AIMS, belief=BELIEFS, treatment=TREATMENTS, rule=RULES, pacing=PACINGS, context=CONTEXTS)
def test_every_composition_keeps_the_laws_on_a_table(
    aim: str, belief: str, treatment: str, rule: str, pacing: str, context: str
) -> None:
    policy = Policy(BELIEFS[belief], TREATMENTS[treatment], RULES[rule], PACINGS[pacing], AIMS[aim])
    assert_laws(policy, "table", context)


# Those that are fast have every aim with every belief and rule, but for the drawn functions, which every other aim has.
IN_A_BOX = [
    pytest.param(aim, belief, rule, marks=[pytest.mark.slow] if (place + other + turn // 2) % 2 else [])
    for place, aim in enumerate(AIMS)
    for turn, rule in enumerate(RULES)
    for other, belief in enumerate(BELIEFS)
    # The drawn functions of exact processes, in many contexts each, would take as long as all the rest.
    if rule != "thompson" or belief == "features"
]


@pytest.mark.parametrize("aim, belief, rule", IN_A_BOX)
def test_every_aim_belief_and_rule_keeps_the_laws_in_a_box(aim: str, belief: str, rule: str) -> None:
    places = [list(names).index(name) for names, name in ((AIMS, aim), (BELIEFS, belief), (RULES, rule))]
    treatment, pacing = list(TREATMENTS)[sum(places) % 4], list(PACINGS)[sum(places) % 5]
    policy = Policy(BELIEFS[belief], TREATMENTS[treatment], RULES[rule], PACINGS[pacing], AIMS[aim])
    assert_laws(policy, "box", list(CONTEXTS)[places[1] % 2])


@pytest.mark.parametrize("pacing", [name for name in PACINGS if name != "always"])
def test_the_pacings_of_the_grid_do_balk_and_do_ask(pacing: str) -> None:
    found = []
    for aim in AIMS:
        for treatment in TREATMENTS:
            policy = Policy(SE, TREATMENTS[treatment], RULES["upper bound"], PACINGS[pacing], AIMS[aim])
            found += [isinstance(decided(policy, evidence, Memory()), Balk) for evidence in moments("table", "line")]
    assert set(found) == ({True} if pacing == "bounded" else {True, False})


@every_pair(aim=AIMS, treatment=TREATMENTS, context=CONTEXTS)
def test_minimising_asks_what_maximising_the_negative_does(aim: str, treatment: str, context: str) -> None:
    policy = Policy(replace(SE, mean="zero"), TREATMENTS[treatment], RULES["upper bound"], Always(), AIMS[aim])
    for most, least in zip(moments("table", context), moments("table", context, -1.0), strict=True):
        assert_array_equal(decided(policy, most, Memory()), decided(policy, least, Memory()))


@every_aim
def test_rules_that_decide_in_one_context_are_refused(aim: str) -> None:
    recipe = Recipe("mine", {}, Policy(SE, Hallucinate(), Initially(None, Improvement()), Always(), AIMS[aim]))
    with pytest.raises(UnsupportedError, match=r"^create\(\): got 'mine', whose rule decides in one context, and"):
        recipe.check("create()", table(), Context(demand=Float(0, 1), seen="after"))


# Pending queries whose context is unknown.

LAWS: dict[str, ContextLaw] = {
    "density": KernelDensity(),
    "observed": Observed(),
    "known": Known([{"demand": 20.0}, {"demand": 50.0}, {"demand": 88.0}], [1.0, 2.0, 5.0]),
}


def rows_placed(record: Record) -> list[int]:
    """The rows of the record that have a place among contexts: their context was seen, or they are still pending."""
    waiting = {query.id for query in record.pending()}
    return [row for row, query in enumerate(record.queries) if query.context is not None or query.id in waiting]


def in_line(record: Record, law: ContextLaw, seed: int = SEED) -> Array:
    """The contexts in which the pending queries of unknown context are placed. (p, c)"""
    evidence = Evidence.of(record)
    placed, queries = placed_evidence(evidence, law, seed), record.queries
    assert len(placed) == len(rows_placed(record))
    rows = [row for row, old in enumerate(rows_placed(record)) if queries[old].context is None]
    return placed.points[rows, : evidence.contexts.shape[1]]


@pytest.mark.parametrize("law", LAWS)
def test_a_pending_query_is_placed_in_the_support_of_the_law(law: str) -> None:
    for record in records("table", "line"):
        drawn, evidence = in_line(record, LAWS[law]), Evidence.of(record)
        assert drawn.shape == (len(evidence.unplaced_rows()), 1)
        assert np.all((drawn >= 0.0) & (drawn <= 1.0))
        if law != "density":
            support = evidence.contexts if law == "observed" else np.array([[10.0], [40.0], [78.0]]) / 80.0
            assert np.abs(drawn - support.T).min(axis=1).max() < ROUNDING


def test_pending_queries_in_contexts_of_several_kinds_are_placed_in_valid_ones() -> None:
    space = CONTEXTS["mixed"].space
    for law in (KernelDensity(), Observed()):
        for record in records("table", "mixed"):
            drawn = in_line(record, law)
            assert_array_equal(space.snap(drawn), drawn)


def many_pending(count: int) -> Record:
    """So many queries whose context is unknown, after three that are answered in known ones."""
    space, declared = small_table(), CONTEXTS["line"]
    created = Created(space.to_json(), declared.to_json(), "maximize", {"name": "composed", "parameters": {}}, SEED)
    added = [Added(query, space.point(query), 0.1 * query, {"demand": 20.0 * query}) for query in (1, 2, 3)]
    asks = [Asked(query, space.point(query % 12)) for query in range(4, 4 + count)]
    bodies: list[Body] = [created, *added, *asks]
    events = [Event(number, 100.0, body) for number, body in enumerate(bodies, start=1)]
    return Record.empty(space, declared).extend(events)


def test_the_draws_of_pending_queries_follow_the_law_each_its_own() -> None:
    count = 900
    drawn = Counter(np.round(in_line(many_pending(count), LAWS["known"])[:, 0], 6).tolist())
    assert len(drawn) == 3
    for value, share in ((20.0, 1 / 8), (50.0, 2 / 8), (88.0, 5 / 8)):
        error = math.sqrt(share * (1.0 - share) / count)
        assert abs(drawn[round((value - 10.0) / 80.0, 6)] / count - share) <= STANDARD_ERRORS * error


def test_a_draw_stays_the_same_until_another_context_is_seen() -> None:
    record = many_pending(6)
    before = in_line(record, KernelDensity())
    number = record.n_events
    later = record.extend(
        [
            Event(number + 1, 101.0, Asked(10, small_table().point(0))),
            Event(number + 2, 101.0, Answered(4, 0.3)),
            Event(number + 3, 101.0, Abandoned(5, "lost")),
        ]
    )
    # Of the first six, one is answered and one abandoned; a seventh has come.
    assert_array_equal(in_line(later, KernelDensity())[:4], before[2:])
    seen = later.extend([Event(number + 4, 102.0, ContextSeen(4, {"demand": 77.0}))])
    assert not np.array_equal(in_line(seen, KernelDensity())[:4], before[2:])
    assert not np.array_equal(in_line(record, KernelDensity(), SEED + 1), before)


def probes(dimension: int) -> Array:
    return np.random.default_rng(9).random((30, dimension))


@pytest.mark.parametrize("moment", [0, 1])
def test_hallucination_leaves_the_mean_and_narrows_the_deviation_where_pending_queries_are_placed(moment: int) -> None:
    record = records("table", "line")[moment]
    policy = Policy(SE, Hallucinate(), RULES["upper bound"], Always(), AIMS["expectation"])
    seen = policy.moment(Evidence.of(record), NOW, SEED, Memory())
    situation, placed = Situation(seen), seen.evidence
    points, values, _ = placed.arrivals()
    assert len(values) == [4, 6][moment]
    everywhere = np.concatenate([placed.points, probes(3)])
    mean, known = PLAIN.moments(points, values, everywhere)
    rows = placed.answered_mask | placed.pending_mask
    narrowed = PLAIN.deviation(placed.points[rows], everywhere)
    assert_allclose(situation.belief.moments(everywhere).mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(situation.belief.moments(everywhere).deviation, narrowed, atol=SOLVE_TOLERANCE)
    assert_allclose(situation.known.moments(everywhere).deviation, known, atol=SOLVE_TOLERANCE)
    waiting = np.flatnonzero(placed.pending_mask)
    assert np.all(narrowed[waiting] < 0.5 * known[waiting])
    # The contexts that are known are where they are.
    for row, place in zip(placed.points, rows_placed(record), strict=True):
        context = record.queries[place].context
        if context is not None:
            assert_array_equal(row[:1], CONTEXTS["line"].encode(context))


@pytest.mark.parametrize("moment", [0, 1])
def test_censoring_counts_pending_queries_at_the_floor_where_they_are_placed(moment: int) -> None:
    evidence = moments("table", "line")[moment]
    policy = Policy(SE, Censor(), RULES["upper bound"], Always(), AIMS["expectation"])
    seen = policy.moment(evidence, NOW, SEED, Memory())
    situation, placed = Situation(seen), seen.evidence
    floor = float(placed.arrivals().values.min())
    rows = placed.answered_mask | placed.pending_mask
    values = np.where(np.isnan(placed.values), floor, placed.values)[rows]
    plain = replace(PLAIN, mean=floor)
    mean, deviation = plain.moments(placed.points[rows], values, probes(3))
    found = situation.belief.moments(probes(3))
    assert_allclose(found.mean, mean, atol=SOLVE_TOLERANCE)
    assert_allclose(found.deviation, deviation, atol=SOLVE_TOLERANCE)


# The registered ones, through a study.

SMALL: dict[str, dict[str, Any]] = {
    "sbo-kde": {"samples": 40},
    "drbo-kde": {"samples": 40, "infimum": 10},
    "drbo-mmd": {"grid": 4},
    "drbo-mmd-minimax": {"grid": 40},
    "stableopt": {"samples": 40},
}
every_policy = pytest.mark.parametrize("name", ACROSS)


def study_of(name: str, domain: Domain, context: str = "line", **parameters: Any) -> Study:
    policy = build(name, **{**SMALL[name], **parameters})
    return Study.in_memory(domain, policy=policy, context=CONTEXTS[context], seed=1, clock=Clock())


def go_on(study: Study, n: int, scale: float = 1.0, shift: float = 0.0) -> list[dict[str, Any]]:
    """n queries, of which some wait, some show their context alone, and one is abandoned."""
    points = []
    assert study.context is not None
    for _ in range(n):
        query = study.ask()
        assert isinstance(query, Query)
        points.append(dict(query.point))
        context = study.context.space.decode(study.context.space.sample(1, np.random.default_rng(query.id))[0])
        value = shift + scale * wave(np.concatenate([study.context.encode(context), study.space.encode(query.point)]))
        match query.number % 5:
            case 0:
                study.tell(query, context=context)
            case 3:
                study.tell(query, value)
            case _:
                study.tell(query, value, context=context)
    return points


def test_these_are_the_policies_that_learn_the_law_of_contexts() -> None:
    needed: dict[str, dict[str, Any]] = {"bpe": {"horizon": 5}, "bpe-delay": {"horizon": 5, "mean_delay": 1.0}}
    domain, after = small_table(), CONTEXTS["line"]
    known = {name: build(name, **needed.get(name, {})) for name in names()}
    assert [name for name, recipe in known.items() if recipe.beginning(domain).across is not None] == list(ACROSS)
    # The default policy does so where contexts are seen after the decision.
    learning = [name for name, recipe in known.items() if recipe.beginning(domain, after).across is not None]
    assert learning == ["auto", *ACROSS]


@pytest.mark.parametrize("space", SPACES)
@each_context
@every_policy
def test_a_process_that_has_just_started_asks_the_same_bit_for_bit(name: str, context: str, space: str) -> None:
    study = study_of(name, SPACES[space](), context, **({} if space == "table" else {"belief": SE}))
    go_on(study, 7 if space == "table" else 4)
    assert list(differences(study.events, forgetful=True)) == []
    again = Study(study.events, clock=Clock())
    assert again.recommend() == study.recommend()


@every_policy
def test_a_table_of_one_candidate_is_asked_again_and_again(name: str) -> None:
    study = study_of(name, Candidates([{"heat": 20.0, "solvent": "water"}]), "mixed")
    assert go_on(study, 6) == [{"heat": 20.0, "solvent": "water"}] * 6
    assert study.recommend().point == {"heat": 20.0, "solvent": "water"}


@every_policy
def test_a_space_of_one_level_is_asked_again_and_again(name: str) -> None:
    study = study_of(name, Space(solvent=Choice("water"), steps=Int(3, 3)))
    assert go_on(study, 6) == [{"solvent": "water", "steps": 3}] * 6


@every_policy
def test_a_context_of_one_level_is_no_obstacle(name: str) -> None:
    context = Context(site=Choice("north"), shift=Int(2, 2), seen="after")
    study = Study.in_memory(small_table(), policy=build(name, **SMALL[name]), context=context, seed=1, clock=Clock())
    assert len(go_on(study, 6)) == 6
    assert math.isfinite(study.recommend().deviation)


@every_policy
@pytest.mark.parametrize("value", [0.0, -7.5, 1e12])
def test_constant_values_are_believed(name: str, value: float) -> None:
    study = study_of(name, small_table())
    for row in range(12):
        study.add(small_table().point(row), value, context={"demand": 10.0 + 6.0 * row})
    assert study.ask()
    assert study.recommend().mean == pytest.approx(value, rel=1e-6, abs=1e-6)


@every_policy
def test_the_same_context_every_time_is_as_good_as_none(name: str) -> None:
    study = study_of(name, small_table(), belief=SE)
    values = np.sin(np.arange(12.0))
    for row in range(12):
        study.add(small_table().point(row), float(values[row]), context={"demand": 35.0})
    assert study.ask()
    if name in ("sbo-kde", "stableopt"):  # the others fear contexts that were never seen
        points = np.concatenate([np.full((12, 1), (35.0 - 10.0) / 80.0), small_table().table], axis=1)
        mean, deviation = PLAIN.moments(points, values, points)
        best = int(np.argmax(mean))
        found = study.recommend()
        assert found.point == small_table().point(best)
        assert found.mean == pytest.approx(mean[best], abs=SOLVE_TOLERANCE)
        assert found.deviation == pytest.approx(deviation[best], abs=1e-6)


@every_policy
def test_values_in_another_unit_lead_to_the_same_rows(name: str) -> None:
    # By a power of two, so that not even the rounding differs; the solver's tolerances are absolute.
    first, second = (go_on(study_of(name, small_table()), 10, scale=scale) for scale in (1.0, 2.0**20))
    assert first == second


@pytest.mark.parametrize("name", ["sbo-kde", "drbo-mmd-minimax"])
def test_the_order_in_which_contexts_are_declared_does_not_matter_where_nothing_is_drawn(name: str) -> None:
    parameters = {"belief": SE, "law": Observed()} if name == "sbo-kde" else {"belief": SE, "grid": 16}
    parts: dict[str, Any] = {"demand": Float(10.0, 90.0), "price": Float(1.0, 2.0), "site": Choice("north", "south")}
    found = []
    for order in (["demand", "price", "site"], ["site", "price", "demand"]):
        context = Context(**{part: parts[part] for part in order}, seen="after")
        study = Study.in_memory(small_table(), policy=build(name, **parameters), context=context, seed=1, clock=Clock())
        for row in range(12):
            seen = {"demand": 10.0 + 5.0 * row, "price": 1.0 + (7 * row % 12) / 12, "site": ["north", "south"][row % 2]}
            study.add(small_table().point(row), math.sin(2.0 * row), context=seen)
        query = study.ask()
        assert isinstance(query, Query)
        found.append((query.point, study.recommend()))
    assert found[0][0] == found[1][0]
    assert found[0][1].point == found[1][1].point
    assert found[0][1].mean == pytest.approx(found[1][1].mean, abs=SOLVE_TOLERANCE)
    assert found[0][1].deviation == pytest.approx(found[1][1].deviation, abs=SOLVE_TOLERANCE)

"""What a situation knows, and that it is a function of the log."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.beliefs import Memory
from belated.evidence import Evidence
from belated.log import Window
from belated.pending import Hallucinate
from belated.randomness import Stream
from belated.rules import Moment, Situation
from belated.space import Context, Float
from tests.builders import box, known_gp, random_evidence, random_study, situation_of, table
from tests.reference.policies import information_bound
from tests.tolerance import SOLVE_TOLERANCE


def test_a_situation_counts_queries_and_answers() -> None:
    belief, _ = known_gp()
    study = random_study(1, 5, 3, n_added=2)
    situation = situation_of(study.evidence(), belief)
    assert situation.number == 9
    assert situation.answers == 5 + len([query for query in study.queries() if not query.number])


@pytest.mark.parametrize("stream", list(Stream))
def test_randomness_is_a_function_of_seed_number_and_stream(stream: Stream) -> None:
    belief, _ = known_gp()
    drawn = {
        (seed, n): situation_of(random_evidence(1, n, 0), belief, seed=seed).random(stream).random()
        for seed in (1, 2)
        for n in (0, 1, 2)
    }
    assert len(set(drawn.values())) == 6
    again = situation_of(random_evidence(1, 2, 0), belief, seed=1)
    assert again.random(stream).random() == drawn[1, 2]
    assert again.random(stream, 1).random() == drawn[1, 0]
    others = [again.random(other).random() for other in Stream if other is not stream]
    assert drawn[1, 2] not in others


def test_the_streams_of_neighbouring_studies_are_unlike() -> None:
    belief, _ = known_gp()
    evidence = random_evidence(1, 0, 0)
    first = [situation_of(evidence, belief, seed=seed).random(Stream.CHOICE).random() for seed in range(400)]
    assert abs(np.mean(first) - 0.5) <= 5 * math.sqrt(1 / 12 / 400)
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) <= 5 / math.sqrt(399)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 9])
def test_the_bound_of_information_is_the_same_in_any_order_of_asking(count: int) -> None:
    belief, plain = known_gp("matern52", 0.3)
    domain = table(30)
    memory = Memory()
    evidence = random_evidence(1, 1, 0, domain=domain)
    expected = information_bound(plain, domain.table, count) if count else 0.0
    for earlier in (7, 2, 12):
        situation_of(evidence, belief, memory=memory).maximum_information(earlier)
        warm = situation_of(evidence, belief, memory=memory).maximum_information(count)
        assert warm == situation_of(evidence, belief).maximum_information(count)
        assert warm == pytest.approx(expected, abs=SOLVE_TOLERANCE)


def test_the_same_quasi_random_points_stand_for_a_box_at_every_ask() -> None:
    belief, _ = known_gp()
    first, later = (situation_of(random_evidence(1, n, 0, domain=box()), belief) for n in (0, 4))
    assert_array_equal(first.candidates, later.candidates)


def test_candidates_carry_the_context_before_their_own_columns() -> None:
    belief, _ = known_gp()
    domain = table(10)
    evidence = Evidence.none(domain, Context(hour=Float(0.0, 24.0), seen="before"))
    situation = Situation(Moment(belief, Hallucinate(), evidence, 0.0, 0, Memory(), np.array([0.25])))
    assert_array_equal(situation.candidates[:, 0], 0.25)
    assert_array_equal(situation.candidates[:, 1:], domain.table)


def test_recent_points_are_those_of_the_window() -> None:
    belief, _ = known_gp()
    study = random_study(1, 5, 3, n_added=2)
    situation = situation_of(study.evidence(), belief)
    asked = [query.point for query in study.queries() if query.number]
    for m in (0, 1, 3, 50):
        recent = situation.past.recent(Window(queries=m))
        expected = [study.space.encode(point) for point in asked[len(asked) - min(m, len(asked)) :]]
        assert_array_equal(recent, np.array(expected).reshape(-1, 2))


def test_one_query_later_nothing_else_has_changed() -> None:
    belief, _ = known_gp()
    situation = situation_of(random_evidence(1, 5, 3), belief, Hallucinate())
    point = table().table[7]
    after = situation.after(point, 2.5)
    assert after.number == situation.number + 1
    assert after.answers == situation.answers + 1
    assert_array_equal(after.past.arrivals.points[-1], point)
    assert after.past.arrivals.values[-1] == 2.5
    assert_array_equal(after.past.arrivals.values[:-1], situation.past.arrivals.values)
    assert after.prior.key == situation.prior.key
    assert (situation.number, situation.answers) == (9, 5)


def test_what_is_imagined_of_a_minimised_study_keeps_inside_units() -> None:
    belief, _ = known_gp()
    situation = situation_of(random_evidence(1, 5, 3, minimise=True), belief)
    assert situation.after(table().table[7], 2.5).past.arrivals.values[-1] == 2.5


def test_where_contexts_are_left_out_they_tell_nothing() -> None:
    belief, plain = known_gp("matern52", 0.3)
    domain = table(10)
    evidence = Evidence.none(domain, Context(hour=Float(0.0, 24.0), seen="after"))
    blind = situation_of(evidence, belief, Hallucinate())
    expected = information_bound(plain, domain.table, 4)
    assert blind.maximum_information(4) == pytest.approx(expected, abs=SOLVE_TOLERANCE)

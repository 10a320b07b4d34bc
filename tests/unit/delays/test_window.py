"""How long an answer is worth waiting for, against a count by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from belated.delays import allowance, later, learned_window
from belated.delays.window import worth_waiting
from belated.evidence import Evidence, Spans, Waits
from belated.log import FOREVER, Answered, Asked, Body, Event, Record, Values, Window
from belated.space import Float, Space
from tests.logbook import CREATED

SPACE = Space(heat=Float(0.0, 1.0))
POINT = Values({"heat": 0.5})


def evidence_of(delays: list[float], rounds: int, pause: float = 1.0) -> Evidence:
    """One ask a round, `pause` apart; the answer to query s comes just before the ask of round s + its delay."""
    events = [Event(1, 0.0, CREATED)]

    def write(at: float, body: Body) -> None:
        events.append(Event(len(events) + 1, at, body))

    for number in range(1, rounds + 1):
        for s in range(1, number):
            if s + delays[s - 1] == number:
                write((number - 0.5) * pause, Answered(s, 0.1 * s))
        write(number * pause, Asked(number, POINT))
    return Evidence.of(Record.empty(SPACE).extend(events))


def waits_of(lengths: list[float], answered: list[bool]) -> Waits:
    spans = Spans(np.array(lengths), np.array(lengths))
    mask = np.array(answered)
    return Waits(np.arange(len(lengths)), mask, ~mask, spans, spans)


def by_hand(lengths: list[float], answered: list[bool]) -> float | None:
    """The first delay after which, with one lost query more, fewer than one in twenty are still answered."""
    never = 1.0
    curve: dict[float, float] = {}
    for delay in sorted({length for length, there in zip(lengths, answered, strict=True) if there}):
        at_risk = sum(length >= delay for length in lengths)
        came = sum(length == delay and there for length, there in zip(lengths, answered, strict=True))
        never *= 1.0 - came / at_risk
        curve[delay] = never
    n = len(lengths)
    for delay, left in curve.items():
        if 1.0 - (n * never + 1.0) / (n * left + 1.0) < 0.05:
            return delay * (1.0 + 1.0 / sum(answered))
    return None


def test_delays_of_ten_rounds_are_waited_for_that_long_and_a_little_more() -> None:
    evidence = evidence_of([10.0] * 40, 40)
    # 30 answers, each after nine further queries: 9 (1 + 1/30), whole queries.
    assert learned_window(evidence, 40.0) == Window(queries=10)
    assert allowance(evidence, 40.0) == pytest.approx(9.0 * 31.0 / 30.0)


def test_just_after_an_ask_the_window_is_that_of_just_before_it() -> None:
    """An answer may still come before the next ask, so that its query must not look late already."""
    for rounds in range(20, 30):
        assert learned_window(evidence_of([10.0] * 40, rounds), float(rounds)).queries in (10, 11)


@pytest.mark.parametrize("rounds", [0, 3, 10, 11])
def test_before_there_are_two_answers_nothing_is_given_up(rounds: int) -> None:
    assert learned_window(evidence_of([10.0] * 40, rounds), float(rounds)) == FOREVER


@pytest.mark.parametrize("rounds", [12, 14])
def test_while_there_are_few_answers_many_of_their_delays_are_waited_for(rounds: int) -> None:
    """Both in time: answers came half a round before the tenth ask after theirs."""
    assert learned_window(evidence_of([10.0] * 40, rounds), float(rounds)) == Window(seconds=95.0)


def test_while_nobody_can_tell_the_allowance_is_the_longest_wait() -> None:
    assert allowance(evidence_of([10.0] * 40, 14), 14.0) == 9.0
    assert allowance(evidence_of([99.0] * 40, 14), 14.0) == 13.0
    assert allowance(evidence_of([], 0), 0.0) == 0.0


def test_answers_that_never_come_are_given_up_when_silence_says_so() -> None:
    rng = np.random.default_rng(4)
    delays = np.where(rng.random(60) < 0.4, np.inf, rng.poisson(4, 60) + 1.0).tolist()
    known = learned_window(evidence_of(delays, 60), 60.0)
    longest = max(delay for delay in delays if delay < math.inf)
    assert known.queries is not None
    assert known.queries <= longest + 1


@pytest.mark.parametrize("seed", range(20))
def test_what_is_worth_waiting_for_is_what_counting_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.gamma(2.0, 3.0, 60).tolist()
    answered = (rng.random(60) < 0.7).tolist()
    # Those without an answer were waited for longer than all others, so that everybody can tell.
    lengths = [length if there else 90.0 + length for length, there in zip(lengths, answered, strict=True)]
    found = worth_waiting(waits_of(lengths, answered), "seconds")
    assert found == pytest.approx(by_hand(lengths, answered))


def test_on_a_clock_that_stands_still_queries_are_counted() -> None:
    rng = np.random.default_rng(4)
    delays = np.where(rng.random(60) < 0.4, np.inf, rng.poisson(4, 60) + 1.0).tolist()
    moving, still = evidence_of(delays, 60), evidence_of(delays, 60, pause=0.0)
    assert learned_window(still, 0.0) == learned_window(moving, 60.0)
    rows = np.flatnonzero(moving.pending_mask)
    assert later(still, 0.0, rows).tolist() == later(moving, 60.0, rows).tolist()


def test_the_share_of_answers_that_take_longer_is_a_count_with_one_more_that_takes_longest() -> None:
    rng = np.random.default_rng(4)
    delays = np.where(rng.random(50) < 0.4, np.inf, rng.poisson(4, 50) + 1.0).tolist() + [1.0] * 20
    evidence = evidence_of(delays, 70)
    rows = np.flatnonzero(evidence.pending_mask)
    waits = [delay - 1.0 for delay in delays[:69] if math.isfinite(delay)]  # the last had no time to be answered
    ages = [70 - (row + 1) for row in rows.tolist()]
    expected = [(sum(wait > age for wait in waits) + 1) / (len(waits) + 1) for age in ages]
    assert later(evidence, 70.0, rows) == pytest.approx(expected)
    assert len(set(expected)) > 1


def test_while_nobody_can_tell_all_answers_may_take_longer() -> None:
    evidence = evidence_of([2.0, math.inf, math.inf], 3)
    assert later(evidence, 3.0, np.array([1, 2])).tolist() == [1.0, 1.0]


def test_where_asks_come_in_bursts_but_answers_take_equally_long_time_is_counted() -> None:
    """A burst of asks every ten minutes; each answer takes two minutes, by when its whole burst has been asked."""
    events, number = [Event(1, 0.0, CREATED)], 0
    for burst, size in enumerate([1, 7, 2, 9, 3, 1, 8]):
        start, first = 600.0 * burst, number + 1
        for place in range(size):
            number += 1
            events.append(Event(len(events) + 1, start + place, Asked(number, POINT)))
        for place in range(size):
            events.append(Event(len(events) + 1, start + 120.0 + place, Answered(first + place, 0.0)))
    window = learned_window(Evidence.of(Record.empty(SPACE).extend(events)), 5000.0)
    assert window.queries is None
    # A batch is what was asked within six seconds, a twentieth of two minutes: the bursts of nine and eight are two.
    assert window.seconds == pytest.approx(120.0 * (1.0 + 1.0 / 9))


def test_a_longer_pause_between_asks_changes_nothing_that_is_counted_in_queries() -> None:
    rng = np.random.default_rng(8)
    delays = (rng.poisson(6, 50) + 1.0).tolist()
    assert learned_window(evidence_of(delays, 50), 50.0) == learned_window(evidence_of(delays, 50, 60.0), 3000.0)


def test_old_delays_are_forgotten() -> None:
    """Five hundred queries are remembered: after as many quick answers, the slow ones of the start no longer count."""
    evidence = evidence_of([30.0] * 40 + [2.0] * 640, 680)
    assert learned_window(evidence, 680.0) == Window(queries=2)
    assert learned_window(evidence.before(100), 100.0).queries == 30


@pytest.mark.parametrize("batch", [20, 300, 500, 1200])
@pytest.mark.parametrize("share", [0.2, 0.8, 1.0])
def test_of_large_batches_the_longest_delays_count_too(batch: int, share: float) -> None:
    """Each batch is answered whole before the next is asked: the first of its queries waits for all others."""
    events = [Event(1, 0.0, CREATED)]
    for first in (1, batch + 1):
        queries = range(first, first + batch)
        events += [Event(len(events) + place, 1.0, Asked(query, POINT)) for place, query in enumerate(queries, 1)]
        events += [Event(len(events) + place, 1.0, Answered(query, 0.1)) for place, query in enumerate(queries, 1)]
    waiting = range(2 * batch + 1, 2 * batch + 1 + int(share * batch))
    events += [Event(len(events) + place, 1.0, Asked(query, POINT)) for place, query in enumerate(waiting, 1)]
    evidence = Evidence.of(Record.empty(SPACE).extend(events))
    window = learned_window(evidence, 1.0)
    # Fewer than one in twenty wait longer; when all wait as long as ever, nobody can tell whether any will be answered.
    assert window == FOREVER if window.queries is None else 0.94 * (batch - 1) <= window.queries <= batch + 1
    assert window != FOREVER or share == 1.0

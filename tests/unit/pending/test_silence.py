"""Silence weighed by the delays so far, against the formula written out."""

from __future__ import annotations

import json
import math
from statistics import NormalDist

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.contexts import KernelDensity, placed_evidence
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.log import FOREVER, Answered, Asked, Event, Record, Window
from belated.pending import Hallucinate, ImputeSilence
from belated.pending.silence import bad_news, below, news
from belated.policies import from_json, sbo_kde
from belated.space import Candidates, Context, Float, Space
from tests.builders import processes_of, random_evidence, table
from tests.logbook import CREATED

FLOOR = -3.0


def asked(domain: Candidates, lost: list[bool], rows: list[int], values: list[float], delay: int = 2) -> Evidence:
    """One query of the table a round; its answer comes `delay` asks later, or never."""
    events = [Event(1, 0.0, CREATED)]
    for number in range(1, len(rows) + 1):
        due = number - delay
        if due >= 1 and not lost[due - 1]:
            events.append(Event(len(events) + 1, number - 0.5, Answered(due, values[due - 1])))
        point = domain.decode(domain.table[rows[number - 1]])
        events.append(Event(len(events) + 1, float(number), Asked(number, point)))
    return Evidence.of(Record.empty(domain).extend(events))


def some_lost(seed: int = 1, n: int = 40) -> tuple[Evidence, float]:
    """A third of the answers never come, whatever they are."""
    rng = np.random.default_rng(seed)
    domain = table()
    rows = rng.integers(0, len(domain), n).tolist()
    return asked(domain, (rng.random(n) < 0.33).tolist(), rows, rng.normal(size=n).tolist()), n + 0.9


def plain_weight(evidence: Evidence, age: int, bad: float) -> float:
    """How far from no news to a loss, by Bayes' rule: every answer took one further query; one more takes longer."""
    later = 1.0 if age < 1 else 1.0 / (evidence.n_answered + 1.0)
    lost = bad / (bad + (1.0 - bad) * later)
    return (lost - bad) / (1.0 - bad)


@pytest.mark.parametrize("silence", [0.3, 1.0])
def test_a_pending_query_counts_as_late_or_lost_by_its_chance(silence: float) -> None:
    evidence, now = some_lost()
    prior, plain = processes_of(table())
    belief = ImputeSilence(FOREVER, FLOOR, silence)(prior, evidence, now)
    answers, pending = np.flatnonzero(evidence.answered_mask), np.flatnonzero(~evidence.answered_mask)
    assert len(pending) > 5
    arrived = evidence.arrivals()
    expected, uncertain = plain.moments(*arrived[:2], evidence.points[pending])
    ages = [evidence.n_asked - (row + 1) for row in pending.tolist()]
    smallest = min(arrived.values)
    bad = [NormalDist(mean, deviation).cdf(smallest) for mean, deviation in zip(expected, uncertain, strict=True)]
    weights = [plain_weight(evidence, age, chance) for age, chance in zip(ages, bad, strict=True)]
    assert min(weights) == 0.0
    assert 0.3 < max(weights) < 1.0
    imagined = expected + silence * np.array(weights) * (FLOOR - expected)
    points = np.concatenate([evidence.points[answers], evidence.points[pending]])
    values = np.concatenate([evidence.values[answers], imagined])
    mean, deviation = plain.moments(points, values, table().table)
    found = belief.moments(table().table)
    assert_allclose(found.mean, mean, atol=1e-8)
    assert_allclose(found.deviation, deviation, atol=1e-6)


def test_what_is_expected_is_the_mean_over_bad_and_good_answers_as_likely_as_silence_makes_them() -> None:
    """A draw is bad with chance b, and good ones take longer than L of them: those still silent have the mean v."""
    rng, (bad, share, mean, floor) = np.random.default_rng(2), (0.3, 0.25, 1.4, -2.0)
    good = (mean - bad * floor) / (1.0 - bad)
    is_bad = rng.random(400_000) < bad
    silent = np.where(is_bad, floor, good)[is_bad | (rng.random(400_000) < share)]
    expected = mean + float(news(np.array(bad), np.array(share))) * (floor - mean)
    # Four standard errors, which chance exceeds less than once in ten thousand.
    assert silent.mean() == pytest.approx(expected, abs=4.0 * silent.std() / math.sqrt(len(silent)))


def test_silence_is_no_news_at_once_and_a_loss_in_the_end() -> None:
    bad = np.array([1e-12, 0.1, 0.5, 0.9, 1.0])
    assert_allclose(news(bad, np.ones(5)), 0.0, atol=1e-15)
    assert_allclose(news(bad, np.zeros(5)), 1.0)
    halfway = news(bad, np.full(5, 0.5))
    assert np.all(np.diff(halfway) > 0.0)  # where little is promised, silence says more


def test_where_nothing_is_uncertain_a_place_is_bad_or_good_or_even() -> None:
    found = below(0.5, np.array([0.0, 0.5, 1.0]), np.zeros(3))
    assert_allclose(found, [1.0, 0.5, 1e-12])
    assert below(1e100, np.zeros(1), np.full(1, 1e-300)).tolist() == [1.0]
    assert below(0.5, np.array([1.5]), np.array([0.5]))[0] == pytest.approx(NormalDist().cdf(-2.0))


def test_silence_that_says_nothing_is_hallucination() -> None:
    evidence, now = some_lost()
    prior, _ = processes_of(table())
    for window in (FOREVER, Window(queries=3)):
        found = ImputeSilence(window, FLOOR, 0.0)(prior, evidence, now).moments(table().table)
        same = Hallucinate(window)(prior, evidence, now).moments(table().table)
        assert_allclose(found.mean, same.mean, atol=1e-10)
        assert_allclose(found.deviation, same.deviation, atol=1e-10)


def test_while_nobody_can_tell_silence_is_no_news_whatever_it_would_say() -> None:
    evidence = random_evidence(3, n_answered=3, n_pending=6, domain=table())
    prior, _ = processes_of(table())
    found = ImputeSilence(FOREVER, FLOOR, 1.0)(prior, evidence, 99.0).moments(table().table)
    same = Hallucinate()(prior, evidence, 99.0).moments(table().table)
    assert_allclose(found.mean, same.mean, atol=1e-10)


def test_past_the_window_a_query_is_lost_though_the_log_cannot_tell_yet() -> None:
    evidence = random_evidence(3, n_answered=3, n_pending=6, domain=table())
    prior, plain = processes_of(table())
    window = Window(queries=2)
    waiting, lost = (np.flatnonzero(mask(window, 99.0)) for mask in (evidence.waiting_mask, evidence.overdue_mask))
    assert (len(waiting), len(lost)) == (3, 3)
    expected = plain.moments(*evidence.arrivals()[:2], evidence.points[waiting])[0]
    points = np.concatenate([evidence.arrivals().points, evidence.points[lost]])
    values = np.concatenate([evidence.arrivals().values, np.full(3, FLOOR)])
    settled = ImputeSilence(window, FLOOR, 1.0).settled(prior, evidence, 99.0).moments(table().table)
    assert_allclose(settled.mean, plain.moments(points, values, table().table)[0], atol=1e-8)
    points, values = np.concatenate([points, evidence.points[waiting]]), np.concatenate([values, expected])
    belief = ImputeSilence(window, FLOOR, 1.0)(prior, evidence, 99.0).moments(table().table)
    assert_allclose(belief.mean, plain.moments(points, values, table().table)[0], atol=1e-8)


def test_a_floor_that_is_learned_is_the_smallest_answer() -> None:
    evidence, now = some_lost()
    prior, _ = processes_of(table())
    learned = ImputeSilence(FOREVER, None, 1.0)(prior, evidence, now).moments(table().table)
    smallest = ImputeSilence(FOREVER, float(np.nanmin(evidence.values)), 1.0)(prior, evidence, now).moments(
        table().table
    )
    assert_allclose(learned.mean, smallest.mean, atol=1e-12)


# What silence says, learned.


def along_a_line(seed: int, n: int = 80, threshold: float | None = None, share: float = 0.3) -> tuple[Evidence, float]:
    """Queries wander over a line on which f = x; lost at random, or wherever f is below a threshold."""
    rng = np.random.default_rng(seed)
    domain = Candidates([{"x": place / 99} for place in range(100)])
    rows = rng.integers(0, 100, n).tolist()
    values = [row / 99 + 0.02 * rng.normal() for row in rows]
    if threshold is None:
        lost = (rng.random(n) < share).tolist()
    else:
        lost = [value < threshold for value in values]
    return asked(domain, lost, rows, values), n + 0.9


def test_losses_of_bad_answers_are_found() -> None:
    found = [bad_news(*_moment(along_a_line(seed, threshold=0.35))) for seed in range(50)]
    assert sum(found) >= 45


def test_losses_at_random_are_hardly_ever_taken_for_bad_news() -> None:
    """The first condition holds by chance in 1 of 1000 studies, the second in half: 4 of 200 come once in 10⁵."""
    found = [bad_news(*_moment(along_a_line(seed))) for seed in range(200)]
    assert sum(found) < 4


def test_an_outage_is_no_bad_news_though_the_queries_it_loses_lie_near_each_other() -> None:
    """Losses that any other time would have shaped alike pass for kept to places in 1 study of 20 at most, and then
    promised less in half of them: 16 of 200 come less than once in 10⁴."""
    found = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        rows = [50]
        for step in rng.integers(-6, 7, 79).tolist():
            rows.append(int(np.clip(rows[-1] + step, 0, 99)))
        begins = int(rng.integers(5, 60))
        lost = [begins <= number < begins + 15 for number in range(80)]
        line = Candidates([{"x": place / 99} for place in range(100)])
        found.append(bad_news(*_moment((asked(line, lost, rows, [row / 99 for row in rows]), 80.9))))
    assert sum(found) < 16


def test_losses_of_good_answers_are_no_bad_news() -> None:
    """They keep to places, and promised more."""
    for seed in range(20):
        evidence, now = along_a_line(seed, threshold=0.5)
        mirrored = _mirrored(evidence)
        assert not bad_news(mirrored, Window(queries=3), now)


def test_the_policy_that_chooses_where_to_ask_does_not_deceive_it() -> None:
    """After an answer the next queries go near it: answers then lie near answers, though losses are random."""
    found = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        domain = Candidates([{"x": place / 99} for place in range(100)])
        rows, lost = [int(rng.integers(100))], (rng.random(80) < 0.3).tolist()
        for number in range(1, 80):
            good = [row for row, gone in zip(rows[: max(number - 2, 0)], lost, strict=False) if not gone]
            near = max(good) + int(rng.integers(-5, 6)) if good and rng.random() < 0.7 else int(rng.integers(100))
            rows.append(min(max(near, 0), 99))
        evidence = asked(domain, lost, rows, [row / 99 for row in rows])
        found += bad_news(evidence, Window(queries=3), 80.9)
    assert found < 6


def test_contexts_that_are_drawn_for_what_is_lost_are_no_places() -> None:
    """All is asked at one point, and losses are random; contexts seen have three values, those drawn lie between."""
    found = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        events = [Event(1, 0.0, CREATED)]
        for number in range(1, 101):
            events.append(Event(len(events) + 1, float(number), Asked(number, {"x": 0.5})))
            if rng.random() > 0.3:
                seen = {"c": float(rng.choice([0.1, 0.5, 0.9]))}
                events.append(Event(len(events) + 1, number + 0.5, Answered(number, rng.normal(), seen)))
        space, context = Space(x=Float(0, 1)), Context(c=Float(0, 1), seen="after")
        evidence = placed_evidence(Evidence.of(Record.empty(space, context).extend(events)), KernelDensity(), seed)
        found += bad_news(evidence, Window(queries=3), 101.0)
    assert found == 0


def _moment(case: tuple[Evidence, float]) -> tuple[Evidence, Window, float]:
    return case[0], Window(queries=3), case[1]


def _mirrored(evidence: Evidence) -> Evidence:
    """The same queries and losses, had every answer the opposite sign."""
    events = [Event(1, 0.0, CREATED)]
    for number, point in enumerate(evidence.points, start=1):
        events.append(Event(len(events) + 1, float(number), Asked(number, evidence.domain.decode(point))))
        earlier = number - 2
        if earlier >= 1 and evidence.answered_mask[earlier - 1]:
            mirrored = Answered(earlier, -float(evidence.values[earlier - 1]))
            events.append(Event(len(events) + 1, number + 0.1, mirrored))
    return Evidence.of(Record.empty(evidence.domain).extend(events))


# Its parameters.


def test_it_is_kept_in_a_log() -> None:
    recipe = sbo_kde(treatment=ImputeSilence(Window(queries=9), -1.0, 0.5))
    again = from_json(json.loads(json.dumps(recipe.to_json())))
    assert again == recipe
    assert again.beginning(table(), Context(c=Float(0, 1), seen="after")).treatment == ImputeSilence(
        Window(queries=9), -1.0, 0.5
    )


def test_the_policy_learns_windows_and_not_the_treatment() -> None:
    with pytest.raises(ParameterError, match=r"^ImputeSilence\(window='auto'\): .*; give window='auto' to the policy"):
        ImputeSilence("auto")  # type: ignore[arg-type]


@pytest.mark.parametrize("silence", [-0.1, 1.1, math.nan, "much"])
def test_the_share_of_what_is_lost_because_it_is_bad_is_a_share(silence: float) -> None:
    with pytest.raises(ParameterError, match=r"^ImputeSilence\(silence="):
        ImputeSilence(silence=silence)

"""What is noticed of delays: answers after the window, and answers that never come."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from belated.errors import BelatedWarning
from belated.log import Window
from belated.policies import build
from belated.study import Study
from belated.study.insight.notices import late, lost
from tests.builders import Clock
from tests.notices.studies import LINE, ask_of, asked, kinds, play, text_of

# Queries of the design are asked without a belief, so that these studies are quick.
DESIGN = 10_000


def bucb(
    window: int | Window | str | None, seed: int = 1, clock: Clock | None = None, silence: float | None = None
) -> Study:
    policy = build("gp-bucb", window=window, initial=DESIGN)
    return Study.in_memory(LINE, policy=policy, seed=seed, clock=clock or Clock(), silence=silence)


def height(point: object) -> float:
    return 1.0


def test_answers_after_the_window_are_noticed_with_the_tenth() -> None:
    study = play(bucb(3), height, 20, lag=6)
    assert text_of(study, "late-answers") == (
        "10 of 10 answers came after the window of 3 queries, when the policy no longer waited for them. Let it learn "
        "how long to wait, by the window 'auto', or give it a longer window."
    )


@pytest.mark.parametrize("lag, window", [(3, 3), (6, None), (6, "auto"), (0, 0)])
def test_answers_within_the_window_are_not_noticed(lag: int, window: int | str | None) -> None:
    assert kinds(play(bucb(window), height, 60, lag=lag)) == []


@pytest.mark.parametrize("seconds, said", [(90.0, ["late-answers"]), (110.0, [])])
def test_a_window_in_time_is_compared_with_time(seconds: float, said: list[str]) -> None:
    clock = Clock()
    study = bucb(Window(seconds=seconds), clock=clock)

    def slowly(point: object) -> float:
        clock.now += 100.0
        return 1.0

    play(study, slowly, 20)
    assert kinds(study) == said
    assert all("came after the window of 1 min 30 s, when" in notice.text for notice in study.notices())


# Overdue queries.

HOUR = 3600.0


class Bench:
    """A laboratory bench with a clock, whose batches come back together after some hours."""

    def __init__(self, window: int | Window | str | None) -> None:
        self.clock = Clock()
        self.study = bucb(window, clock=self.clock)

    def asked(self, count: int) -> list[int]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BelatedWarning)
            return [query.id for query in self.study.ask(count)]

    def told(self, queries: list[int], hours: float) -> None:
        self.clock.now += hours * HOUR
        self.study.tell_many(dict.fromkeys(queries, 1.0))

    @property
    def said(self) -> list[str]:
        return [notice.text for notice in self.study.notices() if notice.kind == "overdue"]


def test_a_batch_that_waits_longer_than_any_is_noticed_while_the_window_is_still_to_be_learned() -> None:
    bench = Bench("auto")
    for hours in (2.0, 3.0):
        bench.told(bench.asked(4), hours)
    bench.asked(4)
    # Two delays, of three hours at most: half as much again may be chance.
    bench.clock.now += 4.4 * HOUR
    bench.asked(1)
    assert bench.said == []
    bench.clock.now += 0.2 * HOUR
    bench.asked(1)
    assert bench.said == [
        "Late: queries 9, 10, 11, 12, asked 4 h 36 min ago: longer than any answer took so far, by the clock. They "
        "are still counted on, and nothing is asked on top of them. Tell their answers whenever they come; abandon "
        "what will never come, so that its place is free again."
    ]


def test_a_first_batch_and_a_window_that_waits_for_ever_are_never_overdue() -> None:
    for window in ("auto", None):
        bench = Bench(window)
        bench.told(bench.asked(4), 2.0)
        if window is None:
            bench.told(bench.asked(4), 2.0)
        bench.asked(4)
        bench.clock.now += 1000.0 * HOUR
        bench.asked(1)
        assert bench.said == []


def test_overdue_queries_are_told_of_once_until_others_are_overdue() -> None:
    bench = Bench(Window(seconds=HOUR))
    first = bench.asked(4)
    bench.clock.now += 2.0 * HOUR
    second = bench.asked(4)
    assert len(bench.said) == 1
    bench.asked(1)
    assert len(bench.said) == 1
    # The second batch is stuck as well: as many as those that are overdue still.
    bench.clock.now += 2.0 * HOUR
    bench.asked(1)
    assert len(bench.said) == 2
    assert bench.said[1].startswith(
        "Overdue: queries 1, 2, 3, 4, 5, 6, 7, 8 and 1 more, asked 4 h ago, when answers are"
    )
    bench.told([*first, *second, 9, 10], 0.0)
    third = bench.asked(1)
    assert len(bench.said) == 2
    # All of those came after all; one alone is news again.
    bench.clock.now += 2.0 * HOUR
    bench.asked(1)
    assert len(bench.said) == 3
    assert f"Overdue: query {third[0]}, asked 2 h ago" in bench.said[2]


def test_a_program_that_tells_within_a_minute_hears_nothing_of_its_windows() -> None:
    bench = Bench(Window(seconds=1.0))
    bench.asked(4)
    bench.clock.now += 59.0
    bench.asked(1)
    assert bench.said == []
    bench.clock.now += 1.0
    bench.asked(1)
    assert len(bench.said) == 1


def test_a_few_late_answers_are_not_worth_a_word() -> None:
    study, rng = bucb(3), np.random.default_rng(4)
    waiting: list[tuple[int, int]] = []
    for number in range(1, 301):
        play(study, height, 1, keep=lambda _: False)
        waiting.append((number + (8 if rng.random() < 0.08 else 1), number))
        for entry in [entry for entry in waiting if entry[0] <= number]:
            waiting.remove(entry)
            study.tell(entry[1], 1.0)
    assert late(ask_of(study)) is None
    assert kinds(study) == []


def test_a_longer_window_ends_what_there_was_to_notice() -> None:
    study = play(bucb(30), height, 60, lag=6)
    assert late(ask_of(study)) is None
    study.change(window=3)
    assert (late(ask_of(study)) or "").startswith("54 of 54 answers came after the window of 3 queries")


def test_answers_that_mostly_never_come_are_noticed() -> None:
    study = play(bucb(None), height, 80, lag=2, keep=lambda query: query % 5 == 0)
    said = text_of(study, "lost-answers")
    assert "queries have no answer, and answers that come take at most" in said
    assert "Does no answer mean something, as no sale or no click? Then" in said


def test_silence_that_means_something_is_no_loss() -> None:
    study = play(bucb(None, silence=0.0), height, 80, lag=2, keep=lambda query: query % 5 == 0)
    assert not {"lost-answers", "overdue"} & set(kinds(study))


def test_abandoned_queries_are_lost_ones() -> None:
    study = bucb(None)
    for _ in range(14):
        play(study, height, 1, keep=lambda _: False)
        study.abandon(study.pending()[0], "the sample was spilt")
    play(study, height, 1)
    assert text_of(study, "lost-answers").startswith(
        "10 of 10 queries were abandoned. See in its delays what that depends on"
    )


def test_failed_queries_are_no_lost_ones() -> None:
    study = bucb(None)
    for _ in range(20):
        play(study, height, 1, keep=lambda _: False)
        study.fail(study.pending()[0], "precipitated")
    play(study, height, 1)
    assert "lost-answers" not in {notice.kind for notice in study.notices()}


@pytest.mark.parametrize(
    "keep, lag",
    [
        (bool, 0),
        (bool, 20),
        (lambda query: query % 3 != 0, 4),
        (lambda query: query > 40, 50),
        (lambda query: False, 0),
    ],
    ids=["all come", "all come late", "a third is lost", "all wait", "none has come yet"],
)
def test_answers_that_are_only_late_or_partly_lost_are_not_noticed(keep: Callable[[int], bool], lag: int) -> None:
    assert "lost-answers" not in kinds(play(bucb(None), height, 100, lag=lag, keep=keep))


def test_half_of_the_answers_lost_is_noticed_in_few_studies_of_a_hundred() -> None:
    said = []
    for seed in range(20):
        kept = set(np.flatnonzero(np.random.default_rng(seed).random(81) < 0.5).tolist())
        said += kinds(play(bucb(None, seed), height, 80, lag=3, keep=kept.__contains__))
    # With one in a hundred each, more than three of twenty come once in 20,000 times.
    assert said.count("lost-answers") <= 3


def test_what_is_old_is_forgotten() -> None:
    study = play(bucb(None), height, 520, lag=0, keep=lambda query: query > 15)
    assert lost(ask_of(study)) is None


@pytest.mark.parametrize("batch", [100, 500, 800])
def test_batches_that_are_answered_whole_lose_nothing(batch: int) -> None:
    study = Study.in_memory(LINE, policy="random", seed=1, clock=Clock())
    for _ in range(3):
        study.tell_many([(query.id, 1.0) for query in study.ask(batch)])
    assert "lost-answers" not in kinds(study)


# Failures.


def test_most_queries_that_fail_are_noticed_once_with_a_way_out() -> None:
    study = bucb(None)
    for number in range(20):
        query = asked(study)
        if number % 5 < 3:
            study.fail(query, "crashed")
        else:
            study.tell(query, 1.0)
    text = text_of(study, "failing-queries")
    assert text == (
        "Most queries fail: 6 of the last 10. The policy keeps away from what failed, as far as it can tell where that "
        "is. If little of the space works, add results of points that are known to, or begin a study with a narrower "
        "space; what failed by chance is better abandoned, which says nothing."
    )
    assert kinds(study) == ["failing-queries"]


def test_as_many_failures_as_answers_are_not_noticed() -> None:
    study = bucb(None)
    for number in range(30):
        query = asked(study)
        if number % 2:
            study.fail(query, "crashed")
        else:
            study.tell(query, 1.0)
    assert kinds(study) == []

"""Silence that means something: declared once, it counts in every policy, until an answer comes after all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import belated as bl
from belated.errors import NoAnswerError
from belated.space import Float, Space
from belated.study import Study, differences
from tests.builders import ACROSS, Clock
from tests.laws.test_policies import EVERY, KINDS, made
from tests.laws.test_policies import SPACES as DOMAINS

SPACE = Space(price=Float(1.0, 20.0))
AFTER = bl.Context(demand=Float(0.0, 1.0), seen="after")


def game(name: str = "gp-bucb", silence: float | None = 0.0, clock: Clock | None = None, **options: Any) -> Study:
    policy = made(name, **({"window": 3} if name == "gp-bucb" else {}))
    parts: dict[str, Any] = {"seed": 1, "clock": clock or Clock(), "notices": False, **options}
    return Study.in_memory(parts.pop("space", SPACE), policy=policy, silence=silence, **parts)


def sell(study: Study, count: int, lag: int = 1, among: int = 3) -> list[int]:
    """Ask so often; of every few queries the first is answered, as many asks later. Returns those that never are."""
    coming: list[bl.Query] = []
    never = []
    for number in range(count):
        query = study.ask(context={"hour": 3.0} if study.context and study.context.seen == "before" else None)
        if isinstance(query, bl.Balk):
            waiting = study.pending()[0]
            study.tell(waiting, 1.0 + waiting.id / 7.0)
            continue
        if number % among == 0:
            coming.append(query)
        else:
            never.append(query.id)
        while len(coming) > lag:
            late = coming.pop(0)
            if late.id in {query.id for query in study.pending()}:
                study.tell(late, 1.0 + late.id / 7.0)
    return never


def searched(name: str) -> Any:
    """What it searches: a box for one policy of each kind; the others score alike whatever they search."""
    return DOMAINS["box" if name in KINDS else "table"]()


@pytest.mark.parametrize("name", EVERY)
def test_every_policy_takes_it_in_and_asks_the_same_again(name: str) -> None:
    space = searched(name)
    study = game(name, space=space)
    sell(study, 10)
    assert not list(differences(study.events))
    recommended = study.recommend()
    assert np.isfinite([recommended.mean, recommended.deviation]).all()
    assert study.explain() is not None


@pytest.mark.parametrize("name", ACROSS)
def test_policies_across_contexts_take_it_in(name: str) -> None:
    study = game(name, context=AFTER)
    rng = np.random.default_rng(4)
    for number in range(7):
        query = study.ask()
        assert isinstance(query, bl.Query)
        if number % 3 == 0:
            study.tell(query, float(rng.random()), context={"demand": float(rng.random())})
        elif number % 3 == 1:
            study.tell(query, context={"demand": float(rng.random())})
    assert not list(differences(study.events))
    assert np.isfinite(study.recommend().mean)


@pytest.mark.parametrize("name", [name for name in EVERY if name != "auto"])
def test_where_all_answer_at_once_no_decision_changes(name: str) -> None:
    """The width of `auto` is narrower where silence means something."""
    domain = searched(name)
    plays = []
    for silence in (None, -100.0):
        study = game(name, silence, space=domain)
        points = []
        for _ in range(7):
            query = study.ask()
            assert isinstance(query, bl.Query)
            points.append(query.point)
            study.tell(query, float(np.sin(4.0 * domain.encode(query.point).sum())))
        plays.append(points)
    assert plays[0] == plays[1]


def test_it_is_what_telling_the_value_would_be_as_soon_as_the_window_has_passed() -> None:
    window, lag = 3, 2
    silent, told = game(), game()
    coming: list[tuple[int, int, float | None]] = []
    rng = np.random.default_rng(2)
    for number in range(1, 25):
        for study in (silent, told):
            study.add({"price": 1.0 + number / 3.0}, float(number))
        queries = [query for study in (silent, told) if isinstance(query := study.ask(), bl.Query)]
        answered = rng.random() < 0.4
        coming.append((number + (lag if answered else window + 1), queries[0].id, 5.0 if answered else None))
        for _, asked, value in [each for each in coming if each[0] == number]:
            told.tell(asked, 0.0 if value is None else value)
            if value is not None:
                silent.tell(asked, value)
    evidence = silent.evidence()
    counted = evidence.counting_silence(bl.Window(queries=window), 1000.0, np.zeros(int(evidence.pending_mask.sum())))
    plain = told.evidence()
    assert sorted(counted.arrivals().values) == sorted(plain.arrivals().values)
    assert_array_equal(counted.answered_mask, plain.answered_mask)
    assert_array_equal(counted.pending_mask, plain.pending_mask)
    before, of_plain = counted.before(15), plain.before(15)
    assert_array_equal(before.answered_mask, of_plain.answered_mask)


def test_an_answer_after_all_takes_its_place() -> None:
    study = game()
    never = sell(study, 12)
    heard = study.record()
    assert heard.counts.overdue
    study.tell(never[0], 19.0)
    assert study.best().value == 19.0
    assert study.record().counts.overdue == heard.counts.overdue - 1


@pytest.mark.parametrize("goal, silence, silent_is_best", [("maximize", 0.0, False), ("minimize", 0.0, True)])
def test_the_best_is_among_silent_queries_too(goal: Any, silence: float, silent_is_best: bool) -> None:
    study = game(goal=goal, silence=silence)
    never = sell(study, 12)
    assert (study.best().query in never) is silent_is_best
    assert study.best().value == (0.0 if silent_is_best else max(q.answer.value for q in study.queries() if q.answer))


def test_where_nobody_ever_answers_the_best_is_silence_once_the_window_has_passed() -> None:
    study = game()
    with pytest.raises(NoAnswerError):
        study.best()
    for _ in range(6):
        study.ask()
    assert study.best() == bl.Best(dict(study.queries()[0].point), 0.0, 1)


def test_words_say_what_silence_counts_as() -> None:
    study = game()
    sell(study, 12)
    assert "and counted as 0" in study.record().counts.words(0.0)["pending"]
    assert "no answer, which means 0" in study.delays().summary()
    assert "never" not in study.delays().summary()
    assert study.delays().silence == 0.0
    assert "counts as 0, which no answer means" in study.explain().chose["pending queries"]
    assert "counted as" not in study.record().counts.words()["pending"]


@pytest.mark.parametrize("unit", ["queries", "seconds"])
def test_with_no_window_given_one_is_learned_from_the_answers(unit: str) -> None:
    clock = Clock()
    study = game("gp-ucb", clock=clock)
    for number in range(30):
        if unit == "seconds":
            # Asks come in bursts, and answers a minute after each.
            clock.now += 200.0 if number % 5 == 0 else 1.0
        query = study.ask()
        assert isinstance(query, bl.Query)
        if number % 2 == 0:
            clock.now += 60.0 if unit == "seconds" else 0.0
            study.tell(query, 3.0)
    assert study.record().counts.overdue > 5
    assert all(query.answer is None for query in study.record().overdue())


def test_before_any_answer_nothing_is_overdue() -> None:
    study = game("gp-ucb")
    for _ in range(10):
        study.ask()
    assert study.record().counts.overdue == 0


def test_a_late_answer_is_not_discarded_where_silence_means_something() -> None:
    values = {}
    for silence in (None, 0.0):
        study = Study.in_memory(SPACE, policy=made("gp-ucb-sdf", window=2), seed=1, clock=Clock(), silence=silence)
        queries = [study.ask() for _ in range(6)]
        assert isinstance(queries[0], bl.Query)
        study.tell(queries[0], 40.0)
        values[silence] = study.recommend().mean
    assert values[0.0] is not None

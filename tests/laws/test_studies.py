"""A study lives the same life wherever its log is kept, and whoever goes on with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import pytest

from belated.errors import CapacityError, ConflictError
from belated.log import Asked, Balk, Event, Query, Window
from belated.policies import Policy, build
from belated.space import Choice, Context, Float
from belated.study import Study, differences
from tests.builders import Clock, box, mixed
from tests.meanwhile import Meanwhile
from tests.reference.logs import text_of

CONTEXT = Context(hour=Float(0.0, 24.0), site=Choice("a", "b"), seen="before")
MORNING, EVENING = {"hour": 7.25, "site": "a"}, {"hour": 19.5, "site": "b"}
POINT = {"heat": 70.0, "steps": 3, "solvent": "THF", "fast": True}
CREATION: dict[str, Any] = {"space": mixed(), "goal": "minimize", "seed": 11, "context": CONTEXT}

Step = Callable[[Study], object]

# Everything that can happen to a study, one thing at a time; the clock moves on before each.
LIFE: list[Step] = [
    lambda study: study.ask(context=MORNING),
    lambda study: study.add(POINT, 0.125, context=EVENING),
    lambda study: study.ask(2, context=EVENING, worker="Ada"),
    lambda study: study.tell(1, 1 / 3),
    lambda study: study.ask(context=EVENING, worker="Ada"),
    lambda study: study.ask(context=MORNING, key="plate 7"),
    lambda study: study.tell_many({3: -0.0, 4: 1e-7}),
    lambda study: study.ask(context=MORNING, key="plate 7"),
    lambda study: study.revise(3, 5e-324),
    lambda study: study.change(window=1),
    lambda study: study.ask(context=MORNING),
    lambda study: study.abandon(6, "sample lost"),
    lambda study: study.change(policy=build("gp-ts", inflation=0.5), seed=2**70),
    lambda study: study.ask(context=EVENING, key="plate 8", worker="Bob"),
    lambda study: study.add_many([(POINT, 1e100, MORNING), (POINT, -1e-300, EVENING)]),
    lambda study: study.close("wochenende, 週末"),
    lambda study: study.tell(5, 0.1 + 0.2),
    lambda study: study.reopen("monday"),
    lambda study: study.change(policy="gp-aucb", window=Window(queries=3, seconds=2.5)),
    lambda study: study.ask(3, context=MORNING),
    lambda study: study.ask(context=EVENING),
]


def lived(begin: Callable[[Clock], Study], go_on: Callable[[Study, Clock, int], Study]) -> Study:
    """The study after its whole life, in the hands of whoever `go_on` gives it to before each step."""
    clock = Clock()
    study = begin(clock)
    for number, step in enumerate(LIFE):
        clock.now += 0.7
        study = go_on(study, clock, number)
        step(study)
    return study


@pytest.fixture(scope="module")
def in_memory() -> tuple[Event, ...]:
    """The log of that life in a study that is kept nowhere."""
    study = lived(lambda clock: Study.in_memory(**CREATION, clock=clock), lambda study, clock, number: study)
    return study.events


def test_the_life_has_every_kind_of_event_and_replays(in_memory: tuple[Event, ...]) -> None:
    assert len({type(event.body) for event in in_memory}) == 10
    assert sum(isinstance(event.body, Asked) for event in in_memory) >= 8
    assert list(differences(in_memory)) == []
    assert list(differences(in_memory, forgetful=True)) == []


def created(address: str) -> Callable[[Clock], Study]:
    return lambda clock: Study.create(address, "life", **CREATION, clock=clock)


def test_a_life_is_the_same_in_every_storage(address: str, in_memory: tuple[Event, ...]) -> None:
    study = lived(created(address), lambda study, clock, number: study)
    assert text_of(study.events) == text_of(in_memory)
    assert list(differences(study.events)) == []


def test_a_study_opened_anew_before_every_step_goes_on_the_same(address: str, in_memory: tuple[Event, ...]) -> None:
    study = lived(created(address), lambda study, clock, number: Study.open(address, "life", clock=clock))
    assert text_of(study.events) == text_of(in_memory)


def test_two_who_take_turns_go_on_the_same(address: str, in_memory: tuple[Event, ...]) -> None:
    def other(study: Study, clock: Clock, number: int) -> Study:
        if not pair:
            pair.extend([study, Study.open(address, "life", clock=clock)])
        return pair[number % 2]

    pair: list[Study] = []
    study = lived(created(address), other)
    assert text_of(study.events) == text_of(in_memory)
    assert pair[0].queries() == pair[1].queries()
    assert pair[0].pending() == pair[1].pending()


@pytest.mark.filterwarnings("ignore:Overdue")
def test_a_restored_study_has_the_same_log_and_goes_on_the_same(address: str, in_memory: tuple[Event, ...]) -> None:
    clock = Clock(1100.0)
    alone = Study(in_memory, clock=clock)
    restored = Study.restore(address, "copy", in_memory, clock=clock)
    assert text_of(restored.events) == text_of(in_memory)
    assert restored.ask(context=MORNING) == alone.ask(context=MORNING)
    assert text_of(Study.open(address, "copy").events) == text_of(alone.events)


def test_what_is_read_is_the_same_in_every_storage(address: str, in_memory: tuple[Event, ...]) -> None:
    clock = Clock(1016.0)
    alone, study = Study(in_memory, clock=clock), Study.restore(address, "copy", in_memory, clock=clock)
    assert study.queries() == alone.queries()
    assert study.pending() == alone.pending() == [query for query in alone.queries() if query in study.pending()]
    assert study.best() == alone.best()
    assert study.recommend(context=MORNING) == alone.recommend(context=MORNING)
    assert study.settings == alone.settings
    assert (study.name, alone.name) == ("copy", "")
    assert Study.names(address) == ["copy"]


# In many hands.


def test_threads_share_one_study(address: str) -> None:
    study = Study.create(address, "life", box(), seed=3)

    def ask_and_tell() -> None:
        for _ in range(3):
            query = study.ask()
            assert isinstance(query, Query)
            study.tell(query, query.point["heat"] / 100.0)

    for thread in [Meanwhile(ask_and_tell) for _ in range(6)]:
        thread.result()
    assert [query.id for query in study.queries() if query.answer] == list(range(1, 19))
    assert list(differences(study.events)) == []


# Whatever takes too much memory ends with one error of ours; what the user interrupts ends as it is.
ENDS = [(KeyboardInterrupt, KeyboardInterrupt), (MemoryError, CapacityError)]


@pytest.mark.parametrize(("error", "raised"), ENDS, ids=["interrupted", "memory"])
def test_an_ask_that_is_interrupted_leaves_no_trace(
    address: str, error: type[BaseException], raised: type[BaseException]
) -> None:
    study = Study.create(address, "life", box(), seed=3)
    with mock.patch.object(Policy, "decide", side_effect=error), pytest.raises(raised):
        study.ask()
    assert len(study.events) == 1
    assert Meanwhile(study.ask).result().id == 1
    assert Meanwhile(Study.open(address, "life").ask).result().id == 2


# Asking again.


def asked(study: Study, **options: Any) -> Query:
    query = study.ask(context=MORNING, **options)
    assert isinstance(query, Query)
    return query


def test_a_worker_takes_up_its_own_query_until_it_is_answered(address: str) -> None:
    study = created(address)(Clock())
    first, other = asked(study, worker="Ada"), asked(study, worker="Bob")
    again = Study.open(address, "life", clock=Clock())
    assert asked(again, worker="Ada") == first
    assert asked(again, worker="Bob") == other
    assert len(study.events) == 3
    again.tell(first, 1.0)
    assert asked(again, worker="Ada").id == 3


def test_the_same_key_returns_the_same_query_even_when_it_is_answered(address: str) -> None:
    study = created(address)(Clock())
    query = asked(study, key="plate 7")
    study.tell(query, 1.0)
    again = Study.open(address, "life", clock=Clock()).ask(context=MORNING, key="plate 7")
    assert isinstance(again, Query)
    assert (again.id, again.answer and again.answer.value) == (query.id, 1.0)
    assert len(study.events) == 3
    with pytest.raises(ConflictError, match=r"^ask\(key='plate 7'\): the key belongs to query 1, asked in the context"):
        study.ask(context=EVENING, key="plate 7")
    assert len(study.events) == 3


def test_a_batch_that_broke_off_is_completed_under_its_key(address: str) -> None:
    study = created(address)(Clock())
    first = asked(study, key="plate 7")
    batch = Study.open(address, "life", clock=Clock()).ask(3, context=MORNING, key="plate 7")
    assert not isinstance(batch, Balk)
    assert [query.id for query in batch] == [1, 2, 3]
    assert batch[0] == first
    assert study.ask(3, context=MORNING, key="plate 7") == batch
    assert len(study.events) == 4


def test_a_closed_study_asks_nothing_in_any_storage(address: str) -> None:
    study = created(address)(Clock())
    query = asked(study, worker="Ada")
    Study.open(address, "life").close("done")
    with pytest.raises(
        ConflictError, match=r"^ask\(\): the study is closed \(done\); reopen\(\) it to go on asking\.$"
    ):
        study.ask(context=MORNING)
    study.tell(query, 1.0)
    Study.open(address, "life").reopen()
    assert not isinstance(study.ask(context=MORNING), Balk)

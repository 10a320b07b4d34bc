"""Keys and workers: the same ask made again, and what a decision saw."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import pytest

from belated import Context, Float, Space, Study
from belated.beliefs import GP
from belated.errors import ConflictError, ParameterError
from belated.log import Asked, Balk, Query
from belated.policies import gp_aucb, gp_bucb
from belated.study import differences

LINE = Space(heat=Float(0, 10))
KNOWN = GP(kernel="se", lengthscale=0.2, variance=1.0, noise=0.01, mean="zero")


def begun(policy: Any = "random", **options: Any) -> Study:
    ticks = itertools.count(1)
    return Study.in_memory(LINE, policy=policy, seed=1, clock=lambda: float(next(ticks)), **options)


def one(query: Query | Balk) -> Query:
    assert isinstance(query, Query)
    return query


def many(queries: list[Query] | Balk) -> list[Query]:
    assert isinstance(queries, list)
    return queries


def test_the_same_key_returns_the_same_query_for_good() -> None:
    study = begun()
    first = one(study.ask(key="a"))
    assert one(study.ask(key="b")).id == 2
    assert study.ask(key="a") == first
    study.tell(first, 1.0)
    assert one(study.ask(key="a")).id == first.id
    study.close()
    assert one(study.ask(key="a")).id == first.id
    assert len(study.record()) == 2


def test_a_worker_gets_its_own_pending_query_and_after_the_answer_a_new_one() -> None:
    study = begun()
    first, other = one(study.ask(worker="ann")), one(study.ask(worker="bob"))
    assert (first.worker, other.worker) == ("ann", "bob")
    assert study.ask(worker="ann") == first
    study.tell(first, 1.0)
    second = one(study.ask(worker="ann"))
    assert second.id == 3
    study.abandon(second)
    assert one(study.ask(worker="ann")).id == 4


def test_a_count_is_filled_up_with_new_queries() -> None:
    study = begun()
    assert [query.id for query in many(study.ask(2, key="batch"))] == [1, 2]
    assert [query.id for query in many(study.ask(4, key="batch"))] == [1, 2, 3, 4]
    assert [query.id for query in many(study.ask(1, key="batch"))] == [1]
    one(study.ask(worker="ann"))
    assert [query.id for query in many(study.ask(2, worker="ann"))] == [5, 6]


def test_with_both_a_key_and_a_worker_the_key_decides() -> None:
    study = begun()
    first = one(study.ask(key="a", worker="ann"))
    assert (first.key, first.worker) == ("a", "ann")
    assert one(study.ask(key="b", worker="ann")).id == 2
    assert one(study.ask(key="a", worker="bob")).id == 1


def test_a_balk_uses_up_no_key() -> None:
    study = begun(gp_aucb(belief=KNOWN, limit=0.1))
    first = one(study.ask(key="a"))
    assert isinstance(study.ask(key="b"), Balk)
    study.tell(first, 0.5)
    assert one(study.ask(key="b")).id == 2


def test_a_key_belongs_to_one_context_and_a_worker_to_any() -> None:
    study = begun(context=Context(hour=Float(0, 24), seen="before"))
    morning, evening = {"hour": 8.0}, {"hour": 20.0}
    first = one(study.ask(context=morning, key="a"))
    assert study.ask(context=morning, key="a") == first
    said = r"ask\(key='a'\): the key belongs to query 1, asked in the context \{'hour': 8.0\}; use another key"
    with pytest.raises(ConflictError, match=said):
        study.ask(context=evening, key="a")
    assert one(study.ask(context=morning, worker="ann")).id == 2
    assert one(study.ask(context=evening, worker="ann")).id == 3
    assert one(study.ask(context=morning, worker="ann")).id == 2


@pytest.mark.parametrize("label", ["", "x" * 201, 5, b"a", "tab\tbed"])
@pytest.mark.parametrize("name", ["key", "worker"])
def test_a_label_is_a_short_printable_text(name: str, label: Any) -> None:
    study = begun()
    with pytest.raises(ParameterError, match=rf"^ask\({name}=.*: a {name} is a printable text of 1 to 200 characters"):
        study.ask(**{name: label})
    assert len(study.events) == 1


class Interrupted:
    """A clock that does something the next time it is read: a way into the middle of an ask."""

    def __init__(self) -> None:
        self.now = 0.0
        self.act: Callable[[], None] | None = None

    def __call__(self) -> float:
        self.now += 1.0
        act, self.act = self.act, None
        if act is not None:
            act()
        return self.now


def test_answers_that_come_during_an_ask_are_not_seen_by_it_and_a_replay_knows() -> None:
    clock = Interrupted()
    study = Study.in_memory(LINE, policy=gp_bucb(belief=KNOWN), seed=1, clock=clock)
    study.tell_many({one(study.ask()).id: 0.3, one(study.ask()).id: 0.9})
    pending = one(study.ask())

    def meanwhile() -> None:
        study.tell(pending, 7.0)
        study.add({"heat": 9.0}, 5.0)

    clock.act = meanwhile
    late = one(study.ask())
    assert late.id == 5, "the added data came first, and has the identifier before it"
    event = study.events[-1].body
    assert isinstance(event, Asked)
    assert event.after == 6
    assert late.number == 4
    assert list(differences(study.events)) == []
    assert list(differences(study.events, forgetful=True)) == []
    unseen = study.evidence().before(4)
    assert (unseen.n_answered, unseen.n_asked, len(unseen)) == (2, 3, 3)


def test_an_ask_is_decided_again_when_somebody_asked_or_changed_the_study_meanwhile() -> None:
    clock = Interrupted()
    study = Study.in_memory(LINE, policy="random", seed=1, clock=clock)

    def change() -> None:
        study.change(seed=5)

    clock.act = change
    query = one(study.ask())
    assert list(differences(study.events)) == []
    event = study.events[-1].body
    assert isinstance(event, Asked)
    assert event.after is None
    assert query.id == 1


def test_an_ask_that_is_overtaken_by_the_end_is_refused() -> None:
    clock = Interrupted()
    study = Study.in_memory(LINE, policy="random", seed=1, clock=clock)
    clock.act = lambda: study.close("enough")
    with pytest.raises(ConflictError, match=r"^ask\(\): the study is closed \(enough\)"):
        study.ask()
    assert len(study.record()) == 0


def test_threads_that_ask_at_once_get_queries_of_their_own() -> None:
    study = Study.in_memory(LINE, policy=gp_bucb(belief=KNOWN), seed=1)
    found: list[int] = []
    lock = threading.Lock()

    def work(worker: int) -> None:
        for step in range(5):
            query = one(study.ask())
            study.tell(query, float(worker + step))
            with lock:
                found.append(query.id)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(1, 21))
    assert list(differences(study.events)) == []

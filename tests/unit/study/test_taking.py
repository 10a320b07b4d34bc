"""What is said of queries together: one statement sees those before it, and one that is refused takes all back."""

from __future__ import annotations

import pytest

from belated.errors import BelatedError, ConflictError, UnknownQueryError
from belated.log import Answered, Failed, Performed, Revised, State
from belated.space import Float, Space
from belated.study import Study
from belated.study.statements import Correction, Ending, Statement, Telling


def begun() -> Study:
    study = Study.in_memory(Space(x=Float(0.0, 1.0)), policy="random", seed=7)
    study.ask(3)
    return study


def test_a_statement_sees_what_is_said_before_it() -> None:
    study = begun()
    said: list[Statement] = [
        Telling(1, 0.4),
        Correction(1, 0.5),
        Telling(2, None, point={"x": 0.25}),
        Ending(2, "fail", "hot"),
        Ending(2, "fail", "cold"),
        Telling(3, 0.7),
        Ending(3, "retract"),
    ]
    verdicts = study.preview(said)
    assert len(study.events) == 4
    study.take(said)
    bodies = [event.body for event in study.since(4)]
    assert bodies[:4] == [Answered(1, 0.4), Revised(1, 0.5), Performed(2, {"x": 0.25}), Failed(2, "hot")]
    assert bodies == [body for verdict in verdicts if not isinstance(verdict, BelatedError) for body in verdict]
    assert [study.standings([query])[query].state for query in (1, 2, 3)] == [
        State.ANSWERED,
        State.FAILED,
        State.RETRACTED,
    ]
    assert list(study.queries()) == list(Study(study.events, clock=study.now).queries())


@pytest.mark.parametrize(
    "said",
    [
        [Telling(2, 0.4), Telling(1, 0.4), Telling(1, 0.5)],
        [Telling(2, 0.4), Telling(1, 0.4), Ending(1, "fail")],
        [Telling(2, 0.4), Ending(1, "abandon"), Telling(1, 0.5)],
        [Telling(2, 0.4), Ending(1, "fail"), Correction(1, 0.5)],
    ],
    ids=["two answers", "an answer that failed", "a lost answer", "a correction of nothing"],
)
def test_statements_that_contradict_each_other_are_taken_back_together(said: list[Statement]) -> None:
    study = begun()
    *others, last = study.preview(said)
    assert isinstance(last, ConflictError)
    assert not any(isinstance(verdict, BelatedError) for verdict in others)
    with pytest.raises(ConflictError):
        study.take(said)
    assert len(study.events) == 4


def test_the_same_query_named_twice_ends_once() -> None:
    study = begun()
    study.fail([1, 2, 1])
    study.abandon([3, study.queries()[2]])
    assert len(study.events) == 7


def test_an_argument_is_read_before_its_query_is_looked_up() -> None:
    study = begun()
    said = r"\(query=99\): got 'high' as the answer"
    with pytest.raises(BelatedError, match=said):
        study.tell(99, "high")
    with pytest.raises(BelatedError, match=said):
        study.revise(99, "high")


def test_what_could_never_be_taken_is_named_before_what_contradicts_the_log() -> None:
    study = begun()
    study.abandon(1)
    with pytest.raises(UnknownQueryError, match=r"fail\(query=99\)"):
        study.fail([1, 99])
    with pytest.raises(UnknownQueryError, match=r"tell_many\(query=99\)"):
        study.tell_many([(1, 0.5), (99, 0.5)])

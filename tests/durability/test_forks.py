"""A study opened before a process forks is of use on both sides, as under multiprocessing on Linux."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from belated.log import Answered, Asked, Query
from belated.study import Study, differences
from tests.durability.checks import assert_integrity
from tests.durability.crowd import STUDY, answer_to, begin, joined, started
from tests.durability.gates import Gate

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")


def answer_one(study: Study) -> None:
    query = study.ask()
    assert isinstance(query, Query)
    study.tell(query, answer_to(query))


def fork_often(address: str, n_children: int, n_rounds: int) -> None:
    """Fork a process that has used its study already; all go on with the same object."""
    study = Study.open(address, STUDY)
    answer_one(study)
    children = []
    for _ in range(n_children):
        child = os.fork()
        if not child:
            for _ in range(n_rounds):
                answer_one(study)
            os._exit(0)
        children.append(child)
        answer_one(study)
    for child in children:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        answer_one(study)


def test_a_study_is_of_use_in_parent_and_children_after_a_fork(shared: str, tmp_path: Path) -> None:
    study = begin(shared)
    complaints = tmp_path / "stderr"
    joined([started(fork_often, shared, 3, 4, complaints=complaints)], [complaints])
    events = study.events
    n_expected = 1 + 3 + 3 + 3 * 4
    for kind in (Asked, Answered):
        queries = [event.body.query for event in events if isinstance(event.body, kind)]
        assert sorted(queries) == list(range(1, n_expected + 1))
    assert list(differences(events)) == []


def leave_a_child(address: str, gate: Gate) -> None:
    """End at once, and leave a process behind that goes on with the study, as a daemon does."""
    study = begin(address)
    study.ask(3)
    study.tell(1, 1.0)
    if os.fork():
        os._exit(0)
    study.tell(2, 2.0)
    gate.stand()
    study.tell(3, 3.0)
    gate.leave()


def test_a_child_that_outlives_its_parent_loses_nothing_when_others_come_and_go(shared: str, tmp_path: Path) -> None:
    gate, complaints = Gate(tmp_path / "gate"), tmp_path / "stderr"
    joined([started(leave_a_child, shared, gate, complaints=complaints)], [complaints])
    gate.await_arrival()
    if shared.startswith("sqlite"):
        assert_integrity(shared)  # whoever believes to be the last one clears away the write-ahead log
    gate.open()
    gate.await_departure()
    assert [query.answer and query.answer.value for query in Study.open(shared, STUDY).queries()] == [
        1.0,
        2.0,
        3.0,
    ]

"""One query: its window, its states, and the balk that stands for none."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from belated.errors import ParameterError
from belated.log import FOREVER, Balk, State, Window

QUERIES = np.array([0, 1, 2, 3])
SECONDS = np.array([0.0, 4.0, 4.5, 1.0])


@pytest.mark.parametrize(
    "window, exceeded",
    [
        (FOREVER, [False, False, False, False]),
        (Window(queries=0), [False, True, True, True]),
        (Window(queries=2), [False, False, False, True]),
        (Window(seconds=4.0), [False, False, True, False]),
        (Window(seconds=0), [False, True, True, True]),
        (Window(queries=2, seconds=4.0), [False, False, True, True]),
        (Window(queries=10**9), [False, False, False, False]),
    ],
    ids=str,
)
def test_a_wait_exceeds_a_window_when_it_is_longer_by_either_measure(window: Window, exceeded: list[bool]) -> None:
    assert window.exceeded(QUERIES, SECONDS).tolist() == exceeded


@pytest.mark.parametrize("queries", [-1, 1.5, 2.0, True, "3", float("nan"), float("inf"), [], {}, 1j], ids=repr)
def test_a_window_counts_whole_queries(queries: Any) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"Window(queries={queries!r}): queries must be ")):
        Window(queries=queries)


@pytest.mark.parametrize(
    "seconds",
    [-1, -0.5, True, "3", float("nan"), float("inf"), -float("inf"), [], {}, 1j, 10**400],
    ids=lambda v: repr(v)[:9],
)
def test_a_window_lasts_a_finite_time(seconds: Any) -> None:
    with pytest.raises(ParameterError, match=re.escape(f"Window(seconds={seconds!r}): seconds must be ")):
        Window(seconds=seconds)


def test_a_window_is_no_longer_than_any_study() -> None:
    with pytest.raises(ParameterError, match=re.escape(f"Window(queries={10**30}): queries must be at most {10**9}.")):
        Window(queries=10**30)


def test_a_balk_is_false_and_empty_and_says_why() -> None:
    balk = Balk("too much is on its way")
    assert not balk
    assert len(balk) == 0
    assert list(balk) == []
    assert balk.reason == "too much is on its way"


def test_states_are_texts() -> None:
    assert [str(state) for state in State] == ["pending", "overdue", "answered", "abandoned", "failed", "retracted"]

"""A study says how long its answers take, from its log and the time alone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import belated as bl
from belated.delays import Delays, WaitingQuery, delays_at
from belated.evidence import Evidence
from belated.log import Answered, Asked, Event, Record, Values
from belated.study import Study
from tests.builders import Clock, random_study
from tests.logbook import CREATED

SPACE = bl.Space(x=bl.Float(0.0, 1.0))


def asked(study: Study) -> bl.Query:
    query = study.ask()
    assert isinstance(query, bl.Query)
    return query


def lab(url: str | None = None) -> tuple[Study, Clock]:
    """A query an hour, of which the first three are answered two hours later, and the fourth is abandoned after one."""
    clock = Clock(0.0)
    if url is None:
        study = Study.in_memory(SPACE, policy="random", seed=1, clock=clock)
    else:
        study = Study.create(url, "lab", SPACE, policy="random", seed=1, clock=clock)
    study.add({"x": 0.5}, 1.0)
    for turn in range(6):
        clock.now = 3600.0 * turn
        if 2 <= turn < 5:
            study.tell(turn, 0.1 * turn)  # the identifier of the query of two hours before: the first is 2
        if turn == 4:
            study.abandon(5, "spilt")
        asked(study)
    clock.now += 1800.0
    return study, clock


def test_queries_are_counted_by_what_became_of_them() -> None:
    found = lab()[0].delays()
    assert (found.n_asked, found.n_answered, found.n_waiting, found.n_abandoned) == (6, 3, 2, 1)


def test_the_curves_count_answers_queries_that_wait_and_abandoned_ones_until_then() -> None:
    found = lab()[0].delays()
    # Answers came after two hours, just before the third ask: one query had been asked meanwhile.
    assert (found.queries.times.tolist(), found.seconds.times.tolist()) == ([1.0], [7200.0])
    # One that waits is 1.5 hours old, one 0.5 hours, and the abandoned one was waited for for an hour.
    assert found.seconds.at_risk.tolist() == [3.0]
    # The abandoned one and the older of those that wait saw no other query asked, or one.
    assert found.queries.at_risk.tolist() == [4.0]
    assert found.queries.survival.tolist() == [0.25]
    assert found.seconds.survival.tolist() == [0.0]


def test_the_queries_that_wait_are_listed_with_their_ages_and_chances() -> None:
    assert lab()[0].delays().waiting == (WaitingQuery(6, 1, 5400.0, 1.0), WaitingQuery(7, 0, 1800.0, 1.0))


def test_time_goes_on_where_nothing_is_asked_and_tells_what_queries_cannot() -> None:
    study, clock = lab()
    clock.now = 3600.0 * 200
    found = study.delays()
    assert found.queries.never.estimate is None
    assert found.never == found.seconds.never
    assert found.never.estimate == pytest.approx(0.4)
    assert [entry.still for entry in found.waiting] == [0.0, 0.0]


def test_the_same_log_at_the_same_time_says_the_same_in_any_storage(tmp_path: Path) -> None:
    study, clock = lab()
    kept, _ = lab(f"sqlite:///{tmp_path / 'lab.db'}")
    again = Study(study.events, clock)
    expected = study.delays().to_json()
    assert kept.delays().to_json() == expected
    assert again.delays().to_json() == expected


def test_a_clock_with_another_zero_says_the_same() -> None:
    study, clock = lab()
    expected = study.delays().to_json()
    later = [Event(event.number, event.at + 4096.0, event.body) for event in study.events]
    assert Study(later, Clock(clock.now + 4096.0)).delays().to_json() == expected


def test_a_revision_changes_no_delay() -> None:
    study, _ = lab()
    before = study.delays().to_json()
    study.revise(2, 5.0)
    assert study.delays().to_json() == before


def test_a_study_in_which_nothing_was_asked_or_answered_has_delays_that_say_nothing() -> None:
    study = Study.in_memory(SPACE, policy="random", seed=1, clock=Clock())
    empty = study.delays()
    assert (empty.n_asked, empty.n_answered, empty.n_waiting, empty.n_abandoned) == (0, 0, 0, 0)
    assert (empty.waiting, empty.depends(), empty.queries.quantile(0.5)) == ((), (), None)
    study.abandon(asked(study))
    query = asked(study)
    found = study.delays()
    assert (found.n_asked, found.n_answered, found.n_waiting, found.n_abandoned) == (2, 0, 1, 1)
    assert found.waiting == (WaitingQuery(query.id, 0, 0.0, None),)
    assert found.never.estimate is None
    for delays in (empty, found):
        assert json.loads(json.dumps(delays.to_json(), allow_nan=False)) == delays.to_json()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_counts_agree_with_the_history_whatever_happened(seed: int) -> None:
    study = random_study(seed, n_answered=30, n_pending=8, n_added=4, n_abandoned=5)
    found = study.delays()
    assert (found.n_asked, found.n_answered, found.n_waiting, found.n_abandoned) == (43, 30, 8, 5)
    delays = [query.answer.delay for query in study.queries() if query.number and query.answer]
    assert found.queries.times.tolist() == sorted(set(delays))
    assert [entry.query for entry in found.waiting] == [query.id for query in study.pending()]
    assert [entry.seconds for entry in found.waiting] == [study.now() - query.asked_at for query in study.pending()]


def test_as_json_it_is_small_and_plain() -> None:
    study = random_study(4, n_answered=600, n_pending=300)
    data = study.delays().to_json()
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert set(data) == {
        "asked",
        "answered",
        "waiting",
        "abandoned",
        "queries",
        "seconds",
        "never",
        "depends",
        "oldest",
    }
    assert (data["asked"], data["answered"], data["waiting"], data["abandoned"]) == (900, 600, 300, 0)
    assert len(data["seconds"]["times"]) == 200
    assert [entry["query"] for entry in data["oldest"]] == [query.id for query in study.pending()[:200]]
    assert len(json.dumps(data)) < 80_000


def test_it_shows_itself_in_few_words() -> None:
    found = lab()[0].delays()
    assert repr(found) == (
        "Delays(6 asked, 3 answered, 2 waiting, 1 abandoned; half within 1 query or 2 h; nine in ten within 2 h; "
        "never: no sign of it, at most 71%)"
    )
    html = found._repr_html_()
    assert "Delays" in html
    assert "6 asked, 3 answered, 2 waiting, 1 abandoned" in html
    assert "within 1 query or 2 h" in html


def test_the_room_loads_no_heavy_package() -> None:
    code = (
        "import sys, belated, belated.delays as d, numpy as n; d.curve(n.arange(9.0), n.arange(9) % 2 == 0); "
        "sys.exit('scipy.stats' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow
def test_a_hundred_thousand_queries_take_less_than_a_second() -> None:
    found: list[Delays] = []
    evidence, now = large(100_000)
    delays_at(evidence, now).depends()  # packages are loaded once
    began = time.process_time()
    found.append(delays_at(evidence, now))
    assert time.process_time() - began < 0.5
    assert len(found[0].depends()) == 3
    assert time.process_time() - began < 1.0


def large(n: int) -> tuple[Evidence, float]:
    """One query in each unit of time, with a geometric delay."""
    rng = np.random.default_rng(5)
    due: dict[int, list[int]] = {}
    bodies: list[tuple[float, Asked | Answered]] = []
    for number in range(1, n + 1):
        bodies += [(float(number), Answered(query, float(rng.random()))) for query in due.pop(number, ())]
        bodies.append((float(number), Asked(number, Values({"heat": float(rng.random())}))))
        due.setdefault(number + int(rng.geometric(0.1)), []).append(number)
    events = [Event(1, 0.0, CREATED), *(Event(place, *entry) for place, entry in enumerate(bodies, start=2))]
    return Evidence.of(Record.empty(bl.Space(heat=bl.Float(0.0, 1.0))).extend(events)), float(n)

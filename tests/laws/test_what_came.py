"""What came of queries, however it is told: the record, the evidence and the log say what a plain reading says."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.errors import BelatedError
from belated.evidence import Evidence
from belated.log import Event, Record, State, whole_log
from belated.space import Space
from belated.study import Study
from belated.study.creation import declaration
from tests.builders import Clock

SPACE = bl.Space(heat=bl.Float(-40.0, 120.0), steps=bl.Int(1, 8), solvent=bl.Choice("DMF", "THF"))
CASES: dict[str, dict[str, Any]] = {
    "one outcome": {"goal": "maximize", "policy": "random"},
    "one to minimise": {"goal": "minimize", "policy": "random"},
    "a signal": {"outcomes": {"yield": bl.Maximize(), "colour": bl.Signal()}, "policy": "random"},
    "a constraint and two signals": {
        "outcomes": {"smell": bl.Signal(), "cost": bl.Minimize(), "purity": bl.AtLeast(0.0), "colour": bl.Signal()},
        "policy": "random",
    },
    "two objectives": {"outcomes": {"yield": bl.Maximize(), "cost": bl.Minimize()}, "policy": "random"},
}


@dataclass
class Plain:
    """What is known of one query, kept in the plainest way."""

    point: dict[str, Any]
    asked: bool
    state: str = "pending"
    reason: str | None = None
    performed: dict[str, Any] | None = None
    answers: dict[str, list[Any]] = field(default_factory=dict)  # by outcome: all values told so far, the last counts


@dataclass
class Life:
    """A study, and the plain reading of all that was told of it."""

    study: Study
    clock: Clock
    rng: np.random.Generator
    queries: dict[int, Plain] = field(default_factory=dict)

    @property
    def required(self) -> set[str]:
        """The outcomes that a query waits for."""
        return {name for name, outcome in self.study.outcomes.items() if not isinstance(outcome, bl.Signal)}

    def value(self) -> Any:
        """A number, or repeats."""
        number = float(self.rng.normal())
        return number if self.rng.random() < 0.7 else [number, number + 0.5, number - 0.25]

    def some(self, *states: str) -> int | None:
        """A query in one of these states."""
        found = [number for number, query in self.queries.items() if query.state in states]
        return int(self.rng.choice(found)) if found else None

    def ask(self) -> None:
        for query in self.study.ask(2):
            self.queries[query.id] = Plain(dict(query.point), True)

    def add(self) -> None:
        point = SPACE.decode(SPACE.sample(1, self.rng)[0])
        told = {name: self.value() for name in self.required}
        query = self.study.add(point, told if self.study.outcomes.named else told["value"])
        answers = {name: [value] for name, value in told.items()}
        self.queries[query.id] = Plain(point, False, "answered", answers=answers)

    def tell(self) -> None:
        number = self.some("pending", "answered", "retracted")
        if number is None:
            return
        query = self.queries[number]
        new = [name for name in self.study.outcomes if name not in query.answers and self.rng.random() < 0.6]
        if not new:
            return
        told = {name: self.value() for name in new}
        self.study.tell(number, told if self.study.outcomes.named else told["value"])
        query.answers |= {name: [value] for name, value in told.items()}
        if query.state != "answered" and self.required <= set(query.answers):
            query.state, query.reason = "answered", None

    def again(self) -> None:
        number = self.some("pending", "answered", "retracted")
        if number is None or not self.queries[number].answers:
            return
        name = next(iter(self.queries[number].answers))
        value, before = self.queries[number].answers[name][-1], len(self.study.events)
        self.study.tell(number, {name: value})
        with pytest.raises(BelatedError):
            self.study.tell(number, {name: 77.0})
        assert len(self.study.events) == before

    def revise(self) -> None:
        number = self.some("pending", "answered", "retracted")
        if number is None or not self.queries[number].answers:
            return
        name = str(self.rng.choice(list(self.queries[number].answers)))
        value = self.value()
        self.study.revise(number, {name: value})
        self.queries[number].answers[name].append(value)

    def move(self) -> None:
        number = self.some("pending", "answered", "failed", "retracted", "abandoned")
        if number is None:
            return
        tried = {**self.queries[number].point, "heat": float(self.rng.uniform(-60, 140)), "steps": 2.5}
        self.study.revise(number, point=tried)
        self.queries[number].performed = tried

    def end(self) -> None:
        number, how = self.some("pending"), str(self.rng.choice(["fail", "abandon"]))
        if number is not None:
            getattr(self.study, how)(number, f"{how} {number}")
            self.queries[number].state = "failed" if how == "fail" else "abandoned"
            self.queries[number].reason = f"{how} {number}"

    def retract(self) -> None:
        number = self.some("answered", "failed", "abandoned")
        if number is None:
            return
        query = self.queries[number]
        self.study.retract(number, "wrong")
        query.answers = {} if query.state == "answered" else query.answers
        query.state, query.reason = "retracted", "wrong"

    def withdraw(self) -> None:
        number = self.some("pending", "answered", "retracted")
        if number is None or not self.queries[number].answers:
            return
        query = self.queries[number]
        name = str(self.rng.choice(list(query.answers)))
        self.study.retract(number, "so so", outcome=name)
        del query.answers[name]
        if query.state == "answered" and name in self.required:
            query.state, query.reason = "retracted", "so so"


def lived(case: str, seed: int, moves: int = 60) -> Life:
    """A study after a random life."""
    clock, rng = Clock(), np.random.default_rng(seed)
    life = Life(Study.in_memory(SPACE, **CASES[case], seed=seed, clock=clock), clock, rng)
    acts = [life.ask, life.tell, life.tell, life.tell, life.again, life.revise, life.move, life.end, life.retract]
    acts += [life.withdraw, life.add]
    life.ask()
    for _ in range(moves):
        clock.now += float(rng.exponential(10.0))
        acts[int(rng.integers(len(acts)))]()
    return life


def mean_of(value: Any) -> float:
    return fmean(value) if isinstance(value, list) else value


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("case", CASES)
def test_queries_say_what_was_told(case: str, seed: int) -> None:
    life = lived(case, seed)
    for query in life.study.queries():
        plain = life.queries[query.id]
        assert (query.state.value, query.point, query.performed) == (plain.state, plain.point, plain.performed)
        assert query.reason == plain.reason
        assert set(query.answers) == set(plain.answers)
        for name, values in plain.answers.items():
            answer = query.answers[name]
            assert answer.value == pytest.approx(mean_of(values[-1]), rel=1e-14)
            assert list(answer.repeats) == (values[-1] if isinstance(values[-1], list) else [])
            assert len(answer.earlier) == len(values) - 1
        main = query.answers.get(life.study.outcomes.main)
        assert query.answer == (main if plain.state == "answered" else None)
    assert [query.id for query in life.study.pending()] == [
        number for number, query in life.queries.items() if query.state == "pending"
    ]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("case", CASES)
def test_counts_are_those_of_the_states(case: str, seed: int) -> None:
    life = lived(case, seed)
    states = Counter(query.state for query in life.queries.values() if query.asked)
    counts = life.study.record().counts
    assert counts.asked == sum(states.values())
    for state in ("answered", "pending", "abandoned", "failed", "retracted"):
        assert counts.to_json()[state] == states[state]
    assert counts.added == sum(query.state == "answered" for query in life.queries.values() if not query.asked)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("case", CASES)
def test_evidence_has_each_outcome_at_the_points_that_were_tried(case: str, seed: int) -> None:
    life = lived(case, seed)
    record = life.study.record()
    for name, outcome in life.study.outcomes.items():
        evidence = Evidence.of(record, name)
        there = [number for number, query in life.queries.items() if name in query.answers]
        if life.study.outcomes.required == (name,):
            there = [number for number in there if life.queries[number].state == "answered"]
        assert sorted(np.flatnonzero(evidence.answered_mask) + 1) == there
        expected = [mean_of(life.queries[number].answers[name][-1]) for number in there]
        sign = -1.0 if isinstance(outcome, bl.Minimize | bl.AtMost) else 1.0
        assert evidence.values[evidence.answered_mask] == pytest.approx([sign * value for value in expected], rel=1e-14)
        for number in there:
            query = life.queries[number]
            assert evidence.points[number - 1] == pytest.approx(plain_encoding(query.performed or query.point))
        data = evidence.arrivals()
        assert sorted(map(tuple, data.points)) == sorted(map(tuple, evidence.points[evidence.answered_mask]))
    failed = [number for number, query in life.queries.items() if query.state == "failed"]
    assert sorted(Evidence.of(record).failed_rows + 1) == failed


def plain_encoding(point: dict[str, Any]) -> list[float]:
    """Where a point lies in the unit cube."""
    return [
        (point["heat"] + 40.0) / 160.0,
        (point["steps"] - 0.5) / 8.0,
        {"DMF": 0.25, "THF": 0.75}[point["solvent"]],
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("case", CASES)
def test_a_log_is_whole_reads_back_and_is_read_alike_in_any_lots(case: str, seed: int) -> None:
    life = lived(case, seed)
    events = list(life.study.events)
    again = [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in events]
    assert again == events
    _, log = whole_log("test", again)
    beginning = declaration("test", log[0]).record()
    at_once = beginning.extend(log[1:])
    one_by_one, past = beginning, []
    for event in log[1:]:
        one_by_one = one_by_one.extend([event])
        past.append((one_by_one, tuple(one_by_one.queries)))
    assert_same(at_once, one_by_one)
    # What an earlier record says stays as it was, whatever was taken back or moved since.
    for record, queries in past:
        assert tuple(record.queries) == queries
    # A record of the past can be told another future.
    middle = past[len(past) // 2][0]
    assert_same(middle.extend(log[1 + len(past) // 2 + 1 :]), at_once)
    assert Study(events).queries() == life.study.queries()


def assert_same(one: Record, other: Record) -> None:
    assert one.queries == other.queries
    assert one.counts == other.counts
    for name in one.outcomes:
        first, second = Evidence.of(one, name).arrivals(), Evidence.of(other, name).arrivals()
        assert first.points.tolist() == second.points.tolist()
        assert first.values.tolist() == second.values.tolist()


@pytest.mark.parametrize("case", CASES)
def test_a_life_is_the_same_in_every_storage(case: str, address: str) -> None:
    life = lived(case, 11)
    name = f"came {case}"
    kept = Study.restore(address, name, life.study.events, clock=life.clock)
    opened = Study.open(address, name, clock=life.clock)
    assert opened.queries() == life.study.queries() == kept.queries()
    assert opened.pending() == life.study.pending()
    assert opened.record().counts == life.study.record().counts
    query = opened.ask()
    assert query
    opened.fail(query, "spilt")
    assert opened.queries()[query.id - 1].state is State.FAILED


def test_each_outcome_has_delays_of_its_own() -> None:
    clock = Clock()
    study = Study.in_memory(
        SPACE, outcomes={"yield": bl.Maximize(), "colour": bl.Signal()}, policy="random", seed=1, clock=clock
    )
    for _ in range(12):
        [query] = study.ask(1)
        clock.now += 60.0
        study.tell(query, {"colour": 0.5})
        clock.now += 3600.0
        study.tell(query, {"yield": 1.0})
    assert study.delays("colour").seconds.quantile(0.5) == pytest.approx(60.0)
    assert study.delays().seconds.quantile(0.5) == pytest.approx(3660.0)
    assert study.delays("yield").to_json() == study.delays().to_json()


def test_policies_of_one_objective_decide_beside_signals_as_without_them() -> None:
    lone = Study.in_memory(SPACE, policy="gp-bucb", seed=5, clock=Clock())
    named = Study.in_memory(
        SPACE, policy="gp-bucb", seed=5, clock=Clock(), outcomes={"yield": bl.Maximize(), "colour": bl.Signal()}
    )
    rng = np.random.default_rng(3)
    for step in range(14):
        first, second = lone.ask(), named.ask()
        assert isinstance(first, bl.Query)
        assert isinstance(second, bl.Query)
        assert first.point == second.point
        value = float(rng.normal())
        if step % 3:
            named.tell(second, {"colour": 0.1})
            lone.tell(first, value)
            named.tell(second, {"yield": value})


def test_a_space_is_known_to_the_reference() -> None:
    assert isinstance(SPACE, Space)
    point = {"heat": 0.0, "steps": 3, "solvent": "THF"}
    assert SPACE.encode(point).tolist() == pytest.approx(plain_encoding(point))

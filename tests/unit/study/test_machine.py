"""The study as a state machine: whatever is done to it, it says what a plain notebook of dicts says."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from belated.beliefs import GP
from belated.errors import ConflictError, NoAnswerError, UnknownQueryError
from belated.evidence import Evidence
from belated.log import Balk, Created, Event, Query, Record, State, Window
from belated.policies import Recipe, gp_aucb, gp_bucb, gp_ts, gp_ucb, gp_ucb_sdf, random
from belated.space import Candidates
from belated.study import Best, Study, differences
from tests.builders import Clock, Domain, all_rows, mixed, mixed_table
from tests.logbook import signed

KNOWN = GP(kernel="se", lengthscale=0.4, variance=1.0, noise=0.01, mean="zero")
POLICIES: dict[str, Recipe] = {
    "random": random(),
    "gp-ucb": gp_ucb(belief=KNOWN),
    "two queries": gp_bucb(belief=KNOWN, window=2),
    "four seconds": gp_bucb(belief=KNOWN, window=Window(seconds=4.0)),
    "either": gp_ucb_sdf(belief=KNOWN, window=Window(queries=3, seconds=6.0)),
    "draws": gp_ts(belief=KNOWN),
    "balks": gp_aucb(belief=KNOWN, limit=3.0),
}
DOMAINS: dict[str, Domain] = {"space": mixed(), "table": mixed_table()}
values: st.SearchStrategy[Any] = st.one_of(
    st.sampled_from([-2.0, -0.0, 0.0, 0.5, 3, np.float32(0.1), np.int64(-4), np.float64(1e-9)]),
    st.floats(-1e6, 1e6),
)

reasons = st.sampled_from(["", "lost", "the sample fell"])


def reread(events: tuple[Event, ...]) -> list[Event]:
    """The log as another process finds it."""
    return [Event.from_json(json.loads(json.dumps(event.to_json(), allow_nan=False))) for event in events]


class StudyMachine(RuleBasedStateMachine):
    """Ask, tell, revise, abandon, add, change and close in any order."""

    @initialize(
        domain=st.sampled_from(sorted(DOMAINS)),
        goal=st.sampled_from(["maximize", "minimize"]),
        policy=st.sampled_from(sorted(POLICIES)),
        seed=st.sampled_from([0, 7, 2**70]),
    )
    def begin(self, domain: str, goal: Any, policy: str, seed: int) -> None:
        self.clock = Clock(50.0)
        self.domain, self.goal = DOMAINS[domain], goal
        self.study = Study.in_memory(self.domain, policy=POLICIES[policy], goal=goal, seed=seed, clock=self.clock)
        self.window = POLICIES[policy].beginning(self.domain).window
        self.notes: dict[int, dict[str, Any]] = {}  # by the id of the query
        self.n_asked = 0
        self.closed = False
        self.instants = [50.0]  # of the events

    # What a plain reader would note down.

    def entered(self, query: Query, number: int) -> None:
        self.notes[len(self.notes) + 1] = {
            "point": dict(query.point),
            "number": number,
            "asked_at": self.clock.now,
            "value": None,
            "earlier": [],
            "abandoned": None,
        }
        self.instants.append(self.clock.now)

    def answered(self, query: int, value: float) -> None:
        note = self.notes[query]
        delay = self.n_asked - note["number"] if note["number"] else 0
        note.update(value=float(value), answered_at=self.clock.now, delay=delay)

    def with_answer(self) -> list[int]:
        return [query for query, note in self.notes.items() if note["value"] is not None]

    def without_answer(self) -> list[int]:
        return [q for q, note in self.notes.items() if note["value"] is None and note["abandoned"] is None]

    def overdue(self, note: dict[str, Any]) -> bool:
        by_queries = self.window.queries is not None and self.n_asked - note["number"] > self.window.queries
        waited = self.clock.now - note["asked_at"]
        return by_queries or (self.window.seconds is not None and waited > self.window.seconds)

    def state(self, note: dict[str, Any]) -> State:
        if note["abandoned"] is not None:
            return State.ABANDONED
        if note["value"] is not None:
            return State.ANSWERED
        return State.OVERDUE if self.overdue(note) else State.PENDING

    # What can be done.

    @rule(seconds=st.sampled_from([0.25, 1.0, 2.5, 4.0]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @precondition(lambda self: not self.closed)
    @rule()
    def ask(self) -> None:
        elsewhere = Study(reread(self.study.events), clock=self.clock).ask()
        query = self.study.ask()
        assert query == elsewhere
        if isinstance(query, Balk):
            assert self.study.recipe == POLICIES["balks"]
            assert self.without_answer()
            assert query.reason
            return
        self.n_asked += 1
        self.entered(query, self.n_asked)
        assert query.id == len(self.notes)
        assert self.domain.decode(self.domain.encode(query.point)) == query.point

    @precondition(lambda self: not self.closed)
    @rule(count=st.integers(1, 3))
    def ask_for_many(self, count: int) -> None:
        elsewhere = Study(reread(self.study.events), clock=self.clock)
        alone = [elsewhere.ask() for _ in range(count)]
        queries = self.study.ask(count)
        assert list(queries) == [query for query in alone if query]
        assert len(queries) == count or self.study.recipe == POLICIES["balks"]
        assert queries or isinstance(queries, Balk)
        for query in queries:
            self.n_asked += 1
            self.entered(query, self.n_asked)

    @precondition(lambda self: self.without_answer())
    @rule(data=st.data(), value=values, whole=st.booleans())
    def tell(self, data: st.DataObject, value: float, whole: bool) -> None:
        query = data.draw(st.sampled_from(self.without_answer()))
        self.study.tell(self.study.queries()[query - 1] if whole else query, value)
        self.answered(query, value)
        self.instants.append(self.clock.now)

    @precondition(lambda self: self.with_answer())
    @rule(data=st.data())
    def tell_again(self, data: st.DataObject) -> None:
        query = data.draw(st.sampled_from(self.with_answer()))
        value = self.notes[query]["value"]
        self.study.tell(query, value)
        numpy_id: Any = np.int64(query)
        self.study.tell(numpy_id, np.float64(value))
        self.study.revise(query, value)

    @precondition(lambda self: self.with_answer())
    @rule(data=st.data(), change=st.sampled_from([-1.0, 1e-3]))
    def tell_something_else(self, data: st.DataObject, change: float) -> None:
        query = data.draw(st.sampled_from(self.with_answer()))
        value = self.notes[query]["value"]
        with pytest.raises(ConflictError, match=r"already answered with .* use revise\(\)"):
            self.study.tell(query, value + change)

    @precondition(lambda self: self.without_answer())
    @rule(data=st.data(), pairs=st.booleans())
    def tell_many(self, data: st.DataObject, pairs: bool) -> None:
        chosen = data.draw(st.lists(st.sampled_from(self.without_answer()), unique=True, max_size=4))
        answers = {query: data.draw(values) for query in chosen}
        again = {query: self.notes[query]["value"] for query in self.with_answer()[:1]}
        everything = {**answers, **again}
        self.study.tell_many(list(everything.items()) if pairs else everything)
        for query, value in answers.items():
            self.answered(query, value)
            self.instants.append(self.clock.now)

    @precondition(lambda self: self.without_answer())
    @rule(data=st.data(), fault=st.sampled_from(["unknown", "other", "abandoned", "twice"]))
    def tell_many_with_one_that_is_refused(self, data: st.DataObject, fault: str) -> None:
        waiting = self.without_answer()
        pairs: list[tuple[int, float]] = [(query, data.draw(values)) for query in waiting]
        abandoned = [query for query, note in self.notes.items() if note["abandoned"] is not None]
        if fault == "other" and self.with_answer():
            answered = self.with_answer()[-1]
            pairs.append((answered, self.notes[answered]["value"] + 1.0))
        elif fault == "abandoned" and abandoned:
            pairs.append((abandoned[0], 1.0))
        elif fault == "twice":
            pairs.append((waiting[0], pairs[0][1] + 1.0))
        else:
            pairs.append((len(self.notes) + 1, 1.0))
        place = data.draw(st.integers(0, len(pairs) - 1))
        pairs[place], pairs[-1] = pairs[-1], pairs[place]
        with pytest.raises((ConflictError, UnknownQueryError), match=r"^tell_many\(query="):
            self.study.tell_many(pairs)

    @precondition(lambda self: self.with_answer())
    @rule(data=st.data(), value=values)
    def revise(self, data: st.DataObject, value: float) -> None:
        query = data.draw(st.sampled_from(self.with_answer()))
        note = self.notes[query]
        self.study.revise(query, value)
        if float(value) != note["value"]:
            note["earlier"].append(note["value"])
            note["value"] = float(value)
            self.instants.append(self.clock.now)

    @precondition(lambda self: len(self.with_answer()) < len(self.notes))
    @rule(data=st.data(), value=values)
    def revise_what_has_no_answer(self, data: st.DataObject, value: float) -> None:
        query = data.draw(st.sampled_from(sorted(set(self.notes) - set(self.with_answer()))))
        with pytest.raises(ConflictError, match="has no answer to replace"):
            self.study.revise(query, value)

    @precondition(lambda self: self.without_answer())
    @rule(data=st.data(), reason=reasons)
    def abandon(self, data: st.DataObject, reason: str) -> None:
        query = data.draw(st.sampled_from(self.without_answer()))
        self.study.abandon(query, reason)
        self.notes[query]["abandoned"] = reason
        self.instants.append(self.clock.now)
        self.study.abandon(query, "again")
        with pytest.raises(ConflictError, match="the query was abandoned"):
            self.study.tell(query, 1.0)

    @precondition(lambda self: self.with_answer())
    @rule(data=st.data())
    def abandon_what_was_answered(self, data: st.DataObject) -> None:
        query = data.draw(st.sampled_from(self.with_answer()))
        with pytest.raises(ConflictError, match="only a query without an answer can be abandoned"):
            self.study.abandon(query)

    @rule(seed=st.integers(0, 99), value=values)
    def add(self, seed: int, value: float) -> None:
        point = self.domain.decode(self.domain.sample(1, np.random.default_rng(seed))[0])
        query = self.study.add(point, value)
        self.entered(query, 0)
        self.answered(len(self.notes), value)
        assert query.id == len(self.notes)
        assert query.point == point

    @rule(policy=st.sampled_from(sorted(POLICIES)))
    def change_policy(self, policy: str) -> None:
        self.study.change(policy=POLICIES[policy])
        self.window = POLICIES[policy].beginning(self.domain).window
        self.instants.append(self.clock.now)
        assert self.study.recipe == POLICIES[policy]
        assert self.study.policy.window == self.window

    @precondition(lambda self: len(self.notes) > 6)
    @rule(reason=reasons)
    def close(self, reason: str) -> None:
        self.study.close(reason)
        if not self.closed:
            self.instants.append(self.clock.now)
        self.closed = True
        with pytest.raises(ConflictError, match=r"^ask\(\): the study is closed"):
            self.study.ask()
        with pytest.raises(ConflictError, match=r"^ask\(\): the study is closed"):
            self.study.ask(2)

    @rule(query=st.sampled_from([0, -1, 999]), value=values)
    def name_a_query_that_is_not_there(self, query: int, value: float) -> None:
        with pytest.raises(UnknownQueryError, match=r"^tell\(query="):
            self.study.tell(query, value)
        with pytest.raises(UnknownQueryError, match=r"^abandon\(query="):
            self.study.abandon(query)

    # What must hold after every step.

    @invariant()
    def events_are_numbered_without_gaps_and_carry_their_instants(self) -> None:
        events = self.study.events
        assert [event.number for event in events] == list(range(1, len(events) + 1))
        assert [event.at for event in events] == self.instants
        assert isinstance(events[0].body, Created)

    @invariant()
    def queries_are_as_noted(self) -> None:
        queries = self.study.queries()
        assert [query.id for query in queries] == list(self.notes)
        for query, note in zip(queries, self.notes.values(), strict=True):
            assert (query.point, query.number) == (note["point"], note["number"])
            assert (query.asked_at, query.state) == (note["asked_at"], self.state(note))
            assert query.reason == note["abandoned"]
            assert (query.answer is None) == (note["value"] is None)
            if query.answer is not None:
                assert query.answer.value == note["value"]
                assert type(query.answer.value) is float
                assert query.answer.at == note["answered_at"]
                assert query.answer.delay == note["delay"]
                assert query.answer.earlier == tuple(note["earlier"])

    @invariant()
    def pending_queries_are_those_without_an_answer(self) -> None:
        pending = self.study.pending()
        assert [query.id for query in pending] == self.without_answer()
        assert {query.state for query in pending} <= {State.PENDING, State.OVERDUE}

    @invariant()
    def the_best_is_the_first_of_the_best_answers(self) -> None:
        known = {query: self.notes[query]["value"] for query in self.with_answer()}
        if not known:
            with pytest.raises(NoAnswerError):
                self.study.best()
            return
        value = max(known.values()) if self.goal == "maximize" else min(known.values())
        first = min(query for query, other in known.items() if other == value)
        assert self.study.best() == Best(self.notes[first]["point"], value, first)

    @invariant()
    def the_evidence_has_inside_values_and_ages(self) -> None:
        record, evidence = self.study.record(), self.study.evidence()
        sign = 1.0 if self.goal == "maximize" else -1.0
        inside = [np.nan if note["value"] is None else sign * note["value"] for note in self.notes.values()]
        np.testing.assert_array_equal(evidence.values, inside)
        ages = [self.n_asked - note["number"] if note["number"] else 0 for note in self.notes.values()]
        assert evidence.ages().tolist() == ages
        assert (evidence.n_asked, record.n_events) == (self.n_asked, len(self.instants))
        assert (record.settings.closed is not None) == self.closed

    @invariant()
    def the_log_read_again_adds_up_to_the_same(self) -> None:
        events = reread(self.study.events)
        assert tuple(events) == self.study.events
        again = Study(events, clock=self.clock)
        assert again.queries() == self.study.queries()
        assert again.record().counts == self.study.record().counts
        ours, theirs = self.study.evidence(), again.evidence()
        assert all_rows(ours) == all_rows(theirs)
        assert ours.points.tobytes() == theirs.points.tobytes()
        assert (again.recipe, again.goal, again.space) == (self.study.recipe, self.goal, self.domain)
        one_by_one = Record.empty(self.domain, None, signed(ours.sign))
        for event in events:
            one_by_one = one_by_one.extend([event])
        assert all_rows(Evidence.of(one_by_one)) == all_rows(ours)
        assert isinstance(again.space, Candidates) == isinstance(self.domain, Candidates)

    def teardown(self) -> None:
        if hasattr(self, "study"):
            assert list(differences(self.study.events)) == []
            assert list(differences(reread(self.study.events), forgetful=True)) == []


TestStudyMachine = pytest.mark.longest(StudyMachine.TestCase)
TestStudyMachine.settings = settings(max_examples=20, stateful_step_count=30, derandomize=True, deadline=None)

"""The trials of a study, read as the log of a study of ours.

A trial with a value is a query that was answered, a running one is pending, a failed one has failed. Queries come in
the order in which trials started, and answers in the order in which they ended. So the log is a function of the trials,
and any process reads the same.

Values that are infinite, and those of pruned trials, which are reports from before the end, count as no better than
the best and no worse than the worst value of a completed trial.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from optuna.trial import FrozenTrial, TrialState

from belated.integrations.optuna.attributes import events_kept, reason_of, standard_error_of, state_after
from belated.integrations.optuna.refusals import refuse_constraints
from belated.integrations.optuna.shared import shared_decision
from belated.integrations.optuna.spaces import Translation
from belated.log import (
    Abandoned,
    Answered,
    Asked,
    Body,
    Event,
    Failed,
    Goal,
    Outcomes,
    Record,
    SeedChanged,
    State,
    Values,
    is_answer,
)

# When, whether something begins (0) or ends (1), the query, and what happened.
TimedBody = tuple[float, int, int, Body]


@dataclass(frozen=True)
class PlacedTrial:
    """A trial whose point is known: when it started, when and how it ended."""

    number: int
    started: float
    point: Values
    arm: int | None
    ended: float | None = None
    value: float | None = None
    complete: bool = False
    reason: str | None = None  # why it failed
    sd: float | None = None  # the standard error of the value


@dataclass(frozen=True)
class Counting:
    """Which trials say something: whether pruned ones do by their last report, and failed ones by having failed."""

    pruned: bool = True
    failed: bool = True


def placed_trial(call: str, trial: FrozenTrial, translation: Translation, counting: Counting) -> PlacedTrial | None:
    """A trial as a query; None where its point is not known, or is not in the space."""
    if trial.state is TrialState.WAITING or trial.datetime_start is None:
        return None
    refuse_constraints(call, trial)
    decision = shared_decision(trial)
    numbers = {**decision.numbers, **_fixed(trial, translation), **translation.numbers(trial.params)}
    point = translation.inward(numbers)
    if point is None:
        return None
    running = PlacedTrial(trial.number, seconds(trial.datetime_start), point, decision.arm)
    if trial.state is TrialState.RUNNING:
        return running
    complete = trial.state is TrialState.COMPLETE
    counts = complete or (counting.pruned and trial.state is TrialState.PRUNED)
    ended = running.started if trial.datetime_complete is None else seconds(trial.datetime_complete)
    value = trial.value if counts else None
    reason = reason_of(trial) if counting.failed and _has_failed(trial) else None
    # Of a pruned trial, the value is an earlier report.
    sd = standard_error_of(call, trial) if complete else None
    return replace(running, ended=max(ended, running.started), value=value, complete=complete, reason=reason, sd=sd)


def _has_failed(trial: FrozenTrial) -> bool:
    """Whether a trial has failed; one that came from a study of ours may have been abandoned there."""
    return trial.state is TrialState.FAIL and state_after(events_kept(trial)) in (State.PENDING, State.FAILED)


def _fixed(trial: FrozenTrial, translation: Translation) -> dict[str, float]:
    """The numbers of parameters that were fixed when the trial was enqueued."""
    fixed = {} if trial.state.is_finished() else trial.system_attrs.get("fixed_params", {})
    return translation.numbers(fixed)


def seconds(instant: datetime) -> float:
    """Optuna's local time in seconds since 1970."""
    return instant.timestamp()


def events_of(queries: Iterable[PlacedTrial]) -> list[Event]:
    """The log of these queries after its first event, in the order of time."""
    asked = sorted(queries, key=lambda query: (query.started, query.number))
    low, high = _range(asked)
    moments: list[TimedBody] = []
    for identifier, query in enumerate(asked, start=1):
        moments.append((query.started, 0, identifier, Asked(identifier, query.point, arm=query.arm)))
        if query.ended is not None:
            end: Body = Abandoned(identifier, "")
            if query.reason is not None:
                end = Failed(identifier, query.reason)
            elif query.value is not None:
                end = Answered(identifier, min(max(query.value, low), high), sd=query.sd)
            moments.append((query.ended, 1, identifier, end))
    return in_order(moments)


def in_order(moments: Iterable[TimedBody]) -> list[Event]:
    """What happened after the first event, in the order of time; at equal times, asks before answers."""
    ordered = sorted(moments, key=lambda moment: moment[:3])
    return [Event(number, at, body) for number, (at, _, _, body) in enumerate(ordered, start=2)]


def _range(queries: Sequence[PlacedTrial]) -> tuple[float, float]:
    """The smallest and the largest value of a completed trial; of a pruned one, while none is complete."""
    values = [(query.complete, query.value) for query in queries if query.value is not None]
    finite = [(complete, value) for complete, value in values if math.isfinite(value) and is_answer(value)]
    known = [value for complete, value in finite if complete] or [value for _, value in finite] or [0.0]
    return min(known), max(known)


@dataclass(frozen=True)
class TrialsReading:
    """What was read of the trials so far, so that the next reading need only go on from there."""

    translation: Translation
    beginning: Record
    finished: Mapping[int, tuple[FrozenTrial, PlacedTrial | None]]
    undecided: Mapping[int, float]  # trials under way whose points are not known, and when they started
    events: Sequence[Event]
    record: Record

    @staticmethod
    def empty(translation: Translation, sign: float, seed: int) -> TrialsReading:
        """Nothing but the seed yet."""
        goal: Goal = "maximize" if sign > 0 else "minimize"
        empty = Record.empty(translation.space, None, Outcomes.one(goal))
        beginning = empty.extend([Event(1, 0.0, SeedChanged(seed))])
        return TrialsReading(translation, beginning, {}, {}, (), beginning)

    def fits(self, translation: Translation, sign: float) -> bool:
        """Whether the same is searched, in the same direction."""
        same = self.translation.space == translation.space and self.translation.columns == translation.columns
        return same and self.beginning.sign == sign

    def of(self, call: str, trials: Iterable[FrozenTrial], counting: Counting) -> TrialsReading:
        """The reading of these trials."""
        finished: dict[int, tuple[FrozenTrial, PlacedTrial | None]] = {}
        undecided: dict[int, float] = {}
        queries: list[PlacedTrial] = []
        for trial in trials:
            # A storage hands out the same object for a trial that has ended, and it changes no more.
            known = self.finished.get(trial.number)
            if known is None or known[0] is not trial:
                known = trial, placed_trial(call, trial, self.translation, counting)
            if trial.state.is_finished():
                finished[trial.number] = known
            if known[1] is not None:
                queries.append(known[1])
            elif trial.state is TrialState.RUNNING and trial.datetime_start is not None:
                undecided[trial.number] = seconds(trial.datetime_start)
        events = events_of(queries)
        begun = len(self.events)
        if events[:begun] == list(self.events):
            record = self.record.extend(events[begun:])
        else:
            record = self.beginning.extend(events)
        return TrialsReading(self.translation, self.beginning, finished, undecided, events, record)


def counted(record: Record, number: int, at: float) -> Record:
    """The record with this many asks: trials whose points are not known were asked all the same, and are abandoned.

    So the trial with a number draws its randomness from that number, and no two processes from the same.
    """
    missing = number - record.counts.asked
    if missing <= 0:
        return record
    nowhere = Values(record.domain.decode(np.full(record.domain.dimension, 0.5)))
    first, last = len(record) + 1, record.n_events
    bodies: list[Body] = []
    for query in range(first, first + missing):
        bodies += [Asked(query, nowhere), Abandoned(query, "")]
    return record.extend([Event(last + place, at, body) for place, body in enumerate(bodies, start=1)])


def with_asked(record: Record, point: Values, arm: int | None, at: float) -> Record:
    """The record after one more ask."""
    return record.extend([Event(record.n_events + 1, at, Asked(len(record) + 1, point, arm=arm))])

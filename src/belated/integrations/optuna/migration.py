"""Studies that move: from Optuna's storage to ours, and back, with their points, values, times and states.

What one side has no word for, it keeps as a text: a pruned trial is abandoned, and the reason says where; the key, the
worker, earlier values and the exact times of a query are an attribute of its trial. So a study that has gone and come
back is what it was.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from belated.client import RemoteStudy
from belated.errors import ConflictError, ParameterError
from belated.integrations.optuna.definitions import distributions_of, space_of
from belated.integrations.optuna.refusals import UnsupportedStudyError, refuse_constraints, refuse_many_objectives
from belated.integrations.optuna.sampler import BelatedSampler
from belated.integrations.optuna.shared import shared_decision
from belated.integrations.optuna.trials import TimedBody, in_order, seconds
from belated.log import Abandoned, Added, Answered, Asked, Closed, Event, Goal, Revised, Values, is_answer
from belated.policies import Recipe, from_json
from belated.space import Space
from belated.study import DEFAULT_POLICY, Study
from belated.study.creation import creation

ATTRIBUTE = "belated"
PRUNED = re.compile(r"pruned(?: at step (\d+) with (\S+))?")
COMPLETE = re.compile(r"complete with (\S+)")


@dataclass(frozen=True)
class QueryHistory:
    """What became of one query, in both worlds' terms."""

    point: Values
    asked_at: float
    added: bool = False
    ended_at: float | None = None
    value: float | None = None
    earlier: tuple[float, ...] = ()
    reason: str | None = None
    key: str | None = None
    worker: str | None = None
    arm: int | None = None


def from_optuna(
    optuna_study: optuna.Study,
    url: str,
    name: str,
    *,
    policy: str | Recipe | None = None,
    seed: int | None = None,
    space: Space | None = None,
) -> Study:
    """A study in a storage of ours with all that a study of Optuna knows, to be asked and told from here on.

    Without a `space`, it is that of the completed trials. A study that came from here has its policy and its seed
    again, unless others are given.
    """
    call = f"from_optuna({name!r})"
    if not isinstance(optuna_study, optuna.Study):
        raise ParameterError(
            f"{call}: got {optuna_study!r} as the study; give one of Optuna's, as load_study() returns."
        )
    refuse_many_objectives(call, optuna_study)
    trials = optuna_study.get_trials(deepcopy=False)
    for trial in trials:
        refuse_constraints(call, trial)
        _refuse_waiting(call, trial)
    kept = _kept(optuna_study.user_attrs) or {}
    searched = space_of(call, trials) if space is None else space
    goal: Goal = "maximize" if optuna_study.direction is StudyDirection.MAXIMIZE else "minimize"
    chosen = policy or (from_json(kept["policy"]) if "policy" in kept else DEFAULT_POLICY)
    created = creation(call, searched, chosen, goal, kept.get("seed") if seed is None else seed, None)
    pasts = [_past(f"{call}: trial {trial.number}", trial, searched) for trial in trials if _has_point(trial, searched)]
    events = _events(pasts)
    began = kept.get("began_at", min([event.at for event in events], default=time.time()))
    log = [Event(1, began, created), *events]
    if kept.get("closed") is not None:
        log.append(Event(len(log) + 1, log[-1].at, Closed(kept["closed"])))
    return Study.restore(url, name, log)


def to_optuna(
    study: Study | RemoteStudy,
    *,
    storage: str | BaseStorage | None = None,
    study_name: str | None = None,
    sampler: BaseSampler | None = None,
) -> optuna.Study:
    """A study of Optuna with all that a study of ours knows; a trial for every query, with its state and its times.

    The sampler, if none is given, is ours with the study's policy and seed. The name is the study's.
    """
    if not isinstance(study, Study | RemoteStudy):
        raise ParameterError(f"to_optuna(): got {study!r} as the study; give a bl.Study, as Study.open() returns.")
    call = f"to_optuna({study.name!r})"
    if study.context is not None:
        raise UnsupportedStudyError(
            f"{call}: the study's answers depend on a context ({', '.join(study.context.space.names)}); Optuna has no "
            f"word for it; keep the study here."
        )
    distributions = distributions_of(call, study.space)
    events, settings = study.events, study.settings
    trials = [_trial(call, past, distributions) for past in _pasts(events)]
    try:
        moved = optuna.create_study(
            storage=storage,
            study_name=study_name or study.name or None,
            direction=study.goal,
            sampler=sampler or BelatedSampler(study.recipe, seed=study.seed),
        )
    except optuna.exceptions.DuplicatedStudyError:
        raise ConflictError(
            f"{call}: Optuna's storage has a study {study_name or study.name!r} already; nothing was written; choose "
            f"another study_name."
        ) from None
    began = {"began_at": settings.began_at, "closed": settings.closed}
    moved.set_user_attr(ATTRIBUTE, {"policy": _plain(settings.policy), "seed": settings.seed, **began})
    moved.add_trials(trials)
    return moved


# From a trial to a query.


def _kept(attributes: Mapping[str, Any]) -> dict[str, Any] | None:
    """What `to_optuna` kept here, if this came from it."""
    kept = attributes.get(ATTRIBUTE)
    return kept if isinstance(kept, dict) else None


def _refuse_waiting(call: str, trial: FrozenTrial) -> None:
    if trial.state is TrialState.WAITING:
        raise UnsupportedStudyError(
            f"{call}: trial {trial.number} is enqueued and has not started; a query is either asked or not; ask() and "
            f"tell() it in Optuna first."
        )


def _has_point(trial: FrozenTrial, space: Space) -> bool:
    """Whether a trial has come to all parameters; one that has a value must."""
    return trial.state is TrialState.COMPLETE or not trial.params.keys() < set(space.names)


def _past(where: str, trial: FrozenTrial, space: Space) -> QueryHistory:
    """A trial as a query; what Optuna cannot say is in an attribute, if it came from here."""
    point = Values(space.read(trial.params, call=where))
    kept = _kept(trial.user_attrs) or {"key": f"trial {trial.number}"}
    asked_at = kept.get("asked_at")
    if asked_at is None:
        assert trial.datetime_start is not None, "only a trial that waits has not started"
        asked_at = seconds(trial.datetime_start)
    asked = QueryHistory(
        point,
        asked_at,
        added=kept.get("added", False),
        key=kept.get("key"),
        worker=kept.get("worker"),
        arm=kept.get("arm", shared_decision(trial).arm),
    )
    if not trial.state.is_finished():
        return asked
    ended = kept.get("ended_at")
    if ended is None:
        ended = asked_at if trial.datetime_complete is None else seconds(trial.datetime_complete)
    if trial.state is TrialState.COMPLETE and trial.value is not None and is_answer(trial.value):
        return replace(asked, ended_at=ended, value=trial.value, earlier=tuple(kept.get("earlier", ())))
    return replace(asked, ended_at=ended, reason=kept.get("reason", _reason(trial)))


def _reason(trial: FrozenTrial) -> str:
    """Why a trial has no answer."""
    if trial.state is TrialState.COMPLETE:
        return f"complete with {trial.value!r}"
    if trial.state is TrialState.PRUNED:
        step = trial.last_step
        return "pruned" if step is None else f"pruned at step {step} with {trial.intermediate_values[step]!r}"
    return "failed"


def _events(pasts: Iterable[QueryHistory]) -> list[Event]:
    """What follows the creation in the log of these queries."""
    moments: list[TimedBody] = []
    for query, past in enumerate(sorted(pasts, key=lambda past: past.asked_at), start=1):
        first, *later = (*past.earlier, past.value)
        if past.added:
            assert first is not None, "what was added has a value"
            moments.append((past.asked_at, 0, query, Added(query, past.point, first)))
        else:
            asked = Asked(query, past.point, key=past.key, worker=past.worker, arm=past.arm)
            moments.append((past.asked_at, 0, query, asked))
        if past.ended_at is not None:
            at = max(past.ended_at, past.asked_at)
            if first is None:
                moments.append((at, 1, query, Abandoned(query, past.reason or "")))
            elif not past.added:
                moments.append((at, 1, query, Answered(query, first)))
            moments += [(at, 1, query, Revised(query, value)) for value in later if value is not None]
    return in_order(moments)


# From a query to a trial.


def _pasts(events: Iterable[Event]) -> list[QueryHistory]:
    """What became of each query, in the order of their identifiers."""
    pasts: dict[int, QueryHistory] = {}
    for event in events:
        match event.body:
            case Asked(query=query, point=point, key=key, worker=worker, arm=arm):
                pasts[query] = QueryHistory(Values(point), event.at, key=key, worker=worker, arm=arm)
            case Added(query=query, point=point, value=value):
                pasts[query] = QueryHistory(Values(point), event.at, added=True, ended_at=event.at, value=value)
            case Answered(query=query, value=value):
                pasts[query] = replace(pasts[query], ended_at=event.at, value=value)
            case Revised(query=query, value=value):
                before = pasts[query]
                assert before.value is not None, "only what was answered is revised"
                pasts[query] = replace(before, value=value, earlier=(*before.earlier, before.value))
            case Abandoned(query=query, reason=reason):
                pasts[query] = replace(pasts[query], ended_at=event.at, reason=reason)
    return [pasts[query] for query in sorted(pasts)]


def _trial(call: str, past: QueryHistory, distributions: dict[str, BaseDistribution]) -> FrozenTrial:
    """A query as a trial."""
    state, value, reports = _outcome(past)
    kept = {name: _plain(kept) for name, kept in vars(past).items() if name not in ("point", "value")}
    return FrozenTrial(
        number=-1,  # Optuna counts them
        trial_id=-1,
        state=state,
        value=value,
        datetime_start=_moment(call, past.asked_at),
        datetime_complete=None if past.ended_at is None else _moment(call, past.ended_at),
        params=dict(past.point),
        distributions=distributions,
        user_attrs={ATTRIBUTE: {name: item for name, item in kept.items() if item not in (None, False, [])}},
        system_attrs={},
        intermediate_values=reports,
    )


def _outcome(past: QueryHistory) -> tuple[TrialState, float | None, dict[int, float]]:
    """The state of a query in Optuna's words, its value, and what was reported of it on the way."""
    if past.value is not None:
        return TrialState.COMPLETE, past.value, {}
    if past.reason is None:
        return TrialState.RUNNING, None, {}
    if found := COMPLETE.fullmatch(past.reason):
        number = _number(found[1])
        return (
            (TrialState.FAIL, None, {}) if number is None or math.isnan(number) else (TrialState.COMPLETE, number, {})
        )
    if found := PRUNED.fullmatch(past.reason):
        number = _number(found[2])
        value = None if number is None or math.isnan(number) else number
        return TrialState.PRUNED, value, {} if number is None else {int(found[1]): number}
    return TrialState.FAIL, None, {}


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _moment(call: str, at: float) -> datetime:
    """Seconds since 1970 as Optuna's local time."""
    try:
        return datetime.fromtimestamp(at)
    except (OverflowError, ValueError, OSError):
        raise UnsupportedStudyError(
            f"{call}: the log has an event at {at!r} seconds, which is no date; Optuna keeps dates; keep the study "
            f"here."
        ) from None


def _plain(value: Any) -> Any:
    """A value as plain JSON."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value

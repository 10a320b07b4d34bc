"""Studies that move: from Optuna's storage to ours, and back, with their points, values, times and states.

What one side has no word for, it keeps as a text: a pruned trial is abandoned, and the reason says where; all that
happened to a query is an attribute of its trial. So a study that has gone and come back is what it was.
"""

from __future__ import annotations

import math
import re
import time
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import optuna
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler
from optuna.storages import BaseStorage
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from belated.client import RemoteStudy
from belated.errors import BelatedWarning, ConflictError, ParameterError
from belated.integrations.optuna.attributes import (
    ATTRIBUTE,
    REASON,
    STANDARD_ERROR,
    events_kept,
    kept_in,
    kept_of,
    reason_of,
    standard_error_of,
    state_after,
)
from belated.integrations.optuna.definitions import distributions_of, nearest, space_of
from belated.integrations.optuna.refusals import (
    UnsupportedStudyError,
    refuse_constraints,
    refuse_many_objectives,
    refuse_many_outcomes,
)
from belated.integrations.optuna.sampler import BelatedSampler
from belated.integrations.optuna.shared import shared_decision
from belated.integrations.optuna.trials import TimedBody, in_order, seconds
from belated.log import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Body,
    Closed,
    Event,
    Failed,
    Measurement,
    Outcomes,
    Query,
    State,
    Values,
    fields_of,
    is_answer,
)
from belated.policies import Recipe, from_json
from belated.space import Space
from belated.study import DEFAULT_POLICY, Study
from belated.study.creation import creation

PRUNED = re.compile(r"pruned(?: at step (\d+) with (\S+))?")
COMPLETE = re.compile(r"complete with (\S+)")


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
    kept = kept_in(optuna_study.user_attrs)
    searched = space_of(call, trials) if space is None else space
    outcomes = _outcomes(optuna_study, kept)
    chosen = policy or (from_json(kept["policy"]) if "policy" in kept else DEFAULT_POLICY)
    drawn = kept.get("seed") if seed is None else seed
    created = creation(call, searched, chosen, None, drawn, None, dict(outcomes))
    begun = [trial for trial in trials if _has_point(trial, searched)]
    _warn_of_enqueued(call, trials, begun)
    pasts = [_past(f"{call}: trial {trial.number}", trial, searched, outcomes) for trial in begun]
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
    refuse_many_outcomes(call, study.outcomes)
    distributions = distributions_of(call, study.space)
    events, settings = study.events, study.settings
    happened: dict[int, list[Event]] = {}
    for event in events:
        if event.query is not None:
            happened.setdefault(event.query, []).append(event)
    main = study.outcomes.main
    trials = [_trial(call, query, main, happened[query.id], distributions) for query in study.queries()]
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
    began = {"began_at": settings.began_at, "closed": settings.closed, "outcomes": study.outcomes.to_json()}
    moved.set_user_attr(ATTRIBUTE, {"policy": _plain(settings.policy), "seed": settings.seed, **began})
    moved.add_trials(trials)
    return moved


# From a trial to a query.


def _outcomes(optuna_study: optuna.Study, kept: Mapping[str, Any]) -> Outcomes:
    """What the study measures: what it did before it went to Optuna, or one value."""
    if "outcomes" in kept:
        return Outcomes.from_json(kept["outcomes"])
    return Outcomes.one("maximize" if optuna_study.direction is StudyDirection.MAXIMIZE else "minimize")


def _params(trial: FrozenTrial) -> Mapping[str, Any]:
    """The parameters of a trial, or those with which it was enqueued."""
    fixed: Mapping[str, Any] = trial.system_attrs.get("fixed_params", {})
    return fixed if trial.state is TrialState.WAITING else trial.params


def _has_point(trial: FrozenTrial, space: Space) -> bool:
    """Whether a trial has come to all parameters; one that has a value must."""
    return trial.state is TrialState.COMPLETE or _params(trial).keys() >= set(space.names)


def _warn_of_enqueued(call: str, trials: Sequence[FrozenTrial], begun: Sequence[FrozenTrial]) -> None:
    """Say which enqueued trials are left behind: for some parameters, Optuna was to find the values."""
    numbers = {trial.number for trial in trials if trial.state is TrialState.WAITING}
    left = sorted(numbers - {trial.number for trial in begun})
    if left:
        warnings.warn(
            f"{call}: the enqueued trials {', '.join(map(str, left))} are left behind, as they have no value for some "
            f"parameters; ask() for queries in their place.",
            BelatedWarning,
            stacklevel=3,
        )


def _past(where: str, trial: FrozenTrial, space: Space, outcomes: Outcomes) -> list[Event]:
    """What happened to a trial as the events of a query: what it was here before, and what came of it in Optuna."""
    past = events_kept(trial)
    if not past:
        point = Values(space.read(_params(trial), call=where))
        started = time.time() if trial.datetime_start is None else seconds(trial.datetime_start)
        past = [Event(0, started, Asked(1, point, key=f"trial {trial.number}", arm=shared_decision(trial).arm))]
    else:
        asked = past[0].body
        assert isinstance(asked, Asked | Added), "a query begins so"
        space.read(asked.point, call=where)
    if trial.state.is_finished() and state_after(past) is State.PENDING:
        began = past[0].at
        ended = began if trial.datetime_complete is None else max(began, seconds(trial.datetime_complete))
        past.append(Event(0, ended, _ending(where, trial, outcomes)))
    return past


def _ending(call: str, trial: FrozenTrial, outcomes: Outcomes) -> Body:
    """What came of a trial."""
    if trial.state is TrialState.COMPLETE:
        if trial.value is not None and is_answer(trial.value):
            measured = Measurement(trial.value, standard_error_of(call, trial))
            return Answered(1, **fields_of({outcomes.main: measured}))
        return Failed(1, f"complete with {trial.value!r}")
    if trial.state is TrialState.FAIL:
        return Failed(1, reason_of(trial))
    step = trial.last_step
    pruned = "pruned" if step is None else f"pruned at step {step} with {trial.intermediate_values[step]!r}"
    return Abandoned(1, pruned)


def _events(pasts: Iterable[Sequence[Event]]) -> list[Event]:
    """What follows the creation in the log of these queries, numbered in the order in which they were asked."""
    moments: list[TimedBody] = []
    for query, past in enumerate(sorted(pasts, key=lambda past: past[0].at), start=1):
        for place, event in enumerate(past):
            body = replace(event.body, query=query)  # type: ignore[arg-type]  # all of these are about a query
            moments.append((event.at, min(place, 1), query, body))
    return in_order(moments)


# From a query to a trial.


def _trial(
    call: str, query: Query, main: str, happened: Sequence[Event], distributions: dict[str, BaseDistribution]
) -> FrozenTrial:
    """A query as a trial, at the point that was really tried, with its signals and its reason as attributes."""
    state, value, reports = _outcome(query, main)
    ended = query.asked_at
    if query.state is State.ANSWERED:
        ended = max(ended, query.answers[main].at)
    elif state.is_finished():
        ended = happened[-1].at
    attributes: dict[str, Any] = {name: answer.value for name, answer in query.answers.items() if name != main}
    if query.state is State.FAILED and query.reason:
        attributes[REASON] = query.reason
    if query.answer is not None and query.answer.sd is not None:
        attributes[STANDARD_ERROR] = query.answer.sd
    return FrozenTrial(
        number=-1,  # Optuna counts them
        trial_id=-1,
        state=state,
        value=value,
        datetime_start=_moment(call, query.asked_at),
        datetime_complete=_moment(call, ended) if state.is_finished() else None,
        params={name: nearest(distributions[name], value) for name, value in query.tried.items()},
        distributions=distributions,
        user_attrs={**attributes, ATTRIBUTE: kept_of(happened)},
        system_attrs={},
        intermediate_values=reports,
    )


def _outcome(query: Query, main: str) -> tuple[TrialState, float | None, dict[int, float]]:
    """The state of a query in Optuna's words, its value, and what was reported of it on the way."""
    if query.state is State.ANSWERED:
        return TrialState.COMPLETE, query.answers[main].value, {}
    if query.state in (State.PENDING, State.OVERDUE):
        return TrialState.RUNNING, None, {}
    if found := COMPLETE.fullmatch(query.reason or ""):
        number = _number(found[1])
        if number is not None and not math.isnan(number):
            return TrialState.COMPLETE, number, {}
    elif found := PRUNED.fullmatch(query.reason or ""):
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

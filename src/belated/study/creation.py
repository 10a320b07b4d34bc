"""How a study begins and is opened: its first event, from what the user gives, and what that event fixes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from belated.errors import ConflictError, CorruptError, ParameterError, SpaceError, Way, within_memory
from belated.log import (
    Body,
    Created,
    Event,
    Goal,
    Outcome,
    Outcomes,
    Record,
    Seek,
    Settings,
    outcomes_of,
    settings_after,
)
from belated.policies import Recipe
from belated.space import Candidates, Context, Space, domain_from_json
from belated.storage import Log, check_name, connect
from belated.study.arguments import as_policy, as_seed, as_seek, check_context, check_size, check_texts


def creation(
    call: str,
    space: Space | Candidates,
    policy: str | Recipe,
    goal: Goal | None,
    seed: int | None,
    context: Context | None,
    outcomes: Mapping[str, Outcome] | None = None,
    silence: float | None = None,
    seek: Seek = "best",
) -> Created:
    """The first event of a new study."""
    if not isinstance(space, Space | Candidates):
        raise ParameterError(f"{call}: got {space!r} as the space; give a bl.Space or bl.Candidates.")
    declared = declared_outcomes(call, goal, outcomes, silence)
    check_context(call, context, space)
    check_size(call, space, context)
    for domain in (space, *(() if context is None else (context.space,))):
        check_texts(call, domain)
    chosen = as_policy(call, policy)
    with within_memory(call):
        chosen.check(call, space, context)
    chosen.check_outcomes(call, declared)
    check_apart(call, space, context, declared)
    described = None if context is None else context.to_json()
    plain = declared == Outcomes.one(declared.goal)
    return Created(
        space.to_json(),
        described,
        declared.goal if plain else None,
        chosen.to_json(),
        as_seed(call, seed),
        None if plain else declared.to_json(),
        as_seek(call, seek),
    )


def declared_outcomes(
    call: str, goal: Goal | None, outcomes: Mapping[str, Outcome] | None, silence: float | None
) -> Outcomes:
    """The outcomes that are declared by name, or the one of a goal."""
    if outcomes is not None:
        if goal is not None or silence is not None:
            raise ParameterError(
                f"{call}: got outcomes and a goal or a silence; ",
                Way("own-goal", (), "each outcome says its own, as bl.Minimize(silence=0.0); leave the others out"),
                ".",
            )
        return Outcomes.read(call, outcomes)
    if goal not in (None, "maximize", "minimize"):
        raise ParameterError(f"{call}: got goal {goal!r}; a study does 'maximize' or 'minimize'.")
    return Outcomes.one(goal or "maximize", silence)


def check_apart(call: str, space: Space | Candidates, context: Context | None, outcomes: Outcomes) -> None:
    """Refuse an outcome with the name of a parameter, which would share its column in every file."""
    names = {*space.names, *(() if context is None else context.space.names)}
    shared = [name for name in outcomes if name in names] if outcomes.named else []
    if shared:
        raise ParameterError(f"{call}: {shared[0]!r} names an outcome and a parameter; rename one of them.")


@dataclass(frozen=True)
class Declaration:
    """What a study's first event fixes for good, and its first settings."""

    domain: Space | Candidates
    context: Context | None
    outcomes: Outcomes
    settings: Settings

    def record(self) -> Record:
        """The record when the first event alone has happened, which may be large and is read no more."""
        empty = Record.empty(self.domain, self.context, self.outcomes)
        return replace(empty, n_events=1, settings=self.settings)


def declared_by(first: Event, domain: Space | Candidates, context: Context | None) -> Declaration:
    """What a first event declares, with the space and the context that it was made of."""
    assert isinstance(first.body, Created), "a log begins with its creation"
    return Declaration(domain, context, outcomes_of(first.body), settings_after([first]))


def declaration(call: str, first: Event) -> Declaration:
    """What a first event declares."""
    created = first.body
    assert isinstance(created, Created), "a log begins with its creation"
    domain = domain_from_json(created.space)
    context = None if created.context is None else Context.from_json(created.context)
    check_context(call, context, domain)
    return Declaration(domain, context, outcomes_of(created), settings_after([first]))


def begun(call: str, url: str, name: str, first: Event, or_open: bool) -> tuple[Log, Event]:
    """The log of a new study and its first event; with `or_open`, those of the same study if it is there already."""
    storage = connect(url)
    check_name(call, name)
    try:
        return storage.create(name, [first]), first
    except ConflictError:
        if not or_open:
            raise
        log = storage.open(name)
        there = _first(log)
        check_same(call, name, there.body, first.body)
        return log, there


def opened(call: str, url: str, name: str) -> tuple[Log, Declaration]:
    """The log of a study, and what it declares."""
    log = connect(url).open(check_name(call, name))
    try:
        return log, declaration(call, _first(log))
    except SpaceError as error:
        raise CorruptError(f"{call}: its first event cannot be read ({error}); restore it from a copy.") from error


def check_same(call: str, name: str, there: Body, wanted: Body) -> None:
    """Refuse to open a study whose space, context or goal differs from that of the one to be created."""
    for part in ("space", "context", "goal", "outcomes"):
        found, given = (json.dumps(getattr(created, part), sort_keys=True) for created in (there, wanted))
        if found != given:
            raise ConflictError(
                f"{call}: the study {name!r} is there already, with another {part} ({_short(found)} instead of "
                f"{_short(given)}); open it as it is, or choose another name."
            )


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}…"


def _first(log: Log) -> Event:
    with log.reading() as reader:
        return reader.events(most=1)[0]

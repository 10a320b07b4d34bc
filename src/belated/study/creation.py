"""How a study begins: its first event, from what the user gives, and what that event fixes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

from belated.errors import ConflictError, ParameterError, within_memory
from belated.log import Body, Created, Event, Goal, Record, Settings, settings_after
from belated.policies import Recipe
from belated.space import Candidates, Context, Space, domain_from_json
from belated.study.arguments import as_policy, as_seed, check_context, check_size, check_texts


def creation(
    call: str,
    space: Space | Candidates,
    policy: str | Recipe,
    goal: Goal,
    seed: int | None,
    context: Context | None,
) -> Created:
    """The first event of a new study."""
    if not isinstance(space, Space | Candidates):
        raise ParameterError(f"{call}: got {space!r} as the space; give a bl.Space or bl.Candidates.")
    if not isinstance(goal, str) or goal not in ("maximize", "minimize"):
        raise ParameterError(f"{call}: got goal {goal!r}; a study does 'maximize' or 'minimize'.")
    check_context(call, context, space)
    check_size(call, space, context)
    for domain in (space, *(() if context is None else (context.space,))):
        check_texts(call, domain)
    chosen = as_policy(call, policy)
    with within_memory(call):
        chosen.check(call, space, context)
    described = None if context is None else context.to_json()
    return Created(space.to_json(), described, goal, chosen.to_json(), as_seed(call, seed))


@dataclass(frozen=True)
class Declaration:
    """What a study's first event fixes for good, and its first settings."""

    domain: Space | Candidates
    context: Context | None
    goal: Goal
    settings: Settings

    def record(self) -> Record:
        """The record when the first event alone has happened, which may be large and is read no more."""
        empty = Record.empty(self.domain, self.context, 1.0 if self.goal == "maximize" else -1.0)
        return replace(empty, n_events=1, settings=self.settings)


def declaration(call: str, first: Event) -> Declaration:
    """What a first event declares."""
    created = first.body
    assert isinstance(created, Created), "a log begins with its creation"
    domain = domain_from_json(created.space)
    context = None if created.context is None else Context.from_json(created.context)
    check_context(call, context, domain)
    return Declaration(domain, context, created.goal, settings_after([first]))


def check_same(call: str, name: str, there: Body, wanted: Body) -> None:
    """Refuse to open a study whose space, context or goal differs from that of the one to be created."""
    for part in ("space", "context", "goal"):
        found, given = (json.dumps(getattr(created, part), sort_keys=True) for created in (there, wanted))
        if found != given:
            raise ConflictError(
                f"{call}: the study {name!r} is there already, with another {part} ({_short(found)} instead of "
                f"{_short(given)}); open it as it is, or choose another name."
            )


def _short(text: str) -> str:
    return text if len(text) <= 120 else f"{text[:117]}…"

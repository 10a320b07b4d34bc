"""What users hand to a study, read or refused at the door."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from belated.errors import AnswerError, ContextError, ParameterError, UnsupportedError, as_number
from belated.log import Query
from belated.policies import Policy, build
from belated.space import Candidates, Context, Space


def as_policy(call: str, policy: str | Policy) -> Policy:
    """The policy that was named or given; one that the log can name."""
    chosen = build(policy) if isinstance(policy, str) else policy
    if not isinstance(chosen, Policy):
        raise ParameterError(f"{call}: got {policy!r} as the policy; give a name or one of bl.policies.")
    if chosen.recipe is None:
        raise ParameterError(
            f"{call}: got a policy that is not registered, so the log could not name it; build it by a function "
            f"decorated with @bl.policies.policy('name')."
        )
    return chosen


def as_seed(call: str, seed: int | None) -> int:
    """A seed that was given, or a drawn one."""
    if seed is None:
        return secrets.randbelow(2**32)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(
            f"{call}: got seed {seed!r}; a seed is a whole number of at least 0; leave it out to draw one."
        )
    return int(seed)


def check_context(call: str, context: Context | None, space: Space | Candidates) -> None:
    """Refuse a context that does not go with the space."""
    if context is None:
        return
    if not isinstance(context, Context):
        raise ParameterError(f"{call}: got {context!r} as the context; give a bl.Context.")
    if context.seen == "after":
        raise UnsupportedError(
            f"{call}: got a context seen after the decision; no policy of this release learns their law; "
            f"use a context with seen='before', or leave it out."
        )
    shared = set(context.space.names) & set(space.names)
    if shared:
        raise ContextError(f"{call}: {sorted(shared)} name parameters of both space and context; rename one of them.")


def as_pairs(answers: object) -> list[tuple[int | Query, float]]:
    """Queries and their answers, from a mapping or from pairs."""
    try:
        pairs: list[Any] = list(answers.items() if isinstance(answers, Mapping) else answers)  # type: ignore[call-overload]
    except TypeError:
        pairs = [answers]
    for pair in pairs:
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise ParameterError(f"tell_many(): got {pair!r}; give a mapping of ids to answers, or pairs of both.")
    return pairs


def finite(call: str, query: int | None, value: float) -> float:
    """An answer as a finite double."""
    where = f"{call}()" if query is None else f"{call}(query={query})"
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise AnswerError(
            f"{where}: got {value!r} as the answer; an answer is a number; abandon() a query that has none."
        )
    number = as_number(value)
    if number is None:
        raise AnswerError(
            f"{where}: got {value!r} as the answer; an answer is a finite number; abandon() a query that failed."
        )
    return number


def as_text(call: str, reason: object) -> str:
    """A reason that was given in words."""
    if not isinstance(reason, str):
        raise ParameterError(f"{call}: got {reason!r} as the reason; give it as a text, or leave it out.")
    return reason

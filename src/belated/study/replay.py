"""A log asked again: does the study still ask the same questions?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.beliefs import Memory
from belated.log import Asked, Balk, Event, History, whole_log
from belated.policies import from_json
from belated.space import Context, domain_from_json


@dataclass(frozen=True)
class Difference:
    """A query of the log, and what is asked in its place now."""

    query: int
    asked: dict[str, Any]
    now: dict[str, Any] | Balk


def differences(events: Sequence[Event], forgetful: bool = False) -> Iterator[Difference]:
    """The asks of a log that come out otherwise when it is replayed; none, on the same version and machine.

    A `forgetful` replay begins every ask with an empty memory, as a process would that has just started.
    """
    created, log = whole_log("differences()", events)
    domain = domain_from_json(created.space)
    context = None if created.context is None else Context.from_json(created.context)
    history = History.empty(domain, context, 1.0 if created.goal == "maximize" else -1.0)
    memory = Memory()
    for event in log:
        if isinstance(event.body, Asked):
            assert history.policy is not None
            seen = event.body.context
            encoded = np.empty(0) if context is None or seen is None else context.space.encode(seen)
            kept = Memory() if forgetful else memory
            decision = from_json(history.policy).decide(history, event.at, created.seed, kept, encoded)
            now = decision if isinstance(decision, Balk) else domain.decode(decision)
            if now != event.body.point:
                yield Difference(event.body.query, dict(event.body.point), now)
        history = history.extend([event])

"""A log asked again: does the study still ask the same questions?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.beliefs import Memory
from belated.evidence import Evidence
from belated.log import Asked, Balk, Event, whole_log
from belated.policies import from_json
from belated.release import RELEASE
from belated.rules import Played, point_of
from belated.study.creation import declaration


@dataclass(frozen=True)
class Difference:
    """A query of the log, what is asked in its place now, and the release that asked it, where the log names it."""

    query: int
    asked: dict[str, Any]
    now: dict[str, Any] | Balk
    release: str | None = None

    @property
    def reason(self) -> str:
        """Why it may come out otherwise, in words."""
        if self.release is None:
            return "The log is of an earlier release, which may have decided otherwise"
        if self.release != RELEASE:
            return f"Release {self.release} decided it, and this is {RELEASE}, which may decide otherwise"
        return (
            f"This release, {RELEASE}, decided it: another machine may have rounded otherwise; if it was this one, the "
            f"log before the query has been changed"
        )


def differences(
    events: Sequence[Event], forgetful: bool = False, watch: Callable[[int], None] | None = None
) -> Iterator[Difference]:
    """The asks of a log that come out otherwise when it is replayed; none, on the same version and machine.

    A `forgetful` replay begins every ask with an empty memory, as a process would that has just started. `watch` is
    told the identifier of each query that has been asked again.
    """
    _, log = whole_log("differences()", events)
    fixed = declaration("differences()", log[0])
    domain, context = fixed.domain, fixed.context
    record = fixed.record()
    memory = Memory()
    for event in log:
        body = event.body
        if not isinstance(body, Asked):
            continue
        seen = event.number - 1 if body.after is None else body.after
        record = record.extend(log[record.n_events : seen])
        assert record.settings.policy is not None
        encoded = np.empty(0) if context is None or body.context is None else context.space.encode(body.context)
        kept = Memory() if forgetful else memory
        recipe, evidence = from_json(record.settings.policy), Evidence.of(record)
        recipe.require_affordable()
        decision = recipe.compose(evidence, event.at).decide(evidence, event.at, evidence.seed, kept, encoded)
        outcome = decision.outcome
        now = outcome if isinstance(outcome, Balk) else domain.decode(point_of(outcome))
        if watch is not None:
            watch(body.query)
        arm = outcome.arm if isinstance(outcome, Played) else None
        if now != body.point or arm != body.arm:
            yield Difference(body.query, dict(body.point), now, body.release)

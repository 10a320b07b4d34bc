"""The settings of a study: the policy that decides, the seed it draws from, what it measures, whether it still asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from belated.log.events import (
    Archived,
    Closed,
    Created,
    Event,
    Noticed,
    PolicyChanged,
    Reopened,
    SeedChanged,
    SeekChanged,
    SilenceChanged,
    Unarchived,
)
from belated.log.outcomes import Outcomes, Seek


@dataclass(frozen=True)
class Settings:
    """The settings of a study, from the events about the study itself."""

    policy: Mapping[str, Any] | None = None
    seed: int = 0
    closed: str | None = None  # the reason, while it is closed
    began_at: float = 0.0
    noticed: Mapping[str, float] = field(default_factory=dict)  # when each kind was noticed last
    decides_since: int = 0  # number of the event with which the policy began to decide
    archived: str | None = None  # the reason, while it is in the archive
    outcomes: Outcomes = field(default_factory=Outcomes.one)  # as declared, with what silence means by now
    seek: Seek = "total"  # as in logs that do not say

    def after(self, event: Event) -> Settings:
        """The settings after one more event."""
        match event.body:
            case Created(policy=policy, seed=seed, seek=seek):
                outcomes = outcomes_of(event.body)
                return Settings(policy, seed, None, event.at, outcomes=outcomes, seek=seek or "total")
            case PolicyChanged(policy=policy):
                same = policy == self.policy
                return replace(self, policy=policy, decides_since=self.decides_since if same else event.number)
            case SeedChanged(seed=seed):
                return replace(self, seed=seed)
            case SilenceChanged(silence=silence):
                return replace(self, outcomes=self.outcomes.with_silence(silence))
            case SeekChanged(seek=seek):
                return replace(self, seek=seek)
            case Closed(reason=reason):
                return replace(self, closed=reason)
            case Reopened():
                return replace(self, closed=None)
            case Archived(reason=reason):
                return replace(self, archived=reason)
            case Unarchived():
                return replace(self, archived=None)
            case Noticed(kind=kind):
                return replace(self, noticed={**self.noticed, kind: event.at})
        return self


def outcomes_of(created: Created) -> Outcomes:
    """The outcomes that a study declares."""
    return (
        Outcomes.one(created.goal or "maximize") if created.outcomes is None else Outcomes.from_json(created.outcomes)
    )


def settings_after(events: Iterable[Event], before: Settings = Settings()) -> Settings:
    """The settings that these events leave behind."""
    return reduce(Settings.after, events, before)

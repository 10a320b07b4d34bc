"""The settings of a study: the policy that decides, the seed it draws from, and whether it still asks."""

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
    Unarchived,
)


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

    def after(self, event: Event) -> Settings:
        """The settings after one more event."""
        match event.body:
            case Created(policy=policy, seed=seed):
                return Settings(policy, seed, None, event.at)
            case PolicyChanged(policy=policy):
                same = policy == self.policy
                return replace(self, policy=policy, decides_since=self.decides_since if same else event.number)
            case SeedChanged(seed=seed):
                return replace(self, seed=seed)
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


def settings_after(events: Iterable[Event], before: Settings = Settings()) -> Settings:
    """The settings that these events leave behind."""
    return reduce(Settings.after, events, before)

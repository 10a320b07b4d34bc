"""How the study itself is changed: what decides in it, and whether it is closed or in the archive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from belated.errors import within_memory
from belated.log import (
    Archived,
    Body,
    Closed,
    GivenSilence,
    GivenWindow,
    PolicyChanged,
    Reopened,
    SeedChanged,
    Seek,
    SeekChanged,
    Settings,
    SilenceChanged,
    Unarchived,
)
from belated.policies import Recipe, with_window
from belated.storage import Log
from belated.study.arguments import as_policy, as_seed, as_seek, as_silence, check_change
from belated.study.creation import Declaration
from belated.study.knowledge import Knowledge

Turn = Closed | Reopened | Archived | Unarchived


@dataclass(frozen=True)
class Changing:
    """What changes a study: its log and what that declares, what is known of it, the clock, and who signs."""

    log: Log
    declared: Declaration
    knowledge: Knowledge
    clock: Callable[[], float]
    by: str | None

    def change(
        self,
        policy: str | Recipe | None,
        window: GivenWindow,
        seed: int | None,
        silence: GivenSilence,
        seek: Seek | None,
    ) -> None:
        """Let another policy decide, with another window, seed or silence, or seek something else, from here on."""
        check_change(policy, window, seed, silence, seek)
        written = False
        while not written:
            # A check may draw thousands of contexts, and tells must not wait for it.
            with self.log.reading() as reader:
                current = self.knowledge.settings(reader)
            bodies: list[Body] = []
            if silence is not None:
                bodies.append(SilenceChanged(as_silence("change()", silence)))
            if seek is not None:
                bodies.append(SeekChanged(as_seek("change()", seek)))
            if policy is not None or window is not None:
                bodies.append(self._other_policy(current, policy, window))
            if seed is not None:
                bodies.append(SeedChanged(as_seed("change()", seed)))
            with self.log.writing() as writer:
                # The window belongs to the policy: if another process has changed that meanwhile, check again.
                written = policy is not None or self.knowledge.settings(writer).policy == current.policy
                if written:
                    writer.append(bodies, self.clock(), self.by)

    def turn(self, body: Turn) -> None:
        """Close the study, reopen it, put it into the archive or bring it back, unless that is so already."""
        with self.log.writing() as writer:
            if not _is_so(body, self.knowledge.settings(writer)):
                writer.append([body], self.clock(), self.by)

    def _other_policy(self, current: Settings, policy: str | Recipe | None, window: GivenWindow) -> PolicyChanged:
        """The event by which another policy decides, once it is known to suit the study."""
        chosen = self.knowledge.recipe(current) if policy is None else as_policy("change()", policy)
        chosen = chosen if window is None else with_window(chosen, window)
        with within_memory("change()"):
            chosen.check("change()", self.declared.domain, self.declared.context)
        chosen.check_outcomes("change()", self.declared.outcomes)
        return PolicyChanged(chosen.to_json())


def _is_so(body: Turn, settings: Settings) -> bool:
    match body:
        case Closed():
            return settings.closed is not None
        case Reopened():
            return settings.closed is None
        case Archived():
            return settings.archived is not None
        case Unarchived():
            return settings.archived is None

"""The study of the demonstration, kept in a file: to look into, and to go on with."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from belated import policies
from belated.cli.laboratory import PATIENCE
from belated.errors import ConflictError
from belated.log import Created, Event, Window
from belated.simulate import Run
from belated.study import Study

FILE = "demo.db"
DAY = 86400.0


@dataclass(frozen=True)
class KeptDemo:
    """Where the study is, and what it is called."""

    storage: str
    study: str

    @property
    def command(self) -> str:
        """The command that shows the study in a browser."""
        return f"{_program()} serve --storage {shlex.quote(self.storage)}"


def keep(folder: Path, run: Run) -> KeptDemo:
    """Write the study of a run to a file in that folder, as if its last day were today.

    If the file has that study already, it stays as it is, with all that was done to it since.
    """
    kept = KeptDemo(f"sqlite:///{folder / FILE}", f"laboratory-{run.rounds}-days-seed-{run.seed}")
    with suppress(ConflictError):
        Study.restore(kept.storage, kept.study, on_the_calendar(run.study.events, run.rounds, time.time()))
    return kept


def on_the_calendar(events: Iterable[Event], rounds: int, now: float) -> list[Event]:
    """The events with one day for each round, so that the last one is now; the policy's window is in days too."""
    last = float(int(now))  # a whole number, so that waits stay exact multiples of a day
    policy = policies.gp_bucb(window=Window(seconds=PATIENCE * DAY)).to_json()
    moved = [replace(event, at=last - DAY * (rounds - event.at)) for event in events]
    assert isinstance(moved[0].body, Created)
    moved[0] = replace(moved[0], body=replace(moved[0].body, policy=policy))
    return moved


def _program() -> str:
    """How this command was called: by name if the shell finds it, else by path."""
    called, found = Path(sys.argv[0]), shutil.which("belated")
    if called.name != "belated" or not called.exists() or (found and os.path.samefile(found, called)):
        return "belated"
    return shlex.quote(sys.argv[0])

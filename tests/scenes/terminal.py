"""The command `belated` as processes of their own, which can be switched off at any moment."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from tests.forks import BELATED, Fork, belated, fork


def start(folder: Path, *arguments: object) -> Fork:
    """A command that was begun in a folder."""
    with open(os.devnull, "w") as errors:
        return fork(BELATED, folder, errors.fileno(), words=arguments)


def done(folder: Path, *arguments: object) -> str:
    """What a command that went well has printed."""
    ended = belated(folder, *arguments)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def read(folder: Path, *arguments: object) -> Any:
    """What a command has printed as JSON."""
    return json.loads(done(folder, *arguments, "--json"))


def switch_off(process: Fork) -> None:
    """End a command as a power cut would."""
    process.end()

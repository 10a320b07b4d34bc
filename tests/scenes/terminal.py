"""The command `belated` as processes of their own, which can be switched off at any moment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.meanwhile import PATIENCE

# Sums then round alike in every process, on any number of cores.
SURROUNDINGS = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def start(folder: Path, *arguments: object) -> subprocess.Popen[str]:
    """A command that was begun in a folder."""
    command = [sys.executable, "-m", "belated", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=folder, env=SURROUNDINGS, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def done(folder: Path, *arguments: object) -> str:
    """What a command that went well has printed."""
    process = start(folder, *arguments)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    return out


def read(folder: Path, *arguments: object) -> Any:
    """What a command has printed as JSON."""
    return json.loads(done(folder, *arguments, "--json"))


def switch_off(process: subprocess.Popen[str]) -> None:
    """End a command as a power cut would."""
    process.kill()
    process.communicate(timeout=PATIENCE)

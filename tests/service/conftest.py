"""The command line as a function: what it printed, where, and its exit code."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from belated.cli.main import run
from tests import forks

SPACE = """{
    temperature: {float: [20, 120]}, loading: {float: [1e-3, 0.1], log: true}, solvent: [DMF, THF], steps: {int: [1, 8]}
}"""


@dataclass(frozen=True)
class Done:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, read as JSON and nothing else."""
        return json.loads(self.out)


Belated = Callable[..., Done]


@pytest.fixture
def belated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Belated:
    """The command, run in this process and in a folder of its own; `ok=False` where it is to fail."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("BELATED_STORAGE", raising=False)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*arguments: object, ok: bool = True) -> Done:
        monkeypatch.setattr(sys, "argv", ["belated", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            run()
        captured = capsys.readouterr()
        done = Done(int(ended.value.code or 0), captured.out, captured.err)
        assert (done.code == 0) == ok, done
        assert "Traceback" not in done.err
        return done

    return call


@pytest.fixture(scope="session")
def _laboratory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("laboratory")
    create = ("create", "lab", "--space", SPACE, "--policy", "random", "--seed", 7)
    for words in (create, ("ask", "lab", "--count", 3), ("tell", "lab", 2, "-0.5")):
        forks.belated(folder, *words).check_returncode()
    return folder


@pytest.fixture
def lab(belated: Belated, _laboratory: Path, tmp_path: Path) -> str:
    """A study that asks at random, so that tests are quick; three queries are asked, and the second is answered."""
    shutil.copytree(_laboratory, tmp_path, dirs_exist_ok=True)
    return "lab"

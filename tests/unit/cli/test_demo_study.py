"""How the demonstration names the command that it offers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from belated.cli.demo_study import KeptDemo

KEPT = KeptDemo("sqlite:///my demo/demo.db", "laboratory")
OPTIONS = "serve --storage 'sqlite:///my demo/demo.db'"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program of that name, in a folder."""
    path = tmp_path / "belated"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_a_command_that_the_shell_finds_goes_by_its_name(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", str(program.parent))
    assert KEPT.command == f"belated {OPTIONS}"


def test_a_command_that_the_shell_does_not_find_goes_by_its_path(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", "")
    assert KEPT.command == f"{program} {OPTIONS}"


def test_a_module_that_was_run_goes_by_the_name_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [__file__])
    assert KEPT.command == f"belated {OPTIONS}"

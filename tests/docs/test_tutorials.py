"""The tutorials by command line hold: their commands run, and print what the page shows."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.forks import BELATED, fork
from tests.meanwhile import PATIENCE

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    """One command of a page and the lines that it is said to print; … stands for anything."""

    command: str
    shown: tuple[str, ...]


def steps(page: str) -> list[Step]:
    """The commands of a page in order; a block with a title is a file to write."""
    found: list[Step] = []
    for language, title, text in BLOCK.findall(page):
        if title:
            found.append(Step(f"cat > {title} <<'END OF FILE'\n{text}END OF FILE", ()))
        elif language == "console":
            for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
                command, _, printed = part.partition("\n")
                found.append(Step(command, tuple(printed.rstrip("\n").splitlines())))
    return found


def outcome(command: str, before: int, folder: Path) -> tuple[int, str]:
    """The exit code of a command in a folder, and all that it says; `before` is that of the last one, for `$?`."""
    words = [*shlex.shlex(command, posix=True, punctuation_chars=True)]
    if words[0] == "belated" and not set(words) & {"|", ">", "<", ";", "&"} and "$" not in command:
        begun = fork(BELATED, folder, None, words=shlex.split(command)[1:], environment={"COLUMNS": "80"})
        with begun.stdout:
            printed = begun.stdout.read()
        return begun.wait(), printed
    settings = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    settings["PYTHONIOENCODING"] = "utf-8"
    done = subprocess.run(
        ["bash", "-c", f"exec 2>&1; (exit {before})\n{command}"],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout


def matches(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether the lines are the same, but for trailing space and what … leaves open."""
    if len(shown) != len(printed):
        return False
    patterns = [".*".join(map(re.escape, line.rstrip().split("…"))) for line in shown]
    return all(re.fullmatch(pattern, line.rstrip()) for pattern, line in zip(patterns, printed, strict=True))


def test_a_page_is_read_as_files_and_commands() -> None:
    page = '```text title="a.csv"\nx\n1\n```\n\n```console\n$ one\nsays …\n$ two\n```\n\n```sh\nnot run\n```\n'
    write, first, second = steps(page)
    assert write.command.splitlines()[1:3] == ["x", "1"]
    assert (first, second) == (Step("one", ("says …",)), Step("two", ()))
    assert matches(first.shown, ["says hello  "])
    assert not matches(first.shown, ["said hello"])


@pytest.mark.longest
@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.md")), ids=lambda path: path.stem)
def test_the_commands_of_a_tutorial_print_what_it_shows(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BELATED_STORAGE", raising=False)
    todo = steps(path.read_text(encoding="utf-8"))
    code = 0
    for place, step in enumerate(todo):
        code, printed = outcome(step.command, code, tmp_path)
        told = place + 1 < len(todo) and todo[place + 1].command == "echo $?"
        assert told or code == 0, f"$ {step.command}\n{printed}"
        assert matches(step.shown, printed.rstrip("\n").splitlines()), f"$ {step.command}\n{printed}"

"""The tutorials by command line hold: their commands run in a shell, and print what the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

TUTORIALS = Path(__file__).resolve().parents[2] / "docs" / "tutorials"
BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
MARK = "@@ exit code "


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


def script(todo: list[Step]) -> str:
    """All commands for one shell; each leaves its exit code behind, for the page to show by `echo $?`."""
    lines = [f"{step.command}\ncode=$?; printf '%s%d\\n' '{MARK}' $code; (exit $code)" for step in todo]
    return "exec 2>&1\n" + "\n".join(lines) + "\n"


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


@pytest.mark.parametrize("path", sorted(TUTORIALS.glob("*.md")), ids=lambda path: path.stem)
def test_the_commands_of_a_tutorial_print_what_it_shows(path: Path, tmp_path: Path) -> None:
    todo = steps(path.read_text(encoding="utf-8"))
    (tmp_path / "belated.sh").write_text(script(todo), encoding="utf-8")
    settings = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "PYTHONIOENCODING": "utf-8",
    }
    inherited = {name: value for name, value in os.environ.items() if name != "BELATED_STORAGE"}
    folder = tmp_path / "lab"
    folder.mkdir()
    command = ["bash", str(tmp_path / "belated.sh")]
    done = subprocess.run(
        command, cwd=folder, env=inherited | settings, capture_output=True, encoding="utf-8", timeout=300
    )
    outcomes = re.split(rf"^{MARK}(\d+)\n", done.stdout, flags=re.MULTILINE)
    printed, codes = outcomes[0::2], [int(code) for code in outcomes[1::2]]
    assert len(codes) == len(todo), done.stderr
    for place, step in enumerate(todo):
        lines = printed[place].rstrip("\n").splitlines()
        told = place + 1 < len(todo) and todo[place + 1].command == "echo $?"
        assert told or codes[place] == 0, f"$ {step.command}\n{printed[place]}"
        assert matches(step.shown, lines), f"$ {step.command}\n{printed[place]}"

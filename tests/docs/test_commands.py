"""Every command has its page, and every page says all there is to say of its command."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from belated.cli.app import command_line
from belated.study.figures import kinds

COMMANDS = Path(__file__).resolve().parents[2] / "docs" / "commands"
# What all commands share is on the index.
SHARED = {"--storage", "-s", "--json", "--help", "-h"}

root: Any = command_line


def read(name: str) -> str:
    return (COMMANDS / f"{name}.md").read_text(encoding="utf-8")


def options(command: Any) -> set[str]:
    """The options of a command, those of its parts included, as they are typed."""
    parts = getattr(command, "commands", {}).values()
    own = {word for parameter in command.params for word in parameter.opts if word.startswith("-")}
    return own.union(*map(options, parts))


def test_every_command_has_its_page_and_every_page_its_command() -> None:
    assert {path.stem for path in COMMANDS.glob("*.md")} - {"index"} == set(root.commands)


@pytest.mark.parametrize("name", root.commands)
def test_a_page_names_every_option_of_its_command_and_no_other(name: str) -> None:
    table = re.findall(r"^\| `(--?[a-z-]+)`(?:, `(-[a-z])`)? \|", read(name), re.MULTILINE)
    assert {word for row in table for word in row if word} == options(root.commands[name]) - SHARED


@pytest.mark.parametrize("name", root.commands)
def test_a_page_has_usage_an_example_its_json_and_its_exit_codes(name: str) -> None:
    page = read(name)
    assert page.startswith(f"# `belated {name}`\n")
    assert f"```sh\nbelated {name}" in page
    for heading in ("Example", "JSON", "Exit codes"):
        assert f"\n## {heading}\n" in page
    for part in getattr(root.commands[name], "commands", {}):
        assert f"`{name} {part}`" in page


def test_the_index_lists_the_commands_in_the_order_of_the_help() -> None:
    listed = re.findall(r"^\| \[`([a-z]+)`\]\(\1\.md\) \|", read("index"), re.MULTILINE)
    assert sorted(listed) == sorted(root.commands)
    # Commands with parts of their own come last in the program, and in the help among their kind.
    alone = [name for name, command in root.commands.items() if not hasattr(command, "commands")]
    assert [name for name in listed if name in alone] == alone


def test_the_page_of_plot_has_every_kind_of_figure() -> None:
    listed = re.findall(r"^\| `([a-z]+)` \|", read("plot"), re.MULTILINE)
    assert sorted(listed) == sorted(kinds())
    help_text = next(parameter.help for parameter in root.commands["plot"].params if parameter.name == "kind")
    assert all(kind in help_text for kind in kinds())

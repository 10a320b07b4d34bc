"""The commands that there are, as the command line itself has them."""

from __future__ import annotations

from typing import Any

from belated.cli.app import command_line


def commands() -> list[tuple[str, ...]]:
    """The words of every command: ("ask",) or ("db", "upgrade")."""
    root: Any = command_line
    found: list[tuple[str, ...]] = []
    for name, command in root.commands.items():
        inner = getattr(command, "commands", None)
        found += [(name,)] if inner is None else [(name, part) for part in inner]
    return found

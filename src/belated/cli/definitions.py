"""How spaces and contexts are read: from a YAML or JSON file, a text in braces, or a table in a CSV file.

    temperature: {float: [20, 120]}
    loading: {float: [0.001, 0.1], log: true}
    solvent: [DMF, THF, water]
    steps: {int: [1, 8]}

`{candidates: rows.csv}` is a finite table, its path relative to the file. What `Space.to_json()` wrote is read too.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from belated.cli.candidates import read_rows
from belated.cli.notation import NotationError, load
from belated.errors import SpaceError
from belated.space import Candidates, Context, Space
from belated.space.written import EXAMPLE, context_of, space_of, table_of
from belated.study.files import read_text


@dataclass(frozen=True)
class Definition:
    """What was written, the name with which errors about it begin, and the folder where relative paths start."""

    source: str
    folder: Path
    data: Any


def read_space(given: str) -> Space | Candidates:
    """The space of a file or of a text in braces."""
    if _is_file(given) and given.lower().endswith((".csv", ".xlsx")):
        return table_of(given, read_rows(Path(given)))
    written = _written("--space", given)
    match written.data:
        case {"candidates": str(path), **others} if not others:
            return table_of(path, read_rows(written.folder / path))
    return space_of(written.source, written.data)


def read_context(given: str) -> Context:
    """The context of a file or of a text in braces."""
    written = _written("--context", given)
    return context_of(written.source, written.data)


def _is_file(given: str) -> bool:
    return not given.lstrip().startswith("{")


def _written(option: str, given: str) -> Definition:
    if not _is_file(given):
        source, folder, text = option, Path(), given
    elif os.path.exists(given):
        source, folder, text = given, Path(given).parent, read_text(given, given, SpaceError)
    else:
        raise SpaceError(
            f"{option}: got {given!r}, and there is no such file; give a YAML, JSON, CSV or Excel file, or a text in "
            f"braces, as '{{{EXAMPLE}}}'."
        )
    try:
        return Definition(source, folder, load(text))
    except NotationError as error:
        raise SpaceError(f"{source}: neither YAML nor JSON: {error}; write lines as {EXAMPLE!r}.") from None

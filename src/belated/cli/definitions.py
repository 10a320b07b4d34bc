"""Spaces and contexts as people write them: a YAML or JSON file, a text in braces, or a table in a CSV file.

    temperature: {float: [20, 120]}
    loading: {float: [0.001, 0.1], log: true}
    solvent: [DMF, THF, water]
    steps: {int: [1, 8]}

`{candidates: rows.csv}` is a finite table, its path relative to the file. What `Space.to_json()` wrote is read too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from belated.cli.candidates import read_rows
from belated.cli.notation import NotationError, load
from belated.errors import SpaceError
from belated.log.files import read_text
from belated.space import Candidates, Choice, Context, Float, Int, Parameter, Space, domain_from_json

WAYS = "write {float: [low, high]}, {int: [low, high]} or a list of options"
EXAMPLE = "temperature: {float: [20, 120]}"


@dataclass(frozen=True)
class Definition:
    """What was written, and where: the name that errors begin with, and the folder of relative paths."""

    source: str
    folder: Path
    data: Any


def read_space(given: str) -> Space | Candidates:
    """The space of a file or of a text in braces."""
    if _is_file(given) and given.lower().endswith(".csv"):
        return _table(given, read_rows(Path(given)))
    written = _written("--space", given)
    match written.data:
        case {"kind": str()}:
            with _errors_of(written.source):
                return domain_from_json(written.data)
        case {"candidates": str(path), **others} if not others:
            return _table(path, read_rows(written.folder / path))
        case {"candidates": [{}, *_] as rows, **others} if not others:
            return _table(written.source, rows)
    return _space(written.source, written.data)


def read_context(given: str) -> Context:
    """The context of a file or of a text in braces; it is seen before the decision unless it says after.

    Numbers outside their bounds are refused unless it says `outside: clip`.
    """
    written = _written("--context", given)
    match written.data:
        case {"kind": str()}:
            described = written.data
        case {**entries}:
            # A word is no parameter, so one that is called `seen` or `outside` is still possible.
            said = {key: entries[key] for key in ("seen", "outside") if isinstance(entries.get(key), str)}
            parameters = {name: entry for name, entry in entries.items() if name not in said}
            space = _space(written.source, parameters, "context")
            described = {"kind": "context", "space": space.to_json(), "seen": "before", **said}
        case _:
            raise _no_parameters(written.source, written.data, "context")
    with _errors_of(written.source):
        return Context.from_json(described)


def _is_file(given: str) -> bool:
    return not given.lstrip().startswith("{")


def _written(option: str, given: str) -> Definition:
    if not _is_file(given):
        source, folder, text = option, Path(), given
    elif os.path.exists(given):
        source, folder, text = given, Path(given).parent, read_text(given, given, SpaceError)
    else:
        raise SpaceError(
            f"{option}: got {given!r}, and there is no such file; give a YAML or JSON file, or a text in braces, as "
            f"'{{{EXAMPLE}}}'."
        )
    try:
        return Definition(source, folder, load(text))
    except NotationError as error:
        raise SpaceError(f"{source}: neither YAML nor JSON: {error}; write lines as {EXAMPLE!r}.") from None


def _space(source: str, data: object, kind: str = "space") -> Space:
    if not isinstance(data, Mapping) or not data:
        raise _no_parameters(source, data, kind)
    parameters = [(name, _parameter(source, name, written)) for name, written in data.items()]
    with _errors_of(source):
        return Space.from_parameters(parameters)


def _no_parameters(source: str, data: object, kind: str) -> SpaceError:
    found = f"a {type(data).__name__}" if data else "nothing"
    return SpaceError(f"{source}: got {found}; a {kind} maps names to parameters; write lines as {EXAMPLE!r}.")


def _parameter(source: str, name: object, written: Any) -> Parameter:
    if not isinstance(name, str):
        raise SpaceError(f"{source}: got {name!r} as a name; names are texts; write it in quotes: '{name}'.")
    with _errors_of(f"{source}: {name}"):
        match written:
            case [*options]:
                return Choice(*options)
            case {"choice": [*options], **others} if not others:
                return Choice(*options)
            case {"float": [low, high]} if written.keys() <= {"float", "log"}:
                return Float(low, high, written.get("log", False))
            case {"int": [low, high]} if written.keys() <= {"int", "log"}:
                return Int(low, high, written.get("log", False))
        raise SpaceError(f"got {written!r}, which is no parameter; {WAYS}; a logarithmic scale adds log: true.")


def _table(source: str, rows: object) -> Candidates:
    with _errors_of(source):
        return Candidates(rows)


@contextmanager
def _errors_of(source: str) -> Iterator[None]:
    """Errors of the library begin with what was read."""
    try:
        yield
    except SpaceError as error:
        raise SpaceError(f"{source}: {error}") from None

"""Spaces and contexts as people write them, in plain values:

    {"temperature": {"float": [20, 120]}, "loading": {"float": [0.001, 0.1], "log": true},
     "solvent": ["DMF", "THF", "water"], "steps": {"int": [1, 8]}}

`{"candidates": [{…}, …]}` is a finite table. What `to_json()` wrote is read too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from belated.errors import SpaceError
from belated.space.candidates import Candidates
from belated.space.context import Context
from belated.space.parameters import Choice, Float, Int, Parameter
from belated.space.serial import domain_from_json
from belated.space.space import Space

WAYS = "write {float: [low, high]}, {int: [low, high]} or a list of options"
EXAMPLE = "temperature: {float: [20, 120]}"


def space_of(source: str, written: object) -> Space | Candidates:
    """The space or the table that was written; errors begin with the source."""
    match written:
        case {"kind": str()}:
            with errors_of(source):
                return domain_from_json(written)
        case {"candidates": [{}, *_] as rows, **others} if not others:
            return table_of(source, rows)
    return _space(source, written, "space")


def context_of(source: str, written: object) -> Context:
    """The context that was written; it is seen before the decision unless it says after.

    Numbers outside their bounds are refused unless it says `outside: clip`.
    """
    match written:
        case {"kind": str()}:
            described = written
        case {**entries}:
            # A word is no parameter, so one that is called `seen` or `outside` is still possible.
            said = {key: entries[key] for key in ("seen", "outside") if isinstance(entries.get(key), str)}
            parameters = {name: entry for name, entry in entries.items() if name not in said}
            space = _space(source, parameters, "context")
            described = {"kind": "context", "space": space.to_json(), "seen": "before", **said}
        case _:
            raise _no_parameters(source, written, "context")
    with errors_of(source):
        return Context.from_json(described)


def table_of(source: str, rows: object) -> Candidates:
    """The table with these rows."""
    with errors_of(source):
        return Candidates(rows)


@contextmanager
def errors_of(source: str) -> Iterator[None]:
    """Errors of the library begin with what was read."""
    try:
        yield
    except SpaceError as error:
        raise SpaceError(f"{source}: {error}") from None


def _space(source: str, written: object, kind: str) -> Space:
    if not isinstance(written, Mapping) or not written:
        raise _no_parameters(source, written, kind)
    parameters = [(name, _parameter(source, name, entry)) for name, entry in written.items()]
    with errors_of(source):
        return Space.from_parameters(parameters)


def _no_parameters(source: str, written: object, kind: str) -> SpaceError:
    found = f"a {type(written).__name__}" if written else "nothing"
    return SpaceError(f"{source}: got {found}; a {kind} maps names to parameters; write lines as {EXAMPLE!r}.")


def _parameter(source: str, name: object, written: Any) -> Parameter:
    if not isinstance(name, str):
        raise SpaceError(f"{source}: got {name!r} as a name; names are texts; write it in quotes: '{name}'.")
    with errors_of(f"{source}: {name}"):
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

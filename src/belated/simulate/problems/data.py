"""Tables that are not ours to ship: read from the user's data folder, and checked before they are believed.

The folder is the one named by the call or, if it names none, by the environment variable BELATED_DATA. A file that is
missing, or that is not the published one to the last byte, is an error that says where to get it.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from belated.errors import MissingDataError
from belated.space import Array

VARIABLE = "BELATED_DATA"

Row = Mapping[str, str]


@dataclass(frozen=True)
class DataFile:
    """A table of comma-separated values with a line of names, and what it must be."""

    path: str  # under the data folder
    rows: int
    columns: int
    sha256: str
    published: str  # where, in words


def read(file: DataFile, call: str, folder: str | os.PathLike[str] | None = None) -> list[Row]:
    """The rows of a table, as texts by column, once its rows, columns and checksum are found to be right."""
    root = folder if folder is not None else os.environ.get(VARIABLE)
    if not root:
        raise MissingDataError(
            f"{call}: got no data folder, and needs the file {file.path} in one; {_way_out(file, 'name the folder')}"
        )
    try:
        content = Path(root, file.path).read_bytes()
    except OSError as error:
        raise MissingDataError(
            f"{call}: looked for {file.path} in the data folder {os.fspath(root)!r} and cannot read it "
            f"({error.strerror}); {_way_out(file, 'put it there, or name another folder')}"
        ) from None
    return _checked(file, f"{call}: {file.path} in the data folder {os.fspath(root)!r}", content)


def numbers(rows: Sequence[Row], columns: Sequence[str]) -> Array:
    """Those columns of a table as numbers, (rows, columns)."""
    return np.array([[float(row[column]) for column in columns] for row in rows])


def _checked(file: DataFile, found: str, content: bytes) -> list[Row]:
    table = csv.DictReader(io.StringIO(content.decode("utf-8", errors="replace")))
    rows: list[Row] = list(table)
    columns = len(table.fieldnames or ())
    if (len(rows), columns) != (file.rows, file.columns):
        difference = f"has {len(rows)} rows of {columns} columns, not {file.rows} of {file.columns}"
    elif hashlib.sha256(content).hexdigest() != file.sha256:
        difference = "has the right size and other contents, by its SHA-256 checksum"
    else:
        return rows
    raise MissingDataError(f"{found} {difference}; {_way_out(file, 'replace it')}")


def _way_out(file: DataFile, action: str) -> str:
    return f"it is published as {file.published}; {action}, with --data, data=… or the variable {VARIABLE}."

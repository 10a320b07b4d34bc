"""Reading a candidate table from what users have: an array, a list of dicts, a DataFrame."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from belated.errors import SpaceError
from belated.space.columns import Column, column, numbers
from belated.space.names import a_kind, distinct, listed

GIVE = "give a 2-D array, a list of dicts or a DataFrame."


def read(rows: Any, names: Iterable[str] | None) -> tuple[tuple[str, ...], list[Column]]:
    """The names and columns of a table in any of the accepted forms."""
    # A DataFrame is known by what it can do, so that pandas is never needed.
    is_frame = hasattr(rows, "columns") and hasattr(rows, "to_dict")
    is_array = isinstance(rows, np.ndarray) or (hasattr(rows, "__array__") and not is_frame)
    if is_array:
        rows = np.atleast_1d(np.asarray(rows))
    elif not is_frame:
        if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
            raise SpaceError(f"Candidates(): got {a_kind(rows)}; a table is needed; {GIVE}")
        rows = list(rows)
    if not len(rows):
        raise SpaceError(f"Candidates(): got no rows; a table has at least one; {GIVE}")
    if not is_frame and not isinstance(rows[0], Mapping):
        return _from_array(rows, names)
    if names is not None:
        raise SpaceError("Candidates(names=…): these rows name their columns; names are for arrays; leave them out.")
    return _from_frame(rows) if is_frame else _from_dicts(rows)


def _from_frame(frame: Any) -> tuple[tuple[str, ...], list[Column]]:
    names = distinct(frame.columns, "Candidates()")
    _check_some(names)
    lists = frame.to_dict("list")
    return names, [column(lists[name], name) for name in names]


def _from_dicts(rows: Sequence[Any]) -> tuple[tuple[str, ...], list[Column]]:
    names = distinct(rows[0], "Candidates()")
    _check_some(names)
    expected = set(names)
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise SpaceError(f"Candidates(): row {number} is a {type(row).__name__}; row 0 is a dict; {GIVE}")
        if row.keys() != expected:
            name = next(iter(row.keys() ^ expected))
            fault = "lacks" if name in expected else "has an extra"
            raise SpaceError(
                f"Candidates(): row {number} {fault} {name!r}; all rows have the keys {listed(names)}; "
                "give every row the same."
            )
    return names, [column([row[name] for row in rows], name) for name in names]


def _from_array(rows: Any, names: Iterable[str] | None) -> tuple[tuple[str, ...], list[Column]]:
    array = _array(rows)
    if names is None:
        names = [f"x{place}" for place in range(array.shape[1])]
    elif isinstance(names, str):
        raise SpaceError(f"Candidates(names={names!r}): one text; names are a list of them; write [{names!r}].")
    known = distinct(names, "Candidates(names=…)")
    _check_some(known)
    if len(known) != array.shape[1]:
        raise SpaceError(
            f"Candidates(): got {len(known)} names for {array.shape[1]} columns; each has one; name them all."
        )
    return known, [numbers(array[:, place], name) for place, name in enumerate(known)]


def _array(rows: Any) -> npt.NDArray[Any]:
    """A read-only copy in two dimensions, of whole or floating type."""
    try:
        array = np.array(rows)
    except ValueError:
        raise SpaceError(_ragged(rows)) from None
    if array.dtype.kind not in "iuf":
        raise SpaceError(
            f"Candidates(): got an array of {array.dtype.name}; an array holds numbers; "
            "give a list of dicts for texts and booleans."
        )
    if array.ndim not in (1, 2):
        raise SpaceError(f"Candidates(): got an array of shape {array.shape}; a table has two dimensions; reshape it.")
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    array = array.reshape(len(array), -1) if array.size else array.reshape(len(array), 0)
    array.setflags(write=False)
    return array


def _ragged(rows: Sequence[Any]) -> str:
    lengths = [len(row) if isinstance(row, Sequence | np.ndarray) else 1 for row in rows]
    odd = next((number for number, length in enumerate(lengths) if length != lengths[0]), None)
    if odd is None:
        return f"Candidates(): the rows make no array of numbers; a table has two dimensions; {GIVE}"
    return (
        f"Candidates(): row {odd} has {lengths[odd]} values, row 0 has {lengths[0]}; rows are equally long; "
        "fill it in or drop it."
    )


def _check_some(names: Sequence[str]) -> None:
    if not names:
        raise SpaceError(f"Candidates(): the rows are empty; a table has at least one column; {GIVE}")

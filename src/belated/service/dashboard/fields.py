"""The fields of forms: one for each parameter of a space, with its bounds and the place of its value in the body."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from belated.report.axes import Axis, axes_of
from belated.show import written
from belated.space import Candidates, Space

# More options than this are no list to choose from: then one is typed.
MOST_OPTIONS = 200


@dataclass(frozen=True)
class Field:
    """A field: its label and a hint, the place of its value, and its options if it has some."""

    identifier: str
    label: str
    hint: str
    path: str  # of names and places in the JSON that is sent
    whole: bool = False
    typed: bool = False  # a text, rather than a number
    options: tuple[tuple[str, str], ...] = ()  # what is sent, as JSON, and what is shown


def fields_of(space: Space | Candidates, prefix: str, path: Sequence[str | int]) -> list[Field]:
    """A field for each parameter; names may hold anything, so identifiers are numbered."""
    return [
        _field(axis, f"{prefix}-{place}", [*path, axis.name]) for place, axis in enumerate(axes_of(space, space.names))
    ]


def _field(axis: Axis, identifier: str, path: Sequence[Any]) -> Field:
    where = json.dumps(path)
    if len(axis.options) > MOST_OPTIONS:
        numbers = all(isinstance(option, int | float) and not isinstance(option, bool) for option in axis.options)
        return Field(identifier, axis.name, f"one of {len(axis.options):,} options", where, typed=not numbers)
    if axis.options:
        options = tuple((json.dumps(option), written(option)) for option in axis.options)
        return Field(identifier, axis.name, f"{len(options)} options", where, options=options)
    kind = ", a whole number" if axis.whole else ""
    return Field(identifier, axis.name, f"{axis.low:g} to {axis.high:g}{kind}", where, axis.whole)

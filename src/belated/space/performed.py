"""Points that were really tried: near what was asked, and not always a point of the domain.

A number may lie between two values that can be asked, and beyond the ends of its range by as much as the range is wide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from belated.checks import as_number
from belated.errors import PointError
from belated.space.arrays import Array
from belated.space.candidates import Candidates
from belated.space.columns import Column
from belated.space.domain import Domain
from belated.space.names import check_names
from belated.space.parameters import Float, Parameter
from belated.space.scalars import plain, scalar
from belated.space.space import Space

# Where the belief knows nothing, a point far beyond would say nothing either, and is mostly a slip of the pen.
FURTHEST = 1.0


def performed_units(domain: Domain, point: Mapping[str, object], call: str) -> Array:
    """The coordinates of a point that was tried, (d,); those of a domain's own points are their encodings."""
    assert isinstance(domain, Space | Candidates)
    values = check_names(point, domain.names, call)
    columns: Sequence[Parameter | Column] = domain.parameters if isinstance(domain, Space) else domain.columns
    units = []
    for name, column in zip(domain.names, columns, strict=True):
        unit = column.place(values[name])
        where = f"{call}: {name}={plain(values[name])!r}"
        if unit is None:
            raise PointError(f"{where} cannot have been tried here; give {column.possible}.")
        if not -FURTHEST <= unit <= 1.0 + FURTHEST:
            raise PointError(
                f"{where} is far from all that can be asked; check the number: give {column.possible}, or near."
            )
        units.append(unit)
    return np.array(units)


def read_performed(domain: Domain, point: Mapping[str, object], call: str) -> dict[str, Any]:
    """A point that was tried in plain Python values, as a log keeps it; whole numbers stay whole."""
    performed_units(domain, point, call)
    real = [isinstance(domain, Space) and isinstance(domain[name], Float) for name in domain.names]
    return {name: _plain(point[name], of_float) for name, of_float in zip(domain.names, real, strict=True)}


def _plain(value: object, of_float: bool) -> Any:
    """A number or a label without what NumPy adds to it."""
    known = scalar(value)
    return as_number(value) if of_float or known is None else known

"""What users hand in as values: Python or NumPy scalars, read into plain Python ones."""

from __future__ import annotations

import math
from numbers import Integral
from typing import TypeAlias

import numpy as np

from belated.checks import as_number

Scalar: TypeAlias = str | int | float | bool


def plain(value: object) -> object:
    """The Python scalar inside a NumPy one; anything else as it is."""
    return value.item() if isinstance(value, np.generic) else value


def whole(value: object) -> int | None:
    """The value as an int, or None where it is not a whole number (3.0 is one, 3.5 and True are not)."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    number = as_number(value)
    return int(number) if number is not None and number.is_integer() else None


def scalar(value: object) -> Scalar | None:
    """The value as a JSON scalar that equals itself, or None where it is not one."""
    value = plain(value)
    # Exact types: an Enum member is a str or an int too, but would come back from JSON as something else.
    if type(value) is float:
        return value if math.isfinite(value) else None
    if type(value) is str or type(value) is int or type(value) is bool:
        return value
    return None

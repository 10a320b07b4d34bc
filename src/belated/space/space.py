"""A box of named parameters, one column of the unit cube each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import numpy as np

from belated.checks import as_number
from belated.errors import PointError, SpaceError
from belated.space.arrays import Array
from belated.space.halton import halton
from belated.space.names import check_names, distinct
from belated.space.parameters import Choice, Float, Int, Parameter, parameter_from_json


@final
@dataclass(frozen=True, init=False, repr=False)
class Space:
    """All points that give each parameter one of its values: `Space(x=Float(20, 120), steps=Int(1, 8))`."""

    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]

    def __init__(self, /, **parameters: Parameter) -> None:
        self._define(parameters.items())

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Parameter] | Iterable[tuple[str, Parameter]]) -> Self:
        """The space of these parameters, for names that are no Python words."""
        space = cls.__new__(cls)
        space._define(parameters.items() if isinstance(parameters, Mapping) else parameters)
        return space

    @classmethod
    def from_json(cls, data: object) -> Self:
        """The space that `to_json` described."""
        match data:
            case {"kind": "space", "parameters": [*entries]} if all(isinstance(entry, dict) for entry in entries):
                return cls.from_parameters([(entry.get("name"), parameter_from_json(entry)) for entry in entries])
        raise SpaceError(f"Space.from_json(): {data!r} is not a space; give what Space.to_json() returned.")

    def _define(self, items: Iterable[tuple[str, Parameter]]) -> None:
        pairs = list(items)
        if not pairs:
            raise SpaceError("Space(): no parameters; a space has at least one; write Space(x=Float(0, 1)).")
        names = distinct((name for name, _ in pairs), "Space()")
        for name, parameter in pairs:
            if not isinstance(parameter, (Float, Int, Choice)):
                raise SpaceError(
                    f"Space({name}={parameter!r}): not a parameter; "
                    "write Float(low, high), Int(low, high) or Choice(…)."
                )
        object.__setattr__(self, "names", names)
        object.__setattr__(self, "parameters", tuple(parameter for _, parameter in pairs))

    def __repr__(self) -> str:
        pairs = zip(self.names, self.parameters, strict=True)
        return f"Space({', '.join(f'{name}={parameter!r}' for name, parameter in pairs)})"

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __getitem__(self, name: str) -> Parameter:
        return dict(zip(self.names, self.parameters, strict=True))[name]

    @property
    def dimension(self) -> int:
        """The number of parameters."""
        return len(self.names)

    @cached_property
    def levels(self) -> tuple[int | None, ...]:
        """The number of values of each parameter; None for a Float."""
        return tuple(parameter.levels for parameter in self.parameters)

    @cached_property
    def categorical(self) -> tuple[bool, ...]:
        """True for each Choice."""
        return tuple(parameter.categorical for parameter in self.parameters)

    def encode(self, point: Mapping[str, object], *, call: str = "encode()") -> Array:
        """The unit coordinates of a point, shape (d,), or a PointError that begins with `call`."""
        values = check_names(point, self.names, call)
        pairs = zip(self.names, self.parameters, strict=True)
        return np.array([parameter.encode(values[name], f"{call}: {name}") for name, parameter in pairs])

    def read(self, point: Mapping[str, object], *, call: str = "read()") -> dict[str, Any]:
        """The point in plain Python values, as a log keeps it, or a PointError that begins with `call`."""
        values = check_names(point, self.names, call)
        pairs = zip(self.names, self.parameters, self.encode(point, call=call), strict=True)
        return {
            name: as_number(values[name]) if parameter.levels is None else parameter.decode(float(unit))
            for name, parameter, unit in pairs
        }

    def decode(self, unit: Array) -> dict[str, Any]:
        """The point at these unit coordinates, shape (d,)."""
        if unit.shape != (self.dimension,) or np.isnan(unit).any():
            raise PointError(f"decode(): got {unit!r}; a point has {self.dimension} unit coordinates; give one row.")
        columns = zip(self.names, self.parameters, unit, strict=True)
        return {name: parameter.decode(float(coordinate)) for name, parameter, coordinate in columns}

    def snap(self, units: Array) -> Array:
        """The nearest encodings of points, shape (m, d): centres of levels, and numbers clipped to [0, 1]."""
        columns = [parameter.snap(units[:, column]) for column, parameter in enumerate(self.parameters)]
        return np.stack(columns, axis=1)

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """Encodings of quasi-random points, shape (count, d)."""
        return self.snap(halton(count, self.dimension, rng))

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON; a list, since a database may reorder the keys of an object."""
        pairs = zip(self.names, self.parameters, strict=True)
        return {
            "kind": "space",
            "parameters": [{"name": name, **parameter.to_json()} for name, parameter in pairs],
        }

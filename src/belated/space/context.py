"""What the outcome depends on besides our decision: seen before it, or only after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, final

from belated.errors import ContextError, PointError, SpaceError
from belated.space.arrays import Array
from belated.space.parameters import Parameter
from belated.space.space import Space

Seen = Literal["before", "after"]


@final
@dataclass(frozen=True, init=False, repr=False)
class Context:
    """The parameters of a context: `Context(hour=Float(0, 24), seen="before")`."""

    space: Space
    seen: Seen

    def __init__(self, /, *, seen: Seen, **parameters: Parameter) -> None:
        if not parameters:
            raise SpaceError(
                f"Context(seen={seen!r}): no parameters; a context has at least one; "
                f"write Context(hour=Float(0, 24), seen={seen!r})."
            )
        self._define(Space.from_parameters(parameters), seen)

    @classmethod
    def from_json(cls, data: object) -> Self:
        """The context that `to_json` described."""
        match data:
            case {"kind": "context", "space": space, "seen": seen}:
                context = cls.__new__(cls)
                context._define(Space.from_json(space), seen)
                return context
        raise SpaceError(f"Context.from_json(): {data!r} is not a context; give what Context.to_json() returned.")

    def _define(self, space: Space, seen: Seen) -> None:
        if seen not in ("before", "after"):
            raise SpaceError(
                f"Context(seen={seen!r}): a context is seen 'before' the decision or 'after' it; give one of the two."
            )
        object.__setattr__(self, "space", space)
        object.__setattr__(self, "seen", seen)

    def __repr__(self) -> str:
        pairs = zip(self.space.names, self.space.parameters, strict=True)
        return f"Context({', '.join(f'{name}={parameter!r}' for name, parameter in pairs)}, seen={self.seen!r})"

    def encode(self, values: Mapping[str, object], *, call: str = "encode()") -> Array:
        """The unit coordinates of a context, shape (d,), or a ContextError that begins with `call`."""
        try:
            return self.space.encode(values, call=call)
        except PointError as error:
            raise ContextError(str(error)) from None

    def read(self, values: Mapping[str, object], *, call: str = "read()") -> dict[str, Any]:
        """The context in plain Python values, as a log keeps it, or a ContextError that begins with `call`."""
        try:
            return self.space.read(values, call=call)
        except PointError as error:
            raise ContextError(str(error)) from None

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON."""
        return {"kind": "context", "space": self.space.to_json(), "seen": self.seen}

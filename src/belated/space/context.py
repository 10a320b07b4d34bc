"""What the outcome depends on besides our decision: seen before it, or only after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, final

from belated.checks import as_number
from belated.errors import ContextError, PointError, SpaceError
from belated.space.arrays import Array
from belated.space.parameters import Float, Int, Parameter
from belated.space.space import Space

Seen = Literal["before", "after"]
Outside = Literal["refuse", "clip"]


@final
@dataclass(frozen=True, init=False, repr=False)
class Context:
    """The parameters of a context: `Context(hour=Float(0, 24), seen="before")`.

    A number outside its bounds is refused; with `outside="clip"` it is moved to the nearer one.
    """

    space: Space
    seen: Seen
    outside: Outside

    def __init__(self, /, *, seen: Seen, outside: Outside = "refuse", **parameters: Parameter) -> None:
        if not parameters:
            raise SpaceError(
                f"Context(seen={seen!r}): no parameters; a context has at least one; "
                f"write Context(hour=Float(0, 24), seen={seen!r})."
            )
        self._define(Space.from_parameters(parameters), seen, outside)

    @classmethod
    def from_json(cls, data: object) -> Self:
        """The context that `to_json` described."""
        match data:
            case {"kind": "context", "space": space, "seen": seen, **others}:
                context = cls.__new__(cls)
                outside: Any = others.get("outside", "refuse")
                context._define(Space.from_json(space), seen, outside)
                return context
        raise SpaceError(f"Context.from_json(): {data!r} is not a context; give what Context.to_json() returned.")

    def _define(self, space: Space, seen: Seen, outside: Outside) -> None:
        if seen not in ("before", "after"):
            raise SpaceError(
                f"Context(seen={seen!r}): a context is seen 'before' the decision or 'after' it; give one of the two."
            )
        if outside not in ("refuse", "clip"):
            raise SpaceError(
                f"Context(outside={outside!r}): a number outside its bounds is 'refuse'd or 'clip'ped to them; give "
                f"one of the two."
            )
        object.__setattr__(self, "space", space)
        object.__setattr__(self, "seen", seen)
        object.__setattr__(self, "outside", outside)

    def __repr__(self) -> str:
        pairs = zip(self.space.names, self.space.parameters, strict=True)
        clipped = "" if self.outside == "refuse" else f", outside={self.outside!r}"
        parameters = ", ".join(f"{name}={parameter!r}" for name, parameter in pairs)
        return f"Context({parameters}, seen={self.seen!r}{clipped})"

    def given(self) -> Context:
        """The same parameters, had they been seen before the decision."""
        context = Context.__new__(Context)
        context._define(self.space, "before", self.outside)
        return context

    def encode(self, values: Mapping[str, object], *, call: str = "encode()") -> Array:
        """The unit coordinates of a context, shape (d,), or a ContextError that begins with `call`."""
        try:
            return self.space.encode(self._within(values), call=call)
        except PointError as error:
            raise ContextError(str(error)) from None

    def read(self, values: Mapping[str, object], *, call: str = "read()") -> dict[str, Any]:
        """The context in plain Python values, as a log keeps it, or a ContextError that begins with `call`."""
        try:
            return self.space.read(self._within(values), call=call)
        except PointError as error:
            raise ContextError(str(error)) from None

    def to_json(self) -> dict[str, Any]:
        """The definition as JSON."""
        clipped = {} if self.outside == "refuse" else {"outside": self.outside}
        return {"kind": "context", "space": self.space.to_json(), "seen": self.seen, **clipped}

    def _within(self, values: Mapping[str, object]) -> Mapping[str, object]:
        """The values, with numbers outside their bounds moved to the nearer one, where the context clips them."""
        if self.outside == "refuse" or not isinstance(values, Mapping):
            return values
        known = dict(zip(self.space.names, self.space.parameters, strict=True))
        return {name: clipped(known.get(name), value) for name, value in values.items()}


def clipped(parameter: Parameter | None, value: object) -> object:
    """A number outside the bounds of its parameter as the nearer one; anything else as it is."""
    number = as_number(value)
    if not isinstance(parameter, Float | Int) or number is None:
        return value
    if number < parameter.low:
        return parameter.low
    return parameter.high if number > parameter.high else value

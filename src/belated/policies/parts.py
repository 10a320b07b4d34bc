"""How numbers given as parameters become parts."""

from __future__ import annotations

from belated.beliefs import GP
from belated.errors import ParameterError
from belated.log import FOREVER, Window
from belated.rules import Constant, Initially, Rule, Width

FITTED = GP()


def as_width(value: float | Width) -> Width:
    """A number is a constant width."""
    return value if callable(value) else Constant(value)


def as_window(value: int | Window | None) -> Window:
    """A number counts queries; None waits for ever."""
    if value is None:
        return FOREVER
    if isinstance(value, Window):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParameterError(
            f"window={value!r}: a window is a whole number of queries or a bl.Window; "
            f"for a time give bl.Window(seconds={value!r})."
        )
    return Window(queries=value)


def begin(rule: Rule, belief: GP, initial: int | None) -> Rule:
    """The rule after an initial design: by default one if hyperparameters are to be learned, and none if known."""
    count = 0 if initial is None and belief.known else initial
    return rule if count == 0 else Initially(count, rule)

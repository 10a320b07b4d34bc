"""How numbers given as parameters become parts."""

from __future__ import annotations

from belated.beliefs import GP, Description
from belated.errors import ParameterError, require_count, require_number
from belated.rules import Constant, Initially, Rule, Width

FITTED = GP()
# An initial design is drawn as a whole; more points than this are no beginning any more.
LARGEST_DESIGN = 10_000


def as_width(value: float | Width, name: str = "width") -> Width:
    """A number is a constant width."""
    if callable(value):
        return value
    require_number("", name, value, low=0)
    return Constant(value)


def begin(rule: Rule, belief: Description, initial: int | None, answered: float = 0.0) -> Rule:
    """The rule after an initial design: by default one if hyperparameters are to be learned, and none if known.

    In a box the design goes on until the share `answered` of it is.
    """
    require_belief(belief)
    if initial is not None:
        require_count("", "initial", initial, least=0, most=LARGEST_DESIGN)
    count = 0 if initial is None and belief.known else initial
    return rule if count == 0 else Initially(count, rule, answered)


def require_belief(belief: object) -> None:
    """Refuse what does not describe a belief."""
    if not isinstance(belief, Description):
        raise ParameterError(
            f"(belief={belief!r}): a belief is described by bl.GP(…), bl.Features(…), bl.Ensemble(…) or "
            f"bl.FullyBayesian(…); give one."
        )

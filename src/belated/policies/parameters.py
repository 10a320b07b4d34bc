"""What policies take as parameters, and how numbers among them become parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from belated.beliefs import GP, MOST_FEATURES, Description, Features
from belated.checks import require_count, require_number
from belated.contexts.grid import LARGEST_GRID
from belated.contexts.law import MOST_CONTEXTS
from belated.errors import ParameterError
from belated.pacing.pacings import MOST_GREEDY
from belated.rules import Constant, Initially, Rule, Width
from belated.rules.exploration import MOST_DISCRETISED
from belated.rules.matching import MOST_SEARCHES
from belated.rules.noisy_improvement import MOST_DRAWS
from belated.rules.rule import LARGEST_DESIGN


@dataclass(frozen=True)
class NoMoreThan:
    """The ceiling of a parameter, for those who list the parameters; what takes the number refuses more."""

    number: int


Initial = Annotated[int | None, NoMoreThan(LARGEST_DESIGN)]
Contexts = Annotated[int, NoMoreThan(MOST_CONTEXTS)]
Grid = Annotated[int, NoMoreThan(LARGEST_GRID)]
Searches = Annotated[int, NoMoreThan(MOST_SEARCHES)]
Draws = Annotated[int, NoMoreThan(MOST_FEATURES)]
Greedy = Annotated[int, NoMoreThan(MOST_GREEDY)]
Scenarios = Annotated[int, NoMoreThan(MOST_DRAWS)]
Discretised = Annotated[int | None, NoMoreThan(MOST_DISCRETISED)]

FITTED = GP()
# Beyond this many answers, an exact process takes more than a tenth of a second for an ask. Features then stand for it,
# at a cost that hardly grows.
MANY = 2000
FOR_MANY = Features(GP(), 100)


def as_width(value: float | Width, name: str = "width") -> Width:
    """A number is a constant width."""
    if callable(value):
        return value
    require_number(None, name, value, low=0)
    return Constant(value)


def begin(rule: Rule, belief: Description, initial: int | None, answered: float = 0.0) -> Rule:
    """The rule after an initial design: by default one if hyperparameters are to be learned, and none if known.

    In a box the design goes on until the share `answered` of it is.
    """
    require_belief(belief)
    require_initial(initial)
    count = 0 if initial is None and belief.known else initial
    return rule if count == 0 else Initially(count, rule, answered)


def require_initial(initial: object) -> None:
    """Refuse what is no length of an initial design."""
    if initial is not None:
        require_count(None, "initial", initial, least=0, most=LARGEST_DESIGN, reason="it is drawn as a whole")


def require_belief(belief: object) -> None:
    """Refuse what does not describe a belief."""
    if not isinstance(belief, Description):
        raise ParameterError(
            "a belief is described by bl.GP(…), bl.Features(…), bl.Ensemble(…) or bl.FullyBayesian(…); give one.",
            given=("belief", belief),
        )

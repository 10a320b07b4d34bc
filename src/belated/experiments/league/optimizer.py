"""What plays in the league: a class that is asked and told, and knows nothing of Belated.

    class Mine:
        def __init__(self, space, goal, *, seed, queries): ...
        def ask(self): ...                  # the next point, or None: not in this round
        def tell(self, point, value): ...   # what came of it, rounds later, in any order, or never

- `space` is a `bl.Space` or a `bl.Candidates`, `goal` is "maximize" or "minimize", `seed` a number that is another one
  in each run, and `queries` how many rounds there will be: one ask in each.
- What `ask` returns is a mapping of the space's names to values; on a table, those of one of its rows. `tell` is given
  the very object that `ask` returned.

It may have more:

    def fail(self, point): ...              # it cannot be done there; without this method nothing is told
    def recommend(self): ...                # the point to use in the end; without it, that of its best answer

An entrant that says `contexts = "before"` or `"after"`, or both in a tuple, plays cases with contexts that are seen
before or after a decision. Its constructor takes `context` too, the `bl.Context` of the case or None. With a context
before the decision there are `ask(context)` and `recommend(context)`, and every `tell(point, value, context)` has the
one in which the point was asked; with one after it, `tell(point, value, context)` has the one that was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

Point = Mapping[str, Any]


class Optimizer(Protocol):
    """What every entrant has; `contexts`, and a context in its calls, only those that declare them."""

    def ask(self) -> Point | None:
        """The next point; None where it asks nothing in this round."""

    def tell(self, point: Point, value: float) -> None:
        """An answer to a point that was asked."""


@runtime_checkable
class Failing(Protocol):
    """An optimizer that can be told that a point cannot be done."""

    def fail(self, point: Point) -> None:
        """It cannot be done there."""


@runtime_checkable
class Recommending(Protocol):
    """An optimizer that says which point it would use."""

    def recommend(self) -> Point | None:
        """The point that it would use now; None where it has no opinion."""

"""What a study has computed already. Forgetting it costs time and changes nothing.

Every decision is a function of the log; a memory only spares repeating work. Factors are found again by the kernel
and by the points and the noises they begin with, results by a key that says everything they depend on, one to a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.process.factor import Factor, factorised
from belated.beliefs.schedule import Milestones
from belated.space import Array

Result = TypeVar("Result")

# Enough for the two orders of a study, the rounds of `bpe` and a few simulated paths.
FACTORS = 8  # for each belief


class Memory:
    """Factors and results of one study; factors long unused are forgotten first."""

    def __init__(self, lazy_from: int = 250_000) -> None:
        self.lazy_from = lazy_from  # tables with at least this many rows compute variances lazily
        self._room = FACTORS
        self._factors: list[Factor] = []
        self._borrowed: tuple[Factor, ...] = ()
        self._results: dict[Hashable, tuple[Hashable, Any]] = {}

    def factor(self, kernel: Kernel, noises: Array, points: Array, growth: Milestones) -> Factor:
        """The factor of these points with these noises, grown from one that is known if possible."""
        base = growth(len(points))
        alike = [
            (shared, shared == known.store.size, known)
            for known in (*self._borrowed, *self._factors)
            if _is_of(known, kernel, points) and known.base == base
            if (shared := known.shared(points, noises)) >= base
        ]
        if not alike:
            self._factors = [known for known in self._factors if not _superseded(known, kernel, points, noises)]
            return self._keep(factorised(kernel, noises, points, growth))
        _, continues, nearest = max(alike, key=lambda found: found[:2])
        made = nearest.regrown(points, noises, in_place=nearest not in self._borrowed)
        # A store that was continued is superseded, even when growing moved its rows to a larger one.
        return self._keep(made, instead_of=nearest if continues or made.store is nearest.store else None)

    def aside(self) -> Memory:
        """A memory for what is only imagined: it reads from this one and writes nothing to it."""
        other = Memory(self.lazy_from)
        other._borrowed, other._room = tuple(self._factors), self._room
        return other

    def _keep(self, made: Factor, instead_of: Factor | None = None) -> Factor:
        others = [known for known in self._factors if known is not instead_of]
        self._factors = [*others[-(self._room - 1) :], made]
        return made

    def make_room(self, beliefs: int) -> None:
        """Keep the factors of this many beliefs."""
        self._room = max(self._room, FACTORS * beliefs)

    def forget_factors(self) -> None:
        """Let go of all factors: a refit has made them useless, and on a table they are large."""
        self._factors = []

    def recall(self, slot: Hashable, key: Hashable, compute: Callable[[], Result]) -> Result:
        """What the slot holds for this key, computed if it holds nothing or something else."""
        held = self._results.get(slot)
        if held is not None and held[0] == key:
            return held[1]  # type: ignore[no-any-return]
        result = compute()
        self._results[slot] = (key, result)
        return result

    def shelf(self, slot: Hashable) -> list[Any]:
        """The kept things of one kind, for their owner to search and to prune."""
        return self.recall(slot, None, list)


def _superseded(known: Factor, kernel: Kernel, points: Array, noises: Array) -> bool:
    """Whether a factor made afresh from these points leaves nothing to do for the known one."""
    if not _is_of(known, kernel, points) or known.size > len(points):
        return False
    return known.shared(points, noises) == known.store.size


def _is_of(known: Factor, kernel: Kernel, points: Array) -> bool:
    """Whether a factor is of this kernel over as many columns; one lengthscale may be for any number of them."""
    return known.kernel == kernel and known.store.points.shape[1] == points.shape[1]

"""What RandomizedSearchCV takes as distributions, as a space of Belated.

Ranges become numbers of Belated. A list becomes a choice; what a log cannot keep (None, tuples, estimators) stands in
it as a text, and is put back before an estimator sees it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from belated.errors import SpaceError
from belated.integrations.texts import texts
from belated.space import Candidates, Choice, Float, Int, Space

CALL = "BelatedSearchCV(param_distributions)"
WAYS = "give bl.Float, bl.Int or bl.Choice, a list of options, or uniform, loguniform or randint of scipy.stats"


@dataclass(frozen=True)
class SearchSpace:
    """A space, and the way from its points to the parameters of an estimator."""

    space: Space | Candidates
    meanings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # what a text stands for, by parameter

    def parameters(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """What an estimator is to be given."""
        return {name: self.meanings[name][value] if name in self.meanings else value for name, value in point.items()}


def search_space(given: object) -> SearchSpace:
    """The space that was given, as one of Belated or as scikit-learn takes it."""
    if isinstance(given, Space | Candidates):
        return SearchSpace(given)
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise SpaceError(
            f"{CALL}: got a {kind}; a search has one space, in which every parameter has its values; give a bl.Space "
            f"or one dict of parameters."
        )
    meanings: dict[str, Mapping[str, Any]] = {}
    parameters: list[tuple[str, Float | Int | Choice]] = []
    for name, values in given.items():
        if isinstance(values, list | tuple | range | np.ndarray):
            named = texts(values)
            if named is not None:
                meanings[name] = named
            parameters.append((name, _choice(name, values if named is None else named)))
        else:
            parameters.append((name, _parameter(name, values)))
    return SearchSpace(Space.from_parameters(parameters), meanings)


def _choice(name: str, options: Iterable[object]) -> Choice:
    try:
        return Choice(*options)
    except SpaceError as error:
        raise SpaceError(f"{CALL}: {name}: {error}") from None


def _parameter(name: str, given: Any) -> Float | Int | Choice:
    """A parameter of Belated, or the one with the same values as a distribution of SciPy."""
    if isinstance(given, Float | Int | Choice):
        return given
    kind = getattr(getattr(given, "dist", None), "name", None)
    try:
        if kind == "uniform":
            return Float(*given.support())
        if kind == "randint":
            return Int(*given.support())
        if kind in ("loguniform", "reciprocal") and _unmoved(given):
            low, high = given.support()
            return Float(low, high, log=True)
    except SpaceError as error:
        raise SpaceError(f"{CALL}: {name}: {error}") from None
    shown = f"the distribution {kind!r}" if kind else repr(given)
    raise SpaceError(f"{CALL}: {name}: got {shown}; a space has bounds and a scale, linear or logarithmic; {WAYS}.")


def _unmoved(frozen: Any) -> bool:
    """Whether the logarithm of the values is uniform: not if they were moved after they were drawn."""
    low, high = frozen.support()
    return low > 0 and math.isclose(frozen.median(), math.sqrt(low * high))

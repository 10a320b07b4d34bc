"""A law of contexts that the user knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from belated.checks import as_number, require_at_most
from belated.contexts.empirical import spread
from belated.contexts.law import EACH_SCORED, MOST_CONTEXTS, Sample, merged
from belated.errors import ContextError, ParameterError, PointError
from belated.space import Array, Space
from belated.space.scalars import Scalar, scalar

EXAMPLE = "give a list of dictionaries, as [{'hour': 8}, {'hour': 20}]"


@final
@dataclass(frozen=True)
class Known:
    """A law that is known: these contexts, each a dictionary in its own units, with these weights (equal by default).

    What is seen changes nothing. Contexts are kept as pairs of name and value, sorted by name, which JSON can hold.
    """

    values: Sequence[Mapping[str, Any] | Sequence[tuple[str, Any]]]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.values, str | bytes | Mapping) or not isinstance(self.values, Iterable):
            raise ParameterError(f"Known(values={self.values!r}): values must be a list of contexts; {EXAMPLE}.")
        if isinstance(self.values, Sized):
            count = len(self.values)
            require_at_most(f"Known({count} contexts)", "their number", count, MOST_CONTEXTS, EACH_SCORED)
        values = tuple(_pairs(f"Known(values[{place}]={value!r})", value) for place, value in enumerate(self.values))
        if not values:
            raise ParameterError(f"Known(values={self.values!r}): a law has at least one context; {EXAMPLE}.")
        object.__setattr__(self, "values", values)
        if self.weights is not None:
            object.__setattr__(self, "weights", _weights(self.weights, len(values)))

    def describe(self) -> str:
        """Which contexts, in words."""
        return "the contexts given"

    def sample(self, seen: Array, space: Space, count: int, rng: np.random.Generator) -> Sample:
        """All contexts that have a weight, however many, with equal ones merged."""
        points = np.stack([_encoded(space, place, value) for place, value in enumerate(self.values)])
        weights = np.ones(len(points)) if self.weights is None else np.asarray(self.weights, dtype=np.float64)
        # Dividing by the largest first keeps the sum finite.
        weights = weights / weights.max()
        likely = np.flatnonzero(weights > 0.0)
        return spread(merged(Sample(points[likely], weights[likely] / weights[likely].sum())), rng)


def _encoded(space: Space, place: int, value: Mapping[str, Any] | Sequence[tuple[str, Any]]) -> Array:
    try:
        return space.encode(dict(value), call=f"Known(values[{place}])")
    except PointError as error:
        raise ContextError(str(error)) from None


def _pairs(call: str, value: object) -> tuple[tuple[str, Scalar], ...]:
    """A context as pairs of name and value, sorted by name."""
    pairs: object = value.items() if isinstance(value, Mapping) else value
    match list(pairs) if isinstance(pairs, Iterable) and not isinstance(pairs, str | bytes) else None:
        case [*entries] if entries and all(_is_pair(entry) for entry in entries):
            named = {name: scalar(content) for name, content in entries}
        case _:
            raise ParameterError(f"{call}: a context maps names to values; give a dictionary, as {{'hour': 8}}.")
    if len(named) < len(entries):
        raise ParameterError(f"{call}: a name comes twice; each parameter has one value; leave the other out.")
    known = {name: content for name, content in named.items() if content is not None}
    for name in named:
        if name not in known:
            raise ParameterError(f"{call}: {name} must be a finite number, a text or a boolean.")
    return tuple(sorted(known.items()))


def _is_pair(entry: object) -> bool:
    return isinstance(entry, tuple | list) and len(entry) == 2 and isinstance(entry[0], str)


def _weights(weights: object, count: int) -> tuple[float, ...]:
    """One weight for each context, or a ParameterError that says what is wrong."""
    if isinstance(weights, str | bytes | Mapping) or not isinstance(weights, Iterable):
        raise ParameterError(f"Known(weights={weights!r}): weights must be a list of numbers, as [1, 3].")
    listed = [weight.item() if isinstance(weight, np.generic) else weight for weight in weights]
    if len(listed) != count:
        raise ParameterError(
            f"Known(weights={listed!r}): got {len(listed)} weights for {count} contexts; each has one; give {count}, "
            f"or none where all are equal."
        )
    numbers: list[float] = []
    for place, weight in enumerate(listed):
        number = as_number(weight)
        if number is None or number < 0.0:
            raise ParameterError(f"Known(weights[{place}]={weight!r}): a weight must be a finite number of at least 0.")
        numbers.append(number)
    if not any(numbers):
        raise ParameterError(f"Known(weights={listed!r}): all weights are 0; at least one must be above 0.")
    return tuple(numbers)

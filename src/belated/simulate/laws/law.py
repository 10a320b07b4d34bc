"""A law of delays: how long answers take.

An answer with delay d to a query asked at s is there at t iff d ≤ t − s, so that with one round a unit of time delays
of 0 and 1 both let the next query know it. A delay is a real number of at least 0; infinity means that the answer
never comes. A law is a pure function of the occasion and the source of randomness: it remembers nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from belated.checks import as_number
from belated.errors import ParameterError
from belated.space import Candidates, Space


@dataclass(frozen=True)
class Occasion:
    """What a delay may depend on: the query, what came of it, and how long the queries before it take."""

    number: int  # of the query, from 1
    asked_at: float
    point: Mapping[str, Any]
    value: float  # without noise
    earlier: Sequence[tuple[float, float]] = ()  # when each was asked, and its delay


class DelayLaw(Protocol):
    """How long answers take."""

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The delay, in the units of the clock (rounds, unless said otherwise); infinite if no answer ever comes."""


@runtime_checkable
class Batching(Protocol):
    """A law that keeps all answers back until it lets them come together."""

    def ends_batch(self, waiting: int, balked: bool) -> bool:
        """Whether all answers come now, given how many are waited for."""


@runtime_checkable
class SpaceBound(Protocol):
    """A law that does not work on every space."""

    def check_space(self, call: str, space: Space | Candidates) -> None:
        """Refuse a space where the law has no meaning."""


def ends_batch(law: DelayLaw, waiting: int, balked: bool) -> bool:
    """Whether a law lets all answers come now; most only have delays."""
    return isinstance(law, Batching) and law.ends_batch(waiting, balked)


def check_law(call: str, law: object) -> None:
    """Refuse what is no law of delays."""
    if not callable(getattr(law, "draw", None)) or isinstance(law, type):
        raise ParameterError(
            f"{call}: got {law!r} as the law of delays; it must have a method draw(occasion, rng); "
            f"give one of bl.simulate, as bl.simulate.poisson(10)."
        )


def check_inner(call: str, law: object) -> None:
    """Refuse what is no law of delays that another law can change."""
    check_law(call, law)
    if isinstance(law, Batching):
        raise ParameterError(
            f"{call}: got {law!r}, whose answers come when the policy ends the batch and have no delays to change; "
            f"give it alone, or batch() in its place."
        )


def check_space(call: str, law: DelayLaw, space: Space | Candidates) -> None:
    """Refuse a law that, itself or by one of its parts, has no meaning on the space."""
    for part in _parts(law):
        if isinstance(part, SpaceBound):
            part.check_space(call, space)


def require(call: str, name: str, value: object, holds: Callable[[float], bool], rule: str) -> None:
    """Refuse a parameter that is no finite number or breaks its rule."""
    number = as_number(value)
    if number is None or not holds(number):
        way_out = "; for answers that never come use never() or lost()" if _is_infinite(value) else ""
        raise ParameterError(f"{call}({name}={value!r}): {name} must be {rule}{way_out}.")


def numbers(call: str, name: str, values: object, holds: Callable[[float], bool], rule: str) -> tuple[float, ...]:
    """A list of numbers, finite or not, as a tuple; each number must keep the rule."""
    listed = entries(call, name, values)
    for value in listed:
        number = value if _is_infinite(value) else as_number(value)
        if number is None or not holds(number):
            raise ParameterError(f"{call}({name}={value!r}): each of {name} must be {rule}.")
    return listed


def entries(call: str, name: str, values: object) -> tuple[Any, ...]:
    """A list as a tuple; it must have an entry."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        raise ParameterError(f"{call}({name}={values!r}): {name} must be a list, as [1, 2, 3].")
    listed = tuple(value.item() if isinstance(value, np.generic) else value for value in values)
    if not listed:
        raise ParameterError(f"{call}({name}={values!r}): {name} must have at least one entry.")
    return listed


def _is_infinite(value: object) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _parts(value: object) -> Iterator[object]:
    """A law and all that it is made of."""
    yield value
    if isinstance(value, tuple):
        for entry in value:
            yield from _parts(entry)
    elif is_dataclass(value):
        for part in fields(value):
            yield from _parts(getattr(value, part.name))

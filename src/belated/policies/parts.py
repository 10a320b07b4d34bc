"""The parts that may stand as parameters of a policy, by name, and how a log writes them.

A part is a frozen dataclass, written as {"part": name, field: value, …}. Other packages register theirs with `part`, in
a module that they declare under the entry point `belated.parts`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from belated.beliefs import GP, AfterQueries, Ensemble, Features, FullyBayesian, Intervals
from belated.contexts import ChiSquare, KernelDensity, Known, KullbackLeibler, Observed, TotalVariation
from belated.errors import ParameterError
from belated.log import Window
from belated.pacing import Always, Batches, Bounded, InformationLimited, Predictable
from belated.pending import (
    Censor,
    ExpectLess,
    Fantasise,
    Hallucinate,
    Ignore,
    ImputeSilence,
    Lie,
    Nearest,
    Open,
    Rehallucinate,
)
from belated.registry import Registry
from belated.rules import (
    Alternating,
    AverageLipschitz,
    BoundedNorm,
    Constant,
    Delayed,
    Finite,
    Lipschitz,
    Martingale,
    Simultaneous,
)

T = TypeVar("T")
ENTRY_POINTS = "belated.parts"


@functools.cache
def load(group: str) -> None:
    """Import what other packages declare under an entry point."""
    from importlib.metadata import entry_points  # as long to import as a whole room

    for entry in entry_points(group=group):
        entry.load()


TAKEN = "that name is taken, and logs rely on it"
# Parts by the names that earlier logs give them.
FORMER_NAMES = {"Doubt": "ImputeSilence"}
PARTS: Registry[type] = Registry("part", TAKEN, functools.partial(load, ENTRY_POINTS))


def part(kind: type[T]) -> type[T]:
    """Register a frozen dataclass, so that its instances may be parameters of policies and be kept in logs."""
    if not is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise ParameterError(f"part({kind!r}): a part is a frozen dataclass, which never changes; make it one.")
    PARTS.add(f"part({kind.__name__})", kind.__name__, kind)
    return kind


for _kind in (
    *(GP, AfterQueries, Features, Ensemble, FullyBayesian, Intervals),
    Window,
    *(Constant, Finite, Lipschitz, AverageLipschitz, BoundedNorm, Martingale, Alternating, Delayed, Simultaneous),
    *(KernelDensity, Observed, Known),
    *(TotalVariation, KullbackLeibler, ChiSquare),
    *(Ignore, Hallucinate, Rehallucinate, Nearest, Censor, ImputeSilence, Lie, ExpectLess, Fantasise, Open),
    *(Always, Bounded, Batches, InformationLimited, Predictable),
):
    part(_kind)


def parameter_to_json(policy: str, key: str, value: Any) -> Any:
    """A parameter of a policy as JSON."""
    value = plain(value)
    if is_dataclass(value) and PARTS.entries.get(type(value).__name__) is type(value):
        own = {
            field.name: parameter_to_json(policy, key, getattr(value, field.name))
            for field in fields(value)
            if field.init
        }
        return {"part": type(value).__name__, **own}
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [parameter_to_json(policy, key, item) for item in value]
    raise ParameterError(
        f"{policy}({key}={value!r}): a parameter is a number, a text or a part, as {', '.join(PARTS.entries)}, so that "
        f"the policy can be kept in the log; register a part of your own with bl.policies.part."
    )


def parameter_from_json(value: Any) -> Any:
    """The parameter of which this is the JSON."""
    if isinstance(value, Mapping):
        own = dict(value)
        if "part" not in own:
            raise ParameterError(
                f"build(): got {own!r} as a part; name it, as {{'part': 'GP', …}}; parts are "
                f"{', '.join(PARTS.entries)}."
            )
        name = own.pop("part")
        kind = PARTS.entry("build()", FORMER_NAMES.get(name, name) if isinstance(name, str) else name)
        try:
            return kind(**{key: parameter_from_json(item) for key, item in own.items()})
        except TypeError as error:
            raise ParameterError(f"build(): {error}; see the documentation of {kind.__name__}.") from None
    return tuple(parameter_from_json(item) for item in value) if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """NumPy's scalars as Python's."""
    return value.item() if isinstance(value, np.generic) else value

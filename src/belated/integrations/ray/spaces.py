"""Ray Tune's search spaces as spaces of Belated, and the way back from a point to a trial's configuration.

Nested names are joined by a slash. A range in steps becomes a whole number, of steps; options that a log cannot keep
become texts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ray.tune.search.sample import Categorical, Domain, Float, Integer, LogUniform, Quantized, Uniform
from ray.tune.search.variant_generator import parse_spec_vars

import belated.space as ours
from belated.errors import PointError, SpaceError
from belated.integrations.texts import texts

CALL = "BelatedSearch"
_ABSENT = object()


@dataclass(frozen=True)
class RaySpace:
    """A space, and what its values stand for where they are not themselves what a trial is given."""

    space: ours.Space | ours.Candidates
    steps: Mapping[str, float | int] = field(default_factory=dict)  # the size of a step, by parameter
    meanings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # what a text stands for, by parameter

    def configuration(self, point: Mapping[str, Any]) -> dict[str, Any]:
        """What a trial is given, nested as the space was."""
        nested: dict[str, Any] = {}
        for name, value in point.items():
            *places, last = name.split("/")
            inner = nested
            for place in places:
                inner = inner.setdefault(place, {})
            inner[last] = self._meant(name, value)
        return nested

    def point(self, configuration: Mapping[str, Any]) -> dict[str, Any]:
        """The point of a configuration, which may have more in it than the space."""
        found = {name: _at(configuration, name.split("/")) for name in self.space.names}
        return {name: self._named(name, value) for name, value in found.items() if value is not _ABSENT}

    def _meant(self, name: str, value: Any) -> Any:
        if name in self.steps:
            return value * self.steps[name]
        return self.meanings[name][value] if name in self.meanings else value

    def _named(self, name: str, value: Any) -> Any:
        if name in self.steps:
            return round(value / self.steps[name])
        if name in self.meanings:
            for text, meaning in self.meanings[name].items():
                if meaning is value or meaning == value:
                    return text
            raise PointError(f"{CALL}: {name}={value!r} is not an option; choose one of {list(self.meanings[name])}.")
        return value


def ray_space(config: Mapping[str, Any]) -> RaySpace | None:
    """The space of Tune's configuration; None if nothing in it is to be searched."""
    _, domains, grids = parse_spec_vars(dict(config))
    if grids:
        raise SpaceError(
            f"{CALL}: {_path(grids[0][0])}: got a grid, which is gone through and not searched; give tune.choice([…])."
        )
    if not domains:
        return None
    steps: dict[str, float | int] = {}
    meanings: dict[str, Mapping[str, Any]] = {}
    parameters: list[tuple[str, Any]] = []
    for path, domain in domains:
        name = _checked(path)
        if isinstance(domain, Categorical):
            options = list(domain.categories)
            named = _named_options(name, options)
            if named is not None:
                meanings[name] = named
            parameters.append((name, _made(name, ours.Choice, *(options if named is None else named))))
        else:
            parameter, step = _range(name, domain)
            parameters.append((name, parameter))
            if step is not None:
                steps[name] = step
    return RaySpace(ours.Space.from_parameters(parameters), steps, meanings)


def _named_options(name: str, options: Iterable[Any]) -> dict[str, Any] | None:
    if any(isinstance(option, Domain) for option in options):
        raise _unbounded(name, "a choice between ranges")
    return texts(options)


def _range(name: str, domain: Any) -> tuple[ours.Float | ours.Int, float | int | None]:
    """A range as a parameter, and the size of its steps if it has steps of its own."""
    sampler: Any = domain.get_sampler()
    step = None
    if isinstance(sampler, Quantized):
        sampler, step = sampler.sampler, sampler.q
    log = isinstance(sampler, LogUniform)
    if not isinstance(domain, Float | Integer) or not (log or isinstance(sampler, Uniform)):
        raise _unbounded(name, domain.domain_str if isinstance(domain, Float | Integer) else type(domain).__name__)
    if step is not None and (step != 1 or isinstance(domain, Float)):
        low, high = math.ceil(round(domain.lower / step, 9)), math.floor(round(domain.upper / step, 9))
        return _made(name, ours.Int, low, high, log), float(step) if isinstance(domain, Float) else step
    if isinstance(domain, Integer):
        # Tune's whole numbers end before their upper bound, unless they come in steps.
        return _made(name, ours.Int, domain.lower, domain.upper - (step is None), log), None
    return _made(name, ours.Float, domain.lower, domain.upper, log), None


def _made(name: str, kind: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return kind(*arguments)
    except SpaceError as error:
        raise SpaceError(f"{CALL}: {name}: {error}") from None


def _unbounded(name: str, got: str) -> SpaceError:
    return SpaceError(
        f"{CALL}: {name}: got {got}; a space has bounds and a scale, linear or logarithmic; give tune.uniform, "
        f"loguniform, randint, lograndint, one of these in steps, or choice."
    )


def _checked(path: tuple[Any, ...]) -> str:
    """The name of a parameter from which its place can be found again."""
    name = _path(path)
    if not all(isinstance(part, str) for part in path):
        raise SpaceError(f"{CALL}: {name}: got a range in a list, and parameters have names; use a dict in its place.")
    if any("/" in part for part in path):
        raise SpaceError(f"{CALL}: {name}: got a slash in a name, and slashes join nested names; rename it.")
    return name


def _at(configuration: Any, places: list[str]) -> Any:
    """The value in nested dictionaries."""
    for place in places:
        if not isinstance(configuration, Mapping) or place not in configuration:
            return _ABSENT
        configuration = configuration[place]
    return configuration


def _path(path: tuple[Any, ...]) -> str:
    return "/".join(map(str, path))

"""Policies by name, and their parameters as data.

A policy goes into the log as its name and parameters in JSON, so that any process can build it again. Parts that
stand as parameters (a belief, a width, a window) are written as {"part": name, field: value, …}. Other packages
register theirs under the entry point `belated.policies`.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, ParamSpec, get_type_hints

import numpy as np

from belated.beliefs import GP, Ensemble, Features, FullyBayesian, Intervals
from belated.contexts import KernelDensity, Known, Observed
from belated.errors import ParameterError, UnsupportedError, ceilings_lifted, unknown_name
from belated.log import GivenWindow, Learned, Window, as_window
from belated.pacing import Always, Batches, Bounded, InformationLimited, Predictable
from belated.pending import Censor, Doubt, Hallucinate, Ignore, Nearest
from belated.policies.parts import AtMost
from belated.policies.policy import Policy, Recipe
from belated.rules import Alternating, BoundedNorm, Constant, Delayed, Finite, Lipschitz, Martingale, Simultaneous

P = ParamSpec("P")
ENTRY_POINTS = "belated.policies"

PARTS: dict[str, type] = {
    kind.__name__: kind
    for kind in (
        GP,
        Features,
        Ensemble,
        FullyBayesian,
        Intervals,
        Window,
        Learned,
        Constant,
        Finite,
        Lipschitz,
        BoundedNorm,
        Martingale,
        Alternating,
        Delayed,
        Simultaneous,
        KernelDensity,
        Observed,
        Known,
        Ignore,
        Hallucinate,
        Nearest,
        Censor,
        Doubt,
        Always,
        Bounded,
        Batches,
        InformationLimited,
        Predictable,
    )
}
_BUILDERS: dict[str, Callable[..., Policy]] = {}


def policy(name: str) -> Callable[[Callable[P, Policy]], Callable[P, Policy]]:
    """Register a function that composes a policy; the policies it builds know how to be built again."""

    def register(compose: Callable[P, Policy]) -> Callable[P, Policy]:
        signature = inspect.signature(compose)
        if name in _BUILDERS:
            raise ParameterError(f"policy({name!r}): that name is taken, and logs rely on it; choose another.")

        @functools.wraps(compose)
        def build_policy(*args: P.args, **kwargs: P.kwargs) -> Policy:
            try:
                given = {key: _plain(value) for key, value in signature.bind(*args, **kwargs).arguments.items()}
            except TypeError as error:
                raise ParameterError(
                    f"{compose.__name__}(): {error}; its parameters are {', '.join(signature.parameters) or 'none'}."
                ) from None
            recipe = Recipe(name, {key: _to_json(name, key, value) for key, value in given.items()})
            try:
                return replace(compose(**given), recipe=recipe)  # type: ignore[call-arg]
            except ParameterError as error:
                # What a policy checks itself begins with the parameter, what its parts check with their own call.
                rest = str(error) if str(error).startswith("(") else f"(): {error}"
                raise ParameterError(f"{compose.__name__}{rest}") from None

        _BUILDERS[name] = build_policy
        return build_policy

    return register


def names() -> tuple[str, ...]:
    """The names of all policies in alphabetical order, those of other packages included."""
    _discover()
    return tuple(sorted(_BUILDERS))


def build(name: str, /, **parameters: Any) -> Policy:
    """The policy of that name with these parameters."""
    return _found("build()", name)(**{key: _from_json(value) for key, value in parameters.items()})


def from_json(data: Mapping[str, Any]) -> Policy:
    """The policy that a recipe in the log describes.

    The log may be older than a ceiling. A policy past one is read all the same, so that its study can be; its recipe
    then says what is too much, and it decides nothing.
    """
    match data:
        case {"name": str(name), "parameters": dict(parameters)} if all(isinstance(key, str) for key in parameters):
            try:
                return build(name, **parameters)
            except ParameterError as error:
                with ceilings_lifted():
                    found = build(name, **parameters)
                assert found.recipe is not None
                return replace(found, recipe=replace(found.recipe, excess=str(error)))
    raise ParameterError(
        f"from_json(): got {data!r}; a policy in a log has a name and parameters; give Recipe.to_json()."
    )


def with_window(chosen: Policy, window: GivenWindow) -> Policy:
    """The same policy with another window."""
    assert chosen.recipe is not None, "a policy in a log has a recipe"
    name, parameters = chosen.recipe.name, chosen.recipe.parameters
    known = inspect.signature(_BUILDERS[name]).parameters
    if "window" not in known and "treatment" in known:
        treatment: Any = chosen.treatment
        return build(name, **{**parameters, "treatment": replace(treatment, window=as_window(window))})
    if "window" not in known:
        raise UnsupportedError(
            f"change(window={window!r}): the policy {name!r} takes no window; change to one that does, as gp-bucb."
        )
    return build(name, **{**parameters, "window": window})


def describe(name: str) -> str:
    """The first line of what a policy says about itself."""
    return (inspect.getdoc(_found("describe()", name)) or "").partition("\n")[0]


def signature(name: str) -> inspect.Signature:
    """The parameters of a policy, with their defaults."""
    return inspect.signature(_found("signature()", name))


def ceilings(name: str) -> dict[str, int]:
    """The most that a policy takes of those of its parameters that cost memory or time."""
    compose = inspect.unwrap(_found("ceilings()", name))
    try:
        hints = get_type_hints(compose, include_extras=True)
    except NameError:
        # Another package may name types that only its type checker knows.
        return {}
    marks = {key: getattr(hint, "__metadata__", ()) for key, hint in hints.items()}
    return {key: mark.number for key, found in marks.items() for mark in found if isinstance(mark, AtMost)}


def _found(call: str, name: str) -> Callable[..., Policy]:
    if not isinstance(name, str) or name not in _BUILDERS:
        _discover()
    if not isinstance(name, str) or name not in _BUILDERS:
        raise unknown_name(call, "policy", name, _BUILDERS)
    return _BUILDERS[name]


@functools.cache
def _discover() -> None:
    from importlib.metadata import entry_points

    for entry in entry_points(group=ENTRY_POINTS):
        entry.load()


def _plain(value: Any) -> Any:
    """NumPy's scalars as Python's."""
    return value.item() if isinstance(value, np.generic) else value


def _to_json(policy_name: str, key: str, value: Any) -> Any:
    value = _plain(value)
    if is_dataclass(value) and type(value).__name__ in PARTS:
        own = {part.name: _to_json(policy_name, key, getattr(value, part.name)) for part in fields(value) if part.init}
        return {"part": type(value).__name__, **own}
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [_to_json(policy_name, key, item) for item in value]
    raise ParameterError(
        f"{policy_name}({key}={value!r}): a parameter is a number, a text or one of {', '.join(PARTS)}, so that the "
        f"policy can be kept in the log; to compose other parts, register a policy of your own."
    )


def _from_json(value: Any) -> Any:
    if isinstance(value, Mapping):
        own = dict(value)
        if "part" not in own:
            raise ParameterError(
                f"build(): got {own!r} as a part; name it, as {{'part': 'GP', …}}; parts are {', '.join(PARTS)}."
            )
        part = own.pop("part")
        if not isinstance(part, str) or part not in PARTS:
            raise unknown_name("build()", "part", part, PARTS)
        try:
            return PARTS[part](**{key: _from_json(item) for key, item in own.items()})
        except TypeError as error:
            raise ParameterError(f"build(): {error}; see the documentation of {part}.") from None
    return tuple(_from_json(item) for item in value) if isinstance(value, list) else value

"""Policies by name, and their parameters as data.

A policy goes into the log as its name and parameters in JSON, so that any process can build it again. Other packages
register theirs under the entry point `belated.policies`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ParamSpec, get_type_hints

from belated.checks import ceilings_lifted
from belated.delays import learned_window
from belated.errors import ParameterError, UnsupportedError
from belated.evidence import Evidence
from belated.log import FOREVER, GivenWindow, Window
from belated.policies.parameters import NoMoreThan
from belated.policies.parts import TAKEN, load, parameter_from_json, parameter_to_json, plain
from belated.policies.policy import Policy
from belated.policies.recipe import Compose, Reasoned, Recipe
from belated.registry import Registry

P = ParamSpec("P")
ENTRY_POINTS = "belated.policies"

# How a window that is to be learned is written, and how logs of the first version have it within a part.
LEARNED: Any = "auto"
LEARNED_PART = {"part": "Learned"}
Composition = Policy | Compose | Recipe
POLICIES: Registry[Callable[..., Recipe]] = Registry("policy", TAKEN, functools.partial(load, ENTRY_POINTS))


def policy(name: str) -> Callable[[Callable[P, Composition]], Callable[P, Recipe]]:
    """Register a function that composes a policy, or returns what composes it at a moment: `compose(evidence, now)`.

    It may also return the recipe of another policy. It builds recipes, which know how to be built again. What is to be
    learned, the window "auto", it is given at every moment anew. What the policy needs of a study its parts say.
    """

    def register(function: Callable[P, Composition]) -> Callable[P, Recipe]:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def build_recipe(*args: P.args, **kwargs: P.kwargs) -> Recipe:
            try:
                given = {key: plain(value) for key, value in signature.bind(*args, **kwargs).arguments.items()}
            except TypeError as error:
                raise ParameterError(
                    f"{function.__name__}(): {error}; its parameters are {', '.join(signature.parameters) or 'none'}."
                ) from None
            parameters = {key: parameter_to_json(name, key, value) for key, value in given.items()}
            defaults = {key: entry.default for key, entry in signature.parameters.items() if key not in given}
            learns = given.get("window", defaults.get("window")) == LEARNED
            try:
                made = function(**{**given, "window": FOREVER} if learns else given)  # type: ignore[call-arg]
            except ParameterError as error:
                raise error.in_call(function.__name__) from None
            base = made if isinstance(made, Recipe) else Recipe(name, parameters, made)
            return Recipe(
                name,
                parameters,
                _WindowLearned(name, given, made) if learns else base.composition,
                learns or base.learns_window,
            )

        POLICIES.add(f"policy({name!r})", name, build_recipe)
        return build_recipe

    return register


@dataclass(frozen=True)
class _WindowLearned:
    """A policy whose window is what the delays so far say."""

    name: str  # not its function, which no other process could be sent
    given: Mapping[str, Any]
    waiting: Composition  # the policy that waits for ever

    def __call__(self, evidence: Evidence, now: float) -> Policy:
        """What decides at this moment."""
        function: Callable[..., Composition] = inspect.unwrap(POLICIES.entry("ask()", self.name))
        made = function(**{**self.given, "window": learned_window(evidence, now)})
        if isinstance(made, Policy):
            return made
        return made.compose(evidence, now) if isinstance(made, Recipe) else made(evidence, now)

    def reasons(self, evidence: Evidence) -> tuple[str, ...]:
        """Why it is composed so, which no window changes."""
        return self.waiting.reasons(evidence) if isinstance(self.waiting, Reasoned) else ()


def names() -> tuple[str, ...]:
    """The names of all policies in alphabetical order, those of other packages included."""
    return POLICIES.names()


def build(name: str, /, **parameters: Any) -> Recipe:
    """The recipe of the policy of that name with these parameters."""
    found = POLICIES.entry("build()", name)
    if _learns(parameters):
        return _learning_within(name, parameters)
    return found(**{key: parameter_from_json(value) for key, value in parameters.items()})


def _learning_within(name: str, parameters: Mapping[str, Any]) -> Recipe:
    """A recipe of the first version, in which a part learns its window."""
    waiting = build(name, **_waiting(parameters, FOREVER))
    return replace(waiting, parameters=parameters, composition=_LearnedWithin(name, parameters), learns_window=True)


@dataclass(frozen=True)
class _LearnedWithin:
    """A policy in whose parts a window is what the delays so far say."""

    name: str
    parameters: Mapping[str, Any]

    def __call__(self, evidence: Evidence, now: float) -> Policy:
        """What decides at this moment."""
        window = learned_window(evidence, now)
        return build(self.name, **_waiting(self.parameters, window)).compose(evidence, now)


def _learns(value: Any) -> bool:
    """Whether a window that is to be learned is among these parameters of the first version."""
    if isinstance(value, Mapping):
        return value == LEARNED_PART or any(map(_learns, value.values()))
    return isinstance(value, list) and any(map(_learns, value))


def _waiting(value: Any, window: Window) -> Any:
    """These parameters with this window wherever one is to be learned."""
    if isinstance(value, Mapping):
        return window if value == LEARNED_PART else {key: _waiting(item, window) for key, item in value.items()}
    return [_waiting(item, window) for item in value] if isinstance(value, list) else value


def from_json(data: Mapping[str, Any]) -> Recipe:
    """The recipe that is kept in a log.

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
                return replace(found, excess=str(error))
    raise ParameterError(
        f"from_json(): got {data!r}; a policy in a log has a name and parameters; give Recipe.to_json()."
    )


def with_window(recipe: Recipe, window: GivenWindow) -> Recipe:
    """The same policy with another window."""
    if "window" not in inspect.signature(POLICIES.entries[recipe.name]).parameters:
        raise UnsupportedError(
            f"change(window={window!r}): the policy {recipe.name!r} takes no window; change to one that does, as "
            f"gp-bucb."
        )
    return build(recipe.name, **{**recipe.parameters, "window": window})


def describe(name: str) -> str:
    """The first line of what a policy says about itself."""
    return POLICIES.describe(name)


def signature(name: str) -> inspect.Signature:
    """The parameters of a policy, with their defaults."""
    return inspect.signature(POLICIES.entry("signature()", name))


def ceilings(name: str) -> dict[str, int]:
    """The most that a policy takes of those of its parameters that cost memory or time."""
    compose = inspect.unwrap(POLICIES.entry("ceilings()", name))
    try:
        hints = get_type_hints(compose, include_extras=True)
    except NameError:
        # Another package may name types that only its type checker knows.
        return {}
    marks = {key: getattr(hint, "__metadata__", ()) for key, hint in hints.items()}
    return {key: mark.number for key, found in marks.items() for mark in found if isinstance(mark, NoMoreThan)}

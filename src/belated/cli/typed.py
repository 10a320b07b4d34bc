"""How points, contexts, answers and policies are read from what users type."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import typer

from belated import policies
from belated.cli.notation import NotationError, load, pairs, scalar
from belated.log import Outcome, outcome_of
from belated.policies import Recipe
from belated.space import Candidates, Choice, Space
from belated.study import Study
from belated.study.files.numerals import Notation


def values(texts: Iterable[str], space: Space | Candidates | None) -> dict[str, Any]:
    """The values in texts such as `steps=3`; the space, if there is one, says which values are texts."""
    return {name: _value(name, text, space) for name, text in pairs(texts).items()}


def context(texts: Sequence[str] | None, study: Study) -> dict[str, Any] | None:
    """The context that was typed; None if nothing was."""
    if not texts:
        return None
    return values(texts, None if study.context is None else study.context.space)


def outcomes(texts: Sequence[str] | None) -> dict[str, Outcome] | None:
    """The outcomes of a new study, from texts such as `impurity=at most 2.0`; None if there are none."""
    if not texts:
        return None
    return {name: outcome_of("create()", name, text) for name, text in pairs(texts).items()}


def answer(text: str) -> Any:
    """The number that was typed, perhaps with a decimal comma; any other text as it is, and the study refuses it."""
    try:
        return float(text)
    except ValueError:
        number = Notation().number(text)
        return text.strip() if number is None else number


def measured(texts: Sequence[str] | None) -> Any:
    """The numbers that were typed: one, several, or for each outcome as `yield=0.83`; None if nothing was."""
    if not texts:
        return None
    named: dict[str, list[Any]] = {}
    for text in texts:
        name, mark, number = text.rpartition("=")
        named.setdefault(name.strip() if mark else "", []).append(answer(number))
    if "" in named and len(named) > 1:
        raise typer.BadParameter("give numbers, or NAME=VALUE for each outcome, not both.")
    found = {name: numbers if len(numbers) > 1 else numbers[0] for name, numbers in named.items()}
    return found.get("", found)


def settings(texts: Iterable[str]) -> dict[str, Any]:
    """The parameters of a policy or a figure, each a JSON or YAML value."""
    return {name: _setting(name, text) for name, text in pairs(texts).items()}


def _setting(name: str, text: str) -> Any:
    try:
        return load(text)
    except NotationError as error:
        raise typer.BadParameter(f"{name}={text} is neither YAML nor JSON: {error}.") from None


def policy(name: str, texts: Iterable[str], known: dict[str, Any] | None = None) -> Recipe:
    """The policy of that name with these parameters; they take precedence over the known ones."""
    said = {key: _with_contexts(value) for key, value in settings(texts).items()}
    return policies.build(name, **{**(known or {}), **said})


def _with_contexts(value: Any) -> Any:
    """A parameter as the log keeps it: contexts of a known law become pairs of name and value."""
    match value:
        case {"part": "Known", "values": [*contexts]}:
            pairs_of = [list(context.items()) if isinstance(context, dict) else context for context in contexts]
            return {**value, "values": pairs_of}
    return value


def _value(name: str, text: str, space: Space | Candidates | None) -> Any:
    """A number or a truth value where the text is one, unless the space takes it for a text."""
    if isinstance(space, Space) and name in space.names and isinstance(choice := space[name], Choice):
        return _option(choice, text)
    if isinstance(space, Candidates) and name in space.names and isinstance(space.point(0)[name], str):
        return text
    return scalar(text)


def _option(choice: Choice, text: str) -> Any:
    """The option that is written so, else the one that means the same: 1 for 1.0, true for True."""
    value = scalar(text)
    written = (option for option in choice.options if str(option) == text)
    # True equals 1 in Python, and here it does not.
    meant = (option for option in choice.options if option == value and (option is True) == (value is True))
    return next(written, next(meant, text))

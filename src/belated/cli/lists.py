"""`belated policies` and `belated problems`: what there is to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from inspect import Parameter
from typing import Annotated, Any

import typer

import belated.policies
from belated.cli.options import AsJson, policies_of
from belated.cli.output import columns, facts, print_json, say
from belated.simulate import problems as known_problems

MaybePolicy = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="One policy, with its parameters.", autocompletion=policies_of),
]


def policies(name: MaybePolicy = None, as_json: AsJson = False) -> None:
    """List the policies, the ways to decide what to ask next, or show one with its parameters.

    Example: belated policies gp-bucb
    """
    if name is not None:
        _one(name, as_json)
    else:
        _show("policy", {each: belated.policies.describe(each) for each in belated.policies.names()}, as_json)


def problems(as_json: AsJson = False) -> None:
    """List the problems that policies can be tried on.

    Example: belated problems --json
    """
    _show("problem", {name: known_problems.describe(name) for name in known_problems.names()}, as_json)


def _one(name: str, as_json: bool) -> None:
    parameters = belated.policies.signature(name).parameters.values()
    defaults = {each.name: None if each.default is Parameter.empty else _written(each.default) for each in parameters}
    most = belated.policies.ceilings(name)
    if as_json:
        shown = [{"name": key, "default": default} for key, default in defaults.items()]
        print_json({"name": name, "description": belated.policies.describe(name), "parameters": shown, "most": most})
        return
    say(name, "bold")
    say(belated.policies.describe(name))
    if defaults:
        say("\nParameters, as --set NAME=VALUE takes them, with their defaults")
        facts(((key, _bounded(default, most.get(key))) for key, default in defaults.items()), indent=2)


def _bounded(default: str | None, most: int | None) -> str:
    """A default, with the largest value that is accepted where a larger one would cost too much memory or time."""
    said = default or "must be given"
    return said if most is None else f"{said}, at most {most:,}"


def _written(default: Any) -> str:
    """A default as a user would write it; of a part, only what differs from the part's own defaults."""
    if not is_dataclass(default):
        return repr(default)
    given = [(each.name, getattr(default, each.name)) for each in fields(default) if each.init]
    own = {each.name: each.default for each in fields(default)}
    said = ", ".join(f"{key}={_written(value)}" for key, value in given if value != own[key])
    return f"{type(default).__name__}({said})"


def _show(kind: str, descriptions: Mapping[str, str], as_json: bool) -> None:
    if as_json:
        print_json([{"name": name, "description": text} for name, text in descriptions.items()])
        return
    columns((kind, "what it does" if kind == "policy" else "what it is"), list(descriptions.items()))

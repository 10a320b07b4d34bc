"""`belated policies` and `belated problems`: what there is to choose from."""

from __future__ import annotations

from collections.abc import Mapping

import belated.policies
from belated.cli.options import AsJson
from belated.cli.output import columns, print_json
from belated.simulate import problems as known_problems


def policies(as_json: AsJson = False) -> None:
    """List the policies: the ways to decide what to ask next.

    Example: belated policies
    """
    _show("policy", {name: belated.policies.describe(name) for name in belated.policies.names()}, as_json)


def problems(as_json: AsJson = False) -> None:
    """List the problems that policies can be tried on.

    Example: belated problems --json
    """
    _show("problem", {name: known_problems.describe(name) for name in known_problems.names()}, as_json)


def _show(kind: str, descriptions: Mapping[str, str], as_json: bool) -> None:
    if as_json:
        print_json([{"name": name, "description": text} for name, text in descriptions.items()])
        return
    columns((kind, "what it does" if kind == "policy" else "what it is"), list(descriptions.items()))

"""Numbers, times and points in words that fit on a line; the JSON has every digit."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping
from typing import Any

from belated.cli.options import STORAGE_VARIABLE
from belated.show import counted, duration
from belated.show import written as value
from belated.space import Candidates, Choice, Float, Int, Parameter, Space
from belated.storage import DEFAULT_URL
from belated.study import Study

MOST_OPTIONS = 8
# A password stands between user and host, or among the options at the end.
_PASSWORD = re.compile(r"(?<=[?&]password=)[^&]+|(?<=:)[^:/@]+(?=@[^/]*(?:/|$))")

__all__ = [
    "ask_command",
    "context_command",
    "duration",
    "in_context",
    "parameter",
    "point",
    "space",
    "storage_option",
    "tell_command",
    "tell_sheet_command",
    "value",
]


def point(values: Mapping[str, Any]) -> str:
    """The values of a point on one line."""
    return ", ".join(f"{name} {value(given)}" for name, given in values.items())


def in_context(values: Mapping[str, Any] | None) -> str:
    """The words that name a context; empty without one."""
    return f", in the context {point(values)}" if values else ""


def parameter(defined: Parameter) -> str:
    """The values that a parameter can take."""
    match defined:
        case Choice(options=options):
            more = f" and {len(options) - MOST_OPTIONS} more" if len(options) > MOST_OPTIONS else ""
            return f"one of {', '.join(value(option) for option in options[:MOST_OPTIONS])}{more}"
        case Float(low=low, high=high, log=log):
            return f"{value(low)} to {value(high)}{', logarithmic' if log else ''}"
        case Int(low=low, high=high, log=log):
            return f"{low} to {high}, whole{', logarithmic' if log else ''}"
    raise AssertionError("a space holds no other kind of parameter")


def space(domain: Space | Candidates) -> dict[str, str]:
    """What can be varied, in words, by the names of the parameters."""
    if isinstance(domain, Candidates):
        # The belief knows which numbers are near each other, and of labels only whether they are equal.
        known = zip(domain.names, domain.categorical, strict=True)
        columns = ", ".join(f"{name} (labels)" if apart else name for name, apart in known)
        return {"candidates": f"{counted(len(domain), 'row')} of {columns}"}
    return {name: parameter(domain[name]) for name in domain}


def ask_command(study: Study, storage: str) -> str:
    """The command that asks the next query."""
    return f"belated ask {shlex.quote(study.name)}{storage_option(storage)}"


def tell_command(study: Study, query: int, storage: str) -> str:
    """The command that tells the answer to a query, with its context if that is seen after the decision."""
    outcomes = study.outcomes
    value = " ".join(f"{shlex.quote(name)}=VALUE" for name in outcomes) if outcomes.named else "VALUE"
    return f"belated tell {shlex.quote(study.name)} {query} {value}{_context_options(study)}{storage_option(storage)}"


def tell_sheet_command(study: Study, file: os.PathLike[str], storage: str) -> str:
    """How to tell the answers in a sheet."""
    return f"belated tell {shlex.quote(study.name)} --file {shlex.quote(os.fspath(file))}{storage_option(storage)}"


def context_command(study: Study, query: int, storage: str) -> str:
    """The command that tells the context of a query alone."""
    return f"belated tell {shlex.quote(study.name)} {query}{_context_options(study)}{storage_option(storage)}"


def storage_option(storage: str) -> str:
    """The --storage option of the next command; empty where the environment or the default says it."""
    if storage == os.environ.get(STORAGE_VARIABLE, DEFAULT_URL):
        return ""
    # The output may be kept in places where a password must not be.
    return f" --storage {shlex.quote(_PASSWORD.sub('PASSWORD', storage))}"


def _context_options(study: Study) -> str:
    if study.context is None or study.context.seen == "before":
        return ""
    return "".join(f" --context {shlex.quote(name)}=…" for name in study.context.space.names)

"""Ways out of errors as commands, with the study and the storage that were given, so that each can be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

from belated.cli.words import storage_option
from belated.errors import Way
from belated.storage import DEFAULT_URL

# For each way out its command, from what the error is about, and the sentence in which {} stands for the command.
WAYS: dict[str, tuple[Callable[..., tuple[str, ...]], str]] = {
    "abandon": (
        lambda query="QUERY": ("abandon", "STUDY", str(query)),
        "{} ends the waiting for a query that has none",
    ),
    "fail": (lambda query="QUERY": ("fail", "STUDY", str(query)), "{} says that it cannot be done there"),
    "retract": (lambda query="QUERY": ("retract", "STUDY", str(query)), "{} takes that back first"),
    "retract-answer": (
        lambda query="QUERY": ("retract", "STUDY", str(query)),
        "{} takes back one that says nothing",
    ),
    "studies": (lambda: ("status",), "{} lists those that there are"),
    "all-queries": (lambda: ("export", "STUDY", "--format", "csv"), "{} has them all"),
    "ask": (lambda: ("pending", "STUDY"), "{} lists those that wait for an answer"),
    "change": (lambda policy: ("change", "STUDY", "--policy", policy), "{} takes one that has"),
    "reopen": (lambda: ("reopen", "STUDY"), "{} lets it go on asking"),
    "revise": (lambda query, value="VALUE": ("revise", "STUDY", str(query), str(value)), "{} replaces the answer"),
    "revise-point": (lambda query, point: ("revise", "STUDY", str(query), *_point(point)), "{} corrects the point"),
    "tell": (lambda query="QUERY", value="VALUE": ("tell", "STUDY", str(query), str(value)), "{} gives a first one"),
    "unarchive": (lambda: ("unarchive", "STUDY"), "{} lets it go on asking"),
    "tell-context": (lambda: ("tell", "STUDY", "QUERY", "--context", "NAME=VALUE"), "{} tells it for one answer"),
}
# Ways out that are another option of the same command, or of another one.
OPTIONS: dict[str, str] = {
    "context": "give {}",
    "context-after": "it goes with belated tell",
    "context-before": "it goes with belated ask; leave it out here",
    "no-answer": "belated fail or belated abandon ends the wait for a query that has none; or give --context",
    "objective": "make one of them maximize or minimize, as --outcome yield=maximize",
    "one-objective": "make the others signals, as --outcome colour=signal, or give --policy random, which takes any",
    "own-goal": "each outcome says its own, as --outcome sold='maximize, silence 0'; leave --goal and --silence out",
    "page": "write .html",
    "seen-after": "say seen: after in --context, or take another policy, as --policy gp-bucb",
    "table": "give a table of candidates, as create --space rows.csv does, or take another policy",
}


def worded(way: Way, given: Mapping[str, Any]) -> str:
    """The way out in words of the command line, for a command with these arguments and options."""
    if way.name in OPTIONS:
        return OPTIONS[way.name].format(" ".join(f"--context {shlex.quote(str(name))}=VALUE" for name in way.of))
    command, does = WAYS[way.name]
    study = str(given.get("study") or given.get("name") or "STUDY")
    parts = [shlex.quote(study if part == "STUDY" else part) for part in command(*way.of)]
    return does.format(f"belated {' '.join(parts)}{storage_option(given.get('storage', DEFAULT_URL))}")


def _point(point: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(part for name, value in point.items() for part in ("--point", f"{name}={value}"))

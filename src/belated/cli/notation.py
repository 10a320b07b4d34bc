"""How YAML and JSON in files and options are read, as plain values.

Words keep their meaning: `no` and `off` are texts, `1e-3` is a number, and 2024-05-01 is a text, as in YAML 1.2.
PyYAML reads YAML 1.1, where they are False, False, a text and a date.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import typer
import yaml


class NotationError(ValueError):
    """The text is neither JSON nor YAML; the message says where."""


class _Loader(yaml.SafeLoader):
    """YAML of plain values in which no key comes twice."""

    # An attribute of this class, so that PyYAML's resolvers of YAML 1.1 are not inherited.
    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        # An alias may hold itself, or unfold to gigabytes.
        if self.check_event(yaml.AliasEvent):
            raise NotationError("it has an alias; write its value out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        pairs = [(self.construct_object(key, deep=True), value) for key, value in node.value]
        seen: set[Any] = set()
        for (key, _), (place, _) in zip(pairs, node.value, strict=True):
            if isinstance(key, list | dict):
                raise NotationError(f"line {place.start_mark.line + 1} has {key!r} as a key; a key is a name")
            if key in seen:
                raise NotationError(f"line {place.start_mark.line + 1} has the key {key!r} a second time; keep one")
            seen.add(key)
        return {key: self.construct_object(value, deep=True) for key, value in pairs}


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|Null|NULL|)$"), ["~", "n", "N", ""])
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"^(true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_implicit_resolver("whole", re.compile(r"^[-+]?[0-9]+$"), list("-+0123456789"))
_Loader.add_implicit_resolver(
    "number",
    re.compile(r"^[-+]?((\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|\.(inf|Inf|INF))$|^\.(nan|NaN|NAN)$"),
    list("-+0123456789."),
)
_Loader.add_constructor("whole", lambda loader, node: int(node.value))
_Loader.add_constructor("number", lambda loader, node: float(re.sub(r"\.(?=[a-z])", "", node.value.lower())))


def load(text: str) -> Any:
    """The value that a JSON or YAML text describes; any other text raises a NotationError."""
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except NotationError:
        raise
    except (ValueError, RecursionError):
        pass  # no JSON; perhaps YAML
    try:
        return yaml.load(text, _Loader)
    except NotationError:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise NotationError(f"{where}{error.problem or error.context or 'not YAML'}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise NotationError(" ".join(str(error).split())) from None
    except RecursionError:
        raise NotationError("it is nested too deeply") from None


def scalar(text: str) -> Any:
    """The number or truth value that a word stands for; any other word is a text."""
    try:
        value = load(text)
    except NotationError:
        return text
    return value if isinstance(value, bool | int | float) else text


def pairs(texts: Iterable[str]) -> dict[str, str]:
    """The names and values of texts such as `window=20`; any other text is a usage error."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise typer.BadParameter(f"{text!r} is not of the form NAME=VALUE; write {name.strip() or 'NAME'}=….")
        if name.strip() in found:
            raise typer.BadParameter(f"{name.strip()!r} is given twice; keep one of them.")
        found[name.strip()] = value.strip()
    return found


def _distinct(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object in which no key comes twice."""
    found = dict(items)
    if len(found) < len(items):
        keys = [key for key, _ in items]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise NotationError(f"the key {twice!r} stands twice; keep one")
    return found

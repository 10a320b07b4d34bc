"""The names of parameters: checked once in a definition, then in every point."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from belated.errors import PointError, SpaceError

# A message that lists more names than this stops being read.
MOST_LISTED = 12


def distinct(names: Iterable[object], call: str) -> tuple[str, ...]:
    """The names as a tuple, or a SpaceError where one is not text, is empty, or comes twice."""
    found: list[str] = []
    for name in names:
        if not isinstance(name, str) or not name:
            raise SpaceError(f"{call}: got the name {name!r}; a name is a text that is not empty; rename it.")
        found.append(name)
    twice = [name for name, count in Counter(found).items() if count > 1]
    if twice:
        raise SpaceError(f"{call}: the name {twice[0]!r} comes twice; names are distinct; rename one.")
    return tuple(found)


def check_names(point: object, names: Sequence[str], call: str) -> Mapping[str, object]:
    """The point itself if it maps exactly these names, or a PointError that says which one is wrong."""
    if not isinstance(point, Mapping):
        raise PointError(f"{call}: got {a_kind(point)}; a point maps names to values; give a dict of {listed(names)}.")
    for name in point:
        if name not in names:
            # A letter of the wrong case is all that differs: such a name may be too short to be near any.
            near = [each for each in names if each.lower() == str(name).lower()]
            near += difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]!r}?" if near else "leave it out."
            raise PointError(f"{call}: unknown parameter {name!r}; the space has {listed(names)}; {hint}")
    missing = [name for name in names if name not in point]
    if missing:
        raise PointError(f"{call}: missing parameter {missing[0]!r}; a point has all of {listed(names)}; add it.")
    return point


def a_kind(value: object) -> str:
    """What kind of thing a value is, with its article."""
    kind = type(value).__name__
    return f"{'an' if kind[0].lower() in 'aeiou' else 'a'} {kind}"


def listed(names: Sequence[str]) -> str:
    """The names with commas between, cut short where they are many."""
    shown = ", ".join(names[:MOST_LISTED])
    return shown if len(names) <= MOST_LISTED else f"{shown} and {len(names) - MOST_LISTED} more"

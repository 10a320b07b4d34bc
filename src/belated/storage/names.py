"""What studies may be called, and what is said when a name is not there or already taken."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from belated.errors import ConflictError, ParameterError, UnknownStudyError

LONGEST = 100


def check_name(call: str, name: object) -> str:
    """The name of a study, if it is one that an address and a file name can hold."""
    sound = (
        isinstance(name, str)
        and 0 < len(name) <= LONGEST
        and name.isprintable()
        and name == name.strip()
        and not set(name) & set("/\\?#")
        and name not in (".", "..")  # which paths take for folders
    )
    if not sound:
        raise ParameterError(
            f"{call}: got {name!r} as the study's name; a name has 1 to {LONGEST} printable characters, no space at "
            f"either end, none of / \\ ? #, and is not . or ..; choose another."
        )
    assert isinstance(name, str)
    return name


def unknown_study(where: str, name: str, in_sight: Iterable[str], archived: Iterable[str]) -> UnknownStudyError:
    """The error for a study that is not there, with the nearest names that are."""
    names, put_away = list(in_sight), list(archived)
    nearest = difflib.get_close_matches(name, names + put_away, n=3, cutoff=0.5)
    if nearest:
        hint = f"did you mean {' or '.join(map(repr, nearest))}?"
    elif names:
        hint = f"there are {', '.join(map(repr, names[:10]))}{', …' if len(names) > 10 else ''}."
    elif put_away:
        hint = "all studies are in the archive."
    else:
        hint = "there is none yet; create one first."
    return UnknownStudyError(f"{where}: no study is named {name!r}; {hint}")


def deleted_study(name: str) -> UnknownStudyError:
    """The error for a study that was open when somebody deleted it; whoever uses a service must not learn where."""
    return UnknownStudyError(f"study({name!r}): it was deleted; restore it from an export, or open another one.")


def name_taken(where: str, name: str, archived: bool) -> ConflictError:
    """The error for a new name of a study that is in use."""
    there = "is in the archive" if archived else "is there already"
    return ConflictError(f"{where}: a study named {name!r} {there}; open it, or choose another name.")

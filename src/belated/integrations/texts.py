"""Options that a log cannot keep as they are: None, tuples, objects. In a study, each is called by a text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from belated.errors import SpaceError
from belated.space import Choice


def texts(options: Iterable[object]) -> dict[str, Any] | None:
    """A text for every option; None where all are texts, finite numbers or booleans, which need no other name."""
    listed = list(options)
    try:
        for option in listed:
            Choice(option)
    except SpaceError:
        named: dict[str, Any] = {}
        for option in listed:
            text = option if isinstance(option, str) else repr(option)
            # Two objects may look alike.
            again = sum(known == text or known.startswith(f"{text} #") for known in named)
            named[f"{text} #{again + 1}" if again else text] = option
        return named
    return None

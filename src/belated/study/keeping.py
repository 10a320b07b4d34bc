"""What is done with studies by their names where they are kept: list, rename, copy and delete them."""

from __future__ import annotations

import time
from collections.abc import Callable

from belated.storage import Log, check_name, connect
from belated.study.creation import Declaration, declaration


def names(url: str, *, archived: bool = False) -> list[str]:
    """The names of the studies in a storage, or of those in its archive, in the order of their creation."""
    return connect(url).names(archived)


def rename(url: str, name: str, new: str) -> None:
    """Call a study otherwise; who has it open goes on, and tokens of the service for it alone open it still."""
    call = f"Study.rename({name!r})"
    storage = connect(url)
    storage.rename(check_name(call, name), check_name(call, new))


def delete(url: str, name: str, *, clock: Callable[[], float] = time.time) -> None:
    """Remove a study with its log, for good; tokens of the service for it alone open nothing from then on.

    Whoever has it open, or asks or tells at that moment, gets an UnknownStudyError.
    """
    storage = connect(url)
    storage.delete(check_name(f"Study.delete({name!r})", name), clock())


def copied(call: str, url: str, name: str, new: str, to: str | None) -> tuple[Log, Declaration]:
    """A copy of a log under another name, in another storage if one is given, and what it declares."""
    log, target = connect(url).open(check_name(call, name)), connect(url if to is None else to)
    check_name(call, new)
    with log.reading() as reader:
        events = reader.events()
    return target.create(new, events), declaration(call, events[0])

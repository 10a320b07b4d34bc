"""How many files a process may have open, and so how many connections."""

from __future__ import annotations

import sys

# Files that a process has open for itself, with those of connections that were accepted and not yet seen by it.
OWN = 64
# A connection of SQLite has the database open and its write-ahead log.
FILES_OF_A_THREAD = 2


def room(threads: int) -> int:
    """How many connections a process may hold, so that every thread that works for one can open its storage.

    With f files, c connections and t threads, c + 2 min(c, t) files are in use at most, beside the process's own.
    """
    free = _most_files() - OWN
    return max(free - FILES_OF_A_THREAD * threads, free // (1 + FILES_OF_A_THREAD), 1)


def _most_files() -> int:
    """How many files a process may have open; on Windows it is no number that anybody meets."""
    if sys.platform == "win32":
        return sys.maxsize
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if limit == resource.RLIM_INFINITY else limit

"""Taking turns among the processes of one machine: each study has one byte of a file beside the database to lock.

The system frees a lock when its holder dies. Nothing depends on turns but speed: where there are no locks everybody
goes at once, and the transaction that writes an ask notices that another came first.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _take(file: int, place: int) -> None:
        while True:
            try:
                os.lseek(file, place, os.SEEK_SET)
                return msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            except PermissionError:
                time.sleep(0.005)

    def _free(file: int, place: int) -> None:
        os.lseek(file, place, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

elif sys.platform == "linux":
    import fcntl
    import struct

    # These locks belong to what was opened: they hold between threads too, and closing another descriptor of the file
    # does not end them.
    def _lock(file: int, command: int, kind: int, place: int) -> None:
        fcntl.fcntl(file, command, struct.pack("hhqqi0q", kind, os.SEEK_SET, place, 1, 0))

    def _take(file: int, place: int) -> None:
        _lock(file, fcntl.F_OFD_SETLKW, fcntl.F_WRLCK, place)

    def _free(file: int, place: int) -> None:
        _lock(file, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, place)

else:
    import fcntl

    # Elsewhere only a lock on the whole file holds between threads; asks of different studies then wait for each other.
    def _take(file: int, place: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _free(file: int, place: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)


# What this process waits for or holds: a token for each turn, and its file.
_held: dict[object, int] = {}


@contextlib.contextmanager
def turn(database: Path, place: int) -> Iterator[None]:
    """Wait until no process holds this place of a database, then hold it; an OSError if its file cannot be opened."""
    file = _opened(database)
    token = object()
    _held[token] = file
    try:
        with contextlib.suppress(OSError):
            _take(file, place)
        yield
    finally:
        # A forked child has forgotten it, and the number may be that of another file by now.
        if _held.pop(token, None) is not None:
            # Closing alone would not free it while a forked process has the file open as well.
            with contextlib.suppress(OSError):
                _free(file, place)
            os.close(file)


def _opened(database: Path) -> int:
    """The file of locks, which every user who may write to the database may write to as well."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    file = os.open(database.with_name(f"{database.name}-lock"), flags, 0o666)
    with contextlib.suppress(OSError):
        _permit(file, database.stat())
    return file


def _permit(file: int, wanted: os.stat_result) -> None:
    """Give the file the mode of the database and, where that is allowed, its group, as SQLite does with its own."""
    found = os.fstat(file)
    mode = stat.S_IMODE(wanted.st_mode) & 0o666
    # Only a file of ours is changed, and a link to something of worth is not empty.
    if sys.platform == "win32" or found.st_uid != os.geteuid() or found.st_size:
        return
    if found.st_gid != wanted.st_gid or os.geteuid() == 0:
        with contextlib.suppress(OSError):
            os.fchown(file, wanted.st_uid if os.geteuid() == 0 else -1, wanted.st_gid)
    if stat.S_IMODE(found.st_mode) != mode:
        os.fchmod(file, mode)


def _forget() -> None:
    """Keep no turn of the parent: if that one dies, the system frees it only once no process has the file open."""
    while _held:
        with contextlib.suppress(OSError):
            os.close(_held.popitem()[1])


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)

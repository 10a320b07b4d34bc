"""Taking turns among the processes of one machine: a lock on a file, which the system frees when its holder dies.

Nothing depends on it but speed: on a file system without locks everybody goes at once, and the transaction that writes
an ask notices that another came first.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _take(file: int) -> None:
        while True:
            try:
                return msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            except PermissionError:
                time.sleep(0.005)

else:
    import fcntl

    def _take(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


@contextlib.contextmanager
def turn(path: Path) -> Iterator[None]:
    """Wait until nobody else holds the file, then hold it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
    try:
        with contextlib.suppress(OSError):
            _take(file)
        yield
    finally:
        os.close(file)

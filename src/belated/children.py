"""What processes that this one starts have in common: Ctrl-C is for the parent alone, and none outlives it."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import wait


@contextmanager
def interruptions_blocked() -> Iterator[None]:
    """What is started in the meantime hears of no Ctrl-C before it has said that it wants none."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Started on the way, Python's own tracker of resources would let them through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interruptions() -> None:
    """In a child: Ctrl-C is for its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def when_orphaned(end: Callable[[], object]) -> None:
    """In a child: do this if the parent ends first, even by a kill, so that no child is left behind."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def follow() -> None:
        wait([sentinel])
        end()

    threading.Thread(target=follow, daemon=True).start()

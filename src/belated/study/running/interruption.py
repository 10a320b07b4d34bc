"""Ctrl-C is counted instead of raised, so that it never interrupts a write."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Self, final

# The first lets what is in flight come home, the second leaves it, and the third does not wait for anything.
LEAVE, AT_ONCE = 2, 3


@final
class Interruption:
    """How often the user has asked to stop while this was entered.

    The former handler of the signal is called first, and the signal counts only if that raises KeyboardInterrupt, as
    Python's own does. Signals reach the main thread alone, so in another thread nothing is counted.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self.count = 0
        self._wake = wake
        self._before: Any = None

    def __enter__(self) -> Self:
        before = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is threading.main_thread() and callable(before):
            self._before = before
            signal.signal(signal.SIGINT, self._noted)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _noted(self, number: int, frame: FrameType | None) -> None:
        try:
            self._before(number, frame)
        except KeyboardInterrupt:
            self.count += 1
            if self.count >= AT_ONCE:
                raise
            self._wake()

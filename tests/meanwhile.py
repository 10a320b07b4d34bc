"""Things that happen at the same time, and never hang a test."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

# Far longer than anything here takes on a busy machine; only a deadlock reaches it.
PATIENCE = 120.0  # seconds


class Meanwhile:
    """A call in a thread of its own."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._result, self._error = self._call(), None
        except BaseException as error:
            self._result, self._error = None, error

    def waits(self, seconds: float = 0.3) -> bool:
        """Whether the call has not returned by then."""
        self._thread.join(seconds)
        return self._thread.is_alive()

    def result(self) -> Any:
        """What the call returned or raised, once it has."""
        assert not self.waits(PATIENCE), "the call does not return"
        if self._error is not None:
            raise self._error
        return self._result


def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until this holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, f"waited {PATIENCE:g} s until {what}"
        time.sleep(0.005)

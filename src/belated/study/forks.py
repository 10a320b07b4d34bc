"""No process is forked while a model runs.

The threads of OpenBLAS end at a fork, and a product of matrices that another thread has under way waits for them for
ever. So a fork waits until no model runs, and a model waits until the fork is over.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import final

# Longer than a decision takes; a fork that has waited so long goes on, whatever becomes of the model.
PATIENCE = 60.0  # seconds


@final
class Gate:
    """Open to all models until a thread forks."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience = patience
        self._begin()

    def _begin(self) -> None:
        self._changed = threading.Condition()
        self._running: Counter[int] = Counter()  # models under way, by thread
        self._forking: Counter[int] = Counter()

    @contextmanager
    def model(self) -> Iterator[None]:
        """Run a model; one within another does not wait."""
        own = threading.get_ident()
        with self._changed:
            self._changed.wait_for(lambda: self._running[own] or not (self._forking - Counter([own])))
            self._running[own] += 1
        try:
            yield
        finally:
            with self._changed:
                self._running -= Counter([own])
                self._changed.notify_all()

    def close(self) -> None:
        """Wait until no other thread runs a model, and let none begin."""
        own = threading.get_ident()
        with self._changed:
            self._forking[own] += 1
            self._changed.wait_for(
                lambda: not any(n for thread, n in self._running.items() if thread != own), self._patience
            )

    def open(self) -> None:
        """The fork is over, in the parent."""
        with self._changed:
            self._forking -= Counter([threading.get_ident()])
            self._changed.notify_all()

    def reset(self) -> None:
        """The fork is over, in the child, where no other thread goes on."""
        self._begin()


_GATE = Gate()
running_model = _GATE.model

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_GATE.close, after_in_parent=_GATE.open, after_in_child=_GATE.reset)

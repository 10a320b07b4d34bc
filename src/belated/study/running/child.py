"""What a process does that evaluates for another: it makes the calls that come, and ends when no more can come."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from contextlib import suppress
from multiprocessing.connection import Connection, wait

from belated.study.running.evaluation import carried, described

READY = b"ready"


def serve(connection: Connection) -> None:
    """Make the calls that come, until nobody is there to make more; Ctrl-C is for the program that sends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        connection.send_bytes(READY)
        while True:
            payload = connection.recv_bytes()
            connection.send_bytes(_answer(payload))


def _answer(payload: bytes) -> bytes:
    """What comes of a call, whatever that is."""
    try:
        call, arguments = pickle.loads(payload)
        return pickle.dumps(call(*arguments))
    except Exception as error:
        return pickle.dumps(carried(f"the objective cannot be used in another process ({described(error)})", error))


def _end_with_the_parent() -> None:
    """A program that was killed leaves no process behind that works for nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)

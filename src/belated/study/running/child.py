"""What a process does that evaluates for another: it makes the calls that come, and ends when the sender is gone."""

from __future__ import annotations

import os
import pickle
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection

from belated.children import ignore_interruptions, when_orphaned
from belated.study.running.evaluation import carried, described

READY = b"ready"


def serve(connection: Connection) -> None:
    """Make the calls that come until the sender is gone; Ctrl-C is left to the program that sends them."""
    ignore_interruptions()
    when_orphaned(partial(os._exit, 1))
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

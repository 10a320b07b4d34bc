"""A process that this one starts hears no Ctrl-C, and ends when this one does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from belated.children import interruptions_blocked
from tests.meanwhile import PATIENCE

ONLY_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")

PARENT = """
import multiprocessing, os, sys, time
from functools import partial
from belated.children import ignore_interruptions, interruptions_blocked, when_orphaned

def child():
    ignore_interruptions()
    when_orphaned(partial(os._exit, 1))
    print(os.getpid(), flush=True)
    time.sleep(0.3)
    print("still there", flush=True)
    time.sleep(600)

if __name__ == "__main__":
    with interruptions_blocked():
        multiprocessing.get_context("spawn").Process(target=child).start()
    time.sleep(600)
"""


@ONLY_POSIX
def test_interruptions_are_blocked_for_what_is_started_and_heard_again_afterwards() -> None:
    before = signal.pthread_sigmask(signal.SIG_BLOCK, set())
    with interruptions_blocked():
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    assert signal.pthread_sigmask(signal.SIG_BLOCK, set()) == before


@ONLY_POSIX
def test_a_child_outlives_an_interruption_and_not_its_parent(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, signal.SIGINT)
        assert parent.stdout.readline() == "still there\n"
        parent.kill()
        # The child holds this pipe too: it closes when both have ended.
        assert parent.communicate(timeout=PATIENCE)[0] == ""

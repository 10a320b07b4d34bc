"""Ctrl-C on a real terminal, which reaches the program and all of its processes: once it waits, twice it leaves."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from belated.study import Study
from tests.meanwhile import PATIENCE, until
from tests.pairs import first
from tests.running.objectives import Gated, Noting
from tests.running.programs import NAME, WORKER, created
from tests.running.studies import states

ROOT = Path(__file__).resolve().parents[2]
WARNING = "run(): interrupted; waiting for what is in flight (2); interrupt again to leave it pending."

PROGRAM = """
import math
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from belated.study import Study
from tests.running.objectives import Gated
from tests.running.programs import NAME, WORKER

if __name__ == "__main__":
    address, folder, kind = sys.argv[1:]
    executor = ProcessPoolExecutor(2) if kind == "pool" else kind
    try:
        Study.open(address, NAME).run(Gated(Path(folder)), math.inf, executor=executor, workers=2, worker=WORKER)
    except KeyboardInterrupt as interruption:
        print(f"<{interruption}>", flush=True)
        sys.exit(7)
"""


class Terminal:
    """A program on a terminal of its own: what it shows, and the keys that are pressed."""

    def __init__(self, *command: str) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 150, 0, 0))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
        # A session of its own, whose terminal this is: so Ctrl-C reaches every process in it.
        self.process = subprocess.Popen(
            ["setsid", "--ctty", "--wait", *command], stdin=slave, stdout=slave, stderr=slave, env=environment
        )
        os.close(slave)
        self.shown = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._master, keys)

    def ended(self) -> int:
        """The exit code, once the program has ended."""
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def close(self) -> None:
        """Leave nobody behind."""
        self.process.kill()
        self.process.wait()
        os.close(self._master)

    def _read(self) -> None:
        while True:
            try:
                text = os.read(self._master, 65536)
            except OSError:
                return
            if not text:
                return
            self.shown += text.decode(errors="replace")


@contextmanager
def terminal(address: str, folder: Path, kind: str) -> Iterator[Terminal]:
    program = folder / "program.py"
    program.write_text(PROGRAM)
    shown = Terminal(sys.executable, str(program), address, str(folder), kind)
    try:
        yield shown
    except BaseException as error:
        error.add_note(shown.shown)
        raise
    finally:
        shown.close()


@pytest.mark.parametrize("kind", ["threads", "processes", pytest.param("pool", marks=pytest.mark.slow)])
def test_after_one_interruption_what_is_in_flight_comes_home(sqlite: str, tmp_path: Path, kind: str) -> None:
    study, gated = created(sqlite), Gated(tmp_path)
    with terminal(sqlite, tmp_path, kind) as shown:
        gated.await_begun(2)
        shown.press(b"\x03")
        until(lambda: WARNING in shown.shown, "the program says what it waits for")
        gated.open()
        assert shown.ended() == 7
    assert states(study) == ["answered", "answered"]
    assert len(gated.read()) == 2
    assert (
        f"<run(): interrupted, with 2 of 2 queries answered, 0 failed and 0 left; run again with worker='{WORKER}' to "
        f"take up what is pending.>"
    ) in shown.shown
    # A terminal is there, and so is the bar.
    assert re.search(r"2query \[", shown.shown)
    assert "Traceback" not in shown.shown


@pytest.mark.parametrize("kind", ["threads", "processes"])
def test_after_two_interruptions_what_is_in_flight_is_left_and_taken_up_by_the_next_run(
    sqlite: str, tmp_path: Path, kind: str
) -> None:
    study, gated = created(sqlite), Gated(tmp_path)
    with terminal(sqlite, tmp_path, kind) as shown:
        gated.await_begun(2)
        shown.press(b"\x03")
        until(lambda: WARNING in shown.shown, "the program says what it waits for")
        shown.press(b"\x03")
        assert shown.ended() == 7
    assert states(study) == ["pending", "pending"]
    assert "with 0 of 2 queries answered, 0 failed and 2 left; run again" in shown.shown
    assert "Traceback" not in shown.shown
    ran = Study.open(sqlite, NAME).run(Noting(tmp_path), 2, worker=WORKER, workers=2)
    assert (ran.asked, states(study)) == (2, ["answered", "answered"])


STARTING = """
import sys, time
import belated as bl

def objective(point):
    time.sleep(0.2)
    return point["heat"]

if __name__ == "__main__":
    study = bl.Study.create(sys.argv[1], "oven", bl.Space(heat=bl.Float(0.0, 9.0)), policy="random", seed=1)
    try:
        print("<begun>", flush=True)
        study.run(objective, 300, executor="processes", workers=3)
    except KeyboardInterrupt as interruption:
        print(f"<{interruption}>", flush=True)
        sys.exit(7)
"""


@pytest.mark.parametrize("seconds", first(2, 0.1, 0.5, 0.3, 0.7))
def test_an_interruption_while_processes_start_loses_no_query(sqlite: str, tmp_path: Path, seconds: float) -> None:
    program = tmp_path / "program.py"
    program.write_text(STARTING)
    shown = Terminal(sys.executable, str(program), sqlite)
    try:
        until(lambda: "<begun>" in shown.shown, "the run begins")
        time.sleep(seconds)
        shown.press(b"\x03")
        assert shown.ended() == 7, shown.shown
    finally:
        shown.close()
    assert "Traceback" not in shown.shown, shown.shown
    assert set(states(Study.open(sqlite, "oven"))) <= {"answered"}, shown.shown

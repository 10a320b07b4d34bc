"""Programs in processes of their own, each a fork of a Python that has imported what they need.

To start an interpreter and to import everything takes up to two seconds, to fork milliseconds. A fork is a process like
any other, with its own folder, environment, output and end; what importing itself does is tried by real starts.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess

from tests.meanwhile import PATIENCE

# What a program finds imported: Belated and nothing else, or all that its command needs.
BARE = ("belated",)
COMMAND = (
    "alembic.command",
    "belated.cli.app",
    "belated.cli.main",
    "belated.cli.options",
    "belated.cli.words",
    "belated.report",
    "belated.service",
    "belated.storage.sql",
    "numpy.random",
    "plotly.graph_objects",
    "plotly.io",
    "plotly.offline",
    "plotly.subplots",
    "rich.progress",
    "scipy.linalg",
    "scipy.special",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite",
    "sqlite3",
    "typer.rich_utils",  # of help, and of every command that is refused
    "uvicorn.lifespan.on",
    "uvicorn.protocols.http.h11_impl",
    "yaml",
)
BELATED = "from belated.cli.main import run\nrun()"
# Forks twice for each task: one process stays behind and tells how the other, the program, has ended.
TEMPLATE = """
import contextlib, gc, importlib, json, os, socket, sys
tasks = socket.socket(fileno=int(sys.argv[1]))
for module in sys.argv[2:]:
    with contextlib.suppress(Exception):  # what is not installed is told to whoever needs it
        importlib.import_module(module)
gc.freeze()
while True:
    message, files, _, _ = socket.recv_fds(tasks, 1 << 20, 3)
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    if not message:
        tasks.close()
        sys.exit()
    if not os.fork():
        break
    for file in files:
        os.close(file)
tasks.close()
out, err, end = files
if child := os.fork():
    os.close(out), os.close(err)
    os.write(end, b"%d\\n" % child)
    os.write(end, b"%d\\n" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(0)
os.setsid()
os.dup2(out, 1), os.dup2(err, 2)
for file in files:
    os.close(file)
for file, name, buffering in ((1, "stdout", -1), (2, "stderr", 1)):
    stream = open(file, "w", buffering, encoding="utf-8", closefd=False)
    setattr(sys, name, stream), setattr(sys, f"__{name}__", stream)
task = json.loads(message)
os.chdir(task["folder"])
os.environ.clear()
os.environ.update(task["environment"])
sys.argv[1:] = task["words"]
exec(compile(task["program"], "<program>", "exec"), {"__name__": "__main__"})
"""


class Fork:
    """A program that has begun, the leader of a group of processes of its own."""

    def __init__(self, out: int, end: int) -> None:
        self.stdout = os.fdopen(out, encoding="utf-8", newline="")
        self._end = os.fdopen(end, "rb", buffering=0)
        self.pid = int(self._end.readline())
        self._code: int | None = None

    def poll(self) -> int | None:
        """The exit code, or less than zero the signal that ended it; None while it runs."""
        if self._code is None and select.select([self._end], [], [], 0.0)[0]:
            self._code = int(self._end.readline())
            self._end.close()
        return self._code

    def wait(self, seconds: float = PATIENCE) -> int:
        """The exit code, once it has ended."""
        if self._code is None:
            assert select.select([self._end], [], [], seconds)[0], f"it still runs after {seconds:g} s"
        code = self.poll()
        assert code is not None
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def end(self, number: int = signal.SIGKILL) -> None:
        """End it, whatever it does."""
        self.send_signal(number)
        self.wait()
        self.stdout.close()


@cache
def template(*modules: str) -> socket.socket:
    """The way to a Python that has imported these modules; it ends when this process does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    python = subprocess.Popen(
        [sys.executable, "-c", TEMPLATE, str(theirs.fileno()), *modules],
        env=environment | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    theirs.close()

    def end() -> None:
        ours.close()
        python.wait()

    atexit.register(end)
    return ours


def fork(
    program: str,
    folder: Path,
    errors: int | None,
    *,
    words: Sequence[object] = (),
    environment: Mapping[str, str] = {},
    modules: Sequence[str] = COMMAND,
) -> Fork:
    """A program that begins in a folder and complains into a file, or else where it prints.

    The environment is this one's and what is given.
    """
    out, theirs = os.pipe()
    end, told = os.pipe()
    surroundings = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", **environment}
    begin = {"program": program, "folder": str(folder), "words": list(map(str, words)), "environment": surroundings}
    files = [theirs, theirs if errors is None else errors, told]
    socket.send_fds(template(*modules), [json.dumps(begin).encode()], files)
    os.close(theirs)
    os.close(told)
    return Fork(out, end)


def ran(
    program: str,
    folder: Path,
    *words: object,
    environment: Mapping[str, str] = {},
    modules: Sequence[str] = COMMAND,
) -> CompletedProcess[str]:
    """What a program printed and complained of, and how it ended."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as errors:
        begun = fork(program, folder, errors.fileno(), words=words, environment=environment, modules=modules)
        with begun.stdout:
            printed = begun.stdout.read()
        code = begun.wait()
        errors.seek(0)
        return CompletedProcess([*map(str, words)], code, printed, errors.read())


def belated(folder: Path, *words: object, environment: Mapping[str, str] = {}) -> CompletedProcess[str]:
    """What a command printed and complained of, and how it ended."""
    return ran(BELATED, folder, *words, environment=environment)

"""How many calls of how many of our functions, in how many files, an ask and a tell take.

A cold ask: the study has just been opened, from SQLite, with nine answers and a pending query, so that the log is read
and the belief fitted in it. A profile counts each call of a Python function of `src/belated`, and none of a library's;
before Python 3.12, most comprehensions are functions too.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import belated as bl
from benchmarks.data import SPACE
from benchmarks.measure import Row, keep

SOURCE = str(Path(bl.__file__).parent)
ANSWERS, SEED = 9, 7


@dataclass
class Walk:
    """What was called between the first step and the last."""

    calls: int = 0
    functions: set[CodeType] = field(default_factory=set)

    def step(self, frame: FrameType, event: str, argument: object) -> None:
        """Count a call of ours, as `sys.setprofile` has it."""
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            self.calls += 1
            self.functions.add(frame.f_code)

    @property
    def files(self) -> set[str]:
        """The files whose functions were called."""
        return {code.co_filename for code in self.functions}


@contextmanager
def walking() -> Iterator[Walk]:
    """Count what this thread, and each that it starts, calls meanwhile."""
    walk = Walk()
    threading.setprofile(walk.step)
    sys.setprofile(walk.step)
    try:
        yield walk
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def main() -> None:
    """Count the walks, each for the second time: the first imports what is imported late."""
    with tempfile.TemporaryDirectory() as folder:
        walks = {what: take(Path(folder)) for what, take in WALKS.items()}
    rows = [
        Row(what, f"{walk.calls:,} calls, {len(walk.functions)} functions, {len(walk.files)} files", "", None, "", True)
        for what, walk in walks.items()
    ]
    keep("walks", rows, __doc__.split("\n\n", 1)[1].strip())


def studied(folder: Path, name: str, policy: str) -> bl.Study:
    """A study in a file, with nine answers and a query that is pending, as a new process opens it."""
    address = f"sqlite:///{folder / 'walks.db'}"
    study = bl.Study.create(address, name, SPACE, policy=policy, seed=SEED)
    for number in range(ANSWERS):
        query = study.ask()
        assert query
        study.tell(query, float(number % 4))
    study.ask()
    return bl.Study.open(address, name)


def asked(folder: Path, policy: str) -> Walk:
    """The walk of a cold ask."""
    for attempt in ("first", "second"):
        study = studied(folder, f"{policy}-{attempt}", policy)
        with walking() as walk:
            study.ask()
    return walk


def told(folder: Path) -> Walk:
    """The walk of a tell, which runs no model."""
    for attempt in ("first", "second"):
        study = studied(folder, f"tell-{attempt}", "gp-bucb")
        with walking() as walk:
            study.tell(ANSWERS + 1, 0.5)
    return walk


def served(folder: Path) -> Walk:
    """The walk of an ask over HTTP, from the request to its response, in a service that has not read the study yet."""
    from belated.service import Limits, ServiceSettings, create_app

    for attempt in ("first", "second"):
        studied(folder, f"http-{attempt}", "gp-bucb")
        app = create_app(ServiceSettings(f"sqlite:///{folder / 'walks.db'}", open=True, limits=Limits()))
        with walking() as walk:
            status = asyncio.run(_post(app, f"/v1/studies/http-{attempt}/asks"))
        assert status == 200, status
    return walk


async def _post(app: Callable[..., Any], path: str) -> int:
    """The status of a response to a request without a body, made of the application itself."""
    replies: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        replies.append(message)

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(b"host", b"127.0.0.1"), (b"content-type", b"application/json")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8000),
    }
    await app(scope, receive, send)
    return int(replies[0]["status"])


WALKS: dict[str, Callable[[Path], Walk]] = {
    "cold ask of gp-bucb": lambda folder: asked(folder, "gp-bucb"),
    "cold ask of auto": lambda folder: asked(folder, "auto"),
    "tell": told,
    "cold ask of gp-bucb over HTTP": served,
}

if __name__ == "__main__":
    main()

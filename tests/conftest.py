"""Storages for tests: an empty one of each kind, by its address."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.servers import Server

SHARED = ("sqlite", "postgres")

# What a shell starts in the background ignores Ctrl-C, and so does all that it starts; some tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Nothing of what is collected is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest: each of the processes has its share of them at the front of its share of all."""
    n = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    longest, others = ([item for item in items if ("longest" in item.keywords) is long] for long in (True, False))
    ends = [len(others) * share // n for share in range(n + 1)]
    shares = (longest[share::n] + others[ends[share] : ends[share + 1]] for share in range(n))
    items[:] = [item for share in shares for item in share]


def pytest_collection_finish() -> None:
    """What was collected stays; to look at it again and again takes a tenth of the time of all tests."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _no_connection_is_left() -> Iterator[None]:
    """A storage keeps its connections as long as the process lives, and there are many tests in one."""
    yield
    database = sys.modules.get("belated.storage.database")
    if database is not None:
        database.close_connections()


def _server() -> Iterator[Server]:
    pytest.importorskip("psycopg")
    pytest.importorskip("tests.servers", exc_type=ModuleNotFoundError)
    from tests.servers import Server

    server = Server()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """One for each process that runs tests: it starts in a second."""
    for started in _server():
        # No power cut is waited for here, and to wait for the disk takes longer than anything else that it does.
        started.run("ALTER SYSTEM SET fsync = off")
        started.run("SELECT pg_reload_conf()")
        yield started


# One for a test that mistreats it.
own_server = pytest.fixture(name="own_server")(_server)


@pytest.fixture
def postgres(server: Server) -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    database = server.create()
    yield server.address(database)
    server.empty(database)


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """The address of a SQLite file that is not there yet."""
    return f"sqlite:///{tmp_path / 'lab.db'}"


@pytest.fixture
def memory(tmp_path: Path) -> str:
    """The address of a storage in memory."""
    return f"memory://{tmp_path}"


@pytest.fixture(params=("memory", *SHARED))
def address(request: pytest.FixtureRequest) -> str:
    """An empty storage of every kind."""
    return str(request.getfixturevalue(request.param))


@pytest.fixture(params=SHARED)
def shared(request: pytest.FixtureRequest) -> str:
    """An empty storage of every kind that processes can share."""
    return str(request.getfixturevalue(request.param))

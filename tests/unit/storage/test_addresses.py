"""Addresses that lead nowhere: each refused in words of its own, and nothing made on the way."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from belated.errors import BelatedError, ParameterError, StorageError
from belated.space import Float, Space
from belated.storage import MemoryStorage, Storage, addresses, revision, upgrade
from belated.study import Study

if TYPE_CHECKING:
    from tests.servers import Server

SPACE = Space(heat=Float(0.0, 1.0))
DOORS: dict[str, Callable[[Any], object]] = {
    "open": lambda url: Study.open(url, "yield"),
    "names": Study.names,
    "create": lambda url: Study.create(url, "yield", SPACE, policy="random", seed=1),
    "upgrade": upgrade,
    "revision": revision,
}


def refused_everywhere(url: Any, error: type[BelatedError], message: str, *, but: tuple[str, ...] = ()) -> None:
    """Every way into a storage says the same of this address."""
    for name, enter in DOORS.items():
        if name not in but:
            with pytest.raises(error, match=f"^{re.escape(message)}") as caught:
                enter(url)
            assert caught.type is error
            assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize("url", ["lab.db", "", None, 7, Path("lab.db"), b"memory://"], ids=repr)
def test_what_is_no_address_is_refused(url: Any) -> None:
    ways = "give memory://, sqlite:///lab.db or postgresql+psycopg://user@host/database."
    refused_everywhere(url, ParameterError, f"storage: got {url!r} as the address; {ways}")


@pytest.mark.parametrize("url", ["mysql://ada:s3cret@host/lab", "http://lab.db", "://", "postgresql://a:s3cret@b:c/d"])
def test_an_address_of_no_storage_is_refused(url: str) -> None:
    begins = (
        f"storage: got an address that begins with {url.partition('://')[0]!r} and names no storage; give memory://"
    )
    refused_everywhere(url, ParameterError, begins)


@pytest.mark.parametrize("rest", ["", "/", "/:memory:", "/file::memory:?cache=shared", "lab.db", "/lab.db?mode=ro"])
def test_sqlite_is_a_file_and_nothing_else(rest: str) -> None:
    message = f"storage: got the address 'sqlite://{rest}'; a SQLite storage is a file, as sqlite:///lab.db; use memory"
    refused_everywhere(f"sqlite://{rest}", ParameterError, message)


@dataclass(frozen=True)
class Entry:
    """What another package declares."""

    name: str

    def load(self) -> Callable[[str], Storage]:
        """What makes the storage of an address."""
        return lambda url: MemoryStorage()


def test_another_package_brings_a_storage_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def entry_points(*, group: str, name: str) -> list[Entry]:
        return [Entry(name)] if (group, name) == ("belated.storages", "lab") else []

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    monkeypatch.setattr(addresses, "_known", {})
    Study.create("lab://here", "yield", SPACE, policy="random", seed=1)
    assert Study.names("lab://here") == ["yield"]
    assert Study.names("lab://there") == []
    message = "storage: got 'lab://here', which has no tables; give the address of a database, as sqlite:///lab.db."
    refused_everywhere("lab://here", ParameterError, message, but=("open", "names", "create"))
    begins = "storage: got an address that begins with 'office' and names no storage; give memory://"
    refused_everywhere("office://here", ParameterError, begins)


def test_there_are_no_tables_in_memory() -> None:
    message = "storage: got 'memory://', which has no tables; give the address of a database, as sqlite:///lab.db."
    refused_everywhere("memory://", ParameterError, message, but=("open", "names", "create"))


def test_a_file_that_is_not_there_is_made_by_creating_a_study_and_by_nothing_else(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'lab.db'}"
    message = f"{url}: there is no such file; check the path, or create a study in it first."
    refused_everywhere(url, StorageError, message, but=("create",))
    assert list(tmp_path.iterdir()) == []
    DOORS["create"](url)
    assert Study.names(url) == ["yield"]


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'missing' / 'lab.db'}"
    reason = "the folder cannot be written to (No such file or directory); check that it exists and make it writable."
    refused_everywhere(url, StorageError, f"{url}: there is no such file; check the path", but=("create",))
    refused_everywhere(url, StorageError, f"{url}: {reason}", but=("open", "names", "upgrade", "revision"))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}"
    refused_everywhere(url, StorageError, f"{url}: this is a folder; give the path of a file.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["my lab.db", "50% yield.db", "a%20b.db", "#1.db", "Ångström 水.db", "lab'.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    url = f"sqlite:///{tmp_path / name}"
    DOORS["create"](url)
    assert (tmp_path / name).exists()
    assert Study.open(url, "yield").name == "yield"


def test_a_relative_path_is_taken_from_the_folder_of_the_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        study = Study.create("sqlite:///lab.db", folder, SPACE, policy="random", seed=1)
        monkeypatch.chdir(tmp_path)
        study.ask()
    monkeypatch.chdir(tmp_path / "first")
    assert Study.names("sqlite:///lab.db") == ["first"]
    assert len(Study.open("sqlite:///lab.db", "first").pending()) == 1


# Servers.


def test_a_server_that_does_not_run_is_named_without_its_password(server: Server) -> None:
    for url, shown in (
        ("postgresql+psycopg://ada:s3cret@127.0.0.1:1/lab", "postgresql+psycopg://ada:***@127.0.0.1:1/lab"),
        ("postgresql://ada:s3cret@/lab?host=/nowhere", "postgresql://ada:***@/lab?host=%2Fnowhere"),
        ("postgresql://ada@/lab?host=/nowhere&password=s3cret", "postgresql://ada@/lab?host=%2Fnowhere"),
    ):
        refused_everywhere(url, StorageError, f"{shown}: connection ")
        with pytest.raises(StorageError, match="check the server and call again"):
            Study.names(url)


def test_a_database_that_is_not_there_is_named(server: Server) -> None:
    with pytest.raises(StorageError, match=r'database "nowhere" does not exist; .*; check the server and call again'):
        Study.names(server.address("nowhere"))


def test_a_wrong_password_is_refused_and_not_shown(server: Server) -> None:
    database = server.create()
    server.admit("ada", password="right")
    url = server.address(database, user="ada:s3cret")
    refused_everywhere(url, StorageError, "postgresql+psycopg://ada:***@")
    with pytest.raises(StorageError, match='password authentication failed for user "ada"'):
        Study.names(url)
    server.run("GRANT ALL ON SCHEMA public TO ada", database)
    Study.create(server.address(database, user="ada:right"), "yield", SPACE, seed=1)
    assert Study.names(server.address(database)) == ["yield"]
    server.drop(database)

"""Back-ups are made while the service runs and others tell; what is restored is the study as it was at that moment."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from belated.client import RemoteStudy
from belated.log import Event
from belated.space import Float, Space
from belated.study import Study, differences
from tests.service.conftest import Belated
from tests.serving import serving, token_for

if TYPE_CHECKING:
    from tests.servers import Server

SPACE = Space(heat=Float(20.0, 120.0))


@contextmanager
def working(address: str, token: str) -> Iterator[Callable[[], int]]:
    """A study that somebody asks and tells all the while; gives how many answers were acknowledged by now."""
    study = RemoteStudy.create(address, "lab", SPACE, policy="random", seed=3, token=token)
    acknowledged, first, over = [0], threading.Event(), threading.Event()

    def work() -> None:
        while not over.is_set():
            (query,) = study.ask(1)
            study.tell(query, float(query.id))
            acknowledged[0] = query.id
            if query.id == 5:
                first.set()

    thread = threading.Thread(target=work)
    thread.start()
    assert first.wait(60.0)
    try:
        yield lambda: acknowledged[0]
    finally:
        over.set()
        thread.join(60.0)


def check(copy: str, token: str, before: int, events: tuple[Event, ...]) -> None:
    """A restored copy holds all that was acknowledged before it was made, tells one story, and can be gone on with."""
    restored = Study.open(copy, "lab")
    found = restored.events
    assert found == events[: len(found)]
    assert restored.record().n_answers >= before
    assert not list(differences(found))
    with serving(copy, open=False) as address:
        again = RemoteStudy.open(address, "lab", token=token)
        (query,) = again.ask(1)
        again.tell(query, 1e6)
        assert again.best().value == 1e6
    assert Study.open(copy, "lab").events[-1].by == "Ada"


def backed_up(storage: str, copy: str, back_up: Callable[[], None]) -> None:
    token = token_for(storage, "Ada", "admin")
    with serving(storage, open=False) as address, working(address, token) as acknowledged:
        before = acknowledged()
        back_up()
    check(copy, token, before, Study.open(storage, "lab").events)


@pytest.mark.parametrize("statement", [".backup '{copy}'", "VACUUM INTO '{copy}'"])
def test_a_sqlite_file_is_copied_by_its_shell_while_the_service_runs(tmp_path: Path, statement: str) -> None:
    shell = shutil.which("sqlite3")
    if shell is None:
        pytest.skip("the shell sqlite3 is not on this machine")
    lab, copy = tmp_path / "lab.db", tmp_path / "copy.db"
    command = [shell, str(lab), statement.format(copy=copy)]
    backed_up(f"sqlite:///{lab}", f"sqlite:///{copy}", lambda: _run(command))


def test_a_sqlite_file_is_copied_by_python_while_the_service_runs(tmp_path: Path) -> None:
    lab, copy = tmp_path / "lab.db", tmp_path / "copy.db"

    def back_up() -> None:
        with closing(sqlite3.connect(lab)) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)

    backed_up(f"sqlite:///{lab}", f"sqlite:///{copy}", back_up)


def test_a_copy_takes_the_place_of_a_lost_file(tmp_path: Path) -> None:
    lab, copy = tmp_path / "lab.db", tmp_path / "copy.db"
    storage = f"sqlite:///{lab}"
    study = Study.create(storage, "lab", SPACE, policy="random", seed=3)
    study.ask(3)
    with closing(sqlite3.connect(lab)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    kept = study.events
    from belated.storage.database import close_connections

    close_connections()
    for path in (lab, Path(f"{lab}-wal"), Path(f"{lab}-shm")):
        path.unlink(missing_ok=True)
    shutil.move(copy, lab)
    assert Study.open(storage, "lab").events == kept


def test_a_postgres_database_is_dumped_and_restored_while_the_service_runs(
    server: Server, postgres: str, tmp_path: Path
) -> None:
    programs = Path(server._server.bin_path)
    restored = server.address(server.create())

    def back_up() -> None:
        dump = tmp_path / "copy.dump"
        source, target = (url.replace("postgresql+psycopg:", "postgresql:") for url in (postgres, restored))
        _run([str(programs / "pg_dump"), "--format=custom", f"--file={dump}", f"--dbname={source}"])
        _run([str(programs / "pg_restore"), "--no-owner", f"--dbname={target}", str(dump)])

    backed_up(postgres, restored, back_up)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_study_is_exported_and_imported_while_the_service_runs(
    belated: Belated, kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    storage, copy = str(request.getfixturevalue(kind)), f"sqlite:///{tmp_path}/other.db"
    file = tmp_path / "lab.jsonl"

    def back_up() -> None:
        belated("export", "lab", file, "--storage", storage)
        belated("import", file, "lab", "--storage", copy)

    token = token_for(storage, "Ada", "admin")
    with serving(storage, open=False) as address, working(address, token) as acknowledged:
        before = acknowledged()
        back_up()
    # Tokens are no part of a study.
    check(copy, token_for(copy, "Ada", "admin"), before, Study.open(storage, "lab").events)
    assert belated("replay", "lab", "--storage", copy).out.endswith("come out the same\n")


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr

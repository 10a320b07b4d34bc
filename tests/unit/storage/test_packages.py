"""What is missing when an optional package is not installed, and what works without."""

from __future__ import annotations

import subprocess
import sys

import pytest

from belated.errors import MissingPackageError
from belated.study import Study

WITHOUT_DATABASES = """
import sys
for name in ("sqlalchemy", "alembic", "psycopg"):
    sys.modules[name] = None
import belated as bl
study = bl.Study.create("memory://", "yield", bl.Space(heat=bl.Float(0.0, 1.0)), policy="random", seed=1)
study.tell(study.ask(), 0.5)
assert bl.Study.names("memory://") == ["yield"]
assert len(bl.Study.open("memory://", "yield").events) == 3
"""


@pytest.mark.parametrize("url", ["sqlite:///lab.db", "postgresql+psycopg://ada@host/lab"])
def test_a_database_needs_the_extra_for_storage(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    reason = "keeping studies in a database needs the package sqlalchemy, which is not installed"
    with pytest.raises(MissingPackageError, match=rf"^storage: {reason}; Belated's extra 'storage' brings it\.$"):
        Study.names(url)


def test_a_server_needs_the_extra_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    reason = "PostgreSQL needs the package psycopg, which is not installed; Belated's extra 'postgres' brings it."
    with pytest.raises(MissingPackageError) as caught:
        Study.names("postgresql+psycopg://ada:s3cret@host/lab")
    assert str(caught.value) == f"postgresql+psycopg://ada:***@host/lab: {reason}"


def test_studies_in_memory_need_no_package_for_databases() -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_DATABASES], check=True, timeout=120)

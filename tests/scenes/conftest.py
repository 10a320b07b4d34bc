"""The doors that people come through: the command line, and a browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.http.dashboard.conftest import chromium as chromium
from tests.scenes.laboratory import Laboratory
from tests.service.conftest import Belated
from tests.service.conftest import belated as belated


@pytest.fixture
def laboratory(belated: Belated, tmp_path: Path) -> Laboratory:
    """A laboratory with a study of its own, `lab`, which the default policy decides."""
    return Laboratory(belated, tmp_path)

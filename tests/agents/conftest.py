"""A storage with a study for agents."""

from __future__ import annotations

from pathlib import Path

import pytest

from belated.space.written import space_of
from belated.study import Study

SPACE = {"temperature": {"float": [20, 120]}, "solvent": ["DMF", "THF"]}


@pytest.fixture
def storage(tmp_path: Path) -> str:
    """The address of a storage with the study `lab`, whose policy costs nothing."""
    url = f"sqlite:///{tmp_path / 'lab.db'}"
    Study.create(url, "lab", space_of("space", SPACE), policy="random", seed=7)
    return url

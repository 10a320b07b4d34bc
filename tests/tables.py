"""The tables that are not ours to ship: where they are on this machine, if they are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"

# The folder that the user names, or the one beside the repository.
FOLDER = Path(os.environ.get("BELATED_DATA") or BESIDE)

needs_tables = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="needs the data folder: name it by BELATED_DATA, or put it at ../shared/data"
)

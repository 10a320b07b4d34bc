"""A service for the tests of one file."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2 as httpx
import pytest

from belated.service import Limits
from tests.serving import client, serving


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of the storage that `caller` calls."""
    return f"sqlite:///{tmp_path_factory.mktemp('routes') / 'lab.db'}"


@pytest.fixture(scope="module")
def caller(storage: str) -> Iterator[httpx.Client]:
    """A client of an open service with pages of 50 entries."""
    with serving(storage, limits=Limits(rate=1e6, burst=10**6, page=50)) as address, client(address) as anybody:
        yield anybody

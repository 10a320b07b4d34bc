"""A service to be a client of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.client.proxy import Proxy, proxied
from tests.serving import serving


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of whoever runs the tests has no say."""
    monkeypatch.delenv("BELATED_TOKEN", raising=False)


@pytest.fixture
def service(sqlite: str) -> Iterator[str]:
    """The address of a service without tokens."""
    with serving(sqlite) as address:
        yield address


@pytest.fixture
def proxy(service: str) -> Iterator[Proxy]:
    """A proxy before it."""
    with proxied(service) as running:
        yield running

"""A real browser, without a window: the Chromium of the system."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.serving import serving, token_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


# One for each module: its event loop runs in this thread, and other tests have loops of their own.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser; without one, or without what drives it, the test is skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("the pages need Chrome or Chromium to be tried in")
    # As root, as in a container, Chromium has no sandbox.
    arguments = ["--no-sandbox"] if os.name == "posix" and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def pictures() -> Path | None:
    """Where screenshots go: the folder that BELATED_SCREENSHOTS names; without it nobody looks, and none is made."""
    named = os.environ.get("BELATED_SCREENSHOTS")
    if not named:
        return None
    folder = Path(named)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An empty storage."""
    return f"sqlite:///{tmp_path_factory.mktemp('browser') / 'lab.db'}"


@pytest.fixture(scope="module")
def tokens(storage: str) -> dict[str, str]:
    """Of somebody who may do everything, and of two who may only look."""
    scopes = {"Ada": "admin", "Rita": "read", "Guest": "read"}
    return {name: token_for(storage, name, scope) for name, scope in scopes.items()}


@pytest.fixture(scope="module")
def address(storage: str, tokens: dict[str, str]) -> Iterator[str]:
    """The address of a service on it."""
    with serving(storage, open=False) as place:
        yield place

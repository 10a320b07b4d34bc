"""One small Ray cluster for all tests of a process: two workers, no network besides this machine."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """A cluster that this process is connected to."""
    ray = pytest.importorskip("ray")
    # The path of a socket has about a hundred characters: pytest's own folders can be too deep.
    folder = tempfile.mkdtemp(prefix="ray-")
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv("RAY_USAGE_STATS_ENABLED", "0")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what Ray says of its own future
            ray.init(
                num_cpus=2,
                include_dashboard=False,
                object_store_memory=100_000_000,
                logging_level="ERROR",
                log_to_driver=False,
                _node_ip_address="127.0.0.1",
                _temp_dir=folder,
            )
        yield
        ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)

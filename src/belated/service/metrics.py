"""What Prometheus reads: how much was asked and told, how long asks took, and how much is waited for.

Several processes of one service keep their counts in files of one folder, so that whichever of them is asked tells
those of all, and of those that have died.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.multiprocess import MultiProcessCollector

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# The package reads it when it is imported, and counts in files of that folder from then on.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"


class Metrics:
    """What one process counts; a study's name is a label, and nothing that a caller can make up."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.asks = Counter("belated_asks", "Queries handed out", ["study"], registry=self.registry)
        self.balks = Counter("belated_balks", "Asks that the policy declined", ["study"], registry=self.registry)
        self.tells = Counter("belated_tells", "Answers taken", ["study"], registry=self.registry)
        self.ask_seconds = Histogram(
            "belated_ask_seconds", "Time of an ask", ["study"], buckets=SECONDS, registry=self.registry
        )
        self.requests = Counter("belated_requests", "Requests", ["method", "route", "status"], registry=self.registry)
        self.request_seconds = Histogram(
            "belated_request_seconds", "Time of a request", ["method", "route"], buckets=SECONDS, registry=self.registry
        )

    def text(self, waiting: Mapping[str, tuple[int, int]]) -> bytes:
        """What all processes have counted, and how many queries of each study wait and are overdue, for Prometheus."""
        folder = os.environ.get(FOLDER)
        counted = self.registry if folder is None else CollectorRegistry()
        if folder is not None:
            MultiProcessCollector(counted, folder)  # type: ignore[no-untyped-call]
        standing = CollectorRegistry()
        standing.register(WaitingGauges(waiting))
        return generate_latest(counted) + generate_latest(standing)


@dataclass(frozen=True, eq=False)
class WaitingGauges:
    """How many queries of each study wait, and how many of those are overdue: true at one moment, for one reader."""

    waiting: Mapping[str, tuple[int, int]]

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Both numbers of every study."""
        pending = GaugeMetricFamily("belated_pending", "Queries that wait for an answer", labels=["study"])
        overdue = GaugeMetricFamily("belated_overdue", "Queries past their window", labels=["study"])
        for study, (n_pending, n_overdue) in self.waiting.items():
            pending.add_metric([study], n_pending)
            overdue.add_metric([study], n_overdue)
        yield from (pending, overdue)


@contextmanager
def counted_together() -> Iterator[None]:
    """Processes that begin meanwhile count together, from nothing."""
    before = os.environ.get(FOLDER)
    with TemporaryDirectory(prefix="belated-counts-") as folder:
        os.environ[FOLDER] = folder
        try:
            yield
        finally:
            del os.environ[FOLDER]
            if before is not None:
                os.environ[FOLDER] = before

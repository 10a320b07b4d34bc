"""What Prometheus reads: how much was asked and told, how long asks took, and how much is waited for."""

from __future__ import annotations

from collections.abc import Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The numbers of one process; a study's name is a label, and nothing that a caller can make up."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.asks = Counter("belated_asks", "Queries handed out", ["study"], registry=self.registry)
        self.balks = Counter("belated_balks", "Asks that the policy declined", ["study"], registry=self.registry)
        self.tells = Counter("belated_tells", "Answers taken", ["study"], registry=self.registry)
        self.ask_seconds = Histogram(
            "belated_ask_seconds", "Time of an ask", ["study"], buckets=SECONDS, registry=self.registry
        )
        self.pending = Gauge("belated_pending", "Queries that wait for an answer", ["study"], registry=self.registry)
        self.overdue = Gauge("belated_overdue", "Queries past their window", ["study"], registry=self.registry)
        self.requests = Counter("belated_requests", "Requests", ["method", "route", "status"], registry=self.registry)
        self.request_seconds = Histogram(
            "belated_request_seconds", "Time of a request", ["method", "route"], buckets=SECONDS, registry=self.registry
        )

    def stand(self, waiting: Mapping[str, tuple[int, int]]) -> None:
        """Say how many queries of each study wait, and how many of those are overdue; other studies are gone."""
        for gauge, place in ((self.pending, 0), (self.overdue, 1)):
            gauge.clear()
            for study, counts in waiting.items():
                gauge.labels(study).set(counts[place])

    def text(self) -> bytes:
        """All of it in Prometheus' format."""
        return generate_latest(self.registry)

"""What a worker has under way."""

from __future__ import annotations

import pytest

from belated.log import Abandoned, Added, Answered, Asked, Body, Event, Record, Values
from belated.space import Float, Space

POINT = Values({"heat": 0.5})
WORKERS = ("ann", "bob", None, "ann", "cy", "ann", None, "bob")


def record(*later: Body) -> Record:
    asked = [Asked(query, POINT, worker=worker) for query, worker in enumerate(WORKERS, start=1)]
    bodies: list[Body] = [*asked, Added(len(WORKERS) + 1, POINT, 0.5), *later]
    events = [Event(number, float(number), body) for number, body in enumerate(bodies, start=1)]
    return Record.empty(Space(heat=Float(0.0, 1.0))).extend(events)


@pytest.mark.parametrize("worker", ["ann", "bob", "cy", "dee"])
@pytest.mark.parametrize("later", [(), (Answered(4, 0.1), Abandoned(8, "lost")), (Answered(5, 0.2),)], ids=len)
def test_a_worker_has_its_own_queries_under_way_that_still_wait(worker: str, later: tuple[Body, ...]) -> None:
    found = record(*later)
    assert found.under_way(worker) == [query for query in found.pending() if query.worker == worker]


def test_the_queries_of_a_worker_come_in_the_order_asked() -> None:
    assert [query.id for query in record().under_way("ann")] == [1, 4, 6]

"""Studies that the tests of figures look at."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import belated as bl
from tests.builders import Clock, Domain, mixed

HOUR = 3600.0


def laboratory(goal: Any = "maximize", domain: Domain | None = None, n_asked: int = 14) -> bl.Study:
    """One ask an hour: most are answered three hours later, two are abandoned, one is overdue, and a point is added."""
    clock = Clock(0.0)
    policy = bl.policies.gp_bucb(window=bl.Window(seconds=6 * HOUR))
    study = bl.Study.in_memory(domain or mixed(), policy=policy, goal=goal, seed=4, clock=clock, notices=False)
    study.add(study.space.decode(study.space.sample(1, np.random.default_rng(8))[0]), 0.5)
    waiting: dict[int, bl.Query] = {}
    for turn in range(n_asked):
        clock.now += HOUR
        if turn - 3 in waiting:
            query = waiting[turn - 3]
            study.tell(query, math.sin(query.point["heat"] / 30.0) + query.point["steps"] / 10.0)
        query = asked(study)
        if turn in (2, 5):
            study.abandon(query, "lost")
        elif turn != 3:
            waiting[turn] = query
    return study


def small(domain: Domain | None = None, **options: Any) -> bl.Study:
    """A study in which nothing has happened, on a clock that stands still."""
    space = domain or bl.Space(x=bl.Float(-1, 2))
    return bl.Study.in_memory(space, **{"policy": "random", "seed": 0, "clock": Clock(), **options})


def asked(study: bl.Study, **options: Any) -> bl.Query:
    """One query."""
    query = study.ask(**options)
    assert isinstance(query, bl.Query)
    return query


def named(figure: Any) -> dict[str, Any]:
    """The traces of a figure that stand in its legend, by name."""
    return {trace.name: trace for trace in figure.data if trace.name and trace.showlegend is not False}

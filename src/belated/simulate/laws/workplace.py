"""Laws of the places where answers are made: workers who are busy, and offices that are closed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from belated.checks import require_count, require_number
from belated.simulate.laws.law import DelayLaw, Occasion, check_inner, numbers, require
from belated.simulate.laws.registry import law

HOURS = 24
WEEK = 7


@law
@dataclass(frozen=True)
class workers(DelayLaw):
    """Answers are made by workers with these speeds, who do one query after the other.

    A query goes to the worker who can begin first, the fastest of several; it waits until that one is free, and takes
    the delay of `law`, divided by the worker's speed. A worker is free again when the answer is there; a query whose
    answer never comes was lost on the way and keeps no worker busy.
    """

    speeds: Sequence[float]
    law: DelayLaw

    def __post_init__(self) -> None:
        rule = "a finite number above 0"
        object.__setattr__(self, "speeds", numbers("workers", "speeds", self.speeds, lambda s: 0 < s < math.inf, rule))
        check_inner("workers()", self.law)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The time in the queue plus the time of the work."""
        speeds = sorted(self.speeds, reverse=True)
        free_at = [-math.inf] * len(speeds)
        for asked_at, delay in occasion.earlier:
            if delay < math.inf:
                free_at[_first(free_at, asked_at)] = asked_at + delay
        worker = _first(free_at, occasion.asked_at)
        wait = max(free_at[worker] - occasion.asked_at, 0.0)
        return wait + self.law.draw(occasion, rng) / speeds[worker]


@law
@dataclass(frozen=True)
class business_days(DelayLaw):
    """Answers that are due on a weekend, or out of hours, come when the next working hours begin.

    A `day` is that long on the clock: 1 if it counts days, 24 if it counts hours. Working hours are from `opens` up to
    but without `closes`, in hours from 0 to 24, on the first `workdays` days of a week of seven; at the instant
    `monday` a week begins.
    """

    law: DelayLaw
    day: float = 1.0
    opens: float = 0.0
    closes: float = 24.0
    workdays: int = 5
    monday: float = 0.0

    def __post_init__(self) -> None:
        check_inner("business_days()", self.law)
        require("business_days", "day", self.day, lambda day: day > 0, "a number above 0")
        require("business_days", "opens", self.opens, lambda hour: 0 <= hour < HOURS, "an hour from 0 to below 24")
        require(
            "business_days",
            "closes",
            self.closes,
            lambda hour: self.opens < hour <= HOURS,
            f"an hour after opens={self.opens!r}, and 24 at most",
        )
        require_count("business_days", "workdays", self.workdays, most=WEEK)
        require_number("business_days", "monday", self.monday)

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        """The law's delay, or the time until the next working hours begin."""
        delay = self.law.draw(occasion, rng)
        since = occasion.asked_at + delay - self.monday
        if math.isinf(since / self.day):
            return delay
        day = math.floor(since / self.day)
        hour = (since - day * self.day) / self.day * HOURS
        if self._is_workday(day) and self.opens <= hour < self.closes:
            return delay
        while not self._is_workday(day) or hour >= self.closes:
            day, hour = day + 1, 0.0
        opens_at = self.monday + day * self.day + self.opens / HOURS * self.day
        return max(delay, opens_at - occasion.asked_at)

    def _is_workday(self, day: int) -> bool:
        return day % WEEK < self.workdays


def _first(free_at: Sequence[float], asked_at: float) -> int:
    """The worker that can begin first with a query asked at this instant; of several, the first."""
    begins_at = max(asked_at, min(free_at))
    return next(worker for worker, free in enumerate(free_at) if free <= begins_at)

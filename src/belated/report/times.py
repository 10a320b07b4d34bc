"""Instants as times since the study began, in a unit that reads well."""

from __future__ import annotations

from dataclasses import dataclass

from belated.log import Record
from belated.study import Study

# A span is counted in the longest unit of which it has at least this many.
FEWEST = 3
UNITS = (("second", 1.0), ("minute", 60.0), ("hour", 3600.0), ("day", 86400.0))


@dataclass(frozen=True)
class TimeUnit:
    """A unit of time: its name, and how many units of the study's clock it has."""

    name: str
    length: float = 1.0

    @property
    def plural(self) -> str:
        """The plural of the unit's name."""
        return f"{self.name}s"


@dataclass(frozen=True)
class Times:
    """The beginning of a study, the present, and the unit to count them in."""

    began: float
    now: float
    unit: TimeUnit

    @property
    def title(self) -> str:
        """The title of an axis of these times."""
        return f"{self.unit.plural} since the study began"

    def since(self, instant: float) -> float:
        """The time from the beginning to an instant."""
        return (instant - self.began) / self.unit.length


def times_of(study: Study, record: Record, name: str | None = None) -> Times:
    """The times of a study; `name` is the unit of its clock, seconds by default."""
    # A clock that was set back must not make a wait negative.
    now = max([study.now(), *(query.asked_at for query in record.queries)])
    return Times(record.began_at, now, unit_for(now - record.began_at, name))


def unit_for(span: float, name: str | None = None) -> TimeUnit:
    """The unit in which a span reads well, or the clock's own if that has a name."""
    if name is not None:
        return TimeUnit(name)
    fitting = [TimeUnit(*unit) for unit in UNITS if span >= FEWEST * unit[1]]
    return fitting[-1] if fitting else TimeUnit(*UNITS[0])

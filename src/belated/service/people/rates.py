"""How often each caller may call: a bucket that fills steadily, and from which every request takes one."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import final

from belated.errors import RateError

MOST_CALLERS = 10_000


@final
class TooOften(RateError):
    """A request that has to wait, and for how many seconds."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


class Rates:
    """The buckets of the callers of one process."""

    def __init__(self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Take one, or refuse; who has not called for long has a full bucket."""
        now = self._clock()
        level, since = self._buckets.pop(caller, (float(self._burst), now))
        level = min(float(self._burst), level + self._rate * (now - since))
        self._buckets[caller] = (level - 1.0 if level >= 1.0 else level, now)
        if len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)
        if level < 1.0:
            wait = (1.0 - level) / self._rate
            raise TooOften(
                f"service: more than {self._rate:g} requests a second, or {self._burst} at once; wait {wait:.2g} s, or "
                f"send many answers in one request.",
                wait,
            )

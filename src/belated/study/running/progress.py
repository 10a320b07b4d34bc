"""A bar that shows how far a run is, by tqdm."""

from __future__ import annotations

import importlib
import math
import sys
import time
from typing import Any, Protocol, final

from belated.errors import MissingPackageError
from belated.log import Goal

SECONDS = 0.1  # between two looks of the bar


class Progress(Protocol):
    """Somebody who looks on."""

    @property
    def due(self) -> float | None:
        """When it wants to be shown again what it was shown; None if there is nothing new."""

    def show(self, settled: int, in_flight: int, failed: int, note: str) -> None:
        """How far the run is."""

    def told(self, value: float) -> None:
        """An answer."""

    def close(self) -> None:
        """The run is over."""


@final
class Nothing:
    """Nobody looks on."""

    due = None

    def show(self, settled: int, in_flight: int, failed: int, note: str) -> None:
        """Nothing to see."""

    def told(self, value: float) -> None:
        """Nothing to see."""

    def close(self) -> None:
        """Nothing to see."""


@final
class Bar:
    """A bar of tqdm, on a terminal or in a notebook."""

    def __init__(self, tqdm: Any, total: int | None, goal: Goal, best: float | None) -> None:
        self._bar = tqdm(total=total, unit="query", dynamic_ncols=True)
        self._sign = 1.0 if goal == "maximize" else -1.0
        self._best = best
        self._state: tuple[int, int, int, str] = (0, 0, 0, "")
        self._drawn: tuple[int, int, int, str] | None = None
        self._drawn_at = -math.inf

    @property
    def due(self) -> float | None:
        """When it may be drawn again, if something is new."""
        return None if self._state == self._drawn else self._drawn_at + SECONDS

    def show(self, settled: int, in_flight: int, failed: int, note: str) -> None:
        """Draw the bar, if it was not drawn just now."""
        self._state = settled, in_flight, failed, note
        due = self.due
        if due is not None and time.monotonic() >= due:
            self._draw()

    def told(self, value: float) -> None:
        """Remember the best answer."""
        if self._best is None or self._sign * value > self._sign * self._best:
            self._best = value

    def close(self) -> None:
        """Leave the bar as it is."""
        self._draw()
        self._bar.close()

    def _draw(self) -> None:
        settled, in_flight, failed, note = self._drawn = self._state
        self._drawn_at = time.monotonic()
        parts = [
            "" if self._best is None else f"best {self._best:.5g}",
            f"in flight {in_flight}" if in_flight else "",
            f"failed {failed}" if failed else "",
            note,
        ]
        self._bar.n = settled
        self._bar.set_postfix_str(", ".join(part for part in parts if part), refresh=True)


def is_shown(wanted: bool | None) -> bool:
    """Whether a bar is wanted; where nobody says, whether somebody can see it."""
    return sys.stderr is not None and sys.stderr.isatty() if wanted is None else wanted


def tqdm_for(wanted: bool | None) -> Any:
    """The class of bars; None where there is to be no bar."""
    if not is_shown(wanted):
        return None
    try:
        return importlib.import_module("tqdm.auto").tqdm
    except ImportError:
        if wanted is None:
            return None
        raise MissingPackageError(
            "run(progress=True): the bar needs the package tqdm, which is not installed; pip install 'belated[run]', "
            "or leave progress out."
        ) from None

"""How far a run is: a bar of tqdm, or a line of text where that is not installed."""

from __future__ import annotations

import importlib
import math
import shutil
import sys
import time
from contextlib import suppress
from typing import Any, Protocol, TextIO, final

from belated.log import Goal
from belated.show import duration


class RunProgress(Protocol):
    """Where a run reports how far it is."""

    @property
    def due(self) -> float | None:
        """When the state should be shown again; None if nothing is new."""

    def show(self, settled: int, in_flight: int, failed: int, note: str) -> None:
        """Report how far the run is."""

    def told(self, value: float) -> None:
        """Report the value of an answer."""

    def close(self) -> None:
        """Report the end of the run."""


@final
class NoProgress:
    """Progress that is not shown."""

    due = None

    def show(self, settled: int, in_flight: int, failed: int, note: str) -> None:
        pass

    def told(self, value: float) -> None:
        pass

    def close(self) -> None:
        pass


@final
class DrawnProgress:
    """Progress that is drawn, no more often than is useful."""

    def __init__(self, drawing: Drawing, goal: Goal, best: float | None) -> None:
        self._drawing = drawing
        self._sign = 1.0 if goal == "maximize" else -1.0
        self._best = best
        self._state: tuple[int, int, int, str] = (0, 0, 0, "")
        self._drawn: tuple[int, int, int, str] | None = None
        self._drawn_at = -math.inf

    @property
    def due(self) -> float | None:
        """When it may be drawn again, if something is new."""
        return None if self._state == self._drawn else self._drawn_at + self._drawing.seconds

    def show(self, settled: int, in_flight: int, failed: int, note: str) -> None:
        """Draw it, if it was not drawn just now."""
        self._state = settled, in_flight, failed, note
        due = self.due
        if due is not None and time.monotonic() >= due:
            self._draw()

    def told(self, value: float) -> None:
        """Remember the best answer."""
        if self._best is None or self._sign * value > self._sign * self._best:
            self._best = value

    def close(self) -> None:
        """Draw the last state."""
        self._draw()
        self._drawing.close()

    def _draw(self) -> None:
        settled, in_flight, failed, note = self._drawn = self._state
        self._drawn_at = time.monotonic()
        parts = [
            "" if self._best is None else f"best {self._best:.5g}",
            f"in flight {in_flight}" if in_flight else "",
            f"failed {failed}" if failed else "",
            note,
        ]
        self._drawing.draw(settled, ", ".join(part for part in parts if part))


class Drawing(Protocol):
    """What progress is drawn with."""

    @property
    def seconds(self) -> float:
        """How long a drawing stands at least."""

    def draw(self, settled: int, words: str) -> None:
        """Draw the number of settled queries, with a few words."""

    def close(self) -> None:
        """The last drawing stays."""


@final
class Bar:
    """A bar of tqdm, on a terminal or in a notebook."""

    seconds = 0.1

    def __init__(self, tqdm: Any, total: int | None) -> None:
        self._bar = tqdm(total=total, unit="query", dynamic_ncols=True)

    def draw(self, settled: int, words: str) -> None:
        """Move the bar."""
        self._bar.n = settled
        self._bar.set_postfix_str(words, refresh=True)

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.close()


@final
class TextLine:
    """A line of text that is written over and over, where tqdm is not installed."""

    seconds = 1.0

    def __init__(self, stream: TextIO, total: int | None) -> None:
        self._stream, self._began, self._length = stream, time.monotonic(), 0
        self._of = "" if total is None else f" of {total}"

    def draw(self, settled: int, words: str) -> None:
        """Write over what stood there."""
        passed = duration(time.monotonic() - self._began)
        text = f"{settled}{self._of} queries in {passed}" + (f": {words}" if words else "")
        # On a line that is full, the cursor would be on the next one, and what stood above could not be written over.
        text = text[: shutil.get_terminal_size().columns - 1]
        self._write(f"\r{text}{' ' * (self._length - len(text))}")
        self._length = len(text)

    def close(self) -> None:
        """Go on beneath it."""
        self._write("\n")

    def _write(self, text: str) -> None:
        with suppress(OSError):  # a terminal that is gone ends no run
            self._stream.write(text)
            self._stream.flush()


def drawing_for(wanted: bool | None, total: int | None) -> Drawing | None:
    """How to draw the progress; None if it is not wanted or there is no terminal."""
    if sys.stderr is None or not (sys.stderr.isatty() if wanted is None else wanted):
        return None
    try:
        return Bar(importlib.import_module("tqdm.auto").tqdm, total)
    except ImportError:
        return TextLine(sys.stderr, total)

"""A small chart for a terminal: columns of blocks, in eighths of a line, or of # where blocks cannot be shown."""

from __future__ import annotations

from collections.abc import Sequence

BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII = " #"


def chart(values: Sequence[float], width: int, height: int, ascii_only: bool = False) -> list[str]:
    """The values from left to right, as lines of at most `width` characters; the smallest stands lowest.

    Where there are more values than columns, each column shows the last value of its share.
    """
    marks = ASCII if ascii_only else BLOCKS
    low, high = min(values), max(values)
    # Halved, so that the difference of two huge numbers stays finite.
    reach = high / 2 - low / 2
    fills = [(value / 2 - low / 2) / reach if reach > 0 else 1.0 for value in _spread(values, width)]
    eighths = len(marks) - 1
    # The least value still shows a mark.
    levels = [max(1, round(fill * height * eighths)) for fill in fills]
    return [
        "".join(marks[min(max(level - row * eighths, 0), eighths)] for level in levels).rstrip()
        for row in reversed(range(height))
    ]


def labelled(values: Sequence[float], width: int, height: int, ascii_only: bool = False) -> list[str]:
    """The chart with its largest and smallest value at the left and the number of values below; one line if level."""
    height = height if max(values) > min(values) else 1
    top, foot = f"{max(values):.4g}", f"{min(values):.4g}"
    margin = max(len(top), len(foot))
    bar = "|" if ascii_only else "┤"
    lines = chart(values, width - margin - 2, height, ascii_only)
    labels = [top, *[""] * (height - 2), foot] if height > 1 else [top]
    drawn = [f"{label:>{margin}} {bar}{line}" for label, line in zip(labels, lines, strict=True)]
    columns = min(width - margin - 2, max(map(len, lines)))
    last = str(len(values))
    return [*drawn, f"{'':{margin}}  1{last:>{max(columns - 1, len(last) + 1)}}"]


def _spread(values: Sequence[float], width: int) -> list[float]:
    """One value for each column: each value over several columns, or the last of several values in each."""
    n = len(values)
    columns = width if n > width else width // n * n
    return [values[-(-(column + 1) * n // columns) - 1] for column in range(columns)]

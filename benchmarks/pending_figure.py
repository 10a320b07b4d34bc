"""The figure of the study of pending queries: a panel for each treatment, regrets over the number of workers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from belated.report.style import COLOURS, FONT, GREY
from benchmarks.pending_summary import Change

WIDTH, HEIGHT, LEFT, TOP, GAP = 240, 160, 60, 44, 26
LOWEST, HIGHEST = -1.0, 1.0
MARKS = (-1.0, -0.5, 0.0, 0.5, 1.0)
SERIES = {"found": COLOURS[0], "cumulative": COLOURS[1]}
# The series stand side by side, so many pixels apart.
ASIDE = 5.0
Panel = Mapping[str, Sequence[Change]]  # by measure, a change for each number of workers


def drawn(panels: Mapping[str, Panel], workers: Sequence[int], columns: int = 3) -> str:
    """The figure as SVG: below zero is better than ignoring; what is outside of the panel is cut off at its edge."""
    rows = -(-len(panels) // columns)
    width, height = LEFT + columns * (WIDTH + GAP), TOP + rows * (HEIGHT + 2 * GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{FONT}" font-size="12" '
        f'fill="{GREY}">',
        *_legend(),
    ]
    for place, (title, panel) in enumerate(panels.items()):
        x, y = LEFT + place % columns * (WIDTH + GAP), TOP + place // columns * (HEIGHT + 2 * GAP)
        lines += [f'<g transform="translate({x},{y})">', *_panel(title, panel, workers, place % columns == 0), "</g>"]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _legend() -> Iterator[str]:
    names = {"found": "the point that is recommended", "cumulative": "all queries together"}
    for place, (measure, colour) in enumerate(SERIES.items()):
        x = LEFT + place * 220
        yield f'<circle cx="{x}" cy="12" r="4" fill="{colour}"/><text x="{x + 10}" y="16">{names[measure]}</text>'


def _panel(title: str, panel: Panel, workers: Sequence[int], is_first: bool) -> Iterator[str]:
    yield f'<text x="0" y="-6" font-weight="600">{title}</text>'
    yield f'<text x="{WIDTH}" y="{HEIGHT + 30}" text-anchor="end">workers</text>'
    for mark in MARKS:
        y, opacity = _height(mark), 0.8 if mark == 0.0 else 0.25
        yield f'<line x1="0" x2="{WIDTH}" y1="{y:g}" y2="{y:g}" stroke="{GREY}" stroke-opacity="{opacity}"/>'
        if is_first:
            yield f'<text x="-6" y="{y + 4:g}" text-anchor="end">{100 * mark:+.0f} %</text>'.replace("+0 %", "0 %")
    for place, number in enumerate(workers):
        x = (place + 0.5) * WIDTH / len(workers)
        yield f'<text x="{x:g}" y="{HEIGHT + 16}" text-anchor="middle">{number}</text>'
        for side, (measure, colour) in zip((-ASIDE, ASIDE), SERIES.items(), strict=True):
            found = panel[measure][place]
            low, high, middle = (_height(value) for value in (found.low, found.high, found.share))
            yield (
                f'<line x1="{x + side:g}" x2="{x + side:g}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}" '
                f'stroke-width="2"/><circle cx="{x + side:g}" cy="{middle:.1f}" r="4" fill="{colour}"/>'
            )


def _height(share: float) -> float:
    """Where a share stands, from the top."""
    return HEIGHT * (HIGHEST - min(max(share, LOWEST), HIGHEST)) / (HIGHEST - LOWEST)

"""Vector images in fewer bytes that look the same: what cannot be seen is left out, and curves keep what shows.

Plotly draws the outline of every band as a line of no width, leaves empty groups and areas for a pointer behind,
repeats the same style at every mark, and writes coordinates to a hundredth of a pixel, or to a fifteenth digit.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from belated.space import Array

# Pixels by which a curve may move, and the digits after the point that say so; other lengths have one more.
MOVED, DIGITS = 0.15, 1
_UNSEEN = re.compile(
    r'<path class="js-line"[^>]*stroke-width: 0px[^>]*/>|<rect class="legendtoggle"[^>]*/>|'
    r' data-(?:unformatted|math)="[^"]*"'
)
_EMPTY = re.compile(r"<g(?: [^>]*[^>/])?(?:/>|></g>)")
_DEFAULTS = re.compile(r"(?<![\w-])(?:(?:stroke-|fill-)?opacity: 1|vector-effect: none); ?")
_CURVE = re.compile(r'(<path class="js-(?:line|fill)"[^>]*? d=")([^"]*)(")')
_TAG = re.compile(r"<\w[^>]*>")
_CLASS, _STYLE = re.compile(r' class="[^"]*"'), re.compile(r' style="([^"]*)"')
_LONG = re.compile(r"-?\d+\.\d{3,}")
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?[\d.]+(?:e-?\d+)?")
_OPENING = re.compile(r"<svg[^>]*>")


def compact(image: str) -> str:
    """The image in fewer bytes."""
    seen = _DEFAULTS.sub("", _UNSEEN.sub("", image))
    while (fewer := _EMPTY.sub("", seen)) != seen:
        seen = fewer
    drawn = _CURVE.sub(lambda found: found[1] + _shortened(found[2]) + found[3], seen)
    return _styled(_TAG.sub(lambda tag: _LONG.sub(_rounded, _CLASS.sub("", tag[0])), drawn))


def _styled(image: str) -> str:
    """The image with every style that stands twice in one place."""
    often = [style for style, times in Counter(_STYLE.findall(image)).most_common() if times > 1 and style]
    names = {style: f"s{place}" for place, style in enumerate(often)}
    short = _STYLE.sub(lambda found: _named(found[1], names), image)
    rules = "".join(f".{name}{{{style.rstrip('; ')}}}" for style, name in names.items())
    return _OPENING.sub(lambda found: f"{found[0]}<style>{rules}</style>", short, count=1) if rules else short


def _named(style: str, names: dict[str, str]) -> str:
    """A style by its name, if it has one."""
    if not style.strip():
        return ""
    return f' class="{names[style]}"' if style in names else f' style="{style}"'


def _rounded(found: re.Match[str]) -> str:
    return f"{float(found[0]):.{DIGITS + 1}f}".rstrip("0").rstrip(".")


def _shortened(path: str) -> str:
    """A path of straight lines with the points that it needs; any other as it is."""
    pieces: list[list[tuple[float, float]]] = []
    x = y = 0.0
    ends: list[str] = []
    for command, rest in _COMMAND.findall(path):
        numbers = [float(number) for number in _NUMBER.findall(rest)]
        if command == "M" and len(numbers) == 2:
            pieces.append([])
            ends.append("")
        elif not pieces or command not in "LHVZ":
            return path
        if command == "Z":
            ends[-1] = "Z"
            continue
        x = numbers[0] if command in "MLH" else x
        y = numbers[-1] if command in "MLV" else y
        pieces[-1].append((x, y))
        if len(numbers) != (1 if command in "HV" else 2):
            return path
    return "".join(_written(thinned(np.array(piece))) + end for piece, end in zip(pieces, ends, strict=True))


def thinned(points: Array, moved: float = MOVED) -> Array:
    """The points without those that are as near to the line between the ones kept [douglas1973]. (n, 2) -> (m, 2)"""
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    waiting = [(0, len(points) - 1)]
    while waiting:
        first, last = waiting.pop()
        if last - first < 2:
            continue
        along, between = points[last] - points[first], points[first + 1 : last] - points[first]
        length = float(along @ along)
        share = np.clip(between @ along / length, 0.0, 1.0) if length > 0 else np.zeros(len(between))
        off = np.hypot(*(between - share[:, None] * along).T)
        furthest = int(np.argmax(off))
        if off[furthest] > moved:
            middle = first + 1 + furthest
            keep[middle] = True
            waiting += [(first, middle), (middle, last)]
    return np.asarray(points[keep])


def _written(points: Array) -> str:
    """A path through points: the first, and the steps from each to the next, none of which adds up an error."""
    whole = np.round(points * 10**DIGITS).astype(int)
    steps = np.diff(whole, axis=0)
    start = f"M{_number(whole[0, 0])},{_number(whole[0, 1])}"
    moved = [f"{_number(across)}{'' if down < 0 else ','}{_number(down)}" for across, down in steps.tolist()]
    return start + re.sub(" -", "-", f"l{' '.join(moved)}") if moved else start


def _number(tenths: int) -> str:
    """Tenths as a number with no more digits than it needs."""
    text = f"{tenths / 10**DIGITS:.{DIGITS}f}".rstrip("0").rstrip(".")
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text

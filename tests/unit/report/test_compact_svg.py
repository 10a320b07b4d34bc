"""Compact vector images show what the whole ones show."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from belated.report.compact_svg import MOVED, compact, thinned
from belated.space import Array

SVG = "{http://www.w3.org/2000/svg}"
# Half a step of the coordinates that are written, across and down at once.
ROUNDED = 0.05 * 2**0.5
TICK = "font-family: 'Segoe UI', sans-serif; font-size: 13px; fill: rgb(29, 36, 48); opacity: 1; white-space: pre;"


def image(*curves: str) -> str:
    """An image as Plotly writes it, with curves in it."""
    paths = "".join(
        f'<path class="js-fill" d="{curve}" style="fill: rgb(0, 114, 178); fill-opacity: 0.16; stroke-width: 0;"/>'
        f'<path class="js-line" d="{curve}" style="stroke: rgb(0, 114, 178); stroke-width: 0px; opacity: 1;"/>'
        f'<path class="js-line" d="{curve}" style="stroke: rgb(0, 1, 178); stroke-width: 2px; opacity: 1;"/>'
        for curve in curves
    )
    return (
        '<svg class="main-svg" xmlns="http://www.w3.org/2000/svg" width="1000" height="400" style="">'
        '<defs><clipPath id="clip1"><rect width="423.20000000000005" height="9"/></clipPath></defs>'
        f'<g class="plot" clip-path="url(#clip1)">{paths}<g class="errorbars"/><g class="text"><g class="a"></g></g>'
        '<g class="fills"/></g><rect class="legendtoggle" x="0" y="0" width="9" height="9" style="fill-opacity: 0;"/>'
        f'<g class="xtick"><text x="0" y="364.66472491909394" style="{TICK}">0.0001234</text></g>'
        f'<text class="legendtext" data-unformatted="1  &lt; 2" y="1" style="{TICK}">1  &lt; 2</text>'
        '<path class="point" d="M6,0A6,6 0 1,1 0,-6A6,6 0 0,1 6,0Z" style="opacity: 0.25;"/></svg>'
    )


def written(points: Array) -> str:
    """A path through points."""
    return "M" + "L".join(f"{x:.2f},{y:.2f}" for x, y in points.tolist())


def read(path: str) -> Array:
    """The points of a path of a first point and steps."""
    start, _, steps = path.removesuffix("Z").partition("l")
    first = [float(number) for number in start.removeprefix("M").split(",")]
    numbers = [float(number) for number in re.findall(r"-?\d*\.?\d+", steps)]
    return np.vstack([first, np.reshape(numbers, (-1, 2))]).cumsum(axis=0)


def distance(point: Array, line: Array) -> float:
    """How far a point is from a line of pieces."""
    nearest = np.inf
    for start, end in pairwise(line):
        along = end - start
        share = np.clip((point - start) @ along / max(float(along @ along), 1e-12), 0.0, 1.0)
        nearest = min(nearest, float(np.hypot(*(point - start - share * along))))
    return nearest


def curves(seed: int) -> Array:
    """A wandering curve, with a stretch that goes back and a point that stands twice."""
    rng = np.random.default_rng(seed)
    points = np.column_stack([np.linspace(0.0, 423.2, 200), np.cumsum(rng.standard_normal(200)) + 100.0])
    points[120:130] = points[120:130][::-1]
    points[50] = points[51]
    return points.round(2)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_curve_moves_by_more_than_is_seen_and_long_ones_are_shorter(seed: int) -> None:
    points = curves(seed)
    root = ElementTree.fromstring(compact(image(written(points))))
    fill, line, *_ = root.iter(f"{SVG}path")
    assert fill.get("d") == line.get("d")
    kept = read(str(line.get("d")))
    assert len(kept) < len(points)
    assert max(distance(point, kept) for point in points) <= MOVED + ROUNDED
    assert max(distance(point, points) for point in kept) <= ROUNDED


def test_a_straight_line_needs_two_points_and_a_corner_is_kept() -> None:
    straight = np.column_stack([np.arange(50.0), 2.0 * np.arange(50.0)])
    assert thinned(straight).tolist() == [[0.0, 0.0], [49.0, 98.0]]
    corner = np.array([[0.0, 0.0], [5.0, 5.0], [10.0, 0.0], [20.0, 0.0]])
    assert thinned(corner).tolist() == [[0.0, 0.0], [5.0, 5.0], [10.0, 0.0], [20.0, 0.0]]


def test_steps_that_go_only_across_or_down_are_read_and_areas_stay_closed() -> None:
    root = ElementTree.fromstring(compact(image("M0,10H20V5.5L30,1.25V9H0Z")))
    found = str(next(root.iter(f"{SVG}g")).findall(f"{SVG}path")[0].get("d"))
    assert found.endswith("Z")
    expected = np.array([[0, 10], [20, 10], [20, 5.5], [30, 1.25], [30, 9], [0, 9]])
    assert np.abs(read(found) - expected).max() <= ROUNDED


def test_what_is_seen_stays_and_what_is_not_goes() -> None:
    short = compact(image(written(curves(4)), written(curves(5))))
    root = ElementTree.fromstring(short)
    assert [text.text for text in root.iter(f"{SVG}text")] == ["0.0001234", "1  < 2"]
    assert len(list(root.iter(f"{SVG}path"))) == 5
    assert [rect.get("width") for rect in root.iter(f"{SVG}rect")] == ["423.2"]
    assert "legendtoggle" not in short
    assert "errorbars" not in short
    assert 'clip-path="url(#clip1)"' in short
    assert "M6,0A6,6 0 1,1 0,-6A6,6 0 0,1 6,0Z" in short
    assert 'style="opacity: 0.25;"' in short
    styles = dict(re.findall(r"\.(s\d+)\{([^}]*)\}", short))
    ticks = {text.get("class") for text in root.iter(f"{SVG}text")}
    assert [styles[str(name)] for name in ticks] == [
        "font-family: 'Segoe UI', sans-serif; font-size: 13px; fill: rgb(29, 36, 48); white-space: pre"
    ]
    assert "fill-opacity: 0.16" in short


def test_an_image_without_curves_or_repeated_styles_is_left_whole() -> None:
    plain = '<svg xmlns="http://www.w3.org/2000/svg"><text style="fill: red;">a</text></svg>'
    assert compact(plain) == plain

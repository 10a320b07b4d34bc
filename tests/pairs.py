"""Grids thinned to pairs: few cases in which every two values of different axes meet.

A fault of one part shows with any others, a fault of two parts that do not go together wherever both stand; so the
fast tests take a cover of all pairs, or of single values where pairs meet in other tests, and `make test-slow` the
whole grid.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations, product
from typing import Any

import pytest


def every_pair(**axes: Collection[Any]) -> pytest.MarkDecorator:
    """Parametrize with cases that cover all pairs; the rest of the grid is marked slow."""
    return _thinned(axes, cover([len(axis) for axis in axes.values()]))


def in_turn(**axes: Collection[Any]) -> pytest.MarkDecorator:
    """Parametrize with every value of the longest axis once, beside those of the others in turn; the rest is slow."""
    sizes = [len(axis) for axis in axes.values()]
    return _thinned(axes, [tuple(place % size for size in sizes) for place in range(max(sizes))])


def _thinned(axes: Mapping[str, Collection[Any]], covering: Collection[tuple[int, ...]]) -> pytest.MarkDecorator:
    """Parametrize with the whole grid, of which all but these cases are marked slow."""
    values = [list(axis) for axis in axes.values()]
    cases = []
    for places in product(*(range(len(axis)) for axis in values)):
        marks = [] if places in covering else [pytest.mark.slow]
        cases.append(pytest.param(*(axis[place] for axis, place in zip(values, places, strict=True)), marks=marks))
    return pytest.mark.parametrize(", ".join(axes), cases)


def first(count: int, *values: Any) -> list[Any]:
    """Values to parametrize with, of which all but the first so many are marked slow."""
    return [*values[:count], *(pytest.param(value, marks=pytest.mark.slow) for value in values[count:])]


def cover(sizes: list[int]) -> list[tuple[int, ...]]:
    """Cases, as places along axes of these sizes, in which every two places of different axes meet at least once.

    Greedy: each case is the one of the grid that meets the most pairs not met before, the first of equals.
    """
    # Of a single axis every place is a case.
    together = min(2, len(sizes))
    grid = {places: frozenset(combinations(enumerate(places), together)) for places in product(*map(range, sizes))}
    missing = frozenset[Any]().union(*grid.values())
    chosen = set()
    while missing:
        best = max(grid, key=lambda places: len(grid[places] & missing))
        missing -= grid[best]
        chosen.add(best)
    return sorted(chosen)

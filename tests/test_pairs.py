"""Thinned grids still let every two parts meet."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from tests.pairs import cover, every_pair, first, in_turn


@pytest.mark.parametrize("sizes", [[1], [4], [3, 5], [5, 5, 5, 5], [2, 6, 1, 4, 3]])
def test_every_two_places_of_different_axes_meet(sizes: list[int]) -> None:
    cases = cover(sizes)
    for one, other in combinations(range(len(sizes)), 2):
        met = {(case[one], case[other]) for case in cases}
        assert met == set(product(range(sizes[one]), range(sizes[other])))
    for axis, size in enumerate(sizes):
        assert {case[axis] for case in cases} == set(range(size))


def test_a_cover_is_far_smaller_than_the_grid() -> None:
    # No cover of four axes of five has fewer than 25 cases.
    assert 25 <= len(cover([5, 5, 5, 5])) <= 35


def test_the_whole_grid_is_there_and_only_the_cover_is_fast() -> None:
    mark = every_pair(belief=["a", "b"], rule=["c", "d", "e"], pacing=["f", "g"]).mark
    names, cases = mark.args
    assert names == "belief, rule, pacing"
    assert [case.values for case in cases] == list(product("ab", "cde", "fg"))
    assert [case.values for case in cases if not case.marks] == [
        tuple(values[place] for values, place in zip(("ab", "cde", "fg"), places, strict=True))
        for places in cover([2, 3, 2])
    ]


def test_every_value_of_every_axis_comes_in_turn() -> None:
    mark = in_turn(name="abcde", domain=["f", "g"]).mark
    names, cases = mark.args
    assert names == "name, domain"
    assert [case.values for case in cases] == list(product("abcde", "fg"))
    assert [case.values for case in cases if not case.marks] == [
        *(("a", "f"), ("b", "g"), ("c", "f"), ("d", "g"), ("e", "f"))
    ]


def test_all_but_the_first_values_are_slow() -> None:
    fast, slow, slower = first(1, 3, 17, 91)
    assert fast == 3
    assert [value.values for value in (slow, slower)] == [(17,), (91,)]
    assert [mark.name for value in (slow, slower) for mark in value.marks] == ["slow", "slow"]

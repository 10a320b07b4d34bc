"""What is registered is found by its name, and by no other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from belated.errors import ParameterError, UnknownNameError
from belated.registry import Registry


def double(number: float) -> float:
    """Twice as much.

    And no more.
    """
    return 2 * number


def registry() -> Registry[Callable[[float], float]]:
    made: Registry[Callable[[float], float]] = Registry("sum")
    made.add("sum(double)", "double", double)
    made.add("sum(absolute)", "absolute", abs)
    return made


def test_names_are_sorted_and_describe_themselves_in_one_line() -> None:
    assert registry().names() == ("absolute", "double")
    assert registry().describe("double") == "Twice as much."


def test_a_name_is_given_once() -> None:
    with pytest.raises(ParameterError, match=r"sum\(double\): that name is taken; choose another"):
        registry().add("sum(double)", "double", abs)
    registry().add("sum(double)", "double", double)


@pytest.mark.parametrize("name", ["dubble", 3, None, ["double"]])
def test_an_unknown_name_is_refused(name: object) -> None:
    with pytest.raises(UnknownNameError, match=r"build\(\): no sum is named"):
        registry().entry("build()", name)


def test_what_else_has_entries_is_imported_when_a_name_is_not_found_and_not_before() -> None:
    def more() -> None:
        made.entries["absolute"] = abs

    made: Registry[Callable[[float], float]] = Registry("sum", more=more)
    made.add("sum(double)", "double", double)
    assert made.entry("build()", "double") is double
    assert list(made.entries) == ["double"]
    assert made.entry("build()", "absolute") is abs
    assert made.names() == ("absolute", "double")

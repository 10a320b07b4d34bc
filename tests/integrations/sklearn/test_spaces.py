"""Distributions of scikit-learn as spaces of Belated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import belated as bl
from belated.errors import SpaceError
from belated.integrations.sklearn.spaces import WAYS, search_space

CALL = "BelatedSearchCV(param_distributions)"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (stats.uniform(2, 3), bl.Float(2, 5)),
        (stats.uniform(loc=-1, scale=2), bl.Float(-1, 1)),
        (stats.loguniform(1e-3, 1e2), bl.Float(1e-3, 1e2, log=True)),
        (stats.reciprocal(0.5, 8), bl.Float(0.5, 8, log=True)),
        (stats.loguniform(1, 10, scale=5), bl.Float(5, 50, log=True)),
        (stats.randint(1, 9), bl.Int(1, 8)),
        (stats.randint(1, 9, loc=10), bl.Int(11, 18)),
        (["gini", "entropy"], bl.Choice("gini", "entropy")),
        ((1, 2.5, False), bl.Choice(1, 2.5, False)),
        (np.array([0.1, 1.0]), bl.Choice(0.1, 1.0)),
        (range(2, 5), bl.Choice(2, 3, 4)),
        ([None, "sqrt", (5, 5)], bl.Choice("None", "sqrt", "(5, 5)")),
        (bl.Float(0, 1), bl.Float(0, 1)),
        (bl.Int(1, 3, log=True), bl.Int(1, 3, log=True)),
        (bl.Choice("a"), bl.Choice("a")),
    ],
)
def test_a_distribution_becomes_the_parameter_with_the_same_values(given: Any, expected: Any) -> None:
    assert search_space({"x": given}).space == bl.Space(x=expected)


def test_texts_that_stand_for_objects_are_put_back() -> None:
    class Alike:
        def __repr__(self) -> str:
            return "alike"

    first, second, third = Alike(), Alike(), Alike()
    found = search_space({"x": [first, second, third, "text"], "y": bl.Float(0, 1)})
    assert found.space == bl.Space(x=bl.Choice("alike", "alike #2", "alike #3", "text"), y=bl.Float(0, 1))
    for text, meant in (("alike", first), ("alike #2", second), ("alike #3", third), ("text", "text")):
        assert found.parameters({"x": text, "y": 0.5}) == {"x": meant, "y": 0.5}


def test_a_space_or_a_table_is_taken_as_it_is() -> None:
    space = bl.Space(x=bl.Float(0, 1))
    table = bl.Candidates([{"x": 1.0}, {"x": 2.0}])
    assert search_space(space).space is space
    assert search_space(table).space is table
    assert search_space(space).parameters({"x": 0.3}) == {"x": 0.3}


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        (stats.norm(0, 1), "the distribution 'norm'"),
        (stats.expon(), "the distribution 'expon'"),
        (stats.loguniform(1, 10, loc=5), "the distribution 'loguniform'"),
        (stats.loguniform(1, 10, loc=-5), "the distribution 'loguniform'"),
        (3.5, "3.5"),
        ("sqrt", "'sqrt'"),
        (None, "None"),
    ],
)
def test_what_has_no_bounds_or_no_scale_is_refused(given: Any, shown: str) -> None:
    with pytest.raises(SpaceError) as caught:
        search_space({"C": given})
    assert str(caught.value) == (
        f"{CALL}: C: got {shown}; a space has bounds and a scale, linear or logarithmic; {WAYS}."
    )


@pytest.mark.parametrize("given", [[{"x": [1]}, {"y": [2]}], 3, None])
def test_several_spaces_or_none_are_refused(given: Any) -> None:
    with pytest.raises(SpaceError) as caught:
        search_space(given)
    assert str(caught.value) == (
        f"{CALL}: got a {type(given).__name__}; a search has one space, in which every parameter has its values; give "
        f"a bl.Space or one dict of parameters."
    )


def test_what_a_parameter_refuses_is_said_of_its_name() -> None:
    with pytest.raises(SpaceError) as caught:
        search_space({"x": ["a", "b", "a"]})
    assert str(caught.value) == (
        f"{CALL}: x: Choice('a', 'b', 'a'): 'a' and 'a' are equal; options are distinct; drop or rename one."
    )
    with pytest.raises(SpaceError, match=r"x: Choice\(\): no options"):
        search_space({"x": []})

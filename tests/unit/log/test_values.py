"""Values: a dictionary that reads like any other, and never changes."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from belated.log import Values

VALUES = Values({"heat": 1.5, "solvent": "water"})


def test_values_read_like_a_dictionary() -> None:
    assert VALUES == {"heat": 1.5, "solvent": "water"}
    assert VALUES["heat"] == 1.5
    assert list(VALUES) == ["heat", "solvent"]
    assert repr(VALUES) == "{'heat': 1.5, 'solvent': 'water'}"
    assert json.dumps(VALUES) == '{"heat": 1.5, "solvent": "water"}'
    assert isinstance(VALUES, dict)


CHANGES: dict[str, Callable[[Any], object]] = {
    "set": lambda values: values.__setitem__("heat", 2.0),
    "delete": lambda values: values.__delitem__("heat"),
    "clear": lambda values: values.clear(),
    "pop": lambda values: values.pop("heat"),
    "popitem": lambda values: values.popitem(),
    "setdefault": lambda values: values.setdefault("dose", 1.0),
    "update": lambda values: values.update(heat=2.0),
    "merge": lambda values: values.__ior__({"heat": 2.0}),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_values_refuse_every_change(change: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"take a copy with dict\(…\)"):
        change(VALUES)
    assert VALUES == {"heat": 1.5, "solvent": "water"}


def test_copies_of_values_are_values_and_a_dict_of_them_is_free() -> None:
    for same in (copy.copy(VALUES), copy.deepcopy(VALUES), pickle.loads(pickle.dumps(VALUES))):
        assert type(same) is Values
        assert same == VALUES
    free = dict(VALUES)
    free["heat"] = 2.0
    assert type(free) is dict
    assert VALUES["heat"] == 1.5

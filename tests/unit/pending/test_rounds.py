"""The rounds of a horizon, and what they refuse."""

from __future__ import annotations

import math
from typing import Any

import pytest

from belated.errors import ParameterError
from belated.pending import Censor, Nearest, Rounds


def test_rounds_grow_until_the_horizon_cuts_the_last() -> None:
    assert Rounds(100).ends() == (10, 42, 99, 100)
    assert Rounds(100).bounds(1) == [(1, 10)]
    assert Rounds(100).bounds(10) == [(1, 10)]
    assert Rounds(100).bounds(11) == [(1, 10), (11, 42)]
    assert Rounds(100).bounds(101) == [(1, 10), (11, 42), (43, 99), (100, 100)]


def test_an_allowance_lengthens_every_round_and_is_rounded_up() -> None:
    assert Rounds(100, 2.5).ends() == (13, 48, 100)
    assert Rounds(100, 1e6).ends() == (100,)
    assert Rounds(1).ends() == (1,)


@pytest.mark.parametrize(
    "horizon, allowance", [(0, 0.0), (-5, 0.0), (2.5, 0.0), (9, -1.0), (9, math.nan), (9, math.inf)]
)
def test_rounds_refuse_what_makes_no_rounds(horizon: Any, allowance: float) -> None:
    with pytest.raises(ParameterError, match="Rounds"):
        Rounds(horizon, allowance)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Nearest(0),
        lambda: Nearest(1.5),  # type: ignore[arg-type]
        lambda: Censor(late="ignore"),  # type: ignore[arg-type]
        lambda: Censor(floor=math.nan),
        lambda: Censor(floor=-math.inf),
    ],
)
def test_a_treatment_refuses_what_it_cannot_mean(make: Any) -> None:
    with pytest.raises(ParameterError):
        make()

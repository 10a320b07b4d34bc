"""The law of contexts as seen, and the one that the user knows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.contexts import Known, Observed, Sample
from belated.errors import BelatedError, ContextError, ParameterError
from belated.space import Array, Choice, Float, Int, Space
from tests.tolerance import ROUNDING

HOURS = Space(hour=Float(0, 24), kind=Choice("work", "home", 3), people=Int(1, 9))
NONE_SEEN = np.empty((0, 3))


def drawn(law: Observed | Known, seen: Array, space: Space, count: int = 1024, seed: int = 1) -> Sample:
    return law.sample(seen, space, count, np.random.default_rng(seed))


def weights_of(sample: Sample, space: Space) -> dict[tuple[Any, ...], float]:
    pairs = [(tuple(space.decode(point).values()), float(weight)) for point, weight in zip(*sample, strict=True)]
    assert len(dict(pairs)) == len(pairs)
    return dict(pairs)


def test_contexts_seen_have_their_frequencies() -> None:
    rows = [(8.5, "work", 2)] * 5 + [(20.0, "home", 2)] * 2 + [(8.5, "home", 2), (0.0, 3, 9)]
    seen = np.stack([HOURS.encode(dict(zip(HOURS.names, row, strict=True))) for row in rows])
    expected = {row: count / 9 for row, count in Counter(rows).items()}
    assert weights_of(drawn(Observed(), seen, HOURS), HOURS) == pytest.approx(expected, abs=ROUNDING)


def test_of_many_contexts_seen_as_many_as_wanted_stand_for_all() -> None:
    space = Space(c=Float(-3, 11))
    seen = np.random.default_rng(3).beta(2.0, 5.0, (5000, 1))
    points, weights = drawn(Observed(), seen, space, 512)
    assert len(points) <= 512
    assert np.isin(points, seen).all()
    # One of each 512th part of the contexts in order: no quantile is off by more than that.
    assert_allclose(weights @ points, seen.mean(axis=0), atol=1 / 512)


@pytest.mark.parametrize("dimension", [1, 2])
def test_beginnings_of_the_contexts_seen_are_spread_like_all(dimension: int) -> None:
    space = Space.from_parameters([(f"c{column}", Float(0, 1)) for column in range(dimension)])
    seen = np.sort(np.random.default_rng(3).random((500, dimension)), axis=0)
    errors = [
        np.abs(drawn(Observed(), seen, space, 1024, seed).points[:32].mean(axis=0) - seen.mean(axis=0)).max()
        for seed in range(20)
    ]
    # Contexts at random would be 0.29/√32 = 0.05 off, the first as given 0.45.
    assert np.mean(errors) < 0.02


def test_a_known_law_is_taken_as_it_is_given() -> None:
    law = Known(
        [
            {"hour": 8, "kind": "work", "people": 2},
            {"people": 3, "kind": "home", "hour": 20.0},
            {"hour": 12, "kind": 3, "people": 1},
        ],
        weights=[3, 1, 0],
    )
    seen = np.random.default_rng(3).random((50, 3))
    expected = {(8.0, "work", 2): 0.75, (20.0, "home", 3): 0.25}
    assert weights_of(drawn(law, seen, HOURS), HOURS) == pytest.approx(expected, abs=ROUNDING)
    assert weights_of(drawn(law, NONE_SEEN, HOURS, 1), HOURS) == pytest.approx(expected, abs=ROUNDING)


def test_a_known_law_has_equal_weights_by_default_and_equal_contexts_are_one() -> None:
    space = Space(day=Int(1, 7))
    law = Known([{"day": 1}, {"day": 5}, {"day": 1}, {"day": 7.0}])
    expected = {(1,): 0.5, (5,): 0.25, (7,): 0.25}
    assert weights_of(drawn(law, np.empty((0, 1)), space), space) == pytest.approx(expected, abs=ROUNDING)


def test_weights_as_large_as_numbers_are_do_not_overflow() -> None:
    law = Known([{"day": 1}, {"day": 2}], weights=[1.5e308, 0.5e308])
    assert_allclose(sorted(drawn(law, np.empty((0, 1)), Space(day=Int(1, 7))).weights), [0.25, 0.75], rtol=ROUNDING)


def test_a_known_law_is_never_thinned_out() -> None:
    space = Space(c=Float(0, 1))
    law = Known([{"c": value} for value in np.linspace(0, 1, 100)])
    points, weights = drawn(law, np.empty((0, 1)), space, 8)
    assert_allclose(np.sort(points[:, 0]), np.linspace(0, 1, 100), atol=ROUNDING)
    assert_allclose(weights, 0.01, atol=ROUNDING)
    assert_allclose(points[:16].mean(), 0.5, atol=0.05)


def test_known_laws_are_equal_and_hashed_by_what_they_say() -> None:
    one = Known([{"a": 1, "b": "x"}], weights=(2,))
    other = Known(({"b": "x", "a": 1},), weights=np.array([2.0]).tolist())
    assert one == other
    assert hash(one) == hash(other)
    assert one != Known([{"a": 1, "b": "y"}], weights=[2])
    assert Known([[("a", 1)]]) == Known([{"a": np.int64(1)}])


def test_a_known_law_does_not_change_with_what_it_was_made_of() -> None:
    contexts, weights = [{"day": 1}], [1.0]
    law = Known(contexts, weights)
    contexts[0]["day"] = 2
    weights[0] = 7.0
    assert law == Known([{"day": 1}], [1.0])


LIST = "give a list of dictionaries, as [{'hour': 8}, {'hour': 20}]."
DICTIONARY = "a context maps names to values; give a dictionary, as {'hour': 8}."


@pytest.mark.parametrize(
    "values, weights, message",
    [
        ([], None, f"Known(values=[]): a law has at least one context; {LIST}"),
        ({"hour": 8}, None, f"Known(values={{'hour': 8}}): values must be a list of contexts; {LIST}"),
        (8, None, f"Known(values=8): values must be a list of contexts; {LIST}"),
        ([{"hour": 8}, 9], None, f"Known(values[1]=9): {DICTIONARY}"),
        ([{}], None, f"Known(values[0]={{}}): {DICTIONARY}"),
        ([{1: 2}], None, f"Known(values[0]={{1: 2}}): {DICTIONARY}"),
        (["hour"], None, f"Known(values[0]='hour'): {DICTIONARY}"),
        (
            [[("hour", 8), ("hour", 9)]],
            None,
            "Known(values[0]=[('hour', 8), ('hour', 9)]): a name comes twice; each parameter has one value; leave the "
            "other out.",
        ),
        (
            [{"hour": float("nan")}],
            None,
            "Known(values[0]={'hour': nan}): hour must be a finite number, a text or a boolean.",
        ),
        (
            [{"hour": 8}],
            [1, 2],
            "Known(weights=[1, 2]): got 2 weights for 1 contexts; each has one; give 1, or none where all are equal.",
        ),
        ([{"hour": 8}], 1.0, "Known(weights=1.0): weights must be a list of numbers, as [1, 3]."),
        ([{"hour": 8}], [-1], "Known(weights[0]=-1): a weight must be a finite number of at least 0."),
        (
            [{"hour": 8}, {"hour": 9}],
            [1.0, float("inf")],
            "Known(weights[1]=inf): a weight must be a finite number of at least 0.",
        ),
        ([{"hour": 8}], ["1"], "Known(weights[0]='1'): a weight must be a finite number of at least 0."),
        (
            [{"hour": 8}, {"hour": 9}],
            [0, 0.0],
            "Known(weights=[0, 0.0]): all weights are 0; at least one must be above 0.",
        ),
    ],
    ids=repr,
)
def test_what_is_no_law_is_refused(values: Any, weights: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Known(values, weights)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "second, message",
    [
        ({"hour": 30}, "Known(values[1]): hour=30 is outside [0.0, 24.0]; give a number inside."),
        ({"hour": "8"}, "Known(values[1]): hour='8' is not a finite number; give one from [0.0, 24.0]."),
        ({"our": 8}, "Known(values[1]): unknown parameter 'our'; the space has hour; did you mean 'hour'?"),
        ({"hour": 8, "day": 1}, "Known(values[1]): unknown parameter 'day'; the space has hour; leave it out."),
    ],
    ids=repr,
)
def test_a_known_law_that_does_not_fit_the_contexts_is_refused(second: dict[str, Any], message: str) -> None:
    law = Known([{"hour": 8}, second])
    with pytest.raises(ContextError) as caught:
        drawn(law, np.empty((0, 1)), Space(hour=Float(0, 24)))
    assert str(caught.value) == message


def test_a_context_that_lacks_a_name_is_refused_as_one_of_ours() -> None:
    with pytest.raises(BelatedError, match=r"^Known\(values\[0\]\): missing parameter 'kind'"):
        drawn(Known([{"hour": 8, "people": 1}]), NONE_SEEN, HOURS)


def test_observed_contexts_keep_their_encodings_to_the_last_bit() -> None:
    seen = HOURS.snap(np.random.default_rng(3).random((40, 3)))
    assert_array_equal(np.unique(drawn(Observed(), seen, HOURS).points, axis=0), np.unique(seen, axis=0))

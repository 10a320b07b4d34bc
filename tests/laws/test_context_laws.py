"""What every law of contexts keeps to: valid contexts, weights, and nothing but its arguments."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from belated.contexts import ContextLaw, KernelDensity, Known, Observed
from belated.policies.parts import parameter_from_json, parameter_to_json
from belated.space import Array, Choice, Float, Int, Space
from tests.tolerance import ROUNDING

MIXED = Space(c=Float(0.1, 10, log=True), kind=Choice("a", "b", 3), day=Int(1, 31), size=Int(1, 1000, log=True))
LAWS: tuple[ContextLaw, ...] = (
    KernelDensity(),
    Observed(),
    Known(
        [{"c": 0.1, "kind": "a", "day": 31, "size": 1000}, {"c": 2.5, "kind": 3, "day": 7, "size": 1}], weights=[1, 0.3]
    ),
    Known([{"c": 10, "kind": "b", "day": 2, "size": 30}]),
)
all_laws = pytest.mark.parametrize("law", LAWS, ids=repr)


def some_seen(count: int, seed: int = 3) -> Array:
    return MIXED.snap(np.random.default_rng(seed).random((count, MIXED.dimension)))


@all_laws
@pytest.mark.parametrize("n_seen", [0, 1, 2, 30, 3000])
@pytest.mark.parametrize("count", [1, 5, 1024])
def test_a_sample_holds_valid_contexts_with_positive_weights_that_sum_to_one(
    law: ContextLaw, n_seen: int, count: int
) -> None:
    points, weights = law.sample(some_seen(n_seen), MIXED, count, np.random.default_rng(1))
    assert points.shape == (len(weights), MIXED.dimension)
    assert len(points) <= max(count, len(law.values) if isinstance(law, Known) else 0)
    assert_array_equal(MIXED.snap(points), points)
    assert weights.min() > 0.0
    assert weights.sum() == pytest.approx(1.0, abs=ROUNDING)


@all_laws
@pytest.mark.parametrize("n_seen", [0, 1, 30])
def test_a_sample_is_a_function_of_what_was_seen_and_the_seed(law: ContextLaw, n_seen: int) -> None:
    seen = some_seen(n_seen)
    kept = seen.copy()
    first, again = (law.sample(seen, MIXED, 256, np.random.default_rng(7)) for _ in range(2))
    assert_array_equal(again.points, first.points)
    assert_array_equal(again.weights, first.weights)
    assert_array_equal(seen, kept)


def test_another_seed_gives_another_sample_of_the_density() -> None:
    one, other = (KernelDensity().sample(some_seen(30), MIXED, 256, np.random.default_rng(seed)) for seed in (1, 2))
    assert not np.isin(one.points[:, 0], other.points[:, 0]).all()


@all_laws
def test_a_law_goes_into_the_log_and_comes_back(law: ContextLaw) -> None:
    written = json.loads(json.dumps(parameter_to_json("tests-own", "law", law)))
    assert parameter_from_json(written) == law
    assert hash(parameter_from_json(written)) == hash(law)


def test_many_columns_are_no_obstacle() -> None:
    space = Space.from_parameters([(f"c{column}", Float(0, 1)) for column in range(100)])
    seen = np.random.default_rng(3).random((20, 100))
    for law in (KernelDensity(), Observed()):
        points, _ = law.sample(seen, space, 64, np.random.default_rng(1))
        assert_array_equal(space.snap(points), points)

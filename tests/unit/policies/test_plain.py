"""The belief beside a policy that decides without one."""

from __future__ import annotations

import numpy as np
import pytest

from belated.beliefs import GP, Belief, GaussianProcess, Memory, Mixture
from belated.evidence import Evidence
from belated.policies import random
from belated.policies.parameters import FOR_MANY, MANY
from belated.study import Study
from tests.builders import Clock, box


def answered(count: int) -> Evidence:
    study = Study.in_memory(box(), policy="random", seed=1, clock=Clock())
    rows = [study.space.decode(units) for units in np.random.default_rng(4).random((count, 2))]
    study.add_many([(point, place % 7.0) for place, point in enumerate(rows)])
    return study.evidence()


@pytest.mark.parametrize(("count", "kind"), [(0, GaussianProcess), (MANY, GaussianProcess), (MANY + 1, Mixture)])
def test_random_points_come_with_an_exact_process_and_with_many_answers_with_features(
    count: int, kind: type[Belief]
) -> None:
    evidence = answered(count)
    memory = Memory()  # of the same description the same fit is remembered, of another one none is
    found = random().compose(evidence, 0.0).belief.prior(evidence, memory)
    described = GP() if kind is GaussianProcess else FOR_MANY
    assert isinstance(found, kind)
    assert found.key == described.prior(evidence, memory).key

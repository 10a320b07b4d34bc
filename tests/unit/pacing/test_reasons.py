"""A balk tells its reason, in words that a user can act on."""

from __future__ import annotations

import pytest

from belated.log import Balk
from belated.policies import Recipe, bpe, gp_aucb, gp_aucb_local, gp_bucb, gp_bucb_init, hbbo_ucb, sm_ucb
from belated.study import Study
from tests.builders import Clock, known_gp, table

KNOWN = known_gp("se", 0.3, 1.0, 0.1)[0]


@pytest.mark.parametrize(
    "policy, words",
    [
        (gp_aucb(limit=0.5, belief=KNOWN), ["pending", "nats", "limit"]),
        (gp_aucb_local(minimum=1, belief=KNOWN), ["pending", "deviation", "times"]),
        (gp_aucb_local(minimum=9, maximum=2, belief=KNOWN), ["2 queries wait", "at most 2"]),
        (gp_bucb(maximum=3, belief=KNOWN), ["3 queries wait", "at most 3"]),
        (hbbo_ucb(tolerance=1e-9, belief=KNOWN), ["move the mean", "tolerance"]),
        (hbbo_ucb(tolerance=1e9, maximum=3, belief=KNOWN), ["3 queries wait", "at most 3"]),
        (sm_ucb(batch=2, paths=2, belief=KNOWN), ["batch of 2", "still to come"]),
        (gp_bucb_init(batch=2, threshold=0.9, belief=KNOWN), ["initial set", "still to come"]),
        (bpe(4, belief=KNOWN), ["horizon of 4", "change the policy"]),
    ],
    ids=["information", "local", "full", "queue", "change", "full batch", "batch", "initial", "horizon"],
)
def test_a_policy_that_is_never_answered_balks_and_says_why(policy: Recipe, words: list[str]) -> None:
    study = Study.in_memory(table(), policy=policy, seed=1, clock=Clock(), notices=False)
    for _ in range(40):
        query = study.ask()
        if isinstance(query, Balk):
            break
    assert isinstance(query, Balk)
    assert not query
    for word in words:
        assert word in query.reason

"""Peers choose points of the space, the same for the same log, and know what is pending."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GP
from belated.evidence import Evidence
from belated.rules import Rule
from belated.simulate.league.botorch_rules import Acquisition
from belated.simulate.league.optuna_rules import Sampler, nearest
from belated.space import Array, Candidates
from tests.builders import Domain, box, mixed, random_evidence, situation_of, table
from tests.tolerance import ROUNDING

DOMAINS: dict[str, Callable[[], Domain]] = {"box": box, "mixed": mixed, "table": table}
RULES: dict[str, tuple[Rule, str]] = {
    "botorch-qlognei": (Acquisition("qlognei"), "botorch"),
    "botorch-qucb": (Acquisition("qucb"), "botorch"),
    "optuna-gp": (Sampler("gp"), "torch"),
    "optuna-tpe": (Sampler("tpe"), "optuna"),
}


def rule_of(name: str) -> Rule:
    """The rule of a peer, where its package is installed: BoTorch and PyTorch come with the extra `bench` alone."""
    rule, package = RULES[name]
    pytest.importorskip(package)
    return rule


def chosen(rule: Rule, evidence: Evidence) -> Array:
    point = rule.choose(situation_of(evidence, GP()))
    assert isinstance(point, np.ndarray)
    return point


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", RULES)
def test_a_peer_chooses_a_point_of_the_space_and_the_same_one_again(name: str, domain: str) -> None:
    rule, space = rule_of(name), DOMAINS[domain]()
    evidence = random_evidence(3, n_answered=14, n_pending=3, domain=space)
    point = chosen(rule, evidence)
    assert_allclose(space.encode(space.decode(point)), point, atol=ROUNDING)
    assert np.array_equal(chosen(rule, evidence), point)


@pytest.mark.parametrize("name", RULES)
def test_a_peer_begins_without_any_answer(name: str) -> None:
    space: Domain = box()
    point = chosen(rule_of(name), random_evidence(3, n_answered=0, n_pending=9, domain=space))
    assert_allclose(space.encode(space.decode(point)), point, atol=ROUNDING)


@pytest.mark.parametrize("name", RULES)
def test_a_peer_knows_which_queries_are_pending(name: str) -> None:
    rule = rule_of(name)
    # TPE asks another point in every second study: that it does in none of 14 comes once in 10,000 times.
    assert any(cares(rule, random_evidence(seed, n_answered=14, n_pending=4, domain=box())) for seed in range(14))


def cares(rule: Rule, evidence: Evidence) -> bool:
    """Whether the rule chooses another point than if nothing were pending."""
    forgetful = evidence.only(~evidence.pending_mask)
    return not np.array_equal(chosen(rule, evidence), chosen(rule, forgetful))


def test_on_a_table_a_suggestion_goes_to_the_nearest_candidate() -> None:
    rows = Candidates([[0.0, 0.0], [1.0, 0.0], [0.0, 10.0]], names=["x", "y"]).table
    assert nearest(rows, np.array([0.4, 0.7])).tolist() == [0.0, 1.0]

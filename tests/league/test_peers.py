"""Peers choose points of the space, the same for the same log, and know what is pending."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GP
from belated.evidence import Evidence
from belated.experiments.league.optuna_rules import nearest
from belated.experiments.league.peers import PEERS
from belated.log import Query
from belated.rules import Rule
from belated.space import Array, Candidates, Context, Float
from belated.study import Study
from tests.builders import Clock, Domain, box, mixed, random_evidence, situation_of, table
from tests.tolerance import ROUNDING

DOMAINS: dict[str, Callable[[], Domain]] = {"box": box, "mixed": mixed, "table": table}
Build = Callable[[Evidence], Rule]


def rule_of(name: str) -> Build:
    """The rule of a peer, where its packages are installed: BoTorch and PyTorch come with the extra `bench` alone."""
    for package in PEERS[name].packages:
        pytest.importorskip(package)
    return PEERS[name].rule


def chosen(rule: Build, evidence: Evidence) -> Array:
    point = rule(evidence).choose(situation_of(evidence, GP()))
    assert isinstance(point, np.ndarray)
    return point


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", PEERS)
def test_a_peer_chooses_a_point_of_the_space_and_the_same_one_again(name: str, domain: str) -> None:
    rule, space = rule_of(name), DOMAINS[domain]()
    evidence = random_evidence(3, n_answered=14, n_pending=3, domain=space)
    point = chosen(rule, evidence)
    assert_allclose(space.encode(space.decode(point)), point, atol=ROUNDING)
    assert np.array_equal(chosen(rule, evidence), point)


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_begins_without_any_answer(name: str) -> None:
    space: Domain = box()
    point = chosen(rule_of(name), random_evidence(3, n_answered=0, n_pending=9, domain=space))
    assert_allclose(space.encode(space.decode(point)), point, atol=ROUNDING)


@pytest.mark.parametrize("name", PEERS)
def test_a_peer_knows_which_queries_are_pending(name: str) -> None:
    rule = rule_of(name)
    # TPE asks another point in every second study: that it does in none of 14 comes once in 10,000 times.
    assert any(cares(rule, random_evidence(seed, n_answered=14, n_pending=4, domain=box())) for seed in range(14))


def cares(rule: Build, evidence: Evidence) -> bool:
    """Whether the rule chooses another point than if nothing were pending."""
    forgetful = evidence.only(~evidence.pending_mask)
    return not np.array_equal(chosen(rule, evidence), chosen(rule, forgetful))


@pytest.mark.parametrize("domain", ["mixed", "table"])
def test_optuna_takes_the_points_without_the_context_that_was_seen_before_them(domain: str) -> None:
    space, context = DOMAINS[domain](), Context(hour=Float(0.0, 24.0), seen="before")
    study = Study.in_memory(space, policy="random", context=context, seed=1, clock=Clock(), notices=False)
    for hour in range(12):
        query = study.ask(context={"hour": hour})
        assert isinstance(query, Query)
        study.tell(query.id, math.sin(hour))
    point = chosen(rule_of("optuna-tpe"), study.evidence())
    assert_allclose(space.encode(space.decode(point)), point, atol=ROUNDING)


def test_on_a_table_a_suggestion_goes_to_the_nearest_candidate() -> None:
    rows = Candidates([[0.0, 0.0], [1.0, 0.0], [0.0, 10.0]], names=["x", "y"]).table
    assert nearest(rows, np.array([0.4, 0.7])).tolist() == [0.0, 1.0]

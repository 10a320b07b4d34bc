"""Hyperparameters averaged over: a mixture of processes with draws from their posterior."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import belated as bl
from belated.beliefs import GP, FullyBayesian, GaussianProcess, Intervals, Memory, Mixture
from belated.beliefs.mixtures.members import Exact
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.policies import fb_gp_ts, from_json, gp_ei, gp_ucb_sdf
from belated.study import Study, differences
from tests.builders import box, random_evidence, table
from tests.unit.beliefs.kernels.vectors import simple

pytest.importorskip("emcee")

FEW = FullyBayesian(draws=5)


def evidence_of(n: int, seed: int = 2) -> Evidence:
    """A study with so many answers."""
    return random_evidence(seed, n, 2, domain=table())


def processes(belief: Mixture) -> list[GaussianProcess]:
    """The members."""
    return [part.process for part in belief.parts if isinstance(part, Exact)]


def test_before_any_answer_there_is_one_process_that_knows_nothing() -> None:
    belief = FEW.prior(evidence_of(0), Memory())
    assert_array_equal(belief.weights, [1.0])
    assert processes(belief)[0].key == GP(kernel="se", ard=False).prior(evidence_of(0), Memory()).key


def test_the_members_are_draws_with_equal_weights() -> None:
    belief = FEW.prior(evidence_of(12), Memory())
    assert_allclose(belief.weights, 0.2)
    assert len({simple(process.kernel).lengthscales for process in processes(belief)}) == 5


def test_draws_lie_in_their_intervals_and_a_known_noise_is_kept() -> None:
    law = Intervals(variance=(0.5, 2.0), lengthscale=(0.1, 0.7), noise=(0.2, 0.3))
    for process in processes(FullyBayesian(law=law, draws=6).prior(evidence_of(9), Memory())):
        assert 0.5 <= process.kernel.variance <= 2.0
        assert 0.1 <= simple(process.kernel).lengthscales[0] <= 0.7
        assert 0.2 <= process.noise <= 0.3
    known = FullyBayesian(GP(kernel="matern32", noise=0.04), draws=3)
    assert {process.noise for process in processes(known.prior(evidence_of(9), Memory()))} == {0.04}


def test_draws_are_a_function_of_the_log() -> None:
    once, again, other = (FEW.prior(evidence_of(8, seed), Memory()).key for seed in (2, 2, 3))
    assert once == again
    assert once != other


def test_new_draws_come_when_a_process_would_be_refitted() -> None:
    belief, memory = FullyBayesian(GP(kernel="se", ard=False, refit=4), draws=3), Memory()
    study = Study.in_memory(table(), policy="random", seed=1)
    keys = []
    for value in np.random.default_rng(0).standard_normal(15):
        query = study.ask()
        assert isinstance(query, bl.Query)
        study.tell(query.id, float(value))
        keys.append(belief.prior(study.evidence(), memory).key)
    # Until the tenth answer with each one, then with every fourth.
    assert len(set(keys[:10])) == 10
    assert len(set(keys[9:13])) == 1
    assert keys[13] != keys[12]
    assert keys[14] == keys[13]


def test_the_mean_stays_near_the_answers() -> None:
    evidence = evidence_of(15)
    belief = FEW.prior(evidence, Memory()).condition(*evidence.arrivals())
    arrivals = evidence.arrivals()
    mean, deviation = belief.moments(arrivals.points)
    assert np.corrcoef(mean, arrivals.values)[0, 1] > 0.5
    assert np.all(deviation > 0.0)


@pytest.mark.parametrize(
    "policy",
    [fb_gp_ts(FEW, initial=3), gp_ei(FEW, initial=3), gp_ucb_sdf(belief=FEW, initial=3)],
    ids=["fb-gp-ts", "gp-ei", "gp-ucb-sdf"],
)
def test_it_goes_with_every_rule_and_treatment_and_a_replay_asks_the_same(policy: bl.policies.Recipe) -> None:
    study = Study.in_memory(box(), policy=policy, seed=5)
    for value in (0.3, -0.4, 0.8, 0.1, 0.5):
        query = study.ask()
        assert isinstance(query, bl.Query)
        if value != 0.1:
            study.tell(query.id, value)
    assert not list(differences(study.events, forgetful=True))
    assert from_json(policy.to_json()) == policy


@pytest.mark.parametrize(
    "given, said",
    [
        ({"process": GP(lengthscale=0.3)}, "all hyperparameters of a bl.GP(…) are drawn, save a known noise; "),
        ({"process": GP(lengthscale=0.3, variance=1.0, noise=0.1)}, "all hyperparameters of a bl.GP(…) are drawn, "),
        ({"process": None}, "FullyBayesian(process=None): all hyperparameters"),
        ({"law": (1.0, 2.0)}, "FullyBayesian(law=(1.0, 2.0)): give bl.beliefs.Intervals(…), or None."),
        ({"draws": 0}, "FullyBayesian(draws=0): draws must be a whole number of at least 1."),
        ({"draws": 1001}, "FullyBayesian(draws=1001): draws must be at most 1000."),
    ],
    ids=str,
)
def test_what_cannot_be_drawn_is_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError) as caught:
        FullyBayesian(**given)  # type: ignore[arg-type]
    assert said in str(caught.value)

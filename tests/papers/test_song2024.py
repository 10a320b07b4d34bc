"""GP-UCB-PE as Vizier has it, against its formulas, ask by ask."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import Memory
from belated.log import Query
from belated.pending import Hallucinate
from belated.policies import gp_ucb_pe
from belated.rules import BoundOrExplore
from belated.rules.promising import Promising
from belated.space import Array, Candidates
from tests.builders import (
    Given,
    Run,
    box,
    delayed_run,
    known_gp,
    probes_of,
    processes_of,
    random_evidence,
    random_study,
    situation_of,
    table,
)
from tests.reference.gp import PlainGP
from tests.reference.policies import bucb_scores
from tests.tolerance import SLOPE_TOLERANCE, SOLVE_TOLERANCE, STANDARD_ERRORS, STEP, TIE_TOLERANCE


def values_on(domain: Candidates) -> Array:
    return np.asarray(np.sin(5 * domain.table[:, 0]) + domain.table[:, 1] ** 2)


def exploration(
    plain: PlainGP, points: Array, values: Array, asked: Array, probes: Array, width: float, region: float
) -> Array:
    """σ(x) + 10 min(μ_fb(x) + v σ_fb(x) − τ, 0), τ the mean at the asked point with the highest bound."""
    deviation = plain.deviation(asked, probes)
    if not len(asked):
        return deviation
    mean_asked, deviation_asked = plain.moments(points, values, asked)
    threshold = mean_asked[np.argmax(mean_asked + width * deviation_asked)]
    mean, deviation_of_answers = plain.moments(points, values, probes)
    return np.asarray(deviation + 10.0 * np.minimum(mean + region * deviation_of_answers - threshold, 0.0))


@pytest.mark.parametrize(
    "delays", [[0] * 24, [3] * 24, [4, 0, 6, 1, None, 2] * 4, [9] * 24], ids=["none", "constant", "mixed", "long"]
)
@pytest.mark.parametrize("width, region", [(1.8, 0.5), (1.0, 2.0)])
def test_it_takes_the_bound_after_an_answer_and_explores_the_region_without(
    delays: list[int | None], width: float, region: float
) -> None:
    domain = table(50)
    belief, plain = known_gp("matern52", 0.3, 1.0, 0.05)
    scores: list[Array] = []
    seen: list[int] = [0]
    bounds: list[bool] = []

    def check(run: Run) -> None:
        arrived = run.arrived()
        rows, values = [run.rows[place] for place in arrived], [run.values[place] for place in arrived]
        bounds.append(len(arrived) > seen[-1])
        seen.append(len(arrived))
        if bounds[-1]:
            scores.append(bucb_scores(plain, domain.table, rows, values, run.rows, width))
        else:
            points, asked = domain.table[rows], domain.table[run.rows]
            scores.append(exploration(plain, points, np.array(values), asked, domain.table, width, region))

    policy = gp_ucb_pe(width=width, region=region, explore=0.0, bound=0.0, belief=belief)
    run = delayed_run(policy, domain, values_on(domain), delays, seed=4, noise=0.2, check=check)
    assert any(bounds)
    assert not all(bounds)
    for row, expected in zip(run.rows, scores, strict=True):
        assert expected[row] >= expected.max() - TIE_TOLERANCE * np.ptp(expected)


@pytest.mark.parametrize("answered, news", [(6, False), (6, True), (0, False)])
def test_a_coin_decides_how_often_news_is_not_heeded_and_the_bound_is_taken_without(answered: int, news: bool) -> None:
    domain, n = table(30), 1000
    prior, _ = processes_of(domain)
    study = random_study(3, answered, 2, domain=domain)
    query = study.ask()
    assert isinstance(query, Query)
    if news:
        study.tell(query, 0.5)
    evidence, memory, rule = study.evidence(), Memory(), BoundOrExplore(explore=0.2, bound=0.3)
    situations = [situation_of(evidence, Given(prior), Hallucinate(), seed=seed, memory=memory) for seed in range(n)]
    explored = sum(isinstance(rule.score(situation), Promising) for situation in situations)
    assert {situation.past.news for situation in situations} == {int(news)}
    share = 1.0 if not answered else 0.2 if news else 0.7
    assert abs(explored / n - share) <= STANDARD_ERRORS * math.sqrt(share * (1.0 - share) / n)


def test_slopes_of_exploration_are_those_of_differences() -> None:
    domain = box()
    prior, plain = processes_of(domain, noise=0.1)
    evidence = random_evidence(7, 9, 3, domain=domain)
    score = BoundOrExplore(1.8, 0.5).exploration(situation_of(evidence, Given(prior), Hallucinate()))
    probes = probes_of(domain, 12)
    values, slopes = score.slopes(probes)
    assert_allclose(values, score.values(probes), atol=SOLVE_TOLERANCE)
    answered = evidence.answered_mask
    asked = evidence.points[answered | evidence.pending_mask]
    expected = exploration(plain, evidence.points[answered], evidence.values[answered], asked, probes, 1.8, 0.5)
    assert_allclose(values, expected, atol=SOLVE_TOLERANCE)
    assert np.any(values < 0.0)
    assert np.any(values > 0.0)
    for column in range(2):
        step = np.zeros(2)
        step[column] = STEP
        risen = (score.values(probes + step) - score.values(probes - step)) / (2 * STEP)
        assert_allclose(slopes[:, column], risen, atol=SLOPE_TOLERANCE * (1 + np.abs(risen).max()))

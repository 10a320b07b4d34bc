"""How a belief begins: what is known is kept, what is fitted follows the schedule, and nonsense is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from belated.beliefs import FORMS, GP, AfterQueries, Memory, SimpleKernel, fit
from belated.beliefs.schedule import spaced
from belated.errors import BelatedError, ParameterError
from belated.evidence import Evidence
from belated.log import Query
from belated.policies import random
from belated.study import Study
from tests.builders import DOMAINS, Clock, random_evidence, random_study, table
from tests.unit.beliefs.kernels.vectors import simple


def prior_of(belief: GP, evidence: Evidence) -> Any:
    return belief.prior(evidence, Memory())


@pytest.mark.parametrize("domain", DOMAINS)
def test_known_hyperparameters_are_taken_as_they_are(domain: str) -> None:
    evidence = random_evidence(1, 9, 2, domain=DOMAINS[domain]())
    prior = prior_of(GP(kernel="matern32", lengthscale=0.7, variance=2.0, noise=0.3, mean=1.5), evidence)
    assert (simple(prior.kernel).form.name, prior.kernel.variance, simple(prior.kernel).lengthscales) == (
        "matern32",
        2.0,
        (0.7,),
    )
    assert (prior.noise, prior.prior_mean) == (0.3, 1.5)


@pytest.mark.parametrize(
    "mean, expected",
    [("zero", lambda values: 0.0), ("smallest", np.min), ("fitted", np.mean), (4.0, lambda values: 4.0)],
)
def test_the_prior_mean_is_what_it_is_said_to_be(mean: Any, expected: Any) -> None:
    evidence = random_evidence(1, 9, 2)
    prior = prior_of(GP(lengthscale=0.7, variance=2.0, noise=0.3, mean=mean), evidence)
    assert prior.prior_mean == pytest.approx(float(expected(evidence.arrivals().values)))


def test_a_known_mean_is_given_in_the_users_units() -> None:
    evidence = random_evidence(1, 9, 2, minimise=True)
    assert prior_of(GP(lengthscale=0.7, variance=2.0, noise=0.3, mean=4.0), evidence).prior_mean == -4.0


def test_before_any_answer_nothing_is_fitted() -> None:
    prior = prior_of(GP(), random_evidence(1, 0, 3))
    assert prior.prior_mean == 0.0
    assert prior.kernel.variance == 1.0


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("ard", [True, False])
def test_a_fitted_kernel_has_one_lengthscale_per_number_and_one_contrast_per_label(domain: str, ard: bool) -> None:
    space = DOMAINS[domain]()
    kernel = prior_of(GP(ard=ard), random_evidence(1, 9, 2, domain=space)).kernel
    n_labels = sum(space.categorical)
    assert len(simple(kernel).lengthscales) == (space.dimension - n_labels if ard else 1)
    assert len(simple(kernel).contrasts) == n_labels


@pytest.mark.parametrize(
    "refit, sizes",
    [
        (None, [20, 20, 22, 22, 24]),
        (1, [20, 21, 22, 23, 24]),
        (3, [19, 19, 22, 22, 22]),
        (5, [20, 20, 20, 20, 20]),
        (50, [10, 10, 10, 10, 10]),
    ],
)
def test_hyperparameters_are_fitted_to_the_first_answers_that_the_schedule_has_reached(
    refit: int | None, sizes: list[int]
) -> None:
    study = random_study(1, 24, 0)
    answers = study.evidence().arrivals()
    for n, size in zip(range(20, 25), sizes, strict=True):
        several = random_evidence_of(answers.points[:n], answers.values[:n])
        few = random_evidence_of(answers.points[:size], answers.values[:size])
        assert prior_of(GP(refit=refit), several).kernel == prior_of(GP(refit=refit), few).kernel


def test_after_queries_hyperparameters_wait_for_the_next_round_number_of_queries() -> None:
    study = Study.in_memory(table(), policy=random(), seed=3, clock=Clock(), notices=False)
    belief = GP(refit=AfterQueries(4))
    rng = np.random.default_rng(3)
    sizes: list[tuple[int, int]] = []
    asked: list[Query] = []
    for number in range(1, 11):
        # Two answers before each ask but one of every three, so that answers and queries go apart.
        for query in asked[: 2 if number % 3 else 0]:
            study.tell(query, float(rng.normal()))
        asked = asked[2 if number % 3 else 0 :]
        sizes.append((study.evidence().n_answered, belief.fitted_to(study.evidence())))
        made = study.ask()
        assert isinstance(made, Query)
        asked.append(made)
    fits = [sizes[(number - 1) // 4 * 4][0] for number in range(1, 11)]
    assert [fitted for _, fitted in sizes] == fits
    assert len({known for known, _ in sizes}) > len(set(fits)) > 1
    points, values, _ = study.evidence().arrivals().first(fits[-1])
    assert prior_of(belief, study.evidence()).kernel == prior_of(GP(refit=1), random_evidence_of(points, values)).kernel


def test_fits_are_as_far_apart_as_refit_says_from_the_initial_design_on() -> None:
    reached = [spaced(n, 50) for n in range(161)]
    assert sorted(set(reached)) == [*range(11), 60, 110, 160]
    assert all(reached[n] == n for n in (*range(11), 60, 110, 160))


def random_evidence_of(points: Any, values: Any) -> Evidence:
    domain = table()
    study = random_study(0, 0, 0, domain=domain, clock=Clock())
    for point, value in zip(points, values, strict=True):
        study.add(domain.decode(point), float(value))
    return study.evidence()


def test_a_known_noise_is_kept_while_the_rest_is_fitted() -> None:
    prior = prior_of(GP(noise=0.25), random_evidence(1, 12, 2))
    assert prior.noise == 0.25
    assert prior.kernel.variance != 1.0


def test_answers_without_noise_still_get_a_ridge() -> None:
    prior = prior_of(GP(lengthscale=0.5, variance=3.0, noise=0.0), random_evidence(1, 5, 2))
    assert 0.0 < prior.noise <= 1e-8


@pytest.mark.parametrize(
    "parameters",
    [
        {"lengthscale": 0.0, "variance": 1.0, "noise": 0.1},
        {"lengthscale": -1.0, "variance": 1.0, "noise": 0.1},
        {"lengthscale": (0.3, math.nan), "variance": 1.0, "noise": 0.1},
        {"lengthscale": 0.3, "variance": math.inf, "noise": 0.1},
        {"lengthscale": 0.3, "variance": 1.0, "noise": -0.1},
        {"lengthscale": 1e10},
        {"variance": 0.3},
        {"lengthscale": 0.3, "variance": 1.0},
        {"fit": "guess"},
        {"mean": "largest"},
        {"mean": math.nan},
        {"refit": 0},
        {"refit": 2.5},
    ],
    ids=str,
)
def test_a_belief_refuses_what_makes_no_process(parameters: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="GP"):
        GP(**parameters)


def test_a_climb_whose_step_is_clipped_downhill_ends_soundly() -> None:
    points = [
        [0.1704196650793005, 0.75, 0.8777235651219437, 0.017352648356464967],
        [0.6027097292006147, 0.25, 0.8037158388435642, 0.5068941904642659],
        [0.6349801215941999, 0.75, 0.035022018412732635, 1.0],
        [0.9721821475406647, 0.75, 0.8777235651219437, 0.017352648356464967],
        [0.05457887426646424, 0.75, 0.9038018432578808, 0.844740744802242],
        [0.9592271039932475, 0.25, 0.035022018412732635, 1.0],
    ]
    values = [0.42477397329423094, -0.7206227523124811, 0.8406571046599463]
    values += [0.42477397329423094, -0.6525804752794354, 0.8406571046599463]
    kernel = SimpleKernel(FORMS["linear"], 1.0, (0.5,), (1.0,), (False, True, False, False))
    found = fit(np.array(points), np.array(values), kernel, prior=None)
    assert found.noise > 0.0
    assert math.isfinite(found.mean)


def test_an_unknown_kernel_names_the_nearest() -> None:
    with pytest.raises(BelatedError, match="matern52"):
        GP(kernel="matern5")

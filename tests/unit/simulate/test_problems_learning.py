"""Problems of machine learning: gradients are right, optima are attained, and the same point has the same value."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from belated.errors import MissingPackageError
from belated.simulate import Problem, problems
from belated.simulate.problems import learning, machines, network, training
from belated.simulate.problems.descent import Schedule, adam
from belated.space import Array, Indices
from tests.tables import FOLDER, needs_tables
from tests.tolerance import SLOPE_TOLERANCE, STEP

pytest.importorskip("sklearn", reason="needs scikit-learn, of the extra `problems`")

# Sums in another order change the last digits of the weights, and with them the class of a row or two.
ROUNDED_ROWS = 3

SHIPPED = ["cnn-digits", "logistic-cancer", "svm-cancer"]
BASE_RATE = {"svm-cancer": 107 / 171, "svm-diabetes": 150 / 231}


def sampled(problem: Problem, count: int, seed: int) -> Array:
    """The values at random points."""
    units = problem.space.sample(count, np.random.default_rng(seed))
    return np.array([problem.value(problem.space.decode(unit)) for unit in units])


def near_the_corner(problem: Problem, count: int) -> Array:
    """The values of a support vector machine at random points where γ is small and C is not."""
    rng = np.random.default_rng(8)
    penalties, gammas = np.exp(rng.uniform(np.log(0.5), np.log(100.0), count)), 10.0 ** rng.uniform(-4.0, -2.5, count)
    points = zip(penalties.tolist(), gammas.tolist(), strict=True)
    return np.array([problem.value({"penalty": penalty, "gamma": gamma}) for penalty, gamma in points])


@pytest.mark.parametrize("name", SHIPPED)
def test_the_optimum_is_attained_at_its_point_and_marked_as_found_by_a_search(name: str) -> None:
    problem = problems.build(name)
    rows = len(problem.objective.split.test_labels)  # type: ignore[attr-defined]
    tolerance = 0.0 if name.startswith("svm") else ROUNDED_ROWS / rows
    assert problem.value(problem.optimum_point) == pytest.approx(problem.optimum, abs=tolerance + 1e-12)
    assert problem.proven == (problem.optimum == 1.0)


@pytest.mark.parametrize("name", SHIPPED)
def test_random_points_are_accuracies_no_better_than_the_optimum(name: str) -> None:
    values = sampled(problems.build(name), 6, seed=1)
    assert np.all((values >= 0.0) & (values <= problems.build(name).optimum))


@pytest.mark.parametrize("name", SHIPPED)
def test_a_point_has_the_same_value_again_and_in_another_process(name: str) -> None:
    problem = problems.build(name)
    travelled = pickle.loads(pickle.dumps(problem))
    point = problem.space.decode(problem.space.sample(1, np.random.default_rng(4))[0])
    assert problem.value(point) == problems.build(name).value(point) == travelled.value(point)


@pytest.mark.longest
def test_a_machine_is_good_only_where_gamma_is_small() -> None:
    problem = problems.build("svm-cancer")
    assert problem.value({"penalty": 10.0, "gamma": 1.0}) == pytest.approx(BASE_RATE["svm-cancer"])
    found = near_the_corner(problem, 100)
    assert problem.optimum - 0.03 <= found.max() <= problem.optimum


@needs_tables
def test_the_machine_on_diabetes_has_the_rows_and_the_optimum_that_its_page_says() -> None:
    problem = problems.build("svm-diabetes", data=str(FOLDER))
    assert isinstance(problem.objective, machines.MachineAccuracy)
    assert (len(problem.objective.split.train), len(problem.objective.split.test)) == (537, 231)
    assert problem.value(problem.optimum_point) == problem.optimum == 182 / 231
    assert problem.value({"penalty": 10.0, "gamma": 1.0}) == pytest.approx(BASE_RATE["svm-diabetes"])


@needs_tables
@pytest.mark.slow
@pytest.mark.parametrize("name, parameters", [("svm-cancer", {}), ("svm-diabetes", {"data": str(FOLDER)})])
def test_two_thousand_machines_near_the_corner_find_nothing_better(name: str, parameters: dict[str, Any]) -> None:
    problem = problems.build(name, **parameters)
    found = near_the_corner(problem, 2000)
    assert problem.optimum - 2 / 171 <= found.max() <= problem.optimum


@needs_tables
def test_the_patients_come_in_twenty_steps_and_the_best_of_each_is_at_least_its_base_rate() -> None:
    problem = problems.build("svm-diabetes-growing", data=str(FOLDER))
    circumstances, objective = problem.circumstances, problem.objective
    assert isinstance(circumstances, machines.GrowingSample)
    assert isinstance(objective, machines.GrowingAccuracy)
    assert [circumstances.at(number)["dataset"] for number in (1, 30, 31, 600, 601)] == [0, 0, 1, 19, 19]
    for number in range(1, 601, 30):
        context = circumstances.at(number)
        judged = objective.splits[context["dataset"]].test_labels
        right = problem.best(context) * len(judged)
        assert right == pytest.approx(round(right), abs=1e-9)
        assert max(np.mean(judged), 1.0 - np.mean(judged)) <= problem.best(context) <= 1.0
        values = [problem.value({"penalty": penalty, "gamma": 2e-4}, context) for penalty in (0.5, 5.0, 50.0)]
        assert max(values) <= problem.best(context)
    assert problem.best({"dataset": 19}) == problems.build("svm-diabetes", data=str(FOLDER)).optimum
    assert problem.optimum == max(problem.best({"dataset": dataset}) for dataset in range(20))


def slope(function: Callable[[list[Array]], float], weights: list[Array], layer: int, place: tuple[int, ...]) -> float:
    """The central difference of a loss in one weight."""
    ends = []
    for sign in (1.0, -1.0):
        moved = [weight.copy() for weight in weights]
        moved[layer][place] += sign * STEP
        ends.append(function(moved))
    return (ends[0] - ends[1]) / (2.0 * STEP)


@pytest.mark.parametrize("seed", [3, 17])
def test_the_gradients_of_the_network_are_the_slopes_of_its_loss(seed: int) -> None:
    rng = np.random.default_rng(seed)
    seen = network.windows(rng.random((30, 64)))
    labels: Indices = rng.integers(10, size=30).astype(np.intp)
    weights = network.initial_weights(rng)
    gradients = network.gradients(weights, seen, labels)
    for layer, gradient in enumerate(gradients):
        for place in np.ndindex(gradient.shape):
            expected = slope(lambda moved: network.loss(moved, seen, labels), weights, layer, place)
            assert gradient[place] == pytest.approx(expected, abs=SLOPE_TOLERANCE)


def test_the_network_sees_what_a_convolution_by_hand_sees() -> None:
    rng = np.random.default_rng(5)
    image = rng.random(64)
    weights = network.initial_weights(rng)
    square, kernel = image.reshape(8, 8), weights[0].reshape(3, 3, 8)
    responses = np.array(
        [[np.tensordot(square[i : i + 3, j : j + 3], kernel, 2) + weights[1] for j in range(6)] for i in range(6)]
    )
    pooled = [responses[3 * i : 3 * i + 3, 3 * j : 3 * j + 3].max(axis=(0, 1)) for i in (0, 1) for j in (0, 1)]
    made = network.forward(weights, network.windows(image[None]))
    assert made.pooled[0] == pytest.approx(np.maximum(np.concatenate(pooled), 0.0), abs=1e-12)


def test_the_gradients_of_logistic_regression_are_the_slopes_of_its_loss() -> None:
    division = learning.cancer("test").standardised()
    accuracy, rows = training.LogisticAccuracy(division), np.arange(40)
    weights = [np.random.default_rng(2).normal(size=30), np.array([0.3])]

    def loss(moved: list[Array]) -> float:
        scores = division.train[rows] @ moved[0] + moved[1]
        return float(np.mean(np.log1p(np.exp(-np.where(division.train_labels[rows] == 1, scores, -scores)))))

    for layer, gradient in enumerate(accuracy.gradients(weights, rows)):
        for place in np.ndindex(gradient.shape):
            assert gradient[place] == pytest.approx(slope(loss, weights, layer, place), abs=SLOPE_TOLERANCE)


def test_an_epoch_takes_every_row_once_and_the_rate_decays() -> None:
    schedule = Schedule(batch_size=4, learning_rate=0.1, decay=0.5)
    batches = list(schedule.batches(10, epochs=2))
    assert [len(rows) for rows in batches] == [4, 4, 2, 4, 4, 2]
    assert sorted(np.concatenate(batches[:3])) == list(range(10))
    assert [schedule.rate(step) for step in (0, 1, 2)] == pytest.approx([0.1, 0.1 / 1.5, 0.05])


def test_the_first_step_of_adam_is_the_learning_rate_in_the_direction_of_descent() -> None:
    schedule = Schedule(batch_size=1, learning_rate=0.1, decay=0.0)
    (weights,) = adam([np.zeros(3)], lambda weights, rows: [np.array([5.0, -0.01, 0.0])], schedule, 1, epochs=1)
    assert weights == pytest.approx([-0.1, 0.1, 0.0], abs=1e-6)


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(MissingPackageError, match="Belated's extra 'problems' brings it"):
        learning.scikit_learn("build('svm-cancer')", "svm")

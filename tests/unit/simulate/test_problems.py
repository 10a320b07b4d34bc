"""The registry of problems, and what a problem must be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from belated import Choice, Int, Space
from belated.errors import ParameterError, PointError, UnknownNameError
from belated.simulate import problems
from belated.simulate.problems import laboratory
from tests.tables import FOLDER, needs_tables

FETCHED = {"peptides", "portfolio-normal", "portfolio-uniform", "svm-diabetes", "svm-diabetes-growing", "svm-tasks"}
NETWORKS = {"network-cancer", "network-digits", "network-iris", "network-wine"}
TRAINED = {"cnn-digits", "logistic-cancer", "svm-cancer", "svm-diabetes", "svm-diabetes-growing", *NETWORKS}


@pytest.fixture(autouse=True)
def _scikit_learn_where_it_is_needed(request: pytest.FixtureRequest) -> None:
    """Skip what trains a learner where the extra `problems` is not installed."""
    if getattr(request.node, "callspec", None) and request.node.callspec.params.get("name") in TRAINED:
        pytest.importorskip("sklearn", reason="needs scikit-learn, of the extra `problems`")


@pytest.mark.parametrize("name", sorted(set(problems.names()) - FETCHED))
def test_a_problem_goes_by_its_name(name: str) -> None:
    problem = problems.build(name, seed=2)
    assert problem.name.startswith(name)
    assert problem.description


@needs_tables
@pytest.mark.parametrize("name", sorted(FETCHED))
def test_a_problem_of_a_fetched_table_goes_by_its_name(name: str) -> None:
    problem = problems.build(name, data=str(FOLDER))
    assert problem.name == name
    assert problem.description


def test_every_problem_says_in_one_line_what_it_is() -> None:
    for name in problems.names():
        line = problems.describe(name)
        assert line.endswith(".")
        assert len(line) <= 112


def test_a_trailing_number_is_the_dimension() -> None:
    assert problems.build("levy-7").space == problems.build("levy", dimension=7).space
    assert problems.describe("levy-7") == problems.describe("levy")


def test_an_unknown_problem_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(UnknownNameError, match="'branin'"):
        problems.build("brainin")
    with pytest.raises(UnknownNameError, match="no problem"):
        problems.describe("nothing like it")
    with pytest.raises(UnknownNameError, match="'branin'"):
        problems.build("branin-2")


def test_a_parameter_that_a_problem_has_not_is_refused_with_those_it_has() -> None:
    with pytest.raises(ParameterError, match="its parameters are dimension"):
        problems.build("levy", size=3)
    with pytest.raises(ParameterError, match="its parameters are none"):
        problems.build("branin", dimension=3)


@pytest.mark.parametrize("name", ["ackley", "ackley-unit", "levy", "michalewicz", "rosenbrock", "zakharov"])
@pytest.mark.parametrize("dimension", [0, -1, 101, 2.5, True, "3"])
def test_a_dimension_that_is_no_count_up_to_a_hundred_is_refused(name: str, dimension: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name}\\(dimension="):
        problems.build(name, dimension=dimension)


def test_a_valley_needs_two_dimensions_to_bend() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        problems.build("rosenbrock-1")


def test_a_name_is_given_once() -> None:
    with pytest.raises(ParameterError, match="taken"):
        problems.problem("branin")(problems.analytic.hartmann3)


@pytest.mark.parametrize(
    "change",
    [
        {"space": "a box"},
        {"objective": 3.0},
        {"goal": "maximise"},
        {"noise": -1.0},
        {"noise": np.nan},
        {"optimum": np.inf},
        {"worst": 0.0},
        {"worst": np.inf},
    ],
)
def test_a_problem_that_makes_no_sense_is_refused(change: Mapping[str, Any]) -> None:
    with pytest.raises(ParameterError, match="Problem\\('branin'\\)"):
        replace(problems.build("branin"), **change)


def test_an_optimum_outside_the_space_is_refused() -> None:
    with pytest.raises(PointError, match="optimum_point"):
        replace(problems.build("branin"), optimum_point={"x": 11.0, "y": 0.0})


def test_the_laboratory_is_a_mixed_space() -> None:
    space = problems.build("coupling").space
    assert isinstance(space, Space)
    assert isinstance(space["solvent"], Choice)
    assert isinstance(space["steps"], Int)


def test_the_yield_where_both_reactions_are_equally_fast_is_the_limit() -> None:
    near = laboratory._relative_gain(np.array([0.0, 1e-13, 1e-6, -1e-6]))
    assert near == pytest.approx([1.0, 1.0, 1.0, 1.0], abs=1e-6)

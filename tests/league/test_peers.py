"""Peers ask points of the space, the same for the same seed, and their libraries hear of all that is asked and told."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.experiments.league.peers import PEERS, Peer
from belated.experiments.league.peers.rows import TableRows
from belated.space import Candidates, Choice, Context, Domain, Float, Int, Space
from tests.builders import box
from tests.tolerance import ROUNDING

# What other libraries warn of is theirs.
pytestmark = pytest.mark.filterwarnings("ignore")

SPACE = Space(
    rate=Float(1e-4, 1.0, log=True), width=Int(1, 40), rows=Int(1, 1000, log=True), kind=Choice("a", "b", "c")
)
ROWS = [
    {"x": 0.1 * place, "steps": place % 4, "kind": "abc"[place % 3], "same": 1, "on": place % 2 == 0}
    for place in range(30)
]
SPACES: dict[str, Callable[[], Any]] = {"box": box, "mixed": lambda: SPACE, "table": lambda: Candidates(ROWS)}
BY_NAME = {peer.name: peer for peer in PEERS}
# BoTorch, Ax and bayesian-optimization begin with ten, five and five points of a design: a few of their own come after.
ROUNDS = 13


def made(name: str, space: Any, goal: str = "maximize", seed: int = 3, **given: Any) -> Any:
    """A peer, where its packages are installed: all but Optuna come with the extra `bench` alone."""
    peer = BY_NAME[name]
    for package in peer.packages:
        pytest.importorskip(package)
    module, _, found = peer.where.rpartition(":")
    return getattr(import_module(module), found)(*peer.arguments, space, goal, seed=seed, queries=40, **given)


def value(point: Mapping[str, Any]) -> float:
    """Any function of a point."""
    return sum(len(one) if isinstance(one, str) else math.cos(3.0 * one) for one in point.values())


def fate(number: int) -> str:
    """Of the n-th query: lost, impossible there, or answered."""
    return "lost" if number % 5 == 4 else "failed" if number % 7 == 2 else "answered"


def played(optimizer: Any, rounds: int = ROUNDS, late: int = 3) -> tuple[list[Any], list[Any]]:
    """All that was asked, and what of it was answered, so many rounds late, and of two the last first."""
    asked: list[Any] = []
    answered: list[Any] = []
    for number in range(rounds):
        due = [number - late, number - late - 1] if number % 2 else []
        for place in (one for one in due if one >= 0):
            if fate(place) == "failed":
                optimizer.fail(asked[place])
            elif fate(place) == "answered":
                optimizer.tell(asked[place], value(asked[place]))
                answered.append(asked[place])
        asked.append(optimizer.ask())
    return asked, answered


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("name", BY_NAME)
def test_a_peer_plays_with_answers_that_are_late_lost_and_failures(name: str, space: str) -> None:
    domain: Domain = SPACES[space]()
    optimizer = made(name, domain)
    asked, answered = played(optimizer)
    for point in asked:
        assert domain.read(point) == point
    found = optimizer.recommend()
    assert any(found == point for point in answered)
    if space == "table" and not name.startswith("botorch"):
        assert len({point["x"] for point in asked}) == ROUNDS  # no row twice


@pytest.mark.parametrize("name", BY_NAME)
def test_a_peer_asks_the_same_again_for_the_same_seed(name: str) -> None:
    assert played(made(name, SPACE))[0] == played(made(name, SPACE))[0]


@pytest.mark.parametrize("name", BY_NAME)
def test_a_peer_names_the_best_answer_of_a_design_whichever_way_is_better(name: str) -> None:
    for goal, wanted in (("maximize", 2.0), ("minimize", -2.0)):
        optimizer = made(name, box(), goal)
        asked = [optimizer.ask() for _ in range(5)]
        assert optimizer.recommend() is None
        for answer, point in zip((0.0, -1.0, 2.0, -2.0, 1.0), asked, strict=True):
            optimizer.tell(point, answer)
        assert optimizer.recommend() == asked[2 if wanted > 0 else 3]


# How many of its queries a library believes to be under way.
WAITING: dict[str, Callable[[Any], int]] = {
    "botorch-qlognei": lambda peer: len(peer._units) - len(peer._values),
    "botorch-qucb": lambda peer: len(peer._units) - len(peer._values),
    "ax": lambda peer: len(peer._client._experiment.running_trial_indices),
    "optuna-gp": lambda peer: len(running(peer._study)),
    "optuna-tpe": lambda peer: len(running(peer._study)),
    "smac": lambda peer: len(peer._smac.runhistory.get_running_trials()),
    "bayes-opt": lambda peer: len(peer._liar.dummies),
}


def running(study: Any) -> list[Any]:
    from optuna.trial import TrialState

    found: list[Any] = study.get_trials(deepcopy=False, states=(TrialState.RUNNING,))
    return found


@pytest.mark.parametrize("space", ["box", "table"])
@pytest.mark.parametrize("name", BY_NAME)
def test_the_library_of_a_peer_knows_what_is_pending(name: str, space: str) -> None:
    optimizer = made(name, SPACES[space]())
    asked = [optimizer.ask() for _ in range(6)]
    for point in (asked[4], asked[0]):
        optimizer.tell(point, value(point))
    optimizer.fail(asked[2])
    optimizer.ask()
    # In BoTorch what failed stays pending; in SMAC a suggestion that went to a row of a table does, beside no row.
    expected = {"botorch-qlognei": 5, "botorch-qucb": 5, "smac": 4 if space == "box" else 7}.get(name, 4)
    assert WAITING[name](optimizer) == expected


@pytest.mark.parametrize("space", ["mixed", "table"])
@pytest.mark.parametrize("name", [peer.name for peer in PEERS if "before" in peer.contexts])
def test_a_peer_decides_in_a_context_that_it_is_given(name: str, space: str) -> None:
    domain: Domain = SPACES[space]()
    optimizer = made(name, domain, context=Context(hour=Float(0.0, 24.0), seen="before"))
    for hour in range(12):
        context = {"hour": float(hour)}
        point = optimizer.ask(context)
        assert domain.read(point) == point
        optimizer.tell(point, math.sin(hour), context)
    assert domain.read(optimizer.recommend({"hour": 7.5}))


@pytest.mark.parametrize("peer", PEERS, ids=list(BY_NAME))
def test_the_list_of_peers_says_of_contexts_what_their_classes_say(peer: Peer) -> None:
    for package in peer.packages:
        pytest.importorskip(package)
    module, _, found = peer.where.rpartition(":")
    assert getattr(import_module(module), found).contexts == peer.contexts


def test_a_suggestion_on_a_table_goes_to_the_nearest_row_that_was_not_asked() -> None:
    rows = TableRows(
        Candidates([{"x": 0.0, "k": "a"}, {"x": 1.0, "k": "a"}, {"x": 10.0, "k": "b"}, {"x": 2.0, "k": "b"}])
    )
    wanted = {"x": 0.9, "k": "a"}
    assert [rows.take(wanted)["x"] for _ in range(4)] == [1.0, 0.0, 2.0, 10.0]
    assert rows.take(wanted) == {"x": 1.0, "k": "a"}  # all were asked: from the start


def test_a_table_is_a_box_of_those_of_its_columns_that_vary() -> None:
    rows = TableRows(Candidates(ROWS))
    assert rows.box.names == ("x", "steps", "kind", "on")
    assert (rows.box["steps"], rows.box["kind"]) == (Float(0, 3), Choice("a", "b", "c"))
    assert rows.suggestion(ROWS[4]) == {"x": 0.4, "steps": 0.0, "kind": "b", "on": True}
    assert all(rows.take(rows.suggestion(row)) == row for row in ROWS)


def test_optuna_is_given_scales_whole_numbers_and_choices() -> None:
    library = pytest.importorskip("optuna.distributions")
    from belated.experiments.league.peers.optuna import distribution

    assert distribution(SPACE["rate"]) == library.FloatDistribution(1e-4, 1.0, log=True)
    assert distribution(SPACE["rows"]) == library.IntDistribution(1, 1000, log=True)
    assert distribution(SPACE["kind"]) == library.CategoricalDistribution(("a", "b", "c"))


def test_ax_is_given_scales_whole_numbers_and_choices() -> None:
    pytest.importorskip("ax")
    from belated.experiments.league.peers.ax import config

    rate, rows, kind = (config(name, SPACE[name]) for name in ("rate", "rows", "kind"))
    assert (rate.bounds, rate.parameter_type, rate.scaling) == ((1e-4, 1.0), "float", "log")
    assert (rows.bounds, rows.parameter_type, rows.scaling) == ((1, 1000), "int", "log")
    assert (kind.values, kind.parameter_type, kind.is_ordered) == (["a", "b", "c"], "str", False)


def test_smac_is_given_scales_whole_numbers_and_choices_and_a_process_for_few_real_numbers() -> None:
    pytest.importorskip("smac")
    from smac import BlackBoxFacade, HyperparameterOptimizationFacade

    from belated.experiments.league.peers.smac import hyperparameter

    rate, rows, kind = (hyperparameter(name, SPACE[name]) for name in ("rate", "rows", "kind"))
    assert (rate.lower, rate.upper, rate.log) == (1e-4, 1.0, True)
    assert (rows.lower, rows.upper, rows.log) == (1, 1000, True)
    assert tuple(kind.choices) == ("a", "b", "c")
    assert isinstance(made("smac", box())._smac, BlackBoxFacade)
    assert isinstance(made("smac", SPACE)._smac, HyperparameterOptimizationFacade)


def test_numbers_for_bayesian_optimization_come_back_as_the_values_they_stand_for() -> None:
    pytest.importorskip("bayes_opt")
    from belated.experiments.league.peers.bayes_opt import bounds, numbers
    from belated.experiments.league.peers.bayes_opt import value as back

    for unit in SPACE.sample(40, np.random.default_rng(3)):
        point = SPACE.decode(unit)
        for name in SPACE.names:
            given = numbers(name, SPACE[name], point[name])
            assert all(low <= given[key] <= high for key, (low, high) in bounds(name, SPACE[name]).items())
            found = back(name, SPACE[name], given)
            assert found == point[name] if isinstance(found, str | int) else math.isclose(found, point[name])


def test_whole_numbers_and_choices_stand_in_botorch_where_answers_have_them() -> None:
    optimizer = made("botorch-qlognei", SPACE)
    for unit in SPACE.sample(20, np.random.default_rng(3)):
        for column in (1, 2, 3):
            assert np.min(np.abs(np.array(optimizer._grid(column)) - unit[column])) == 0.0
    assert_allclose(optimizer._grid(3), [1 / 6, 1 / 2, 5 / 6], atol=ROUNDING)

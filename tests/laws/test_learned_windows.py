"""Every policy that has a window learns it, if it is told to, and decides by the log alone."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from belated import policies
from belated.beliefs import GP
from belated.errors import ParameterError
from belated.log import FOREVER, Query, Window
from belated.pending import Censor, Hallucinate, Ignore, Nearest
from belated.policies import Recipe, build, from_json, gp_bucb, gp_ucb_sdf, with_window
from belated.rules import Delayed, UpperBound
from belated.simulate import run
from belated.space import Context, Float
from belated.study import Study, differences
from tests.builders import ACROSS, Clock, table

WINDOWED = [
    name
    for name in policies.names()
    if "window" in inspect.signature(getattr(policies, name.replace("-", "_"))).parameters
]
QUICK: dict[str, dict[str, Any]] = {
    "sm-ucb": {"batch": 3, "paths": 3},
    "sm-mei": {"batch": 3, "paths": 3},
    "drbo-kde": {"samples": 40, "infimum": 10},
    "drbo-mmd-minimax": {"grid": 40},
}
KNOWN = GP(lengthscale=0.2, variance=1.0, noise=0.01, mean="zero")
DEMAND = Context(demand=Float(0.0, 1.0), seen="after")
LOSSES = "lost(0.3, poisson(3))"


def with_losses(recipe: Recipe, rounds: int, context: Context | None = None) -> Study:
    """One ask a round; of the answers, which take two rounds, every fourth never comes."""
    clock = Clock()
    study = Study.in_memory(table(), policy=recipe, seed=1, context=context, clock=clock)
    due: dict[int, int] = {}
    for number in range(rounds):
        clock.now = float(number)
        if number in due:
            seen = {"demand": 0.1 * (number % 10)} if context else None
            study.tell(due[number], 0.1 * (due[number] % 7), context=seen)
        query = study.ask()
        if isinstance(query, Query) and query.id % 4:
            due[number + 2] = query.id
    return study


@pytest.mark.parametrize("name", WINDOWED)
def test_a_study_that_learns_its_window_is_asked_again_the_same(name: str) -> None:
    recipe = build(name, window="auto", belief=KNOWN, **QUICK.get(name, {}))
    assert recipe.learns_window
    study = with_losses(recipe, rounds=16, context=DEMAND if name in ACROSS else None)
    assert study.policy.window != FOREVER
    assert study.recipe == recipe
    assert study.recipe.learns_window
    assert not list(differences(study.events, forgetful=True))


@pytest.mark.parametrize("name", ["sm-ucb", "hbbo-mei"])
def test_a_policy_that_waits_for_answers_does_not_wait_for_ever_for_one_that_is_lost(name: str) -> None:
    recipe = build(name, window="auto", belief=KNOWN, **({"maximum": 2} if name == "hbbo-mei" else QUICK[name]))
    learns, stays = with_losses(recipe, 60), with_losses(with_window(recipe, 10**6), 60)
    assert stays.record().counts.asked <= 10
    assert learns.record().counts.asked > 20


def test_there_are_policies_with_windows() -> None:
    assert {"gp-bucb", "gp-ucb-sdf", "gp-ts-sdf", "gp-bts", "hbbo-mei"} <= set(WINDOWED)


@pytest.mark.parametrize("kind", [Ignore, Hallucinate, Nearest, Censor])
def test_every_treatment_can_learn_its_window(kind: type) -> None:
    recipe = policies.sbo_kde(treatment=kind(), window="auto")
    assert recipe.learns_window
    assert recipe.beginning(table(), DEMAND).window == FOREVER
    assert from_json(recipe.to_json()) == recipe
    study = with_losses(policies.sbo_kde(treatment=kind(), window="auto", belief=KNOWN, samples=8), 24, DEMAND)
    assert isinstance(study.policy.treatment, kind)
    assert study.policy.window != FOREVER


@pytest.mark.parametrize("kind", [Ignore, Hallucinate, Nearest, Censor])
def test_a_log_of_the_first_version_has_the_window_to_learn_within_the_treatment(kind: type) -> None:
    written = {"part": kind.__name__, "window": {"part": "Learned"}}
    recipe = from_json({"name": "sbo-kde", "parameters": {"treatment": written}})
    assert recipe.learns_window
    assert recipe.beginning(table(), DEMAND).treatment == kind()
    assert recipe.to_json() == {"name": "sbo-kde", "parameters": {"treatment": written}}
    assert from_json(recipe.to_json()) == recipe
    learning = with_losses(policies.sbo_kde(treatment=kind(), window="auto", belief=KNOWN), 24, DEMAND)
    composed = recipe.compose(learning.evidence(), learning.now())
    assert composed.treatment == learning.policy.treatment


def test_the_window_moves_as_the_log_grows_and_all_parts_have_the_same() -> None:
    seen: list[Window] = []

    def watch(number: int, study: Study) -> None:
        policy = study.policy
        seen.append(policy.window)
        assert isinstance(policy.rule, UpperBound)
        assert isinstance(policy.rule.width, Delayed)
        assert policy.rule.width.window == policy.window

    run("gp-se", gp_ucb_sdf(window="auto", belief=KNOWN), "poisson(5)", rounds=60, seed=1, watch=watch)
    assert seen[0] == FOREVER
    assert len({window.queries for window in seen}) > 3
    assert 8 <= (seen[-1].queries or 0) <= 14


def test_a_query_is_overdue_by_the_window_that_was_learned() -> None:
    study = run("gp-se", gp_bucb(window="auto", belief=KNOWN), LOSSES, rounds=60, seed=2).study
    longest = study.policy.window.queries
    assert longest is not None
    overdue = [query for query in study.pending() if query.state == "overdue"]
    assert overdue == [query for query in study.record().pending() if query.state == "overdue"]
    assert [query.id for query in overdue] == [query.id for query in study.pending() if 60 - query.number > longest]
    assert overdue


def test_the_window_can_be_changed_to_a_learned_one_and_back() -> None:
    study = Study.in_memory(table(), policy="gp-bucb", seed=1)
    study.change(window="auto")
    assert study.recipe == gp_bucb(window="auto")
    study.change(window=7)
    assert study.policy.window == Window(queries=7)
    assert with_window(policies.sbo_kde(), "auto").learns_window


@pytest.mark.parametrize("build_policy", [gp_bucb, gp_ucb_sdf])
def test_a_window_that_is_no_window_is_refused(build_policy: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        build_policy(window="long")
    assert str(caught.value) == (
        f"{build_policy.__name__}(window='long'): a window is a number of queries, a bl.Window, or, for a policy, "
        f"'auto' to learn it from the delays so far; give one."
    )

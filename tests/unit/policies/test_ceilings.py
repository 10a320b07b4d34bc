"""Numbers that cost memory or time have a ceiling, with its reason; those that cost nothing have not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated.beliefs import Ensemble, Features
from belated.beliefs.fitting.hyperlaws import Weak
from belated.beliefs.fitting.posterior import MOST_DRAWN, hyperparameter_draws
from belated.contexts import Known
from belated.errors import BelatedError, CapacityError, ParameterError, SpaceError
from belated.log import Created, Event
from belated.policies import Recipe
from belated.study import Study
from belated.study.arguments import MOST_COLUMNS, MOST_PARAMETERS
from tests.builders import Clock

HUGE = 10**9
SCORED = "points are scored in every context; give no more."
MATRIX = "its contexts have a matrix of that many rows and columns; give no more."
SEARCHED = "a search is made for every point of each run; give no more."
POLICIES = bl.policies
REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "sbo-kde samples": (
        lambda: POLICIES.sbo_kde(samples=HUGE),
        f"sbo_kde(): Expectation(samples={HUGE}): samples must be at most 10000; {SCORED}",
    ),
    "drbo-kde samples": (
        lambda: POLICIES.drbo_kde(samples=10_001),
        f"drbo_kde(): DensityBall(samples=10001): samples must be at most 10000; {SCORED}",
    ),
    "drbo-kde infimum": (
        lambda: POLICIES.drbo_kde(infimum=HUGE),
        f"drbo_kde(): DensityBall(infimum={HUGE}): infimum must be at most 10000; {SCORED}",
    ),
    "stableopt samples": (
        lambda: POLICIES.stableopt(samples=HUGE),
        f"stableopt(): WithinDeviation(samples={HUGE}): samples must be at most 10000; {SCORED}",
    ),
    "drbo-mmd grid": (
        lambda: POLICIES.drbo_mmd(grid=HUGE),
        f"drbo_mmd(): MeanDiscrepancyBall(grid={HUGE}): grid must be at most 4096; {MATRIX}",
    ),
    "drbo-mmd-minimax grid": (
        lambda: POLICIES.drbo_mmd_minimax(grid=4097),
        f"drbo_mmd_minimax(): MinimaxDiscrepancy(grid=4097): grid must be at most 4096; {MATRIX}",
    ),
    "sm-ucb paths": (
        lambda: POLICIES.sm_ucb(paths=HUGE),
        f"sm_ucb(): Match(paths={HUGE}): paths must be at most 500; {SEARCHED}",
    ),
    "sm-ucb batch": (
        lambda: POLICIES.sm_ucb(batch=HUGE),
        f"sm_ucb(): Match(batch={HUGE}): batch must be at most 500; {SEARCHED}",
    ),
    "sm-mei batch times paths": (
        lambda: POLICIES.sm_mei(batch=20, paths=26),
        "sm_mei(): Match(batch=20, paths=26): batch times paths must be at most 500; each takes a search; "
        "give no more.",
    ),
    "gp-aucb minimum": (
        lambda: POLICIES.gp_aucb(minimum=HUGE),
        f"gp_aucb(): InformationLimited(minimum={HUGE}): minimum must be at most 1024; what so many queries would "
        f"tell is computed step by step; give no more.",
    ),
    "gp-bucb initial": (
        lambda: POLICIES.gp_bucb(initial=HUGE),
        f"gp_bucb(initial={HUGE}): initial must be at most 10000; it is drawn as a whole; give no more.",
    ),
    "Known": (
        lambda: Known([{"c": place} for place in range(10_001)]),
        f"Known(10001 contexts): their number must be at most 10000; {SCORED}",
    ),
    "Ensemble": (
        lambda: Ensemble(tuple(bl.GP(refit=place + 1) for place in range(101))),
        "Ensemble(101 members): their number must be at most 100; each is fitted and read by itself; give no more.",
    ),
}


@pytest.mark.parametrize(("build", "message"), REFUSED.values(), ids=list(REFUSED))
def test_a_number_that_costs_memory_or_time_is_refused_at_once_with_the_rule_and_its_reason(
    build: Callable[[], object], message: str
) -> None:
    began = time.process_time()
    with pytest.raises(ParameterError) as caught:
        build()
    assert str(caught.value) == message
    assert time.process_time() - began < 1.0


LARGEST = {
    "sbo-kde": {"samples": 10_000},
    "drbo-kde": {"samples": 10_000, "infimum": 10_000},
    "stableopt": {"samples": 10_000},
    "drbo-mmd": {"grid": 4096},
    "drbo-mmd-minimax": {"grid": 4096},
    "sm-ucb": {"batch": 50, "paths": 10},
    "gp-aucb": {"minimum": 1024},
    "gp-bucb": {"initial": 10_000},
}


@pytest.mark.parametrize(("name", "parameters"), LARGEST.items(), ids=list(LARGEST))
def test_the_ceiling_itself_is_taken(name: str, parameters: dict[str, int]) -> None:
    made = bl.policies.build(name, **parameters)
    assert made.parameters == parameters


NEEDED = {"bpe": {"horizon": 5}, "bpe-delay": {"horizon": 5}}
STATED = [
    (name, parameter, most) for name in bl.policies.names() for parameter, most in bl.policies.ceilings(name).items()
]


@pytest.mark.parametrize(("name", "parameter", "most"), STATED, ids=lambda part: str(part))
def test_a_ceiling_that_is_stated_is_the_one_that_holds(name: str, parameter: str, most: int) -> None:
    with pytest.raises(ParameterError, match=rf"={most + 1}\): \w+ must be at most {most}[;.]"):
        bl.policies.build(name, **{**NEEDED.get(name, {}), parameter: most + 1})


FREE: dict[str, Callable[[], Recipe]] = {
    "window": lambda: POLICIES.gp_bucb(window=HUGE),
    "gp-bucb-init batch": lambda: POLICIES.gp_bucb_init(batch=HUGE),
    "hbbo-ucb maximum": lambda: POLICIES.hbbo_ucb(maximum=HUGE),
    "refit": lambda: POLICIES.gp_ucb(belief=bl.GP(refit=HUGE)),
    "pacing": lambda: POLICIES.gp_ucb_blind(belief=bl.GP(refit=HUGE)),
}


@pytest.mark.parametrize("build", FREE.values(), ids=list(FREE))
def test_a_number_that_only_enters_a_formula_may_be_as_large_as_a_database_holds(build: Callable[[], Recipe]) -> None:
    study = Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy=build(), seed=1, clock=Clock())
    for query in study.ask(4) or []:
        study.tell(query, query.point["x"])
    began = time.process_time()
    study.ask()
    assert time.process_time() - began < 5.0


def test_an_elimination_of_a_billion_rounds_asks_at_once() -> None:
    table = bl.Candidates([{"x": place / 20} for place in range(21)])
    study = Study.in_memory(table, policy=POLICIES.bpe(horizon=HUGE), seed=1, clock=Clock())
    assert study.ask()


def test_features_that_no_machine_holds_are_refused_when_the_study_is_created() -> None:
    many = Ensemble(tuple(Features(bl.GP(refit=place + 1), 10_000) for place in range(100)))
    with pytest.raises(
        CapacityError, match=r"^Study.in_memory\(\): a set of 100 beliefs with 10,000 random features each takes"
    ):
        Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy=POLICIES.gp_ts(belief=many))


# Spaces.


def wide(count: int) -> bl.Space:
    return bl.Space.from_parameters({f"x{place}": bl.Float(0, 1) for place in range(count)})


def test_a_space_of_too_many_parameters_is_refused_and_the_most_are_taken() -> None:
    assert Study.in_memory(wide(MOST_PARAMETERS), policy="random", seed=1).ask()
    with pytest.raises(SpaceError) as caught:
        Study.in_memory(wide(MOST_PARAMETERS + 1))
    assert str(caught.value) == (
        "Study.in_memory(): got 301 parameters, those of a context included; there may be 300, since the cost of an "
        "ask grows with a power of their number; leave out those that matter least."
    )


def test_the_parameters_of_a_context_count_too() -> None:
    context = bl.Context(seen="before", c=bl.Float(0, 1), d=bl.Float(0, 1))
    with pytest.raises(SpaceError, match="got 301 parameters"):
        Study.in_memory(wide(MOST_PARAMETERS - 1), context=context)


def test_a_table_may_have_the_columns_of_a_fingerprint_and_no_more() -> None:
    def table(columns: int) -> bl.Candidates:
        return bl.Candidates([[float(row + column) for column in range(columns)] for row in range(3)])

    assert Study.in_memory(table(MOST_COLUMNS), policy="random", seed=1).ask()
    with pytest.raises(SpaceError, match=r"got 2,049 columns, .* there may be 2,048"):
        Study.in_memory(table(MOST_COLUMNS + 1))


# Logs from before.

AFTER = {"context": bl.Context(c=bl.Float(0, 1), seen="after")}
EARLIER: dict[str, tuple[str, dict[str, Any], dict[str, Any], str]] = {
    "samples": (
        "sbo-kde",
        {"samples": 50_000},
        AFTER,
        "sbo_kde(): Expectation(samples=50000): samples must be at most",
    ),
    "known": (
        "sbo-kde",
        {"law": {"part": "Known", "values": [[["c", place / 10_001]] for place in range(10_001)], "weights": None}},
        AFTER,
        "Known(10001 contexts): their number must be at most 10000",
    ),
    "paths": ("sm-ucb", {"paths": HUGE}, {}, f"sm_ucb(): Match(paths={HUGE}): paths must be at most 500"),
    "initial": ("gp-bucb", {"initial": 20_000}, {}, "gp_bucb(initial=20000): initial must be at most 10000"),
    "initial, with a window that is learned": (
        "gp-bucb",
        {"initial": 20_000, "window": "auto"},
        {},
        "gp_bucb(initial=20000): initial must be at most 10000",
    ),
    "initial, with a window that a part learns": (
        "gp-bucb",
        {"initial": 20_000, "width": {"part": "Delayed", "window": {"part": "Learned"}}},
        {},
        "gp_bucb(initial=20000): initial must be at most 10000",
    ),
    "initial of a policy that adapts": (
        "auto",
        {"initial": 20_000},
        {},
        "auto(initial=20000): initial must be at most 10000",
    ),
}


def earlier(name: str, parameters: dict[str, Any], context: dict[str, Any]) -> list[Event]:
    """The log of a study with a query under way, whose policy was created before there was a ceiling."""
    study = Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy=name, seed=1, clock=Clock(), **context)
    study.ask()
    first, *rest = study.events
    assert isinstance(first.body, Created)
    return [replace(first, body=replace(first.body, policy={"name": name, "parameters": parameters})), *rest]


@pytest.mark.parametrize(("name", "parameters", "context", "message"), EARLIER.values(), ids=list(EARLIER))
def test_a_log_with_a_number_past_its_ceiling_is_read_told_and_exported_and_only_asks_say_what_to_change(
    name: str, parameters: dict[str, Any], context: dict[str, Any], message: str, sqlite: str
) -> None:
    events = earlier(name, parameters, context)
    study = Study.restore(sqlite, "lab", events, clock=Clock())
    assert [query.id for query in study.pending()] == [1]
    assert study.recipe.to_json()["parameters"] == parameters
    study.tell(1, 0.5, **({"context": {"c": 0.3}} if context else {}))
    assert study.best().value == 0.5
    assert study.evidence().n_answered == 1
    assert name in repr(study)
    assert list(study.events[: len(events)]) == events
    point = study.best().point
    for decide in (study.ask, study.recommend, study.explain, lambda: study.expect([point])):
        began = time.process_time()
        with pytest.raises(BelatedError, match=f"^{re.escape(message)}.*change\\(policy=…\\)") as caught:
            decide()
        assert isinstance(caught.value, ParameterError)
        assert time.process_time() - began < 2.0
    study.change(policy=name)
    assert study.ask()


def test_a_change_to_a_number_past_its_ceiling_is_refused_and_changes_nothing() -> None:
    study = Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=1, clock=Clock())
    before = study.events
    with pytest.raises(ParameterError, match="paths must be at most 500"):
        study.change(policy=bl.policies.from_json({"name": "sm-ucb", "parameters": {"paths": HUGE}}))
    assert study.events == before


def test_so_many_draws_of_hyperparameters_are_not_made_at_once() -> None:
    with pytest.raises(ParameterError, match=f"count must be at most {MOST_DRAWN}; the walkers take steps for each"):
        hyperparameter_draws(
            np.zeros((2, 1)),
            np.zeros(2),
            bl.beliefs.SimpleKernel(bl.beliefs.FORMS["se"], 1.0, (0.5,)),
            law=Weak(),
            mean=0.0,
            count=MOST_DRAWN + 1,
            seed=1,
        )

"""What every policy must survive: degenerate data, degenerate spaces, and the loss of its memory."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.beliefs import GP, FullyBayesian
from belated.errors import NoAnswerError
from belated.log import Balk, Query
from belated.policies import Recipe, build, from_json, gp_bucb, names
from belated.space import Candidates, Choice, Float, Int, Space
from belated.study import Recommendation, Study, differences
from tests.builders import ACROSS, Clock, Domain, batch_of, box, mixed, mixed_table, table
from tests.pairs import every_pair, first, in_turn

PARAMETERS: dict[str, dict[str, Any]] = {
    "bpe": {"horizon": 40},
    "bpe-delay": {"horizon": 40, "mean_delay": 1.0, "xi": 1.0, "b": 0.2},
    "sm-ucb": {"batch": 3, "paths": 3},
    "sm-mei": {"batch": 3, "paths": 3},
}
ON_TABLES_ONLY = ("bpe", "bpe-delay", "gp-aucb-local")
EVERY = [name for name in names() if name not in ACROSS]
EVERYWHERE = [name for name in EVERY if name not in ON_TABLES_ONLY]
# One of each kind of decision: mean and deviation, draw, improvement, censoring, deviation alone.
KINDS = ["gp-bucb", "gp-ts", "gp-ei", "gp-ucb-sdf", "gp-ts-sdf", "uncertainty"]
SPACES: dict[str, Callable[[], Domain]] = {"table": table, "mixed table": mixed_table, "box": box, "mixed": mixed}
every_policy = pytest.mark.parametrize("name", EVERY)
each_kind = pytest.mark.parametrize("name", KINDS)


def made(name: str, **parameters: Any) -> Recipe:
    return build(name, **{**PARAMETERS.get(name, {}), **parameters})


def study_of(name: str, space: Domain, seed: int = 1, **parameters: Any) -> Study:
    """A study that says nothing of its own: odd answers and beliefs are meant here."""
    return Study.in_memory(space, policy=made(name, **parameters), seed=seed, clock=Clock(), notices=False)


def wave(space: Domain, point: dict[str, Any]) -> float:
    return math.sin(4.0 * float(space.encode(point).sum()))


def go_on(study: Study, n: int, scale: float = 1.0, shift: float = 0.0) -> list[dict[str, Any]]:
    """n queries, two of three answered at once; a policy that balks gets its answers."""
    points: list[dict[str, Any]] = []
    while len(points) < n:
        query = study.ask()
        if isinstance(query, Balk):
            waiting = study.pending()
            assert waiting, query.reason
            study.tell(waiting[0].id, shift + scale * wave(study.space, waiting[0].point))
            continue
        points.append(query.point)
        if len(points) % 3:
            study.tell(query.id, shift + scale * wave(study.space, query.point))
    return points


# Memory and the log.


@pytest.mark.parametrize(
    "name, domain",
    # On tables and in mixed spaces the whole lives of test_replay.py show it too, of every policy.
    [pytest.param(name, "mixed table", marks=() if name in KINDS else pytest.mark.slow) for name in EVERY]
    + [(name, "box") for name in EVERYWHERE]
    + [(name, "mixed") for name in EVERYWHERE if name.startswith("sm-")],
)
def test_a_process_that_has_just_started_asks_the_same_bit_for_bit(name: str, domain: str) -> None:
    space = SPACES[domain]()
    # Past the initial design, which has as many queries as parameters and two more.
    study = study_of(name, space, seed=7, **({"batch": 2, "paths": 2} if name.startswith("sm-") else {}))
    go_on(study, 6)
    study.abandon(study.pending()[0].id, "lost")
    go_on(study, 2)
    assert list(differences(study.events, forgetful=True)) == []


@every_policy
def test_a_policy_is_rebuilt_from_its_recipe(name: str) -> None:
    recipe = made(name)
    assert recipe.name == name
    again = from_json(recipe.to_json())
    assert again == recipe
    # Recipes are compared by what is written; what they compose is the same too.
    assert again.beginning(table()) == recipe.beginning(table())


# Degenerate spaces.


@pytest.mark.parametrize("name", [name for name in EVERY if name != "auto"])
def test_a_table_of_one_candidate_is_asked_again_and_again(name: str) -> None:
    study = study_of(name, Candidates([{"heat": 20.0, "solvent": "water"}]))
    assert go_on(study, 6) == [{"heat": 20.0, "solvent": "water"}] * 6
    assert study.recommend().point == {"heat": 20.0, "solvent": "water"}


def test_a_table_of_one_candidate_is_asked_once_where_repeats_must_be_worth_it() -> None:
    study = study_of("auto", Candidates([{"heat": 20.0, "solvent": "water"}]))
    assert go_on(study, 1) == [{"heat": 20.0, "solvent": "water"}]
    assert isinstance(study.ask(), Balk)


@pytest.mark.parametrize("name", [name for name in EVERYWHERE if name != "auto"])
def test_a_space_of_one_level_is_asked_again_and_again(name: str) -> None:
    study = study_of(name, Space(solvent=Choice("water"), steps=Int(3, 3)))
    assert go_on(study, 6) == [{"solvent": "water", "steps": 3}] * 6


def test_a_space_of_one_level_is_asked_once_where_repeats_must_be_worth_it() -> None:
    study = study_of("auto", Space(solvent=Choice("water"), steps=Int(3, 3)))
    assert go_on(study, 1) == [{"solvent": "water", "steps": 3}]
    assert isinstance(study.ask(), Balk)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_space_with_one_real_parameter_among_constants_works(name: str) -> None:
    study = study_of(name, Space(solvent=Choice("water"), heat=Float(-5.0, 80.0), steps=Int(3, 3)))
    points = go_on(study, 6)
    assert len({point["heat"] for point in points}) > 1


@every_policy
def test_a_table_of_labels_alone_works(name: str) -> None:
    rows = [{"a": a, "b": b} for a in "xyz" for b in "uvw"]
    points = go_on(study_of(name, Candidates(rows)), 7)
    assert all(point in rows for point in points)


# Degenerate answers.


@every_policy
@pytest.mark.parametrize("n_answers", [0, 1])
def test_no_answer_and_one_answer_are_enough_to_ask(name: str, n_answers: int) -> None:
    domain = table()
    study = study_of(name, domain)
    for _ in range(n_answers):
        study.add(domain.point(3), 4.2)
    queries = batch_of(study, 2)
    assert queries
    assert all(isinstance(query, Query) for query in queries)
    if not n_answers:
        with pytest.raises(NoAnswerError, match=r"recommend\(\)"):
            study.recommend()
        return
    recommended = study.recommend()
    assert recommended.mean == pytest.approx(4.2, abs=max(0.5, drawn_error(name, recommended)))
    assert math.isfinite(recommended.deviation)


def drawn_error(name: str, recommended: Recommendation) -> float:
    """How far a mean over draws of hyperparameters, the prior mean among them, may be from what is expected."""
    draws = FullyBayesian().draws
    return 4.0 * recommended.deviation / draws**0.5 if name == "fb-gp-ts" else 0.0


@in_turn(name=EVERY, value=[0.0, -7.5, 1e12, -1e-12])
def test_constant_values_are_believed(name: str, value: float) -> None:
    domain = table()
    study = study_of(name, domain)
    for row in range(12):
        study.add(domain.point(row), value)
    assert study.ask()
    recommended = study.recommend()
    assert recommended.mean == pytest.approx(value, rel=1e-6, abs=max(1e-6, drawn_error(name, recommended)))


@every_policy
def test_many_answers_at_one_point_are_averaged(name: str) -> None:
    domain = table()
    study = study_of(name, domain)
    rng = np.random.default_rng(3)
    values = rng.standard_normal(40)
    for value in values:
        study.add(domain.point(5), float(value))
    assert study.ask()
    belief = study.policy.moment(study.evidence(), 1000.0, 1, study._knowledge.memory).known
    mean, deviation = belief.moments(domain.table[[5]])
    assert mean[0] == pytest.approx(values.mean(), abs=0.5)
    assert 0.0 <= deviation[0] < 1.0


@every_pair(name=KINDS, scale=[1e-12, 1e12], make=[table, mixed])
def test_tiny_and_huge_values_are_optimised_like_any_other(name: str, scale: float, make: Callable[[], Domain]) -> None:
    space = make()
    study = study_of(name, space)
    points = go_on(study, 9, scale=scale)
    assert len({str(point) for point in points}) > 3
    best = study.best()
    assert abs(best.value) <= scale
    recommended = study.recommend()
    assert -1.5 * scale <= recommended.mean <= 1.5 * scale
    assert 0.0 <= recommended.deviation <= 10.0 * scale


@each_kind
@pytest.mark.parametrize("power", [-40, 40])
def test_values_in_another_unit_lead_to_the_same_rows(name: str, power: int) -> None:
    # By a power of two, so that not even the rounding differs.
    domain = table()
    first, second = (go_on(study_of(name, domain), 14, scale=scale) for scale in (1.0, 2.0**power))
    assert first == second


@pytest.mark.parametrize("name", ["gp-bucb", "gp-ei", "gp-ts"])
def test_small_differences_on_a_huge_level_are_still_seen(name: str) -> None:
    domain = Candidates(np.linspace(3.0, 9.0, 200)[:, None])
    recommended = []
    for shift in (0.0, 1e12):
        study = study_of(name, domain)
        for row in range(0, 200, 9):
            study.add(domain.point(row), shift + math.sin(3.0 * float(domain.table[row, 0])))
        assert study.ask()
        recommended.append(study.recommend())
    heights = [entry.point["x0"] for entry in recommended]
    assert heights[0] == pytest.approx(3.0 + 6.0 * math.pi / 6, abs=0.1)
    assert heights[1] == pytest.approx(heights[0], abs=0.15)
    assert recommended[1].mean - 1e12 == pytest.approx(recommended[0].mean, abs=0.05)


# Degenerate kernels.


def with_process(name: str, process: GP) -> dict[str, Any]:
    """What makes a policy believe in this process, or in several with one much like it."""
    if name in ("egp-ts", "egp-ei", "egp-ucb", "banditbo", "exp3bo"):
        return {"dictionary": (process, replace(process, lengthscale=2.0))}
    return {} if name == "random" else {"belief": process}


@pytest.mark.parametrize("name", [name for name in EVERY if name != "fb-gp-ts"])  # which has kernels of its own
def test_a_nearly_singular_kernel_is_endured(name: str) -> None:
    domain = Candidates(np.linspace(0.0, 1.0, 300)[:, None])
    belief = GP(kernel="se", lengthscale=3.0, variance=1.0, noise=0.0, mean="zero")
    study = study_of(name, domain, **with_process(name, belief))
    for row in range(0, 200, 2):
        study.add(domain.point(row), math.sin(row / 299))
    queries = batch_of(study, 2)
    assert queries
    for query in queries:  # one of them may not be enough: an initial set is waited for as a whole
        study.tell(query.id, math.sin(query.point["x0"]))
    assert study.ask()
    assert study.recommend().mean == pytest.approx(math.sin(1.0), abs=0.05)


@pytest.mark.parametrize("kernel", ["se", "matern52", "linear"])
def test_pending_points_next_to_answers_keep_the_mean_under_a_nearly_singular_kernel(kernel: str) -> None:
    domain = Candidates(np.linspace(0.0, 1.0, 300)[:, None])
    belief = GP(kernel=kernel, lengthscale=2.0, variance=1.0, noise=0.0, mean="zero")
    study = Study.in_memory(domain, policy=gp_bucb(belief=belief), seed=1, clock=Clock(), notices=False)
    for row in range(0, 200, 2):
        study.add(domain.point(row), float(0.3 + 0.5 * domain.table[row, 0]))
    study.ask(10)
    moment = study.policy.moment(study.evidence(), 1000.0, 1, study._knowledge.memory)
    known, imagined = moment.known.moments(domain.table), moment.belief.moments(domain.table)
    assert np.all(np.isfinite(imagined.mean))
    assert_allclose(imagined.mean[:200], known.mean[:200], atol=1e-4)
    assert np.all(imagined.deviation <= known.deviation + 1e-4)


@pytest.mark.parametrize("lengthscale", [0.003, 100.0])
def test_the_linear_kernel_draws_on_large_tables_whatever_its_lengthscale(lengthscale: float) -> None:
    domain = Candidates(np.random.default_rng(0).random((2400, 5)))
    belief = GP(kernel="linear", lengthscale=lengthscale, variance=1.0, noise=0.05, mean="zero")
    study = study_of("gp-ts", domain, belief=belief)
    query = study.ask()
    assert isinstance(query, Query)


# Many answers.


@pytest.mark.parametrize("count", first(1, 600, 1500))
@pytest.mark.parametrize("make", [box, lambda: table(2000)], ids=["box", "table"])
def test_many_answers_at_once_are_taken_in_in_seconds(make: Callable[[], Domain], count: int) -> None:
    space = make()
    study = study_of("gp-bucb", space)
    points = space.sample(count, np.random.default_rng(4))
    started = time.perf_counter()
    for unit in points:
        point = space.decode(unit)
        study.add(point, wave(space, point))
    assert study.ask()
    assert study.ask()
    # The 1500 take about two seconds on one core of the slowest machine we know.
    assert time.perf_counter() - started < 20.0
    assert study.recommend().mean == pytest.approx(1.0, abs=0.1)

"""BPE-Delay and BPE against [vakili2023]: their rounds by hand, and whole runs in plain loops."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from belated.beliefs import GP
from belated.errors import ParameterError, UnsupportedError
from belated.log import Balk, Query
from belated.pending import Rounds
from belated.policies import Recipe, bpe, bpe_delay, build, from_json
from belated.policies.vakili2023 import delay_allowance
from belated.randomness import Stream, generator
from belated.rules import Eliminate, Simultaneous, Situation
from belated.space import Array, Candidates
from belated.study import Study
from tests.builders import Clock, Run, batch_of, box, delayed_run, known_gp, table
from tests.pairs import first
from tests.reference.gp import PlainGP
from tests.reference.policies import Asked, allowance, elimination, round_lengths
from tests.tolerance import SOLVE_TOLERANCE


def as_asked(run: Run) -> list[Asked]:
    return [Asked(*parts) for parts in zip(run.rows, run.values, run.delays, strict=True)]


def lengths_of(rounds: Rounds) -> list[int]:
    return [end - start for start, end in pairwise((0, *rounds.ends()))]


def poisson(seed: int, n: int, mean: float) -> list[int | None]:
    return [int(delay) for delay in np.random.default_rng([seed, 9]).poisson(mean, n)]


# Rounds


def test_the_rounds_of_the_experiments_by_hand() -> None:
    # T = 1000, E[τ] = 50, ξ = 9, b = 1, δ = 0.01: L = log(300000) = 12.6115, √(2·81·L) = 45.20 and 2L = 25.22.
    u = 50 + 2 * math.log(300_000)
    assert u == pytest.approx(75.223, abs=1e-3)
    assert delay_allowance(1000, 50.0, 9.0, 1.0, 0.01) == pytest.approx(u, rel=1e-15)
    # q = 32, 179, 424, so t = 108, 255, 500, and 137 are left.
    assert lengths_of(Rounds(1000, u)) == [108, 255, 500, 137]
    policy = bpe_delay(1000, mean_delay=50.0).beginning(table())
    assert isinstance(policy.rule, Eliminate)
    assert policy.rule.rounds == Rounds(1000, u)


def test_without_delay_the_rounds_are_those_of_q() -> None:
    # ⌈√1000⌉ = 32, ⌈√32000⌉ = 179, ⌈√179000⌉ = 424, and 365 of the next 652.
    assert lengths_of(Rounds(1000)) == [32, 179, 424, 365]


def test_the_allowance_takes_the_smaller_tail_bound() -> None:
    # A small ξ makes the first the smaller one.
    assert delay_allowance(1000, 5.0, 0.5, 1.0, 0.01) == pytest.approx(5 + math.sqrt(0.5 * math.log(300_000)))


@pytest.mark.parametrize("extra", [0.0, 0.5, 3.0, 75.2, 5000.0])
@pytest.mark.parametrize("horizon", [1, 2, 7, 64, 100, 999, 1000])
def test_the_rounds_equal_the_recursion_and_add_up_to_the_horizon(horizon: int, extra: float) -> None:
    lengths = lengths_of(Rounds(horizon, extra))
    assert lengths == round_lengths(horizon, extra)
    assert sum(lengths) == horizon
    for number in (1, horizon // 2 + 1, horizon):
        bounds = Rounds(horizon, extra).bounds(number)
        assert bounds[-1][0] <= number <= bounds[-1][1]
        assert bounds[0][0] == 1


def test_the_reference_allowance_is_ours() -> None:
    for mean, xi, b in ((0.0, 9.0, 1.0), (25.0, 1.0, 2.0), (50.0, 0.0, 0.0)):
        assert allowance(500, mean, xi, b, 0.05) == pytest.approx(delay_allowance(500, mean, xi, b, 0.05))


# Whole runs


def case(name: str, seed: int) -> tuple[Recipe, list[int], list[int | None], PlainGP]:
    belief, plain = known_gp("se", 0.2, 1.0, 0.02**2)
    if name == "bpe":
        return bpe(60, belief=belief), round_lengths(60, 0.0), [0] * 60, plain
    if name == "bpe under delay":
        return bpe(60, belief=belief), round_lengths(60, 0.0), poisson(seed, 60, 5.0), plain
    policy = bpe_delay(60, mean_delay=5.0, xi=1.0, b=0.3, delta=0.1, belief=belief)
    return policy, round_lengths(60, allowance(60, 5.0, 1.0, 0.3, 0.1)), poisson(seed, 60, 5.0), plain


@pytest.mark.parametrize("seed", first(1, 1, 2, 3))
@pytest.mark.parametrize("name", ["bpe", "bpe under delay", "bpe-delay"])
def test_a_run_equals_the_whole_algorithm_in_plain_loops(name: str, seed: int) -> None:
    domain = table(40)
    policy, lengths, delays, plain = case(name, seed)
    values = np.sin(6 * domain.table[:, 0]) * np.cos(4 * domain.table[:, 1])
    width = math.sqrt(6.0)
    removed = []

    def check(run: Run) -> None:
        # The choice is checked one query later, when it is the last of the run.
        removed.append(elimination(plain, domain.table, as_asked(run), lengths, width))

    run = delayed_run(policy, domain, values, delays, seed=seed, noise=0.02, check=check)
    for row, replayed in zip(run.rows, removed, strict=True):
        assert row in replayed.alive
        assert replayed.deviation[row] >= replayed.deviation.max() - SOLVE_TOLERANCE
    assert len(removed[-1].alive) < 40
    assert isinstance(run.study.ask(), Balk)


def test_a_round_without_answers_removes_nothing() -> None:
    domain = table(40)
    belief, _ = known_gp("se", 0.2, 1.0, 0.02**2)
    values = np.sin(6 * domain.table[:, 0])
    run = delayed_run(bpe(60, belief=belief), domain, values, [None] * 60, seed=1)
    policy = run.study.policy
    situation = Situation(policy.moment(run.study.evidence(), 1000.0, 1, run.study._knowledge.memory))
    assert isinstance(policy.rule, Eliminate)
    assert policy.rule.survivors(situation).all()


def test_answers_that_come_after_their_round_are_not_used() -> None:
    domain = table(40)
    belief, _ = known_gp("se", 0.2, 1.0, 0.02**2)
    study = Study.in_memory(domain, policy=bpe(60, belief=belief), seed=1, clock=Clock(), notices=False)
    queries = batch_of(study, 9)  # the first round has 8
    study.tell_many([(query, float(math.sin(query.id))) for query in queries])
    policy = study.policy
    assert isinstance(policy.rule, Eliminate)
    situation = Situation(policy.moment(study.evidence(), 1000.0, 1, study._knowledge.memory))
    assert policy.rule.survivors(situation).all()


def rkhs_function(plain: PlainGP, rows: Array, seed: int) -> tuple[Array, float]:
    """A function of the kernel's space on the table, and its norm: f = Σ a_i k(c_i, ·), |f|² = aᵀ K a."""
    rng = np.random.default_rng(seed)
    centres, weights = rng.random((5, rows.shape[1])), rng.uniform(-1, 1, 5)
    values = plain.kernel.matrix(rows, centres) @ weights
    return values, math.sqrt(weights @ plain.kernel.matrix(centres, centres) @ weights)


@pytest.mark.parametrize("name", ["bpe", "bpe-delay"])
@pytest.mark.parametrize("seed", first(2, *range(1, 7)))
def test_the_maximiser_is_never_removed_while_the_confidence_bounds_hold(seed: int, name: str) -> None:
    domain = table(40)
    belief, plain = known_gp("se", 0.25, 1.0, 0.05**2)
    values, norm = rkhs_function(plain, domain.table, seed)
    # Noise of size at most 0.05 is 0.05-sub-Gaussian, so that σ/λ = 1.
    width = Simultaneous(rounds=4, norm=norm, ratio=1.0, delta=0.01)
    recipe = (
        bpe(80, width=width, belief=belief)
        if name == "bpe"
        else bpe_delay(80, mean_delay=4.0, xi=1.0, b=0.3, delta=0.1, width=width, belief=belief)
    )
    study = Study.in_memory(domain, policy=recipe, seed=seed, clock=Clock(), notices=False)
    rng = np.random.default_rng(seed)
    delays = [0] * 80 if name == "bpe" else [int(delay) for delay in rng.poisson(4.0, 80)]
    for t in range(80):
        for s in range(t):
            if s + delays[s] < t and study.queries()[s].answer is None:
                row = domain.index(study.queries()[s].point)
                study.tell(s + 1, float(values[row] + rng.uniform(-0.05, 0.05)))
        assert study.ask()
    policy = study.policy
    assert isinstance(policy.rule, Eliminate)
    situation = Situation(policy.moment(study.evidence(), 1000.0, seed, study._knowledge.memory))
    beta = width(situation)
    for begin, end in policy.rule.rounds.bounds(80)[:-1]:
        arrived = study.evidence().arrived_in(begin, end)
        mean, deviation = plain.moments(arrived.points, arrived.values, domain.table)
        assert np.all(np.abs(values - mean) <= beta * deviation)
    alive = policy.rule.survivors(situation)
    assert alive[np.argmax(values)]
    assert alive.sum() < 40


# The setting of theorem 6.1


def test_the_guarantee_has_the_rounds_of_its_horizon_and_its_delays_and_one_delta_for_both() -> None:
    belief, _ = known_gp("se", 0.1, 1.0, 0.02**2)
    made = bpe_delay.guaranteed(1000, 50.0, xi=9.0, b=1.0, norm=2.0, belief=belief, ratio=0.5, delta=0.01)
    rule = made.beginning(table()).rule
    assert isinstance(rule, Eliminate)
    # δ/2 for u_T is ψ_T(δ/2), in which log(3T/δ) stands; 108 + 255 + 500 + 137 queries are four rounds.
    assert rule.rounds == Rounds(1000, 50 + 2 * math.log(3 * 1000 / 0.01))
    assert rule.width == Simultaneous(rounds=4, norm=2.0, ratio=0.5, delta=0.01)
    assert made.name == "bpe-delay"
    assert from_json(made.to_json()) == made
    study = Study.in_memory(table(2500), policy=made, seed=1)
    situation = Situation(study.policy.moment(study.evidence(), 0.0, 1, study._knowledge.memory))
    assert rule.width(situation) == pytest.approx(2.0 + 0.5 * math.sqrt(2 * math.log(4 * 4 * 2500 / 0.01)), rel=1e-12)


@pytest.mark.parametrize(
    "belief", [GP(), GP(lengthscale=0.1, variance=1.0, noise=0.1), GP(lengthscale=0.1, noise=0.1, mean="zero")], ids=str
)
def test_the_guarantee_refuses_a_belief_of_which_something_is_fitted(belief: GP) -> None:
    said = f"bpe_delay.guaranteed(belief={belief!r}): the theorem knows the kernel and the prior mean; give bl.GP("
    with pytest.raises(ParameterError, match="^" + re.escape(said)):
        bpe_delay.guaranteed(100, 5.0, xi=1.0, b=1.0, norm=1.0, belief=belief)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"horizon": 0}, "bpe_delay.guaranteed(horizon=0): horizon must be a whole number of at least 1."),
        ({"delta": 1.0}, "bpe_delay.guaranteed(delta=1.0): delta must be a finite number "),
        ({"mean_delay": "auto"}, "bpe_delay.guaranteed(mean_delay='auto'): mean_delay must be a finite number "),
        ({"norm": -1.0}, "bpe_delay.guaranteed(): Simultaneous(norm=-1.0): norm must be a finite number "),
    ],
    ids=str,
)
def test_the_guarantee_refuses_what_the_theorem_does_not_take(given: dict[str, Any], said: str) -> None:
    belief, _ = known_gp()
    parameters = {"horizon": 100, "mean_delay": 5.0, "xi": 1.0, "b": 1.0, "norm": 1.0, "belief": belief, **given}
    with pytest.raises(ParameterError, match="^" + re.escape(said)):
        bpe_delay.guaranteed(**parameters)


def test_the_guarantee_is_for_finite_sets() -> None:
    belief, _ = known_gp()
    made = bpe_delay.guaranteed(100, 5.0, xi=1.0, b=1.0, norm=1.0, belief=belief)
    with pytest.raises(UnsupportedError, match=re.escape("for instance bl.Candidates.over(space, 1000)")):
        Study.in_memory(box(), policy=made)


@pytest.mark.parametrize("name", ["xi", "b", "delta"])
def test_what_would_do_nothing_is_refused_where_the_bound_is_learned(name: str) -> None:
    said = (
        f"bpe_delay({name}=0.5): {name} is of a bound of the delays that is computed, and with mean_delay='auto' it is "
        f"learned; give a mean_delay, or leave {name} out."
    )
    with pytest.raises(ParameterError, match="^" + re.escape(said) + "$"):
        build("bpe-delay", horizon=20, **{name: 0.5})
    with_mean = build("bpe-delay", horizon=20, mean_delay=3.0, **{name: 0.5}).beginning(table())
    assert with_mean != build("bpe-delay", horizon=20, mean_delay=3.0).beginning(table())


def test_a_log_in_which_a_delta_did_nothing_is_read() -> None:
    recipe = from_json({"name": "bpe-delay", "parameters": {"horizon": 20, "delta": 0.5}})
    assert recipe.excess is not None
    assert recipe.beginning(table()) == build("bpe-delay", horizon=20).beginning(table())


@pytest.mark.parametrize("name", ["bpe", "bpe-delay"])
def test_a_width_for_fewer_rounds_than_there_are_is_refused(name: str) -> None:
    few, enough = Simultaneous(rounds=3), Simultaneous(rounds=4)
    said = (
        f"{name.replace('-', '_')}(width={few!r}): it holds for 3 rounds, and 1000 queries are 4 rounds; give rounds=4."
    )
    with pytest.raises(ParameterError, match="^" + re.escape(said)):
        build(name, horizon=1000, width=few)
    build(name, horizon=1000, width=enough)
    assert from_json({"name": name, "parameters": {"horizon": 1000, "width": few_json(few)}}).excess is not None


def few_json(width: Simultaneous) -> dict[str, Any]:
    return {"part": "Simultaneous", **vars(width)}


# Boxes, for which points stand


@pytest.mark.parametrize("seed", first(1, 1, 2))
def test_in_a_box_a_run_equals_the_algorithm_on_the_points_that_stand_for_it(seed: int) -> None:
    belief, plain = known_gp("se", 0.2, 1.0, 0.02**2)
    count, lengths, width = 90, round_lengths(60, 0.0), math.sqrt(6.0)
    points = box().sample(count, generator(seed, Stream.DESIGN, 0))
    study = Study.in_memory(
        box(), policy=bpe(60, belief=belief, discretise=count), seed=seed, clock=Clock(), notices=False
    )
    asked: list[Asked] = []
    for _ in range(60):
        replayed = elimination(plain, points, asked, lengths, width)
        query = study.ask()
        assert isinstance(query, Query)
        distances = np.abs(points - box().encode(query.point)).max(axis=1)
        row = int(np.argmin(distances))
        assert distances[row] < 1e-12
        assert row in replayed.alive
        assert replayed.deviation[row] >= replayed.deviation.max() - SOLVE_TOLERANCE
        value = float(np.sin(6 * points[row, 0]) * np.cos(4 * points[row, 1]))
        study.tell(query.id, value)
        asked.append(Asked(row, value, 0))
    assert len(replayed.alive) < count
    said = study.explain().chose["candidates"]
    assert (
        said
        == f"after {len(lengths) - 1} of {len(lengths)} rounds, {len(replayed.alive)} of {count} may still be the best"
    )


def test_in_a_box_the_width_counts_the_points_that_stand_for_it() -> None:
    belief, _ = known_gp()
    policy = bpe(60, width=Simultaneous(rounds=4), belief=belief, discretise=70)
    study = Study.in_memory(box(), policy=policy, seed=1)
    situation = Situation(study.policy.moment(study.evidence(), 0.0, 1, study._knowledge.memory)).discretised(70)
    expected = 1.0 + math.sqrt(2 * math.log(4 * 4 * 70 / 0.01))
    assert Simultaneous(rounds=4)(situation) == pytest.approx(expected, rel=1e-12)
    rule = study.policy.rule
    assert isinstance(rule, Eliminate)
    assert len(rule.survivors(situation)) == 70


def test_no_points_stand_for_a_table() -> None:
    with pytest.raises(UnsupportedError, match="a table has its own; leave discretise out"):
        Study.in_memory(table(), policy=bpe(10, discretise=50))


# Its ancestor


@pytest.mark.parametrize("seed", first(1, 1, 2, 3))
def test_bpe_delay_without_allowance_is_bpe(seed: int) -> None:
    domain = table(40)
    belief, _ = known_gp("se", 0.2, 1.0, 0.02**2)
    values = np.sin(6 * domain.table[:, 0])
    policies = (bpe(50, belief=belief), bpe_delay(50, mean_delay=0.0, xi=0.0, b=0.0, belief=belief))
    rows = [delayed_run(policy, domain, values, [0] * 50, seed=seed).rows for policy in policies]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("policy", [bpe(50), bpe_delay(50, mean_delay=3.0)], ids=["bpe", "bpe-delay"])
def test_elimination_needs_a_table_and_says_so(policy: Recipe) -> None:
    with pytest.raises(UnsupportedError, match="Candidates"):
        Study.in_memory(box(), policy=policy)


def test_a_table_of_one_candidate_keeps_it() -> None:
    domain = Candidates(np.array([[3.0]]))
    belief, _ = known_gp()
    study = Study.in_memory(domain, policy=bpe(10, belief=belief), seed=1, clock=Clock())
    for _ in range(10):
        (query,) = batch_of(study, 1)
        study.tell(query.id, 1.0)
    assert isinstance(study.ask(), Balk)

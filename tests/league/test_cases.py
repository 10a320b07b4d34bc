"""The cases of the league: what each poses, and the design that they come from."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from belated import errors
from belated.experiments.league.cases import DELAYS, FAMILIES, NOISES, Case, cases, chosen
from belated.simulate import Occasion, laws
from belated.simulate.laws import check_space
from belated.simulate.problems import Problem, spread_values
from belated.simulate.randomness import Purpose, generator
from belated.space import Array, Candidates
from tests.tolerance import ROUNDING

ROOT = Path(__file__).resolve().parents[2]
every_case = pytest.mark.parametrize("case", cases(), ids=lambda case: case.key)
SEED, OTHER = 3, 4


@cache
def posed_once(key: str) -> tuple[Problem, Array]:
    """The problem of a case with the first seed, and what it says at points over all of its space."""
    posed = next(case for case in cases() if case.key == key).problem_for(SEED)
    return posed, spread_values(posed)


def best_value(posed: Problem, number: int = 1) -> tuple[float, float]:
    """The value at the optimum's point, and the optimum; in the best context, where one is seen before."""
    if posed.circumstances is None:
        return posed.value(posed.optimum_point), posed.optimum
    half = dict.fromkeys(posed.circumstances.at(number), 0.5)
    return posed.value(posed.optimum_point, half), posed.circumstances.best(half)


def near_the_optimum(posed: Problem, count: int) -> Array:
    """Values of points a little beside the best one, where there is anything beside it."""
    assert not isinstance(posed.space, Candidates)
    here = posed.space.encode(posed.optimum_point)
    rng = np.random.default_rng(5)
    units = posed.space.snap(
        here + rng.choice([1e-6, 1e-3, 0.03], (count, 1)) * rng.standard_normal((count, len(here)))
    )
    context = None if posed.circumstances is None else dict.fromkeys(posed.circumstances.at(1), 0.5)
    return np.array([posed.value(posed.space.decode(unit), context) for unit in units])


def test_cases_have_keys_and_definitions_of_their_own() -> None:
    assert len(cases()) >= 72
    assert len({case.key for case in cases()}) == len({case.digest for case in cases()}) == len(cases())
    assert cases() == (*cases("open"), *cases("sealed"))
    assert all(case.half == half for half in ("open", "sealed") for case in cases(half))


def test_chosen_cases_come_in_the_order_of_the_suite_and_unknown_ones_are_refused() -> None:
    first, second = cases("open")[:2]
    assert chosen([second.key, first.key]) == (first, second)
    with pytest.raises(errors.BelatedError, match="no case is named 'opem'"):
        chosen(["opem"])
    with pytest.raises(errors.BelatedError, match="half"):
        cases("closed")  # type: ignore[arg-type]


@every_case
def test_a_case_poses_a_problem_whose_optimum_nothing_betters(case: Case) -> None:
    posed, spread = posed_once(case.key)
    assert case.family in FAMILIES
    assert 40 <= case.rounds <= 150
    there, best = best_value(posed)
    assert there == pytest.approx(best, abs=ROUNDING)
    assert posed.proven
    assert not posed.fails(posed.optimum_point)
    values = posed.sign * spread
    assert values.max() <= posed.sign * posed.optimum + ROUNDING
    assert np.all(np.isfinite(values))
    if not isinstance(posed.space, Candidates):
        assert (posed.sign * near_the_optimum(posed, 40)).max() <= posed.sign * best + ROUNDING
    if posed.worst is not None:
        assert values.min() >= posed.sign * posed.worst - ROUNDING
    # The noise is the case's share of what other points than those of its definition say, where they are cheap.
    assert case.noise in NOISES
    if case.noise and case.dimension <= 6 and not isinstance(posed.space, Candidates) and posed.circumstances is None:
        units = posed.space.sample(512, np.random.default_rng(9))
        values = np.array([posed.value(posed.space.decode(unit)) for unit in units])
    # Of heavy tails the deviation is off by 20 % at most.
    assert posed.noise == pytest.approx(case.noise * float(np.std(values)), rel=0.2)


@every_case
def test_a_case_is_the_same_for_the_same_seed_and_another_for_another(case: Case) -> None:
    # How much noise the other has is not looked at, and takes most of the time.
    once, again, other = posed_once(case.key)[0], case.problem_for(SEED), replace(case, noise=0.0).problem_for(OTHER)
    assert once.space == again.space
    assert once.optimum_point == again.optimum_point
    assert once.noise == again.noise
    points = [once.space.decode(unit) for unit in once.space.sample(12, np.random.default_rng(0))]
    contexts = [None if once.circumstances is None else once.circumstances.at(number) for number in range(1, 13)]
    values = [
        [posed.value(point, context) for point, context in zip(points, contexts, strict=True)]
        for posed in (once, again, other)
    ]
    assert values[0] == values[1]
    assert values[0] != values[2]


@every_case
def test_the_delays_of_a_case_are_delays_and_some_of_its_answers_come(case: Case) -> None:
    posed, spread = posed_once(case.key)
    assert case.delay_kind in DELAYS
    check_space(case.key, case.delay, posed.space)
    assert laws.parse(case.definition["delay"]) == case.delay
    delays = []
    values = np.random.default_rng(1).choice(spread, case.rounds)
    for number, value in enumerate(values, 1):
        occasion = Occasion(number, float(number), posed.optimum_point, float(value))
        delays.append(case.delay.draw(occasion, generator(0, Purpose.DELAY, number)))
    assert min(delays) >= 0.0
    assert sum(number + delay <= case.rounds for number, delay in enumerate(delays, 1)) >= case.rounds / 4


@pytest.mark.parametrize("case", [case for case in cases() if case.delay_kind == "value"], ids=lambda case: case.key)
@pytest.mark.parametrize("seed", [0, 6])
def test_delays_by_value_change_with_the_values_that_there_are(case: Case, seed: int) -> None:
    posed = case.problem_for(seed)
    low, high = np.quantile(spread_values(posed), [0.05, 0.95])
    many = range(1, 201)

    def mean_delay(value: float) -> float:
        drawn = [
            case.delay.draw(Occasion(n, float(n), posed.optimum_point, value), generator(0, Purpose.DELAY, n))
            for n in many
        ]
        return float(np.mean(np.minimum(drawn, 1000.0)))

    first, second = sorted([mean_delay(float(low)), mean_delay(float(high))])
    assert second > 1.5 * first


@pytest.mark.parametrize("case", [case for case in cases() if case.family != "tuning"], ids=lambda case: case.key)
def test_no_optimum_is_at_the_centre_or_a_corner_or_anywhere_by_habit(case: Case) -> None:
    found, habitual = [], 0
    for seed in range(2 if "20000" in case.key else 8):
        # Without its noise, which has nothing to do with where the optimum is.
        posed = replace(case, noise=0.0).problem_for(seed)
        unit = posed.space.encode(posed.optimum_point)
        found.append(unit)
        if not isinstance(posed.space, Candidates):
            numbers = unit[[not label for label in posed.space.categorical]]
            habitual += bool(np.abs(numbers - 0.5).max() < 0.02 or np.minimum(numbers, 1.0 - numbers).max() < 0.02)
    # By chance one is there now and then, and the best row of a small table is the same for a few seeds.
    assert habitual <= 1
    assert len(np.unique(np.array(found), axis=0)) >= len(found) / 2
    if not isinstance(posed.space, Candidates):
        assert np.all(np.std(found, axis=0) > 0.01)


@pytest.mark.parametrize("half", ["open", "sealed"])
def test_a_half_is_balanced_as_its_design_says(half: str) -> None:
    suite = cases(half)  # type: ignore[arg-type]
    delays, noises = Counter(case.delay_kind for case in suite), Counter(case.noise for case in suite)
    assert delays == dict.fromkeys(DELAYS, len(suite) // len(DELAYS))
    assert noises == dict.fromkeys(NOISES, len(suite) // len(NOISES))
    assert set(Counter((case.delay_kind, case.noise) for case in suite).values()) == {2}
    families = Counter(case.family.split("-")[0] if "table" in case.family else case.family for case in suite)
    assert set(families.values()) == {6}
    assert {case.family for case in suite} == set(FAMILIES)
    boxes = [case for case in suite if case.problem == "shifted"]
    assert Counter(case.dimension for case in boxes) == dict.fromkeys((2, 3, 6, 10, 20, 50), 4)
    assert set(Counter(case.delay_kind for case in boxes).values()) == {2, 3}
    assert Counter(case.parameters["goal"] for case in boxes) == {"minimize": 12, "maximize": 12}
    for family in {case.family for case in boxes}:
        row = [case for case in boxes if case.family == family]
        assert Counter(case.noise for case in row) == dict.fromkeys(NOISES, 2)
        assert len({case.delay_kind for case in row}) == len(row)


def test_both_halves_have_the_same_counts() -> None:
    for what in ("family", "dimension", "delay_kind", "noise", "rounds", "problem"):
        counts = [Counter(getattr(case, what) for case in cases(half)) for half in ("open", "sealed")]
        assert counts[0] == counts[1], what
    families = [
        Counter((case.family, case.rounds, case.dimension) for case in cases(half)) for half in ("open", "sealed")
    ]
    boxes = [{key: count for key, count in each.items() if not key[0].startswith("table")} for each in families]
    assert boxes[0] == boxes[1]


def test_no_sealed_case_has_the_function_the_table_the_fence_or_the_law_of_an_open_one() -> None:
    opened, sealed = cases("open"), cases("sealed")
    for name in ("function", "table", "fence", "law", "variant"):
        values = [{case.parameters[name] for case in half if name in case.parameters} for half in (opened, sealed)]
        assert values[0].isdisjoint(values[1]), name
    # A table whose law is not named has values from a prior.
    assert {case.parameters.get("law", "prior") for case in opened if case.problem == "catalogue"} == {"prior"}
    delays = [{case.definition["delay"] for case in half if case.delay_kind != "none"} for half in (opened, sealed)]
    assert delays[0].isdisjoint(delays[1])


def test_no_file_but_their_own_names_a_sealed_case() -> None:
    keys = [case.key for case in cases("sealed")]
    for folder in ("src", "tests", "benchmarks", "docs", "examples"):
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".py", ".md", ".toml", ".html") and file.name != "sealed.py":
                text = file.read_text(encoding="utf-8")
                assert [key for key in keys if key in text] == [], file


def test_the_sealed_file_begins_with_the_reason_why_nobody_looks() -> None:
    text = (ROOT / "src/belated/experiments/league/cases/sealed.py").read_text(encoding="utf-8")
    assert text.startswith('"""The sealed half of the cases')
    assert "nobody looks" in text.split('"""')[1]


def test_the_page_of_the_cases_is_what_the_cases_say() -> None:
    from benchmarks import league_cases

    assert league_cases.PAGE.read_text(encoding="utf-8") == league_cases.page(), "run python -m benchmarks.league_cases"

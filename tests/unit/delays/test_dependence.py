"""What the delay depends on is found in studies as they are, and said in words."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import belated as bl
from belated.delays import Dependence, holm
from belated.delays.comparison import DelayComparison, better, groups_of
from belated.delays.dependence import RARER
from belated.errors import ParameterError
from tests.builders import Clock

SPACE = bl.Space(heat=bl.Float(0.0, 1.0), steps=bl.Int(1, 8), solvent=bl.Choice("DMF", "THF", "water"))

Slowness = Callable[[bl.Query, float], float]


def study(
    slowness: Slowness, n: int = 120, seed: int = 1, space: bl.Space = SPACE, goal: str = "maximize", lost: str = ""
) -> bl.Study:
    """A query in each unit of time; the delay of each is exponential, times what `slowness` says of point and value."""
    rng = np.random.default_rng(seed)
    clock = Clock(0.0)
    made = bl.Study.in_memory(space, policy="random", seed=seed, goal=goal, clock=clock)  # type: ignore[arg-type]
    due: list[tuple[float, int, float]] = []
    for turn in range(n):
        for at, query, value in sorted(entry for entry in due if entry[0] <= turn):
            clock.now = at
            made.tell(query, value)
        due = [entry for entry in due if entry[0] > turn]
        clock.now = float(turn)
        asked = made.ask()
        assert isinstance(asked, bl.Query)
        value = float(rng.normal())
        if not (lost and asked.point.get("solvent") == lost):
            due.append((turn + float(rng.exponential(4.0)) * slowness(asked, value), asked.id, value))
    return made


def named(made: bl.Study, unit: str = "seconds") -> dict[str, Dependence]:
    return {entry.name: entry for entry in made.delays().depends(unit)}  # type: ignore[arg-type]


def test_every_parameter_the_answer_and_the_order_are_tested() -> None:
    found = study(lambda query, value: 1.0).delays().depends()
    assert [(entry.kind, entry.name) for entry in found] == [
        ("parameter", "heat"),
        ("parameter", "steps"),
        ("parameter", "solvent"),
        ("answer", "value"),
        ("order", "number"),
    ]
    assert not any(entry.found for entry in found)
    assert str(found[3]).startswith("no sign that the delay depends on the answer (p = ")


@pytest.mark.parametrize("unit", ["seconds", "queries"])
def test_a_delay_that_grows_with_a_parameter_is_found_there_and_nowhere_else(unit: str) -> None:
    found = named(study(lambda query, value: math.exp(2.0 * query.point["heat"])), unit)
    assert [name for name, entry in found.items() if entry.found] == ["heat"]
    assert 0.2 < found["heat"].strength < 0.8
    assert str(found["heat"]).startswith("answers take longer where heat is higher (strength 0.")


def test_a_delay_that_falls_with_a_parameter_has_a_negative_strength() -> None:
    entry = named(study(lambda query, value: math.exp(-0.4 * query.point["steps"])))["steps"]
    assert entry.found
    assert entry.strength < -0.2
    assert str(entry).startswith("answers take longer where steps is lower (strength 0.")


def test_the_option_whose_answers_take_longest_is_named() -> None:
    entry = named(study(lambda query, value: 4.0 if query.point["solvent"] == "THF" else 1.0))["solvent"]
    assert entry.found
    assert entry.slowest == "THF"
    assert str(entry).startswith("answers take longer where solvent is THF (strength 0.")


def test_an_option_that_is_never_answered_is_the_slowest() -> None:
    entry = named(study(lambda query, value: 1.0, lost="water"))["solvent"]
    assert entry.found
    assert entry.slowest == "water"
    assert entry.strength > 0.3


def test_what_is_slow_is_found_among_many_that_are_lost() -> None:
    """Half of the queries never have an answer, wherever they are, and would hide it."""
    made = study(lambda query, value: 1e9 if query.id % 2 else math.exp(2.5 * query.point["heat"]), n=160)
    found = named(made)
    assert made.delays().never.estimate == pytest.approx(0.5, abs=0.1)
    assert [name for name, entry in found.items() if entry.found] == ["heat"]


def test_what_is_lost_is_found_where_those_that_come_are_alike() -> None:
    found = named(study(lambda query, value: 1e9 if query.point["heat"] > 0.6 else 1.0))
    assert found["heat"].found
    assert found["heat"].strength > 0.3


def test_of_two_comparisons_the_better_counts_with_its_p_value_doubled() -> None:
    one, other = DelayComparison(0.01, 0.5), DelayComparison(0.3, -0.2)
    best = better(one, other)
    assert best is not None
    assert (best.p_value, best.strength) == (0.02, 0.5)
    alone = better(None, other)
    assert alone is not None
    assert alone.p_value == 0.3
    assert better(None, None) is None
    hardly = better(DelayComparison(0.9, 0.1), DelayComparison(0.8, 0.1))
    assert hardly is not None
    assert hardly.p_value == 1.0


@pytest.mark.parametrize("goal", ["maximize", "minimize"])
def test_a_delay_that_depends_on_the_answer_is_found_in_its_own_units(goal: str) -> None:
    found = named(study(lambda query, value: math.exp(value), goal=goal))
    assert [name for name, entry in found.items() if entry.found] == ["value"]
    assert found["value"].strength > 0.2
    assert str(found["value"]).startswith("answers take longer where the answer is higher (strength 0.")
    assert found["value"].n == study(lambda query, value: math.exp(value), goal=goal).delays().n_answered


def test_a_delay_that_grows_as_the_study_goes_on_is_a_drift() -> None:
    entry = named(study(lambda query, value: math.exp(query.id / 40.0)))["number"]
    assert entry.found
    assert str(entry).startswith("answers take longer where queries were asked later (strength 0.")
    entry = named(study(lambda query, value: 4.0 * math.exp(-query.id / 30.0)))["number"]
    assert str(entry).startswith("answers take longer where queries were asked earlier (strength 0.")


def test_a_context_known_before_the_decision_is_tested_under_its_name() -> None:
    clock = Clock(0.0)
    context = bl.Context(shift=bl.Choice("day", "night"), seen="before")
    made = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=3, context=context, clock=clock)
    for turn in range(40):
        shift = "night" if turn % 3 else "day"
        query = made.ask(context={"shift": shift})
        assert isinstance(query, bl.Query)
        clock.now += (5.0 if shift == "night" else 1.0) + 0.01 * (turn % 7)
        made.tell(query, float(turn % 5))
    found = named(made)
    assert (found["shift"].kind, found["shift"].found, found["shift"].slowest) == ("context", True, "night")
    assert found["shift"].strength == 1.0


def test_nothing_is_tested_before_there_are_ten_answers() -> None:
    clock = Clock(0.0)
    made = bl.Study.in_memory(SPACE, policy="random", seed=3, clock=clock)
    for number in range(9):
        query = made.ask()
        assert isinstance(query, bl.Query)
        clock.now += 1.0
        made.tell(query, float(number))
    assert made.delays().depends() == ()
    query = made.ask()
    assert isinstance(query, bl.Query)
    made.tell(query, 9.0)
    assert made.delays().depends() != ()


def test_what_is_nearly_always_the_same_is_not_tested() -> None:
    made = bl.Study.in_memory(bl.Space(x=bl.Choice(1), y=bl.Float(0, 1)), policy="random", seed=3, clock=Clock())
    for number in range(12):
        query = made.ask()
        assert isinstance(query, bl.Query)
        made.tell(query, float(number < 4))
    assert [entry.name for entry in made.delays().depends()] == ["y", "number"]


def test_all_p_values_are_corrected_together() -> None:
    found = study(lambda query, value: math.exp(query.point["heat"] + 0.3 * value)).delays().depends()
    assert [entry.adjusted for entry in found] == pytest.approx(holm([entry.p_value for entry in found]))


@pytest.mark.parametrize(
    "counts, groups",
    [
        ([6, 5], [0, 1]),
        ([5, 6], [1, 0]),
        ([9, 7, 2], [0, 1, 1]),
        ([9, 7, 3, 2], [0, 1, 2, 2]),
        ([6, 3, 2], [0, 1, 1]),
        ([4, 4, 4], [0, 0, 0]),
        ([9, 2], [0, 0]),
        ([7] * 25, [*range(19), *[19] * 6]),
    ],
)
def test_rare_options_are_one_group(counts: list[int], groups: list[int]) -> None:
    coordinates = np.repeat(np.arange(len(counts)) / 100.0, counts)
    assert groups_of(coordinates).tolist() == np.repeat(groups, counts).tolist()


def test_a_group_of_several_options_is_called_so() -> None:
    space = bl.Space(solvent=bl.Choice(*"abcdefghijklmnopqrstuvwxyz"))
    entry = named(study(lambda query, value: 20.0 if query.point["solvent"] in "tuvwxyz" else 1.0, space=space))
    assert entry["solvent"].slowest in (RARER, *"tuvwxyz")
    assert entry["solvent"].strength > 0.0


def test_another_unit_is_refused() -> None:
    made = study(lambda query, value: 1.0, n=3)
    with pytest.raises(
        ParameterError,
        match=r"^depends\(unit='hours'\): delays are counted in 'queries' or in 'seconds'; give one\.$",
    ):
        made.delays().depends("hours")  # type: ignore[arg-type]


def test_as_json_a_finding_has_its_words() -> None:
    entry = Dependence("parameter", "heat", 0.4, 0.001, 0.004, 60)
    assert entry.to_json() == {
        "kind": "parameter",
        "name": "heat",
        "strength": 0.4,
        "p_value": 0.001,
        "adjusted": 0.004,
        "n": 60,
        "slowest": None,
        "found": True,
        "text": "answers take longer where heat is higher (strength 0.40, p = 0.004)",
    }

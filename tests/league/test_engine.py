"""The engine is fair: no player sees the problem, and none is told before it is time.

Delays, answers and regrets are found again here without the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from belated import simulate
from belated.experiments.league import Case, Measures, measured
from belated.experiments.league.entries import OptimizerEntry, PolicyEntry
from belated.experiments.league.players import LeaguePlayer
from belated.log import Balk, Query
from belated.simulate import DelayLaw, Occasion, Problem, SimulatedOutcome, problems
from belated.simulate.loop import Course
from belated.simulate.nature import Nature
from belated.simulate.players import StudyPlayer
from belated.space import Context, Float, Space
from tests.league.spies import Spy, reachable

SPY = OptimizerEntry("Spy", "tests.league.spies:Spy", ("before", "after"))
# None of these may be within reach of a player, nor any function that computes a value.
SECRETS = (Problem, Nature, Course, Case, SimulatedOutcome, Occasion)


def made(problem: str, delay: DelayLaw, rounds: int = 40, noise: float = 0.1, kind: str = "poisson") -> Case:
    return Case("made", "smooth", "open", problem, kind, delay, 5.0, rounds, noise)


CASES = {
    "box": made("branin", simulate.poisson(4)),
    "table": made("gp-unit", simulate.lognormal(3, 1)),
    "mixed": made("coupling", simulate.lost(0.3, simulate.poisson(5))),
    "before": made("hours", simulate.poisson(4)),
    "after": made("newsvendor", simulate.constant(3)),
}


@dataclass(frozen=True)
class Hours:
    """Another hour in each round; at noon x is best at 1/2."""

    context: Context = Context(hour=Float(0.0, 24.0), seen="before")

    def at(self, number: int) -> Mapping[str, Any]:
        return {"hour": float(7 * number % 24)}

    def best(self, context: Mapping[str, Any]) -> float:
        return 1.0


def by_hour(point: Mapping[str, Any]) -> float:
    return float(1.0 - (point["x"] - point["hour"] / 24) ** 2)


HOURS = Problem(
    "hours", Space(x=Float(0.0, 1.0)), by_hour, 0.1, "maximize", 1.0, {"x": 0.5}, worst=0.0, circumstances=Hours()
)


def problem_of(case: Case, seed: int) -> Problem:
    return HOURS if case.problem == "hours" else case.problem_for(seed)


def left(point: Mapping[str, Any]) -> bool:
    return bool(point["x"] < 0)


def failing() -> Problem:
    return replace(problems.build("branin"), fails=left, optimum_point={"x": np.pi, "y": 2.275}, worst=310.0)


def spied(case: Case, posed: Problem, seed: int = 3) -> tuple[LeaguePlayer, Measures]:
    """A run of the spy, whose diary is that of its class afterwards."""
    player = SPY.player("league('Spy')", case, posed, seed)
    return player, measured(player, posed, case.delay, case.rounds, seed)


@pytest.mark.parametrize("name", CASES)
def test_an_optimizer_is_given_nothing_by_which_it_could_see_the_problem(name: str) -> None:
    case = CASES[name]
    posed = problem_of(case, 3)
    spied(case, posed)
    assert len(Spy.diary.events) > case.rounds
    found = list(reachable(Spy.diary.given))
    assert any(one is posed.space for one in found)
    assert not [one for one in found if isinstance(one, SECRETS) or one is posed.objective]
    # Nor a number that only nature knows, noise being added to every answer.
    values = {posed.value(event[1]) for event in Spy.diary.events if event[0] == "tell" and len(event) == 3}
    assert not values & {one for one in Spy.diary.given if isinstance(one, float)}
    assert case.noise


@pytest.mark.parametrize("name", CASES)
def test_a_study_that_plays_has_nothing_of_the_problem_within_reach(name: str) -> None:
    case = replace(CASES[name], rounds=8)
    posed = problem_of(case, 3)
    policy = {"before": "gp-bucb", "after": "sbo-kde"}.get(name, "auto")
    player = PolicyEntry(policy).player("league()", case, posed, 3)
    measured(player, posed, case.delay, case.rounds, 3)
    found = list(reachable(player))
    assert any(one is posed.space for one in found)
    assert not [one for one in found if isinstance(one, SECRETS) or one is posed.objective]


def test_the_walk_finds_a_problem_however_it_is_hidden() -> None:
    posed = problems.build("branin")

    @dataclass
    class Holder:
        what: Any

    hidden = [posed.value, lambda: posed, Holder([{"a": (posed,)}]), np.array([posed], dtype=object), iter]
    assert [any(one is posed for one in reachable(each)) for each in hidden] == [True] * 4 + [False]


@dataclass(frozen=True)
class Listed:
    """Delays as they stand in a list."""

    delays: tuple[float, ...]

    def draw(self, occasion: Occasion, rng: np.random.Generator) -> float:
        return self.delays[(occasion.number - 1) % len(self.delays)]


LAWS: dict[str, DelayLaw] = {
    "none": simulate.none(),
    "constant": simulate.constant(4),
    "poisson": simulate.poisson(3),
    "heavy": simulate.lognormal(2, 1),
    "lost": simulate.lost(0.3, simulate.geometric(0.4)),
    "a hair": Listed((1.0, float(np.nextafter(1.0, 2.0)), 0.0, float(np.nextafter(3.0, 0.0)))),
    "value": simulate.sooner(300, 0, simulate.poisson(8), at_best=0.1),
}


def rounds_told(events: list[tuple[Any, ...]]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Each answer or failure with the round in which it was told: the one that its next ask begins."""
    number = 1
    asked = False
    for event in events:
        if event[0] == "ask":
            number, asked = number + asked, True
        else:
            yield number + asked, event


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("fails", [False, True])
def test_every_answer_is_told_in_the_round_in_which_it_is_due_and_is_what_nature_says(law: str, fails: bool) -> None:
    case, seed = made("branin", LAWS[law]), 11
    posed = failing() if fails else case.problem_for(seed)
    spied(case, posed, seed)
    points = [event[1] for event in Spy.diary.events if event[0] == "ask"]
    expected: list[tuple[int, int, float]] = []  # round, query, answer
    waits: list[tuple[float, float]] = []
    for number, point in enumerate(points, 1):
        bad = fails and left(point)
        value = 310.0 if bad else posed.value(point)
        occasion = Occasion(number, float(number), point, value, waits)
        delay = case.delay.draw(occasion, np.random.default_rng([seed, 2, number]))
        waits.append((float(number), delay))
        answer = value + posed.noise * np.random.default_rng([seed, 3, number]).standard_normal()
        # A round knows of an answer as soon as its delay has passed; without delay, the next round does.
        due = next((now for now in range(number, case.rounds + 1) if delay <= now - number), None)
        if due is not None:
            expected.append((max(due, number + 1), number, np.nan if bad else answer))
    places = {id(point): number for number, point in enumerate(points, 1)}
    told = [
        (number, places[id(event[1])], event[2] if event[0] == "tell" else np.nan)
        for number, event in rounds_told(Spy.diary.events)
    ]
    told.sort()
    expected.sort()
    assert [one[:2] for one in told] == [one[:2] for one in expected]
    assert [one[2] for one in told] == pytest.approx([one[2] for one in expected], nan_ok=True)
    assert len(told) > 10


def test_a_batch_is_told_when_it_is_full_and_when_nothing_is_asked() -> None:
    case = made("branin", simulate.adaptive_batch(4), rounds=13)
    Spy.silent = frozenset({7})
    try:
        spied(case, case.problem_for(0))
    finally:
        Spy.silent = frozenset()
    kinds = [event[0] if event[0] != "ask" or event[1] is not None else "silent" for event in Spy.diary.events]
    batch = ["ask"] * 4 + ["tell"] * 4
    # Two wait when the seventh ask finds nothing: they are told, and the round is asked again.
    assert kinds == [*batch, "ask", "ask", "silent", "tell", "tell", *batch, "ask", "ask", "ask"]


@dataclass
class Recorded:
    """A player, and all that it asked."""

    player: LeaguePlayer
    points: list[Mapping[str, Any]] = field(default_factory=list)

    def ask(self, now: float, context: Mapping[str, Any] | None) -> Query | Balk:
        query = self.player.ask(now, context)
        if isinstance(query, Query):
            self.points.append(query.point)
        return query

    def tell(self, at: float, query: Query, answer: float, context: Mapping[str, Any] | None) -> None:
        self.player.tell(at, query, answer, context)

    def fail(self, at: float, query: Query) -> None:
        self.player.fail(at, query)

    def recommend(self, context: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
        for _ in range(2):
            self.player.recommend(context)
        return self.player.recommend(context)


@pytest.mark.parametrize(
    "policy, name",
    [
        ("auto", "box"),
        ("gp-ts", "table"),
        ("gp-bts", "box"),
        ("bpe", "table"),
        ("egp-ts", "mixed"),
        ("sbo-kde", "after"),
    ],
)
def test_to_be_asked_for_a_recommendation_changes_no_decision(policy: str, name: str) -> None:
    case = replace(CASES[name], rounds=16)
    posed, entry = case.problem_for(5), PolicyEntry(policy)
    player = Recorded(entry.player("league()", case, posed, 5))
    measured(player, posed, case.delay, case.rounds, 5)
    assert isinstance(player.player, StudyPlayer)
    alone = simulate.run(posed, player.player.study.recipe, case.delay, case.rounds, 5)
    assert player.points == alone.points

"""What is measured of a run, against plain sums over what was asked and told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from belated import simulate
from belated.experiments.league.measures import measured, moments
from belated.experiments.league.players import OptimizerPlayer
from belated.simulate import Problem
from belated.space import Context, Float, Space


def parabola(point: Mapping[str, Any]) -> float:
    return float(-((point["x"] - 3.0) ** 2))


def beyond(point: Mapping[str, Any]) -> bool:
    return bool(point["x"] > 8.0)


SPACE = Space(x=Float(0.0, 10.0))
PLAIN = Problem("parabola", SPACE, parabola, 0.0, "maximize", 0.0, {"x": 3.0}, worst=-49.0)
FAILS = replace(PLAIN, fails=beyond)


class Script:
    """Asks what is written, None where nothing is, and recommends what is written."""

    def __init__(self, asks: list[float | None], uses: list[float | None] | None = None) -> None:
        self.asks, self.uses = iter(asks), iter(uses or [])
        self.recommends = uses is not None

    def ask(self) -> dict[str, float] | None:
        x = next(self.asks)
        return None if x is None else {"x": x}

    def tell(self, point: Mapping[str, Any], value: float) -> None:
        pass

    def recommend(self) -> dict[str, float] | None:
        x = next(self.uses, None)
        return None if x is None else {"x": x}


def played(problem: Problem, script: Any, rounds: int, delay: Any = None, seed: int = 0) -> Any:
    player = OptimizerPlayer("script", script, problem.space)
    return measured(player, problem, delay or simulate.none(), rounds, seed)


def test_regrets_are_taken_after_a_quarter_a_half_and_all_of_the_rounds() -> None:
    assert [moments(rounds) for rounds in (8, 10, 40, 150)] == [(2, 4, 8), (3, 5, 10), (10, 20, 40), (38, 75, 150)]
    run = played(PLAIN, Script([0.0, 1.0, 5.0, 2.5, 9.0, 3.0, 4.0, 3.0]), 8)
    assert run.simple == (4.0, 0.25, 0.0)
    assert run.cumulative == (13.0, 17.25, 54.25)
    # It names no point, so that of its best answer counts.
    assert run.found == run.simple
    assert (run.asked, run.repeats, run.failures) == (8, 1, 0)


def test_found_is_of_the_point_that_is_named_and_not_of_the_best_answer() -> None:
    run = played(PLAIN, Script([0.0, 1.0, 5.0, 2.5], [6.0, None, 2.0]), 4)
    assert run.found == (9.0, 4.0, 1.0)
    assert run.simple == (9.0, 4.0, 0.25)


def test_the_best_answer_is_that_with_its_noise() -> None:
    noisy = replace(PLAIN, noise=30.0)
    asks: list[float | None] = [float(x) for x in range(8)]
    run = played(noisy, Script(asks), 8, seed=1)
    noise = [30.0 * np.random.default_rng([1, 3, number]).standard_normal() for number in range(1, 9)]
    best = int(np.argmax([parabola({"x": float(x)}) + noise[x] for x in range(8)]))
    assert best != 3
    assert run.found[-1] == (best - 3.0) ** 2
    assert run.simple[-1] == 0.0


def test_before_any_answer_the_first_query_counts() -> None:
    run = played(PLAIN, Script([5.0, 3.0, 3.0, 3.0]), 4, simulate.never())
    assert run.found == run.simple == (4.0, 4.0, 4.0)
    assert run.cumulative == (4.0, 4.0, 4.0)


def test_to_ask_nothing_costs_the_average_of_what_was_asked_and_before_that_a_failure() -> None:
    run = played(PLAIN, Script([None, 5.0, None, 4.0]), 4)
    assert run.cumulative == (49.0, 8.0, 10.0)
    assert run.asked == 2
    assert run.found == (49.0, 4.0, 1.0)


def test_what_fails_costs_the_worst_value_and_answers_nothing() -> None:
    run = played(FAILS, Script([9.0, 9.0, 5.0, 8.5], [9.5, None, 4.0]), 4)
    assert run.failures == 3
    assert run.repeats == 1
    assert run.simple == (49.0, 49.0, 4.0)
    assert run.cumulative == (49.0, 98.0, 49.0 * 3 + 4.0)
    # To recommend what fails is worth as little.
    assert run.found == (49.0, 49.0, 1.0)


class Hours:
    """The hour of a round is its number."""

    context = Context(hour=Float(0.0, 100.0), seen="before")

    def at(self, number: int) -> Mapping[str, Any]:
        return {"hour": float(number)}

    def best(self, context: Mapping[str, Any]) -> float:
        return float(context["hour"])


def hourly(point: Mapping[str, Any]) -> float:
    return float(point["hour"] - (point["x"] - 3.0) ** 2)


class Contextual(Script):
    """Recommends the hour of the context, up to 10."""

    def ask(self, context: Mapping[str, Any]) -> dict[str, float] | None:  # type: ignore[override]
        return super().ask()

    def tell(self, point: Mapping[str, Any], value: float, context: Mapping[str, Any]) -> None:  # type: ignore[override]
        assert set(context) == {"hour"}

    def recommend(self, context: Mapping[str, Any]) -> dict[str, float]:  # type: ignore[override]
        return {"x": min(context["hour"], 10.0)}


def test_where_contexts_come_first_the_points_for_the_next_five_count() -> None:
    problem = Problem("hourly", SPACE, hourly, 0.0, "maximize", 100.0, {"x": 3.0}, circumstances=Hours())
    run = played(problem, Contextual([3.0, 4.0, 3.0, 3.0]), 4)
    assert run.found == tuple(np.mean([(hour - 3.0) ** 2 for hour in range(t + 1, t + 6)]) for t in (1, 2, 4))
    assert run.cumulative == (0.0, 1.0, 1.0)
    # The same point in another hour is another query.
    assert run.repeats == 0


def test_the_time_of_asks_and_answers_is_the_players_and_that_of_recommending_is_not(monkeypatch: Any) -> None:
    now = [0.0]
    monkeypatch.setattr("time.process_time", lambda: now[0])

    class Slow(Script):
        def ask(self) -> dict[str, float] | None:
            now[0] += 2.0
            return super().ask()

        def tell(self, point: Mapping[str, Any], value: float) -> None:
            now[0] += 1.0

        def recommend(self) -> dict[str, float] | None:
            now[0] += 100.0
            return None

    assert played(PLAIN, Slow([1.0, 2.0, 3.0, 4.0]), 4).seconds == 3.0

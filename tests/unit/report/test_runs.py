"""Figures of simulated runs show their regrets and true values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import report, simulate
from belated.simulate import Run
from tests.unit.report.studies import named


@pytest.fixture(scope="module")
def run() -> Run:
    policy = bl.policies.gp_ucb_sdf(window=bl.Window(seconds=8), initial=99)
    return simulate.run("coupling", policy, simulate.lost(0.3, simulate.poisson(4)), rounds=25, seed=1)


@pytest.mark.parametrize("kind", ["simple", "cumulative"])
def test_the_lines_of_regret_are_the_regrets_of_the_runs(kind: Any, run: Run) -> None:
    other = simulate.run("coupling", "random", rounds=10, seed=1)
    figure = report.regret({"late": run, "random": other}, kind)
    lines = named(figure)
    assert list(lines) == ["late", "random"]
    expected = run.simple_regret if kind == "simple" else run.cumulative_regret
    assert np.array_equal(lines["late"].y, expected)
    assert lines["late"].line.color != lines["random"].line.color


def test_what_was_attained_begins_with_the_first_answer_and_ends_at_the_best_true_value(run: Run) -> None:
    (line,) = report.attained({"late": run}).data
    arrivals = [query.answer.at for query in run.study.queries() if query.answer]
    assert line.x[0] == min(arrivals)
    assert line.y[-1] == pytest.approx(run.problem.optimum - run.simple_regret[-1])
    assert np.all(np.diff(line.y) >= 0)


def test_a_run_without_answers_attained_nothing() -> None:
    silent = simulate.run("branin", "random", simulate.lost(1.0, simulate.none()), rounds=5)
    (line,) = report.attained({"silent": silent}).data
    assert len(line.x or ()) == 0


def test_the_timeline_of_a_run_tells_lost_answers_from_late_ones(run: Run) -> None:
    lost = [outcome.query.id for outcome in run.outcomes if np.isinf(outcome.delay)]
    overdue = [query.id for query in run.study.queries() if query.state is bl.State.OVERDUE]
    assert overdue
    assert set(overdue) <= set(lost)
    marks = named(report.timeline(run.study, "day", lost))
    assert list(marks[f"overdue: the answer never comes ({len(overdue)})"].y) == overdue
    assert f"overdue ({len(overdue)})" in named(report.timeline(run.study, "day"))

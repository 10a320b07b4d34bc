"""Figures show what the log says."""

from __future__ import annotations

import builtins
import sys
from typing import Any

import numpy as np
import pytest

import belated as bl
from belated import report, simulate
from belated.errors import MissingPackageError
from belated.simulate import Run


@pytest.fixture(scope="module")
def run() -> Run:
    policy = bl.policies.gp_ucb_sdf(window=bl.Window(seconds=8), initial=99)
    return simulate.run("coupling", policy, simulate.lost(0.3, simulate.poisson(4)), rounds=25, seed=1)


def named(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data if trace.name}


@pytest.mark.parametrize("kind", ["simple", "cumulative"])
def test_the_lines_of_regret_are_the_regrets_of_the_runs(kind: Any, run: Run) -> None:
    other = simulate.run("coupling", "random", rounds=10, seed=1)
    figure = report.regret({"late": run, "random": other}, kind)
    lines = named(figure)
    assert list(lines) == ["late", "random"]
    expected = run.simple_regret if kind == "simple" else run.cumulative_regret
    assert np.array_equal(lines["late"].y, expected)
    assert lines["late"].line.color != lines["random"].line.color


def test_progress_begins_with_the_first_answer_and_ends_at_the_best_true_value(run: Run) -> None:
    (line,) = report.progress({"late": run}).data
    arrivals = [query.answer.at for query in run.study.history().queries if query.answer]
    assert line.x[0] == min(arrivals)
    assert line.y[-1] == pytest.approx(run.problem.optimum - run.simple_regret[-1])
    assert np.all(np.diff(line.y) >= 0)


def test_progress_of_a_run_without_answers_is_an_empty_line() -> None:
    silent = simulate.run("branin", "random", simulate.lost(1.0, simulate.none()), rounds=5)
    (line,) = report.progress({"silent": silent}).data
    assert len(line.x or ()) == 0


def test_the_best_answers_follow_the_goal() -> None:
    run = simulate.run("branin", "random", simulate.poisson(2), rounds=15, seed=3)
    (line,) = report.best_answers({"study": run.study}).data
    assert np.all(np.diff(line.y) <= 0)
    assert line.y[-1] == run.study.best().value


def test_the_timeline_marks_each_query_once_by_its_state(run: Run) -> None:
    lost = [outcome.query.id for outcome in run.outcomes if np.isinf(outcome.delay)]
    marks = named(report.timeline(run.study, "day", lost))
    queries = run.study.history().queries
    answered = [query.number for query in queries if query.state is bl.State.ANSWERED]
    pending = [query.number for query in queries if query.state is bl.State.PENDING]
    overdue = [query.number for query in queries if query.state is bl.State.OVERDUE]
    assert answered
    assert pending
    assert overdue
    assert list(marks[f"answered ({len(answered)})"].y) == answered
    assert list(marks[f"pending ({len(pending)})"].y) == pending
    assert list(marks[f"overdue: the answer never comes ({len(overdue)})"].y) == overdue
    assert f"overdue ({len(overdue)})" in named(report.timeline(run.study))


def test_the_timeline_shows_abandoned_queries_and_leaves_out_added_data() -> None:
    study = bl.Study.in_memory(bl.Space(x=bl.Float(0, 1)), policy="random", seed=1)
    study.add({"x": 0.5}, 1.0)
    query = study.ask()
    assert isinstance(query, bl.Query)
    study.abandon(query)
    assert list(named(report.timeline(study))) == ["abandoned (1)"]


def test_the_histogram_counts_the_waits_of_the_answers(run: Run) -> None:
    (bars,) = report.waits(run.study).data
    waits = [query.answer.at - query.asked_at for query in run.study.history().queries if query.answer]
    assert sorted(bars.x) == sorted(waits)


def test_every_parameter_has_its_panel_on_its_own_scale(run: Run) -> None:
    figure = report.asked(run.study)
    assert len(figure.data) == 4
    assert figure.layout.xaxis2.title.text == "loading"
    assert figure.layout.xaxis2.type == "log"
    assert figure.layout.xaxis3.type == "category"
    assert len(figure.data[0].x) == run.study.history().n_answered


@pytest.mark.parametrize("draw", [report.timeline, report.waits, report.asked])
def test_a_study_in_which_nothing_happened_still_has_its_figures(draw: Any) -> None:
    assert draw(bl.Study.in_memory(bl.Candidates([[1.0, 2.0], [3.0, 4.0]]), seed=0)).to_dict()


@pytest.mark.parametrize("draw", [report.timeline, report.waits, report.asked])
def test_without_plotly_the_error_says_how_to_get_it(draw: Any, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without_plotly(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "plotly":
            raise ModuleNotFoundError(name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_plotly)
    with pytest.raises(MissingPackageError, match=r"pip install 'belated\[report\]'"):
        draw(run.study)

"""What runs of the clients add up to, against numbers worked out by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.experiments.statistics import sign_flip
from benchmarks.clients_kept import Run
from benchmarks.clients_summary import (
    Line,
    best_so_far,
    by_tool,
    first_below,
    over_evaluations,
    over_seconds,
    reached,
    spread,
    table,
    waiting,
)


def run(
    tool: str,
    seed: int,
    losses: Sequence[float],
    ended: Sequence[float] | None = None,
    thoughts: Sequence[float] | None = None,
    task: str = "svm",
) -> Run:
    """A run whose evaluations take a second each, one after the other, unless told otherwise."""
    ends = tuple(map(float, ended if ended is not None else range(1, len(losses) + 1)))
    return Run(
        task=task,
        tool=tool,
        seed=seed,
        version="1",
        load=0.0,
        others=0.0,
        seconds=ends[-1],
        thoughts=tuple(thoughts if thoughts is not None else (0.0 for _ in losses)),
        began=tuple(end - 1.0 for end in ends),
        ended=ends,
        processor=tuple(0.5 for _ in losses),
        losses=tuple(losses),
    )


def lines(runs: Sequence[Run], tools: Sequence[str], initial: int = 0) -> dict[str, Line]:
    return {line.tool: line for line in table(by_tool(runs, "svm", tools), initial, workers=1)}


def test_the_best_so_far_never_rises() -> None:
    assert best_so_far(run("a", 0, [3.0, 5.0, 1.0, 2.0])).tolist() == [3.0, 3.0, 1.0, 1.0]


def test_curves_over_evaluations_are_quartiles_of_the_best_so_far() -> None:
    curve = over_evaluations([run("a", seed, [4.0 + seed, 9.0, float(seed)]) for seed in range(5)])
    assert curve.x.tolist() == [1.0, 2.0, 3.0]
    assert curve.low.tolist() == [5.0, 5.0, 1.0]
    assert curve.middle.tolist() == [6.0, 6.0, 2.0]
    assert curve.high.tolist() == [7.0, 7.0, 3.0]


def test_curves_over_seconds_begin_when_all_runs_have_a_loss_and_end_when_half_are_over() -> None:
    runs = [
        run("a", 0, [4.0, 1.0], ended=[1.0, 3.0]),
        run("a", 1, [5.0, 2.0], ended=[2.0, 5.0]),
        run("a", 2, [6.0, 3.0], ended=[2.0, 9.0]),
    ]
    curve = over_seconds(runs)
    assert (curve.x[0], curve.x[-1]) == (2.0, 5.0)
    assert (curve.middle[0], curve.low[0], curve.high[0]) == (5.0, 4.5, 5.5)
    # The first run has been over since second 3, and keeps its 1; the second ends at this moment.
    assert curve.middle[-1] == 2.0
    before = curve.x < 3.0
    assert np.all(curve.middle[before] == 5.0)
    assert np.all(curve.middle[~before][:-1] == 5.0)
    assert np.all(curve.low[~before][:-1] == 3.0)


def test_runs_are_sorted_by_tool_and_seed_and_tools_without_any_are_left_out() -> None:
    runs = [run("b", 2, [1.0]), run("a", 1, [1.0]), run("b", 0, [1.0]), run("a", 0, [1.0], task="trees")]
    found = by_tool(runs, "svm", ["a", "b", "c"])
    assert {tool: [one.seed for one in some] for tool, some in found.items()} == {"a": [1], "b": [0, 2]}


def test_the_table_has_the_lowest_median_first() -> None:
    runs = [run("a", 0, [3.0]), run("belated", 0, [2.0]), run("b", 0, [1.0])]
    assert list(lines(runs, ["a", "belated", "b"])) == ["b", "belated", "a"]


def test_differences_are_of_the_seeds_that_both_have() -> None:
    ours = [run("belated", seed, [9.0, 1.0]) for seed in range(6)]
    theirs = [run("a", seed, [9.0, 1.0 + gap]) for seed, gap in enumerate([1.0, 2.0, 3.0, 4.0, 5.0])]
    found = lines([*ours, *theirs, run("a", 99, [70.0, 80.0])], ["belated", "a"])
    difference = found["a"].difference
    assert difference is not None
    assert (float(difference.mean), int(difference.n)) == (3.0, 5)
    assert_allclose(difference.error, math.sqrt(2.5 / 5.0))
    # All five are positive, which chance alone does to 2 of the 32 changes of signs.
    assert found["a"].chance == 2.0 / 32.0
    assert found["a"].seeds == 6
    assert found["belated"].difference is None
    assert found["belated"].chance is None


def test_chances_are_corrected_for_the_number_of_tools() -> None:
    ours = [run("belated", seed, [1.0]) for seed in range(5)]
    far = [run("a", seed, [2.0 + seed]) for seed in range(5)]
    near = [run("b", seed, [1.0 + gap]) for seed, gap in enumerate([1.0, -1.0, 1.0, -1.0, 0.5])]
    found = lines([*ours, *far, *near], ["belated", "a", "b"])
    assert found["a"].chance == 2.0 * 2.0 / 32.0
    assert found["b"].chance == sign_flip(np.array([1.0, -1.0, 1.0, -1.0, 0.5]))


def test_a_tool_alone_is_compared_with_none() -> None:
    found = lines([run("a", 0, [1.0])], ["belated", "a"])["a"]
    assert (found.difference, found.chance, found.reached) == (None, None, None)


@pytest.mark.parametrize(
    "loss, evaluations, seconds",
    [(3.0, 1.0, 1.5), (2.0, 3.0, 4.0), (2.5, 3.0, 4.0), (0.5, math.inf, math.inf)],
)
def test_a_run_is_as_good_as_a_loss_from_the_first_evaluation_that_is(
    loss: float, evaluations: float, seconds: float
) -> None:
    one = run("a", 0, [3.0, 9.0, 2.0], ended=[1.5, 2.0, 4.0])
    assert first_below(one, loss) == (evaluations, seconds)


def test_what_half_of_the_seeds_never_reach_is_never_reached() -> None:
    yardsticks = [run("random", seed, [5.0, 2.0]) for seed in range(4)]
    quick, slow = [9.0, 1.0], [9.0, 3.0]
    assert reached([run("a", seed, quick) for seed in range(4)], yardsticks) == (2.0, 2.0)
    some = [run("a", 0, quick), run("a", 1, quick), run("a", 2, quick), run("a", 3, slow)]
    assert reached(some, yardsticks) == (2.0, 2.0)
    half = [run("a", 0, quick), run("a", 1, quick), run("a", 2, slow), run("a", 3, slow)]
    assert reached(half, yardsticks) == (math.inf, math.inf)
    assert reached([run("a", 7, quick)], yardsticks) is None


def test_thoughts_about_the_initial_queries_do_not_count() -> None:
    runs = [run("a", seed, [1.0, 1.0, 1.0], thoughts=[9.0, 0.25, 0.75]) for seed in range(2)]
    assert lines(runs, ["a"], initial=1)["a"].thought == 0.5


def test_workers_are_idle_from_one_end_to_the_next_beginning() -> None:
    # Two workers; until second 4, when the last query is under way, they work 1 + 2 + 3 seconds of 8.
    one = run("a", 0, [1.0, 1.0, 1.0, 1.0])
    parts = {"began": (0.0, 1.0, 1.0, 4.0), "ended": (1.0, 3.0, 9.0, 5.0)}
    assert waiting(Run(**{**one.__dict__, **parts}), workers=2) == pytest.approx(1.0 - 6.0 / 8.0)


def test_a_spread_is_the_median_between_the_quartiles() -> None:
    found = spread([5.0, 1.0, 3.0, 2.0, 4.0])
    assert (found.low, found.middle, found.high) == (2.0, 3.0, 4.0)

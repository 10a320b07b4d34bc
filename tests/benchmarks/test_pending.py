"""The study of pending queries: its plan, what it keeps, its intervals and its page."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from belated.experiments import Archive
from belated.policies import registry
from benchmarks import pending, pending_page, pending_summary
from benchmarks.pending import LAWS, PROBLEMS, SERIAL, WORKERS, Play, Regrets
from benchmarks.pending_summary import Pair

PLANNED = list(pending.plays())
KEPT = pending.kept()


def pair(own: float, other: float, problem: str = "branin", seed: int = 0) -> Pair:
    play = Play("ucb", "lie", "batch", 4, problem, 0.0, seed)
    return Pair(play, {"found": own}, {"found": other})


def test_in_every_pass_laws_workers_and_problems_meet_once_two_by_two() -> None:
    own = [play for play in PLANNED if (play.rule, play.treatment) == ("ei", "ignore") and play.workers != SERIAL]
    for first, second in (("law", "workers"), ("law", "problem"), ("workers", "problem")):
        met = Counter((getattr(play, first), getattr(play, second), play.seed) for play in own)
        assert set(met.values()) == {1}
    assert len(own) == pending.PASSES * len(LAWS) * len(WORKERS)
    assert len({(play.law, play.workers) for play in own}) == len(PROBLEMS) ** 2


def test_every_run_has_the_one_that_ignores_beside_it_and_the_serial_one() -> None:
    keys = {(play.arm, play.seed) for play in PLANNED}
    for play in PLANNED:
        for beside in (pending_summary.ignoring(play), pending_summary.serial(play)):
            assert (beside.arm, beside.seed) in keys


def test_every_run_that_is_planned_is_kept() -> None:
    assert {(play.arm, play.seed) for play in PLANNED} <= KEPT.keys()


@pytest.mark.parametrize(
    "play",
    [
        Play("ucb", "hallucinate", "heavy", 2, "gp-matern32", 0.0, 0),
        Play("ei", "fantasise", "heavy", 2, "gp-matern32", 0.0, 0),
        Play("ucb", "penalise", "heavy", 2, "gp-matern32", 0.0, 0),
    ],
    ids=lambda play: play.treatment,
)
def test_a_run_that_is_kept_is_played_again_to_its_digits(
    play: Play, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The study's policy has its name for as long as this test.
    monkeypatch.setattr(registry, "POLICIES", replace(registry.POLICIES, entries=dict(registry.POLICIES.entries)))
    again = pending.perform(Archive(tmp_path, Regrets), pending.job(play))
    kept = KEPT[play.arm, play.seed]
    assert (again.found, again.simple, again.cumulative) == pytest.approx(
        (kept.found, kept.simple, kept.cumulative), rel=1e-3, abs=1e-6
    )


def test_a_change_is_the_mean_difference_as_a_share_of_the_mean_beside() -> None:
    found = pending_summary.change([pair(1.0, 2.0), pair(2.0, 4.0), pair(3.0, 3.0)], "found")
    assert found.share == pytest.approx((6.0 - 9.0) / 9.0)
    assert found.low <= found.share <= found.high
    assert found.pairs == 3


@pytest.mark.slow
def test_the_interval_of_a_change_covers_the_truth_nineteen_times_in_twenty() -> None:
    chance, covered = np.random.default_rng(8), 0
    for _ in range(300):
        cases = [pair(float(own), 1.0, seed=seed) for seed in range(20) for own in 0.8 + chance.normal(0.0, 0.3, 4)]
        found = pending_summary.change(cases, "found")
        covered += found.low <= -0.2 <= found.high
    # Twenty cases: a resampling interval is a little narrow, and five standard errors of 300 are 0.063.
    assert covered / 300 > 0.92 - 0.063


def test_equal_regrets_are_better_in_half_of_the_pairs_and_change_nothing() -> None:
    same = [pair(value, value) for value in (0.0, 1.0, 5.0)]
    assert pending_summary.better(same, "found") == 0.5
    assert pending_summary.change(same, "found")[:3] == (0.0, 0.0, 0.0)


def test_the_page_and_its_figure_are_what_the_kept_runs_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = pending_page.PAGE
    monkeypatch.setattr(pending_page, "PAGE", tmp_path / page.name)
    pending_page.write(KEPT)
    for written in tmp_path.iterdir():
        assert written.read_text() == page.with_name(written.name).read_text()

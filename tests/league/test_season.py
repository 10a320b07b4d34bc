"""Whose runs are all in is compared; who has not played is told, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from belated.experiments.league.cases import Case
from belated.experiments.league.entrants import entrants
from belated.experiments.league.fixtures import programme
from belated.experiments.league.kept import LeagueRun, archive
from belated.experiments.league.season import seasons
from belated.simulate.laws import none
from tests.league.made_up import season


def test_who_has_played_everything_is_compared_over_all_its_cases_and_seeds() -> None:
    found = season()
    assert found.complete
    assert [one.name for one in found.players] == ["random", "auto", "gp-ucb", "ax", "Mine", "special"]
    assert found.missing == ()
    assert {name: len(by_case) for name, by_case in found.runs.items()} == {
        "random": 8,
        "auto": 8,
        "gp-ucb": 8,
        "special": 2,
        "ax": 6,
        "Mine": 8,
    }
    assert found.tables.cases == tuple(case.key for case in found.suite)
    assert {(one.entrant, one.case) for one in found.absences if one.entrant == "ax"} == {
        ("ax", "open-contexts-6"),
        ("ax", "open-contexts-7"),
    }


def test_one_run_that_is_missing_keeps_an_entrant_out_and_the_reason_counts_what_there_is() -> None:
    found = season(without=[("gp-ucb", 1), ("ax", 0), ("ax", 1), ("ax", 2)])
    assert {one.entrant.name: one.reason for one in found.missing} == {
        "gp-ucb": "16 of its 24 runs have been played",
        "ax": "not played yet",
    }
    assert "gp-ucb" not in found.tables.entrants
    assert "ax" not in {absence.entrant for absence in found.absences}


def test_a_package_that_is_missing_is_the_reason_unless_all_runs_are_there() -> None:
    lacking = {"ax": "needs the package ax, which is not installed", "Mine": "needs another"}
    found = season(without=[("ax", 0)], lacking=lacking)
    assert [(one.entrant.name, one.reason) for one in found.missing] == [("ax", lacking["ax"])]
    assert "Mine" in found.runs


def test_without_all_runs_of_random_there_is_nothing_to_compare_by() -> None:
    assert not season(without=[("random", 2)]).complete


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, tuple[Case, ...]]:
    """A folder with all runs of `random`, `auto` and somebody else in a suite of one open and one sealed case."""
    suite = tuple(
        Case(f"{half}-it", "smooth", half, "branin", "none", none(), 0.0, 4, 0.0) for half in ("open", "sealed")
    )
    for case in suite:
        for name in ("random", "auto", "Mine"):
            for seed in range(2):
                regret = {"random": 1.0, "auto": 0.5, "Mine": 0.7}[name] + seed
                run = LeagueRun(name, case.digest, seed, 4, 0, 0, 0.1, (regret,) * 3, (regret,) * 3, (1.0, 2.0, 4.0))
                archive(tmp_path / case.half).add(name, run)
    return tmp_path, suite


def test_runs_that_are_kept_become_the_seasons_of_both_halves(kept: tuple[Path, tuple[Case, ...]]) -> None:
    folder, suite = kept
    # Both cases have the same definition, so that one archive would not do.
    opened, sealed = seasons(folder, suite, seeds=2)
    assert (opened.half, sealed.half) == ("open", "sealed")
    for found in (opened, sealed):
        assert {one.name: one.kind for one in found.players} == {
            "random": "search",
            "auto": "policy",
            "Mine": "visitor",
        }
    policies = {one.name for one in entrants() if one.kind == "policy"} - {"auto"}
    assert {one.entrant.name for one in opened.missing} >= policies - _unable(suite)
    # Nobody else of ours was among the best of the open half, as nobody else has played it.
    assert not {one.entrant.name for one in sealed.missing} & policies


def test_a_half_in_which_nothing_is_complete_is_left_out(kept: tuple[Path, tuple[Case, ...]], tmp_path: Path) -> None:
    folder, suite = kept
    assert [found.half for found in seasons(folder, suite[:1], seeds=2)] == ["open"]
    assert [found.half for found in seasons(folder, suite, seeds=3)] == []
    assert seasons(tmp_path / "empty", suite) == ()


def _unable(suite: tuple[Case, ...]) -> set[str]:
    return {absence.entrant for absence in programme(suite[:1], entrants(), 1).absences}

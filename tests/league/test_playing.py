"""What is played, by whom, and what is kept of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated import policies
from belated.errors import UnknownNameError
from belated.experiments.archive import RunKey, dumped
from belated.experiments.arm import Arm, Job
from belated.experiments.league import (
    CASES,
    LAWS,
    Case,
    LeagueRun,
    Programme,
    archive,
    chosen,
    divided,
    entrants,
    played,
    programme,
    quick,
)
from belated.experiments.league.kept import charged, checkpoints
from belated.experiments.league.peers import PEERS
from belated.simulate import run
from tests.meanwhile import PATIENCE

NAN = np.nan


def small(*names: str, keys: tuple[str, ...] = ("poisson-gp-unit",), seeds: int = 2) -> Programme:
    """A plan that takes a second or two."""
    return programme([quick(case) for case in chosen(keys)], entrants(names), seeds)


def by_random(case: Case) -> Arm:
    return case.arm("random", policies.build("random"))


def kept_runs(folder: Path, case: Case) -> dict[RunKey, LeagueRun]:
    return archive(folder).read(case.key).runs


def outcomes(folder: Path, case: Case) -> dict[RunKey, LeagueRun]:
    """The runs of a case, without the time that they took."""
    return {key: replace(run, seconds=0.0) for key, run in kept_runs(folder, case).items()}


def players(folder: Path, case: Case) -> list[str]:
    return [run.entrant for run in kept_runs(folder, case).values()]


def test_the_suite_has_forty_cases_of_every_law_with_and_without_noise() -> None:
    assert len(CASES) == len({case.key for case in CASES}) == 40
    assert all(60 <= case.rounds <= 100 for case in CASES)
    for group in LAWS:
        own = [case for case in CASES if case.group == group]
        assert len(own) >= 4
        if group != "context":
            # This one has none, and takes seconds to import.
            noises = {case.problem != "logistic-cancer" and by_random(case).posed(0).noise > 0 for case in own}
            assert noises == {True, False}


def test_every_policy_and_every_peer_is_entered_and_no_peer_is_a_policy_of_ours() -> None:
    assert {entrant.name for entrant in entrants()} == {*policies.names(), *PEERS}
    assert not set(PEERS) & set(policies.names())


def test_some_entrants_come_with_random_by_which_they_are_measured() -> None:
    assert [entrant.name for entrant in entrants(["optuna-tpe", "gp-bucb"])] == ["gp-bucb", "random", "optuna-tpe"]


def test_unknown_names_come_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match=r"^league: no entrant is named 'gp-bcub'; did you mean 'gp-bucb'"):
        entrants(["gp-bcub"])
    with pytest.raises(UnknownNameError, match=r"^league: no case is named 'none-brannin'; did you mean 'none-branin'"):
        chosen(["none-brannin"])


def test_who_cannot_play_a_case_is_left_out_of_it_with_the_reason() -> None:
    cases = chosen(["none-branin", "none-gp-se", "context-newsvendor"])
    plan = programme(cases, entrants(["bpe", "gp-bucb", "sbo-kde"]), seeds=1)
    assert [(fixture.case.key, fixture.entrant.name) for fixture in plan.fixtures] == [
        ("none-branin", "gp-bucb"),
        ("none-branin", "random"),
        ("none-gp-se", "bpe"),
        ("none-gp-se", "gp-bucb"),
        ("none-gp-se", "random"),
        ("context-newsvendor", "random"),
        ("context-newsvendor", "sbo-kde"),
    ]
    assert [(absence.case, absence.entrant, absence.reason.split(";")[0]) for absence in plan.absences] == [
        (
            "none-branin",
            "bpe",
            "league('bpe'): got a box as the space for 'bpe', which looks at every candidate",
        ),
        (
            "none-branin",
            "sbo-kde",
            "league('sbo-kde'): got no context, and 'sbo-kde' learns the law of contexts seen after it",
        ),
        (
            "none-gp-se",
            "sbo-kde",
            "league('sbo-kde'): got no context, and 'sbo-kde' learns the law of contexts seen after it",
        ),
        (
            "context-newsvendor",
            "bpe",
            "league('bpe'): got a context seen after the decision, and 'bpe' needs it before",
        ),
        (
            "context-newsvendor",
            "gp-bucb",
            "league('gp-bucb'): got a context seen after the decision, and 'gp-bucb' needs it before",
        ),
    ]


def test_all_quick_entrants_play_a_seed_everywhere_before_the_next_and_slow_peers_last() -> None:
    plan = programme(chosen(["none-branin", "none-gp-se"]), entrants(["botorch-qucb", "gp-bucb"]))
    order = [(fixture.entrant.name, fixture.seed, fixture.case.key) for fixture in plan.fixtures]
    assert order[:5] == [
        ("gp-bucb", 0, "none-branin"),
        ("random", 0, "none-branin"),
        ("gp-bucb", 0, "none-gp-se"),
        ("random", 0, "none-gp-se"),
        ("gp-bucb", 1, "none-branin"),
    ]
    assert [name for name, _, _ in order[-10:]] == ["botorch-qucb"] * 10
    assert len(order) == 2 * (10 + 10 + 5)


def test_a_round_that_asks_nothing_counts_with_the_average_of_those_that_asked() -> None:
    assert charged(np.array([4.0, NAN, 2.0, NAN, NAN, 0.0])) == pytest.approx([4.0, 8.0, 9.0, 12.0, 15.0, 12.0])
    assert charged(np.array([NAN, 3.0])) == pytest.approx([0.0, 6.0])


def test_a_run_is_kept_to_four_digits_at_ten_checkpoints() -> None:
    case = quick(chosen(["none-branin"])[0])
    arm = replace(by_random(case), rounds=25)
    ended = run(arm.posed(3), "random", case.delay, 25, 3)
    kept = LeagueRun.of(Job(arm, 3, case.key), ended, 1.23456)
    assert checkpoints(25).tolist() == [3, 5, 8, 10, 13, 15, 18, 20, 23, 25]
    assert_allclose(kept.cumulative, ended.cumulative_regret[checkpoints(25) - 1], rtol=5e-4)
    assert_allclose(kept.simple, ended.simple_regret[checkpoints(25) - 1], rtol=5e-4)
    assert (kept.asked, kept.seed, kept.seconds) == (25, 3, 1.235)
    assert len(dumped(kept.line())) < 300


def test_noise_of_a_case_replaces_that_of_the_problem_and_runs_of_other_noise_are_others() -> None:
    noisy, plain = chosen(["constant-branin"])[0], replace(chosen(["constant-branin"])[0], noise=None)
    assert (by_random(noisy).posed(0).noise, by_random(plain).posed(0).noise) == (5.0, 0.0)
    assert by_random(noisy).digest != by_random(plain).digest


def test_what_is_kept_is_not_played_again_and_a_line_cut_short_is(tmp_path: Path) -> None:
    plan = small("gp-bucb")
    case = plan.fixtures[0].case
    assert played(plan, tmp_path, workers=0) == ()
    whole, path = outcomes(tmp_path, case), tmp_path / "poisson-gp-unit.jsonl"
    assert set(whole) == {fixture.key for fixture in plan.fixtures}
    assert divided(plan, tmp_path)[1] == []
    lines = path.read_bytes()
    path.write_bytes(lines[:-30])
    (left,) = divided(plan, tmp_path)[1]
    assert left == plan.fixtures[-1]
    assert played(plan, tmp_path, workers=0) == ()
    assert outcomes(tmp_path, case) == whole
    # What was there stands as it was, the rest of the cut line included.
    assert path.read_bytes().startswith(lines[:-30] + b"\n{")


def test_an_entrant_that_is_played_anew_leaves_the_others_and_its_lines_as_they_were(tmp_path: Path) -> None:
    plan = small("gp-bucb")
    case = plan.fixtures[0].case
    played(plan, tmp_path, workers=0)
    before, path = outcomes(tmp_path, case), tmp_path / "poisson-gp-unit.jsonl"
    lines = path.read_text()
    archive(tmp_path).forget(case.key, entrant="gp-bucb")
    assert {*players(tmp_path, case)} == {"random"}
    assert {fixture.entrant.name for fixture in divided(plan, tmp_path)[1]} == {"gp-bucb"}
    # Nothing is left to take back.
    archive(tmp_path).forget(case.key, entrant="gp-bucb")
    played(plan, tmp_path, workers=0)
    assert outcomes(tmp_path, case) == before
    following = path.read_text().removeprefix(lines).splitlines()
    assert json.loads(following[0]) == {"entrant": "gp-bucb", "anew": True}
    assert len(following) == 3


def test_processes_play_the_same_runs_and_peers_stay_unknown_to_this_one(tmp_path: Path) -> None:
    plan = small("gp-bucb", "optuna-tpe", keys=("poisson-gp-unit", "lost-coupling"), seeds=1)
    assert played(plan, tmp_path / "many", workers=2) == ()
    ours = small("gp-bucb", keys=("poisson-gp-unit", "lost-coupling"), seeds=1)
    assert played(ours, tmp_path / "one", workers=0) == ()
    for case in {fixture.case for fixture in plan.fixtures}:
        many, one = outcomes(tmp_path / "many", case), outcomes(tmp_path / "one", case)
        assert {key: many[key] for key in one} == one
        assert {run.entrant for run in many.values()} == {"gp-bucb", "optuna-tpe", "random"}
    assert not set(PEERS) & set(policies.names())


def test_a_run_that_fails_is_reported_and_the_others_are_played(tmp_path: Path) -> None:
    plan = small("gp-bucb", seeds=1)
    broken = replace(plan.fixtures[0], arm=replace(plan.fixtures[0].arm, noise=-1.0))
    (failure,) = played(Programme((broken, plan.fixtures[1]), ()), tmp_path, workers=0)
    assert (failure.case, failure.entrant, failure.seed) == ("poisson-gp-unit", "gp-bucb", 0)
    assert failure.reason == (
        "ParameterError: Problem('gp-unit'): got noise -1.0; a deviation is finite and at least 0."
    )
    assert players(tmp_path, plan.fixtures[1].case) == ["random"]


LEAGUE = """
import sys
from pathlib import Path
from belated.experiments.league import chosen, entrants, played, programme, quick

plan = programme([quick(case) for case in chosen(["none-branin"])], entrants(["random"]), 40)
sys.stdin.readline()  # both begin at the same moment
assert played(plan, Path(sys.argv[1]), workers=0) == ()
"""


def test_two_leagues_in_one_folder_keep_all_runs_and_agree(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LEAGUE, str(tmp_path)]
    pipe = subprocess.PIPE
    pair = [subprocess.Popen(command, stdin=pipe, stderr=pipe, text=True) for _ in range(2)]
    for one in pair:
        assert one.stdin is not None
        one.stdin.write("\n")
        one.stdin.flush()
    said = [one.communicate(timeout=PATIENCE)[1] for one in pair]
    assert [one.returncode for one in pair] == [0, 0], said
    lines = [json.loads(line) for line in (tmp_path / "none-branin.jsonl").read_text(encoding="utf-8").splitlines()]
    assert 40 <= len(lines) <= 80
    # With the same seed both played the same, in whatever time.
    assert len({json.dumps({**line, "seconds": 0}) for line in lines}) == 40
    runs = kept_runs(tmp_path, quick(chosen(["none-branin"])[0]))
    assert sorted(seed for _, seed in runs) == list(range(40))

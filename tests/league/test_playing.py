"""What is played, by whom, and what is kept of it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from belated import policies, simulate
from belated.errors import ParameterError, UnknownNameError
from belated.experiments.archive import RunKey, dumped
from belated.experiments.league import (
    BOUNDS,
    Case,
    Entrant,
    LeagueRun,
    Programme,
    archive,
    divided,
    entrants,
    guests,
    join,
    played,
    programme,
    runs_of,
    visitor,
)
from belated.experiments.league.cases import cases
from belated.experiments.league.peers import PEERS
from tests.meanwhile import PATIENCE


def made(key: str, problem: str = "branin", family: str = "smooth") -> Case:
    return Case(key, family, "open", problem, "poisson", simulate.poisson(4), 4.0, 12, 0.1)


BOX, TABLE, AFTER = made("box"), made("table", "gp-unit"), made("after", "newsvendor", "contexts")
PLAIN, BROKEN = visitor("tests.league.spies:Plain"), visitor("tests.league.spies:Broken")


def small(*names: str, suite: tuple[Case, ...] = (BOX, TABLE), seeds: int = 2) -> Programme:
    """A plan that takes a second or two."""
    return programme(suite, entrants(names), seeds)


def outcomes(folder: Path, name: str) -> dict[RunKey, LeagueRun]:
    """The runs of an entrant, without the time that they took."""
    return {key: replace(run, seconds=0.0) for key, run in runs_of(folder, "open", name).items()}


def test_every_policy_every_peer_and_two_searches_are_entered() -> None:
    names = [entrant.name for entrant in entrants()]
    assert len(set(names)) == len(names)
    assert set(names) == {*policies.names(), *(peer.name for peer in PEERS), "random", "sobol"}


def test_some_entrants_come_with_random_by_which_they_are_measured() -> None:
    assert {entrant.name for entrant in entrants(["gp-bucb"])} == {"gp-bucb", "random"}
    with pytest.raises(UnknownNameError, match=r"^league: no entrant is named 'gp-bcub'; did you mean 'gp-bucb'"):
        entrants(["gp-bcub"])


def test_who_cannot_play_a_case_is_left_out_of_it_with_the_reason() -> None:
    plan = programme((BOX, TABLE, AFTER), (*entrants(["bpe", "sbo-kde"]), PLAIN), seeds=1)
    assert {(fixture.case.key, fixture.entrant.name) for fixture in plan.fixtures} == {
        *(("box", name) for name in ("random", "Plain")),
        *(("table", name) for name in ("bpe", "random", "Plain")),
        *(("after", name) for name in ("random", "sbo-kde")),
    }
    reasons = {(absence.case, absence.entrant): absence.reason.split(";")[0] for absence in plan.absences}
    assert reasons == {
        ("box", "bpe"): "league('bpe'): got a box as the space for 'bpe', which looks at every candidate",
        ("box", "sbo-kde"): "league('sbo-kde'): got no context, and 'sbo-kde' learns the law of contexts seen after it",
        ("table", "sbo-kde"): (
            "league('sbo-kde'): got no context, and 'sbo-kde' learns the law of contexts seen after it"
        ),
        ("after", "bpe"): "league('bpe'): got a context seen after the decision, and 'bpe' needs it before",
        ("after", "Plain"): "league('Plain'): got a context seen after the decision, and 'Plain' takes none",
    }


def test_the_bounds_on_computing_are_those_of_the_page() -> None:
    suite = tuple(made(f"{family}-{number}", family=family) for family in ("smooth", "hills") for number in range(3))
    usual = Entrant("peer", "peer", "peer", PLAIN.entry, seconds=20.0)
    slow, slowest = replace(usual, name="slow", seconds=20.1), replace(usual, name="slowest", seconds=60.1)
    plan = programme(suite, (slowest, slow, usual))
    counts = {
        name: {case.key: sum((one.entrant.name, one.case) == (name, case) for one in plan.fixtures) for case in suite}
        for name in ("peer", "slow", "slowest")
    }
    keys = [case.key for case in suite]
    assert counts["peer"] == dict.fromkeys(keys, 10)
    assert counts["slow"] == dict.fromkeys(keys, 5)
    assert counts["slowest"] == {key: 5 if key.endswith(("0", "2")) else 0 for key in keys}
    # Quick entrants play a seed everywhere before the next, and slow ones come last.
    order = [(one.entrant.name, one.seed, one.case.key) for one in plan.fixtures]
    assert order[:6] == [("peer", 0, key) for key in keys]
    assert all(name != "peer" for name, _, _ in order[60:])
    everybody = {entrant.name: entrant for entrant in entrants()}
    best = ["gp-bucb", "auto", "gp-ucb", "gp-ei", "gp-ts", "sm-ucb", "sm-mei"]
    sealed = {name for name, entrant in everybody.items() if BOUNDS.plays_sealed(entrant, best)}
    assert sealed == {"auto", "gp-bucb", "gp-ucb", "gp-ei", "gp-ts", "sm-ucb", "random", "sobol"} | {
        peer.name for peer in PEERS
    }


def test_a_run_is_kept_in_a_short_line_that_is_read_as_it_was_written() -> None:
    regrets = ((0.01234, 0.001234, 0.0001234), (12.34, 1.234, 0.0), (123.4, 1234.0, 12340.0))
    run = LeagueRun("gp-bucb", "0123abcd", 7, 150, 12, 3, 0.041, *regrets)
    assert len(dumped(run.line())) <= 120
    assert LeagueRun.read(json.loads(dumped(run.line()))) == run
    line = run.line()
    broken = [
        {**line, "run": line["run"][:-1]},
        {**line, "run": [*line["run"], 0.0]},
        {**line, "run": [-1, *line["run"][1:]]},
        {**line, "run": [0.5, *line["run"][1:]]},
        {**line, "run": [*line["run"][:-1], float("nan")]},
        {**line, "by": None},
        {"run": line["run"]},
    ]
    assert [LeagueRun.read(one) for one in broken] == [None] * len(broken)


def test_what_is_kept_is_not_played_again_and_a_line_cut_short_is(tmp_path: Path) -> None:
    plan = small("gp-bucb", suite=(TABLE,))
    assert played(plan, tmp_path, workers=0) == ()
    whole, path = outcomes(tmp_path, "gp-bucb"), tmp_path / "open" / "gp-bucb.jsonl"
    assert set(whole) == {fixture.key for fixture in plan.fixtures if fixture.entrant.name == "gp-bucb"}
    assert divided(plan, tmp_path)[1] == []
    lines = path.read_bytes()
    path.write_bytes(lines[:-30])
    (left,) = divided(plan, tmp_path)[1]
    assert (left.entrant.name, left.seed) == ("gp-bucb", 1)
    assert played(plan, tmp_path, workers=0) == ()
    assert outcomes(tmp_path, "gp-bucb") == whole
    # What was there stands as it was, the rest of the cut line included.
    assert path.read_bytes().startswith(lines[:-30] + b"\n{")


def test_an_entrant_that_is_played_anew_in_a_case_leaves_its_other_cases_as_they_were(tmp_path: Path) -> None:
    plan = small(suite=(BOX, TABLE))
    played(plan, tmp_path, workers=0)
    before = outcomes(tmp_path, "random")
    archive(tmp_path / "open").forget("random", by="random", of=BOX.digest)
    assert [fixture.case for fixture in divided(plan, tmp_path)[1]] == [BOX, BOX]
    played(plan, tmp_path, workers=0)
    assert outcomes(tmp_path, "random") == before


def test_a_case_that_is_changed_is_another_one(tmp_path: Path) -> None:
    played(small(suite=(BOX,)), tmp_path, workers=0)
    for other in (replace(BOX, rounds=13), replace(BOX, noise=0.03), replace(BOX, delay=simulate.poisson(5))):
        assert len(divided(small(suite=(other,)), tmp_path)[1]) == 2
    assert divided(small(suite=(replace(BOX, key="renamed"),)), tmp_path)[1] == []


@pytest.mark.longest
def test_processes_play_the_same_runs(tmp_path: Path) -> None:
    plan = programme((BOX, TABLE), (*entrants(["gp-bucb", "sobol"]), PLAIN), 1)
    assert played(plan, tmp_path / "many", workers=2) == ()
    assert played(plan, tmp_path / "one", workers=0) == ()
    for name in ("gp-bucb", "sobol", "random", "Plain"):
        assert len(outcomes(tmp_path / "one", name)) == 2
        assert outcomes(tmp_path / "many", name) == outcomes(tmp_path / "one", name)


def test_a_run_that_fails_is_reported_and_the_others_are_played(tmp_path: Path) -> None:
    (failure,) = played(programme((BOX,), (BROKEN, PLAIN), 1), tmp_path, workers=0)
    assert (failure.case, failure.entrant, failure.seed) == ("box", "Broken", 0)
    assert failure.reason == "ValueError: no idea"
    assert len(outcomes(tmp_path, "Plain")) == 1
    assert not outcomes(tmp_path, "Broken")


def test_results_of_others_join_once_and_play_as_guests(tmp_path: Path) -> None:
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    played(programme((BOX, TABLE), (PLAIN,), 2), theirs, workers=0)
    path = theirs / "open" / "Plain.jsonl"
    (joined,) = join(path, ours, (BOX, TABLE))
    assert (joined.entrant, joined.added, joined.known) == ("Plain", 4, 0)
    (joined,) = join(path, ours, (BOX, TABLE))
    assert (joined.added, joined.known) == (0, 4)
    (guest,) = guests(ours, "open")
    assert (guest.name, guest.kind) == ("Plain", "visitor")
    plan = programme((BOX, TABLE, AFTER), (guest,), 2)
    there, left = divided(plan, ours)
    assert (len(there), left) == (4, [])
    assert [absence.case for absence in plan.absences] == ["after"]


def test_results_of_our_entrants_of_other_cases_and_of_no_league_are_refused(tmp_path: Path) -> None:
    played(programme((BOX,), (*entrants([]), PLAIN), 1), tmp_path, workers=0)
    with pytest.raises(ParameterError, match="'random' plays here itself"):
        join(tmp_path / "open" / "random.jsonl", tmp_path / "ours", (BOX,))
    with pytest.raises(ParameterError, match="'Plain' played a case .* that is not among these".replace(" .* ", ".*")):
        join(tmp_path / "open" / "Plain.jsonl", tmp_path / "ours", (TABLE,))
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text('{"by":"me"}\n', encoding="utf-8")
    with pytest.raises(ParameterError, match="1 of its lines are no runs of this league"):
        join(damaged, tmp_path / "ours", (BOX,))
    with pytest.raises(ParameterError, match="there is no such file"):
        join(tmp_path / "none.jsonl", tmp_path / "ours", (BOX,))
    assert not (tmp_path / "ours").exists()


MINE = """
class Mine:
    def __init__(self, space, goal, *, seed, queries):
        self.space = space
    def ask(self):
        return {"x": 20.0}
    def tell(self, point, value):
        pass
"""


def test_a_visitor_comes_from_a_file_and_what_is_wrong_with_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(MINE, encoding="utf-8")
    mine = visitor(f"{path}:Mine")
    (failure,) = played(programme((BOX,), (mine,), 1), tmp_path, workers=0)
    assert failure.reason.startswith("PointError: Mine.ask(): ")
    with pytest.raises(ParameterError, match="has no class 'Yours' with the methods"):
        visitor(f"{path}:Yours")
    with pytest.raises(ParameterError, match="there is no file"):
        visitor(f"{tmp_path / 'no.py'}:Mine")
    with pytest.raises(ParameterError, match="name a file and a class in it, as mine.py:Mine".replace(".", r"\.")):
        visitor("mine")


LEAGUE = """
import sys
from dataclasses import replace
from pathlib import Path
from belated.experiments.league import entrants, played, programme
from belated.experiments.league.cases import cases

plan = programme([replace(cases("open")[0], rounds=10, noise=0.0)], entrants(["random"]), 12)
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
    case = replace(cases("open")[0], rounds=10, noise=0.0)
    lines = (tmp_path / "open" / "random.jsonl").read_text(encoding="utf-8").splitlines()
    assert 12 <= len(lines) <= 24
    runs = outcomes(tmp_path, "random")
    assert sorted(runs) == [(case.digest, seed) for seed in range(12)]
    # With the same seed both played the same, in whatever time.
    again = [LeagueRun.read(json.loads(line)) for line in lines]
    assert all(run is not None and replace(run, seconds=0.0) == runs[run.key] for run in again)

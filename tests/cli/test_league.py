"""`belated league`, as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from belated.experiments.league import archive
from belated.experiments.league.cases import cases
from tests.forks import belated
from tests.meanwhile import PATIENCE, until

KEY = cases("open")[0].key
QUICK = ("--case", KEY, "--quick", "--workers", "0")
COMMAND = (sys.executable, "-m", "belated.cli.main")
MINE = """
import numpy as np

class Mine:
    def __init__(self, space, goal, *, seed, queries):
        self.space, self.asked = space, 0
    def ask(self):
        self.asked += 1
        return self.space.decode(self.space.snap(np.full((1, self.space.dimension), (0.7 * self.asked) % 1.0))[0])
    def tell(self, point, value):
        pass
"""


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.longest
def test_an_optimizer_of_ones_own_plays_beside_random_and_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE, encoding="utf-8")
    done = belated(tmp_path, "league", "--entrant", "mine.py:Mine", *QUICK, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [case["case"] for case in told["cases"]] == [KEY]
    assert {one["entrant"]: one["kind"] for one in told["entrants"]} == {"random": "search", "Mine": "visitor"}
    assert (told["runs"], told["absences"], told["failures"]) == ({"planned": 4, "kept": 4}, [], [])
    runs = tmp_path / "league" / "runs" / "open"
    kept = (runs / "Mine.jsonl").read_text(encoding="utf-8")
    assert len(kept.splitlines()) == 2
    done = belated(tmp_path, "league", "--entrant", "mine.py:Mine", *QUICK, "--seeds", "3")
    assert done.returncode == 0, done.stderr
    now = (runs / "Mine.jsonl").read_text(encoding="utf-8")
    assert now.startswith(kept)
    assert len(now.splitlines()) == 3
    # Its file goes to another folder as a result.
    done = belated(tmp_path, "league", "--results", str(runs / "Mine.jsonl"), "--page-only", "-o", "other")
    assert done.returncode == 14
    assert "is not among these; cases have changed since, or it was a --quick look" in " ".join(done.stderr.split())


def test_an_entrant_is_played_again_and_the_others_are_not(tmp_path: Path) -> None:
    done = belated(tmp_path, "league", "--only", "sobol", *QUICK)
    assert done.returncode == 0, done.stderr
    runs = tmp_path / "league" / "runs" / "open"
    before = (runs / "random.jsonl").read_text(encoding="utf-8")
    done = belated(tmp_path, "league", "--only", "sobol", "--again", "sobol", *QUICK)
    assert done.returncode == 0, done.stderr
    assert (runs / "random.jsonl").read_text(encoding="utf-8") == before
    assert [line.get("anew", False) for line in lines_of(runs / "sobol.jsonl")] == [False, False, True, False, False]
    done = belated(tmp_path, "league", "--only", "sobol", *QUICK, "--page-only", "--json")
    assert json.loads(done.stdout)["runs"] == {"planned": 4, "kept": 4}


def test_an_unknown_entrant_comes_with_the_nearest_and_nothing_is_written(tmp_path: Path) -> None:
    done = belated(tmp_path, "league", "--only", "gp-bcub")
    assert done.returncode == 20
    assert "league: no entrant is named 'gp-bcub'; did you mean 'gp-bucb'" in done.stderr
    done = belated(tmp_path, "league", "--cases", "opened")
    assert done.returncode == 20
    assert "no half of the cases is named 'opened'; did you mean 'open'" in done.stderr
    assert not (tmp_path / "league").exists()


# Many short runs of one case, which two seconds do not end.
MANY = ("--case", KEY, "--only", "random", "--quick", "--seeds", "2000")


def kept_lines(folder: Path) -> list[str]:
    path = folder / "league" / "runs" / "open" / "random.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("workers", [0, 1])
def test_after_ctrl_c_every_run_that_ended_is_kept_whole(workers: int, tmp_path: Path) -> None:
    command = [*COMMAND, "league", *MANY, "--workers", str(workers)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as child:
        until(lambda: len(kept_lines(tmp_path)) >= 3, "some runs are kept")
        os.killpg(child.pid, signal.SIGINT)
        out, said = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (130, "")
    assert "Interrupted. What is finished is kept: run the same command again to go on." in " ".join(said.split())
    assert "Traceback" not in said
    lines = kept_lines(tmp_path)
    runs = archive(tmp_path / "league" / "runs" / "open").read("random").runs
    assert 3 <= len(runs) == len(lines) < 2000
    # It goes on where it was.
    command = [*COMMAND, "league", *MANY[:-1], str(len(lines) + 2), "--workers", "0"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE)
    assert kept_lines(tmp_path)[: len(lines)] == lines
    assert len(kept_lines(tmp_path)) == len(lines) + 2

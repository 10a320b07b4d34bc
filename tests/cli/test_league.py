"""`belated league`, as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from belated.experiments.league import archive, chosen, entrants, played, programme, quick
from tests.forks import belated
from tests.meanwhile import PATIENCE, until

QUICK = ("--case", "poisson-gp-unit", "--only", "gp-bucb", "--quick", "--workers", "0")


COMMAND = (sys.executable, "-m", "belated.cli.main")


@pytest.mark.longest
def test_a_quick_look_at_one_case_ranks_its_entrants_and_goes_on_where_it_was(tmp_path: Path) -> None:
    done = belated(tmp_path, "league", *QUICK, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [case["case"] for case in told["cases"]] == ["poisson-gp-unit"]
    assert {one["entrant"]: one["runs"] for one in told["standings"]} == {"gp-bucb": 2, "random": 2}
    assert (told["runs"], told["absences"], told["failures"]) == (4, [], [])
    assert told["whole"]["kept"] == 4 < told["whole"]["runs"]
    assert Path(told["page"]) == Path("league", "index.md")
    kept = tmp_path / "league" / "runs" / "poisson-gp-unit.jsonl"
    lines = kept.read_text()
    assert len(lines.splitlines()) == 4
    done = belated(tmp_path, "league", *QUICK, "--only", "bpe", "--again", "gp-bucb")
    assert done.returncode == 0, done.stderr
    assert kept.read_text().startswith(lines)
    anew = [json.loads(line) for line in kept.read_text().removeprefix(lines).splitlines()]
    assert [line["entrant"] for line in anew] == ["gp-bucb", "bpe", "gp-bucb", "bpe", "gp-bucb"]
    assert "mean rank" in done.stdout
    assert done.stdout.endswith(f"Written to {Path('league', 'index.md')}\n")
    lines = kept.read_text()
    done = belated(tmp_path, "league", *QUICK, "--page-only", "--json")
    told = json.loads(done.stdout)
    assert [one["runs"] for one in told["standings"]] == [2, 2]
    assert kept.read_text() == lines
    # The page is of all that is kept, whatever was chosen.
    assert told["whole"]["kept"] == 6
    page = (tmp_path / "league" / "index.md").read_text(encoding="utf-8")
    assert f"**6 of {told['whole']['runs']:,} runs are in.** Not all of `gp-bucb` (2 of 72), " in page
    assert all(f" `{name}` | " in page for name in ("bpe", "gp-bucb", "random"))


def test_an_unknown_entrant_comes_with_the_nearest_and_nothing_is_written(tmp_path: Path) -> None:
    done = belated(tmp_path, "league", "--only", "optuna-tep")
    assert done.returncode == 20
    assert "league: no entrant is named 'optuna-tep'; did you mean 'optuna-tpe'" in done.stderr
    assert not (tmp_path / "league").exists()


def test_figures_of_another_kind_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    done = belated(tmp_path, "league", *QUICK, "--image", "svg,pdf")
    assert done.returncode == 14
    said = " ".join(done.stderr.split())
    assert "belated: image='svg,pdf': got 'pdf'; figures are written as html, svg, png; name some of them" in said
    assert not (tmp_path / "league").exists()


# Many short runs of one case, which two seconds do not end.
MANY = ("--case", "none-branin", "--only", "random", "--quick", "--seeds", "2000")


def kept_lines(folder: Path) -> list[str]:
    path = folder / "league" / "runs" / "none-branin.jsonl"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("workers", [0, 1])
def test_after_ctrl_c_every_run_that_ended_is_kept_whole(workers: int, tmp_path: Path) -> None:
    command = [*COMMAND, "league", *MANY, "--workers", str(workers)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=tmp_path, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as child:
        until(lambda: len(kept_lines(tmp_path)) >= 5, "some runs are kept")
        os.killpg(child.pid, signal.SIGINT)
        out, said = child.communicate(timeout=PATIENCE)
    assert (child.returncode, out) == (130, "")
    assert "Interrupted. What is finished is kept: run the same command again to go on." in " ".join(said.split())
    assert "Traceback" not in said
    lines = kept_lines(tmp_path)
    runs = archive(tmp_path / "league" / "runs").read("none-branin").runs
    assert 5 <= len(runs) == len(lines) < 2000
    # It goes on where it was.
    plan = programme([quick(case) for case in chosen(["none-branin"])], entrants(["random"]), len(lines) + 2)
    assert played(plan, tmp_path / "league" / "runs", workers=0) == ()
    assert kept_lines(tmp_path)[: len(lines)] == lines
    assert len(kept_lines(tmp_path)) == len(lines) + 2

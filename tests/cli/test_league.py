"""`belated league`, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

QUICK = ("--case", "poisson-gp-unit", "--only", "gp-bucb", "--quick", "--workers", "0")


def belated(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "belated.cli.main", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=300)


def test_a_quick_look_at_one_case_ranks_its_entrants_and_goes_on_where_it_was(tmp_path: Path) -> None:
    done = belated("league", *QUICK, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [case["case"] for case in told["cases"]] == ["poisson-gp-unit"]
    assert {one["entrant"]: one["runs"] for one in told["standings"]} == {"gp-bucb": 2, "random": 2}
    assert (told["runs"], told["absences"], told["failures"]) == (4, [], [])
    kept = tmp_path / "league" / "runs" / "poisson-gp-unit.jsonl"
    lines = kept.read_text()
    assert len(lines.splitlines()) == 4
    done = belated("league", *QUICK, "--only", "bpe", "--again", "gp-bucb", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert kept.read_text().startswith(lines)
    anew = [json.loads(line) for line in kept.read_text().removeprefix(lines).splitlines()]
    assert [line["entrant"] for line in anew] == ["gp-bucb", "bpe", "gp-bucb", "bpe", "gp-bucb"]
    assert "mean rank" in done.stdout
    lines = kept.read_text()
    done = belated("league", *QUICK, "--page-only", "--json", folder=tmp_path)
    assert [one["runs"] for one in json.loads(done.stdout)["standings"]] == [2, 2]
    assert kept.read_text() == lines


def test_an_unknown_entrant_comes_with_the_nearest_and_nothing_is_written(tmp_path: Path) -> None:
    done = belated("league", "--only", "optuna-tep", folder=tmp_path)
    assert done.returncode == 20
    assert "league: no entrant is named 'optuna-tep'; did you mean 'optuna-tpe'" in done.stderr
    assert not (tmp_path / "league").exists()

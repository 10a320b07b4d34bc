"""`belated reproduce`, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def belated(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "belated.cli.main", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=300)


def test_a_figure_is_run_drawn_and_written_down(tmp_path: Path) -> None:
    done = belated("reproduce", "desautels2014", "7", "--trials", "2", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["paper"], told["trials"]) == ("desautels2014", 2)
    assert [figure["figure"] for figure in told["figures"]] == ["7"]
    page = (tmp_path / told["page"]).read_text(encoding="utf-8")
    assert "## Figure 7: The cost of rounds and of actions" in page
    assert "GP-AUCB" in page
    assert (tmp_path / "reproduction" / "desautels2014-7-costs.html").exists()
    assert (tmp_path / "reproduction" / "desautels2014-7.csv").read_text().startswith("experiment,arm,measure,round")


def test_unknown_papers_and_figures_come_with_the_nearest(tmp_path: Path) -> None:
    done = belated("reproduce", "vakili2022", folder=tmp_path)
    assert done.returncode == 20
    assert "did you mean 'vakili2023'" in done.stderr
    done = belated("reproduce", "vakili2023", "9", folder=tmp_path)
    assert done.returncode == 20
    assert "no figure of vakili2023 is named '9'; choose one of 2, 3, 4, 5." in done.stderr
    assert not (tmp_path / "reproduction").exists()

"""`belated reproduce`, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.forks import belated


def test_a_figure_is_run_drawn_and_written_down(tmp_path: Path) -> None:
    done = belated(tmp_path, "reproduce", "desautels2014", "7", "--trials", "2", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["paper"], told["trials"]) == ("desautels2014", 2)
    assert [figure["figure"] for figure in told["figures"]] == ["7"]
    page = (tmp_path / told["page"]).read_text(encoding="utf-8")
    assert "## Figure 7: The cost of rounds and of actions" in page
    assert "GP-AUCB" in page
    drawn = [path.name for path in (tmp_path / "reproduction").glob("desautels2014-7-costs-*.html")]
    assert len(drawn) == 4, "both readings of the paper's definition, on two problems"
    assert (tmp_path / "reproduction" / "desautels2014-7.csv").read_text().startswith("experiment,arm,measure,round")


def test_unknown_papers_and_figures_come_with_the_nearest(tmp_path: Path) -> None:
    done = belated(tmp_path, "reproduce", "vakili2022")
    assert done.returncode == 20
    assert "did you mean 'vakili2023'" in done.stderr
    done = belated(tmp_path, "reproduce", "vakili2023", "9")
    assert done.returncode == 20
    assert "no figure of vakili2023 is named '9'; choose one of 2, 3, 4, 5, own-1." in done.stderr
    assert not (tmp_path / "reproduction").exists()

"""The runs of the league that are part of this repository are sound, light, and no part of the site."""

from __future__ import annotations

from pathlib import Path

from belated.experiments.league.cases import HALVES, cases
from belated.experiments.league.entrants import entrants
from belated.experiments.league.kept import LeagueRun, archive

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "benchmarks" / "results" / "league" / "runs"
MOST_BYTES = 3_000_000


def faults(folder: Path) -> list[str]:
    """Whatever is wrong with the runs of a folder."""
    found = []
    for half in HALVES:
        own = {case.digest: case for case in cases(half)}
        for path in sorted((folder / half).glob("*.jsonl")):
            shelf = archive(folder / half).read(path.stem)
            if shelf.damaged:
                found.append(f"{half}/{path.name}: {shelf.damaged} lines are no runs")
            for run in shelf.runs.values():
                if run.entrant != path.stem:
                    found.append(f"{half}/{path.name}: a run of {run.entrant}")
                elif run.case in own and run.asked > own[run.case].rounds:
                    found.append(f"{half}/{path.name}: {run.asked} queries in {own[run.case].rounds} rounds")
    return found


def test_kept_runs_are_sound() -> None:
    assert faults(KEPT) == []


def test_kept_runs_are_light() -> None:
    assert sum(path.stat().st_size for path in KEPT.rglob("*") if path.is_file()) < MOST_BYTES


def test_the_site_has_pages_and_figures_of_the_league_and_no_runs() -> None:
    assert list((ROOT / "docs").rglob("*.jsonl")) == []


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    case, name = cases("open")[0], entrants()[0].name
    run = LeagueRun(name, case.digest, 0, case.rounds + 1, 0, 0, 0.1, (1.0,) * 3, (1.0,) * 3, (1.0, 2.0, 4.0))
    archive(tmp_path / "open").add(name, run)
    archive(tmp_path / "open").add("another", run)
    with (tmp_path / "open" / f"{name}.jsonl").open("a", encoding="utf-8") as file:
        file.write("{}\n")
    assert sorted(faults(tmp_path)) == [
        f"open/another.jsonl: a run of {name}",
        f"open/{name}.jsonl: 1 lines are no runs",
        f"open/{name}.jsonl: {case.rounds + 1} queries in {case.rounds} rounds",
    ]

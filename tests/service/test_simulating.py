"""`belated simulate`, from outside: combinations, tables, files, and what is refused before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import belated as bl
from belated import errors
from tests.service.conftest import Belated

SMALL = ("simulate", "--problem", "branin", "--rounds", 6, "--seeds", 3, "--workers", 1)


def test_a_small_comparison_end_to_end(belated: Belated, tmp_path: Path) -> None:
    combinations = ("--problem", "branin,ackley-3", "--policy", "random,uncertainty", "--set", "uncertainty.initial=9")
    arguments = (*SMALL, *combinations, "--delay", "poisson(2)", "--initial", 2, "-o", "out", "--measure", "average")
    done = belated(*arguments)
    assert all(f"{problem}: {policy}" in done.err for problem in ("branin", "ackley-3") for policy in ("random",))
    assert done.out.count("average regret ± its error") == 2
    assert "random − uncertainty" in done.out
    folder = tmp_path / "out"
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "results.csv", "runs"]
    assert all(str(folder / name) in done.out.replace("\n", "") for name in ("report.html", "results.csv"))
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page.count('class="chart"') == 1
    assert page.count("<table>") == 4
    rows = (folder / "results.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + 2 * 2 * 3 * 6  # problems, policies, measures, rounds
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*.npz")}
    again = belated(*arguments)
    assert again.err.count("3 kept") == 4
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*.npz")} == before


def test_json_has_every_digit_and_nothing_else(belated: Belated) -> None:
    delays = ("--delay", "lost(0.2, poisson(2))", "--delay", "none")
    data = belated(*SMALL, "--policy", "random,uncertainty", "--set", "uncertainty.initial=9", *delays, "--json").json
    assert [found["name"] for found in data["experiments"]] == [
        "branin, lost(0.2, poisson(2))",
        "branin, constant(0.0)",
    ]
    first = data["experiments"][0]
    assert first["seeds"] == [0, 1, 2]
    random = first["arms"][0]
    assert random["policy"] == {"name": "random", "parameters": {}}
    runs = [
        bl.simulate.run("branin", "random", bl.simulate.lost(0.2, bl.simulate.poisson(2)), 6, seed) for seed in range(3)
    ]
    assert random["mean"] == pytest.approx(sum(run.simple_regret[-1] for run in runs) / 3, rel=1e-6)
    (pair,) = first["comparisons"]
    assert (pair["first"], pair["second"], pair["n"]) == ("random", "uncertainty", 3)
    assert pair["adjusted"] == pair["sign_flip"]


@pytest.mark.parametrize(
    "kind, arguments, said",
    [
        (errors.UnsupportedError, ("--policy", "bpe", "--set", "bpe.horizon=20"), "it needs a finite set"),
        (errors.UnknownNameError, ("--policy", "gp-bcub"), "did you mean 'gp-bucb'"),
        (errors.UnknownNameError, ("--policy", "random", "--problem", "branin,brannin"), "did you mean 'branin'"),
        (errors.UnknownNameError, ("--policy", "random", "--delay", "poison(3)"), "did you mean 'poisson'"),
        (errors.UnknownNameError, ("--policy", "random", "--measure", "simpel"), "did you mean 'simple'"),
        (errors.ParameterError, ("--policy", "random", "--delay", "poisson(-1)"), "mean must be"),
        (errors.ParameterError, ("--policy", "random", "--set", "random.colour=red"), "its parameters are"),
        (errors.ParameterError, ("--policy", "random", "--set", "branin.colour=red"), "its parameters are"),
    ],
)
def test_what_cannot_run_is_refused_before_anything_runs(
    belated: Belated, tmp_path: Path, kind: type[errors.BelatedError], arguments: tuple[str, ...], said: str
) -> None:
    done = belated(*SMALL, *arguments, ok=False)
    assert (done.code, done.out) == (kind.exit_code, "")
    assert said in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--policy", "random", "--rounds", 0),
        ("--policy", "random", "--seeds", 0),
        ("--policy", ","),
        ("--policy", "random", "--set", "gp-bucb.window=3"),
        ("--policy", "random", "--set", "window=3"),
        ("--policy", "random", "--image", "pdf"),
        (),
    ],
    ids=str,
)
def test_wrong_usage_exits_with_2(belated: Belated, tmp_path: Path, arguments: tuple[object, ...]) -> None:
    assert belated(*SMALL, *arguments, ok=False).code == 2
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_says_how_to_go_on_and_exits_with_130(belated: Belated, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("belated.cli.experiments.conduct", interrupted)
    done = belated(*SMALL, "--policy", "random", ok=False)
    assert (done.code, done.out) == (130, "")
    assert "run the same command again to go on" in done.err.replace("\n", " ")


@pytest.mark.parametrize(
    "typed, offered",
    [
        ("--policy random,gp-aucb", ["random,gp-aucb", "random,gp-aucb-init", "random,gp-aucb-local"]),
        ("--problem bran", ["branin", "branin-context"]),
        ("--measure mini", ["minimum"]),
    ],
)
def test_names_are_completed_after_the_last_comma(
    belated: Belated, monkeypatch: pytest.MonkeyPatch, typed: str, offered: list[str]
) -> None:
    monkeypatch.setenv("_BELATED_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", f"belated simulate {typed}")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert belated().out.split() == offered

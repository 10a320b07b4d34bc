"""The page of the league says what the runs say, and what is missing."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from belated.experiments.league import (
    CASES,
    Absence,
    Case,
    Entrant,
    Fixture,
    Programme,
    chosen,
    entrants,
    programme,
    quick,
)
from belated.report.league import NAME, Season, page, pictures
from tests.league.leagues import Runs, flat, plain

ROOT = Path(__file__).resolve().parents[2]
KEYS = ("none-gp-se", "poisson-hartmann3", "lost-coupling", "context-newsvendor")
SEEDS = 6
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def planned() -> tuple[tuple[Case, ...], Programme]:
    """A plan of four cases, in which an entrant by the name of the default plays wherever `random` does."""
    cases = tuple(map(quick, chosen(KEYS)))
    plan = programme(cases, entrants(["gp-bucb", "bpe", "sbo-kde", "optuna-tpe"]), SEEDS)
    ours = [replace(one, entrant=Entrant("auto")) for one in plan.fixtures if one.entrant.name == "random"]
    return cases, replace(plan, fixtures=(*plan.fixtures, *ours))


def invented(fixtures: Sequence[Fixture], scales: dict[str, float] | None = None) -> Runs:
    """Runs of all these, with regrets that differ in their sizes."""
    rng, runs = np.random.default_rng(7), Runs()
    for one in fixtures:
        scale = (scales or {}).get(one.entrant.name, 1.0)
        regrets = (scale * rng.uniform(0.5, 2.0, 2)).tolist()
        runs.setdefault(one.case.key, {}).setdefault(one.entrant.name, {})[one.seed] = flat(
            one.entrant.name, one.seed, *regrets
        )
    return runs


def season(scales: dict[str, float] | None = None, without: Sequence[str] = ()) -> Season:
    cases, plan = planned()
    return Season.of(cases, plan, invented([one for one in plan.fixtures if one.entrant.name not in without], scales))


def text_of(some: Season, folder: Path) -> str:
    """The page, without figures."""
    return page(some, folder, ()).read_text(encoding="utf-8")


def rows_of(text: str, heading: str) -> dict[str, list[str]]:
    """The rows of the table under a heading, by the name in their first cell; a place before it is left out."""
    part = text.split(f"{heading}\n", 1)[1].split("\n#", 1)[0]
    rows = re.findall(r"^\| (?:\S+ )?`(.+?)`(?:, peer)? \| (.*) \|$", part, re.MULTILINE)
    return {name: rest.split(" | ") for name, rest in rows}


def test_the_standings_of_the_page_are_those_of_the_runs(tmp_path: Path) -> None:
    some = season()
    text = text_of(some, tmp_path)
    rows, expected = rows_of(text, "## Standings"), plain(some.runs)
    placed = sorted(("auto", "gp-bucb", "optuna-tpe", "random"), key=lambda name: expected[name][0])
    others = sorted(("bpe", "sbo-kde"), key=lambda name: expected[name][0])
    assert list(rows) == [*placed, *others]
    assert [f"| {place}. `{name}`" in text for place, name in enumerate(placed, 1)] == [True] * 4
    assert [f"| – `{name}`" in text for name in others] == [True] * 2
    for name, (share, ends, cumulative, simple, runs, seconds) in rows.items():
        assert_allclose([float(share), float(cumulative), float(simple)], expected[name], atol=5.1e-4)
        low, high = map(float, ends.split("–"))
        assert 0.0 <= low <= high <= 1.0
        own = [by_entrant[name] for by_entrant in some.runs.values() if name in by_entrant]
        assert (runs, seconds) == (f"{sum(map(len, own))} ({len(own)})", "1")


def test_the_duels_of_the_page_are_those_of_the_runs(tmp_path: Path) -> None:
    some = season({"auto": 0.8})
    rows = rows_of(text_of(some, tmp_path), "### By simple regret")
    assert list(rows) == list(KEYS)
    for case, (best, theirs, own, ratio, above) in rows.items():
        sums = {name: sum(one.simple[-1] for one in runs.values()) for name, runs in some.runs[case].items()}
        others = {name: total for name, total in sums.items() if name != "auto"}
        found = min(others, key=lambda name: others[name])
        assert best == f"`{found}`"
        assert float(theirs) == pytest.approx(sums[found] / sums["random"], rel=5.1e-3)
        assert float(own) == pytest.approx(sums["auto"] / sums["random"], rel=5.1e-3)
        assert float(ratio) == pytest.approx(sums["auto"] / sums[found], abs=5.1e-3)
        assert (above == "") == (sums["auto"] / sums[found] <= 1.25)


def test_a_default_that_is_best_everywhere_is_said_to_be_first_and_nowhere_behind(tmp_path: Path) -> None:
    text = text_of(season({"auto": 0.01}), tmp_path)
    assert re.search(
        r"- `auto` is first of 4\. The next, `[a-z-]+`, is 0\.\d{3} behind in mean rank over the \d cases", text
    )
    for measure in ("cumulative", "simple"):
        said = f"- By {measure} regret it has at most 1.25 times that of the best other entrant in 4 of 4 cases.\n"
        assert said in text
    assert "ahead" not in text.split("## How `auto` fares")[1].split("The best is chosen")[0]


def test_a_default_that_is_behind_is_said_to_be_so_where_and_by_how_much(tmp_path: Path) -> None:
    text = text_of(season({"auto": 50.0, "optuna-tpe": 0.01, "bpe": 0.1}), tmp_path)
    assert "- `auto` is in place 4 of 4. The first, `optuna-tpe`, is " in text
    assert re.search(r"- Ahead of it in mean rank: .*`bpe` by 0\.\d{3} over the \d cases that both played", text)
    (said,) = re.findall(r"- By cumulative regret .* in 0 of 4 cases; above it, more than chance, in (.*)\.\n", text)
    assert {*re.findall(r"`([a-z0-9-]+)` \(\d+\.\d\d\)", said)} == set(KEYS)


def test_what_was_tried_is_of_cases_of_the_suite() -> None:
    page = (ROOT / "docs" / "results" / "tried.md").read_text(encoding="utf-8")
    named = re.findall(r"`([a-z0-9-]+)`", " ".join(re.findall(r"^In (.*?):$", page, re.MULTILINE | re.DOTALL)))
    assert len(named) == len(set(named)) == 32
    assert set(named) <= {case.key for case in CASES}


def test_a_best_without_any_regret_is_infinitely_better(tmp_path: Path) -> None:
    rows = rows_of(text_of(season({"gp-bucb": 0.0}), tmp_path), "### By simple regret")
    assert rows["lost-coupling"][0] == "`gp-bucb`"
    assert rows["lost-coupling"][3:] == ["∞", "more than chance"]


def test_a_default_that_has_not_played_is_said_to_be_missing(tmp_path: Path) -> None:
    text = text_of(season(without=["auto"]), tmp_path)
    assert "## How `auto` fares\n\n`auto` has not played yet.\n" in text
    assert " None yet of `auto`.\n" in text


def test_runs_that_are_missing_are_counted_and_their_entrants_named(tmp_path: Path) -> None:
    cases, plan = planned()
    there = [
        one for one in plan.fixtures if one.entrant.name != "sbo-kde" and (one.entrant.name, one.seed) != ("bpe", 0)
    ]
    text = text_of(Season.of(cases, plan, invented(there)), tmp_path)
    total = len(plan.fixtures)
    assert f"**{total - 7} of {total} runs are in.** Not all of `bpe` (5 of 6). None yet of `sbo-kde`.\n" in text
    assert f"**{total} of {total} runs are in.**\n" in text_of(season(), tmp_path)


def test_many_that_are_missing_are_counted(tmp_path: Path) -> None:
    cases = tuple(map(quick, chosen(["none-gp-se"])))
    plan = programme(cases, entrants(), 1)
    text = text_of(
        Season.of(cases, plan, invented([one for one in plan.fixtures if one.entrant.name == "random"])), tmp_path
    )
    named = re.findall(r"None yet of (.*) and (\d+) others\.", text)
    assert len(named[0][0].split(", ")) == 8
    assert int(named[0][1]) == len(plan.fixtures) - 1 - 8


def test_before_anything_is_played_the_page_says_so(tmp_path: Path) -> None:
    cases, plan = planned()
    text = text_of(Season.of(cases, plan, {}), tmp_path)
    assert f"**0 of {len(plan.fixtures)} runs are in.**\n" in text
    assert text.endswith("Nothing has been played yet: `belated league` plays it.\n")


def test_who_could_not_play_is_said_with_the_reason_once(tmp_path: Path) -> None:
    text = text_of(season(), tmp_path).split("## Who could not play\n")[1]
    assert "- `bpe` in 2 cases: got a box as the space for it, which looks at every candidate.\n" in text
    assert "- `sbo-kde` in 3 cases: got no context, and it learns the law of contexts seen after it.\n" in text
    assert "- `bpe` and `gp-bucb` in 1 case: got a context seen after the decision, and it needs it before.\n" in text
    lacking = Absence("case", "bpe", "problem('x'): needs the package y, which is not installed; pip install y.")
    some = season()
    text = text_of(replace(some, plan=replace(some.plan, absences=(lacking,))), tmp_path)
    assert "- `bpe` in 1 case: needs the package y, which is not installed.\n" in text
    text = text_of(replace(some, plan=replace(some.plan, absences=())), tmp_path)
    assert "All could play all cases.\n" in text


def test_the_cases_are_listed_with_their_delays_noise_and_rounds(tmp_path: Path) -> None:
    rows = rows_of(text_of(season(), tmp_path), "## The cases")
    assert rows == {
        "none-gp-se": ["gp-se", "none", "its own", "20"],
        "poisson-hartmann3": ["hartmann3", "`poisson(10)`", "0.096", "20"],
        "lost-coupling": ["coupling", "`lost(0.3, poisson(5))`", "its own", "20"],
        "context-newsvendor": ["newsvendor", "`constant(0.0)`", "its own", "20"],
    }
    assert "A case has 20 rounds and is played with 6 seeds." in text_of(season(), tmp_path)


def test_the_figures_show_what_the_tables_say() -> None:
    some = season()
    drawn, expected = pictures(some), plain(some.runs)
    assert set(drawn) == {"ranks", "laws", "cumulative", "simple"}
    ranks = {name: x for trace in drawn["ranks"].data for name, x in zip(trace.y, trace.x, strict=True)}
    assert ranks == {name: pytest.approx(share) for name, (share, _, _) in expected.items()}
    kinds = {trace.name: set(trace.y) for trace in drawn["ranks"].data}
    assert kinds == {
        "auto, the default": {"auto"},
        "policies of Belated": {"gp-bucb", "random"},
        "peers from other libraries": {"optuna-tpe"},
        "without a place: fewer than half of the cases": {"bpe", "sbo-kde"},
    }
    heat, best, absent = drawn["simple"].data
    for row, case in enumerate(KEYS):
        own = {name: ratio for name, (_, _, ratio) in plain({case: some.runs[case]}).items()}
        shown = dict(zip(heat.x, heat.customdata[row], strict=True))
        assert {name: ratio for name, ratio in shown.items() if ratio is not None} == pytest.approx(own)
        assert best.x[row] == min(own, key=lambda name: own[name])
        assert {x for x, y in zip(absent.x, absent.y, strict=True) if y == case} == set(shown) - set(own)
    laws = drawn["laws"].data[0]
    assert list(laws.x) == [f"{law}<br>(1)" for law in ("none", "poisson", "lost", "context")]
    for column, case in enumerate(KEYS):
        own = {name: share for name, (share, _, _) in plain({case: some.runs[case]}).items()}
        shown = {name: row[column] for name, row in zip(laws.y, laws.z, strict=True) if row[column] is not None}
        assert shown == pytest.approx(own)


def test_colours_end_at_a_hundredth_and_about_three_times_the_regret_of_random() -> None:
    heat = pictures(season({"gp-bucb": 1e-6, "optuna-tpe": 1e3}))["cumulative"].data[0]
    shown = dict(zip(heat.x, heat.z[list(heat.y).index("lost-coupling")], strict=True))
    assert (shown["gp-bucb"], shown["optuna-tpe"], shown["random"]) == pytest.approx((-2.0, 0.5, 0.0))
    assert shown["bpe"] is None


def test_figures_that_are_pages_are_linked_and_the_title_is_theirs(tmp_path: Path) -> None:
    written = page(season(), tmp_path, ["html"])
    assert written == tmp_path / NAME
    text = written.read_text(encoding="utf-8")
    for name in ("ranks", "laws", "cumulative", "simple"):
        assert f", to explore]({name}.html)\n" in text
        assert "<title>The league</title>" in (tmp_path / f"{name}.html").read_text(encoding="utf-8")
    assert "![" not in text


@pytest.mark.slow  # a browser for each figure
@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="images need Chrome or Chromium")
def test_figures_that_are_images_stand_in_the_page(tmp_path: Path) -> None:
    text = page(season(), tmp_path, ["svg"]).read_text(encoding="utf-8")
    assert re.findall(r"!\[.*\]\((.*)\)", text) == ["ranks.svg", "laws.svg", "cumulative.svg", "simple.svg"]
    drawing = (tmp_path / "ranks.svg").read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert "mean rank: 0 is always first, 1 always last" in drawing

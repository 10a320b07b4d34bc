"""The page says what the runs say: its sentences, tables and figures are computed, and other runs make other ones."""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from belated.experiments.league.comparison import standings
from belated.experiments.league.season import Season
from belated.report.league import page
from belated.report.league.figures import by_group, ranks
from belated.report.league.findings import Findings, default_sentence, first_sentence, third_sentence
from belated.report.league.groups import families, properties
from tests.league.made_up import SIZES, season

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
# What a figure of the documentation may weigh.
MOST_BYTES = 150_000


@pytest.fixture(scope="module")
def played() -> Season:
    return season()


@pytest.fixture(scope="module")
def written(played: Season, tmp_path_factory: pytest.TempPathFactory) -> str:
    return page([played], tmp_path_factory.mktemp("page"), ["html"]).read_text(encoding="utf-8")


def rows(text: str, header: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading."""
    table = text.split(f"| {header} |", 1)[1].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table]


def test_the_first_sentence_names_who_is_best_and_who_is_level_with_it(played: Season) -> None:
    said = first_sentence(Findings(played))
    assert said.startswith("**`auto` found the best points**")
    best = next(one for one in standings(played.tables, "found") if one.entrant == "auto")
    assert f"{100 * best.share:.0f} % of the other entrants" in said
    assert "ahead of all 4 by more than chance" in said
    twins = Findings(season({**SIZES, "ax": 0.3, "Mine": 0.3}))
    assert "level with" in first_sentence(twins)
    assert "`random`" not in first_sentence(twins)


def test_other_runs_make_other_sentences() -> None:
    other = Findings(season({**SIZES, "auto": 0.8, "ax": 0.1}))
    assert first_sentence(other).startswith("**`ax` found the best points**")
    assert "is in place 3, and `ax`, the best tool of another library, in place 1" in default_sentence(other)
    assert "`ax` is ahead by more than chance" in default_sentence(other)
    ratio = re.search(r"found is ([\d.]+) times \(95 %: ([\d.]+) to ([\d.]+)\) theirs", default_sentence(other))
    assert ratio is not None
    assert float(ratio[2]) <= float(ratio[1]) <= float(ratio[3])
    assert float(ratio[1]) == pytest.approx(8.0, rel=0.1)


def test_the_default_is_compared_with_nobody_where_it_or_all_peers_have_not_played() -> None:
    absent = Findings(season(without=[("auto", 0)]))
    assert "has not played this half" in default_sentence(absent)
    assert default_sentence(Findings(season(without=[("ax", 0)]))).endswith("is in place 1 of 4.")


def test_the_last_sentence_is_about_random_search() -> None:
    usual = third_sentence(Findings(season()))
    assert re.match(r"\*\*Random search\*\* ends with 3\.\d times \(95 %: .*\) the regret of `auto`", usual)
    assert usual.endswith("every other entrant is ahead of it by more than chance.")
    bad = third_sentence(Findings(season({**SIZES, "Mine": 2.0, "gp-ucb": 1.5})))
    assert bad.endswith("`gp-ucb` and `Mine` are not ahead of it by more than chance.")
    lucky = third_sentence(Findings(season(dict.fromkeys(SIZES, 1.0) | {"random": 0.01})))
    assert lucky.startswith("**Random search** found the best points itself; ")


def test_the_table_has_all_who_have_a_place_in_the_order_of_their_ranks(played: Season, written: str) -> None:
    found = rows(written, "found")
    assert [row[0] for row in found] == [
        "1. `auto`",
        "2. `ax`, other library",
        "3. `gp-ucb`",
        "4. `Mine`, sent in",
        "5. `random`, no model",
    ]
    shares = {one.entrant: one.share for one in standings(played.tables, "found")}
    assert [float(row[1]) for row in found] == pytest.approx(
        [shares[name] for name in ("auto", "ax", "gp-ucb", "Mine", "random")], abs=0.005
    )
    assert [row[5] for row in found] == ["8", "6", "8", "8", "8"]
    assert [float(row[4]) for row in found] == pytest.approx([0.3, 0.35, 0.4, 0.9, 1.0], rel=0.1)


def test_specialists_are_where_they_belong_and_reasons_are_told(written: str) -> None:
    contexts = next(row for row in rows(written, "family") if row[0].startswith("contexts"))
    assert (contexts[1], contexts[2].split()[0], contexts[4]) == ("2", "`special`", "2. of 5")
    assert "- `special`: too few of the cases for a place." in written
    assert "- `ax`: cannot play 2 cases: got no use for it." in written


def test_repeats_failures_and_seconds_are_those_of_the_runs(written: str) -> None:
    found = {row[0]: row[1:] for row in rows(written, "entrant")}
    assert found["`auto`"] == ["2.5 %", "10 %", "0.25"]


def test_all_pairs_are_in_a_file(played: Season, tmp_path: Path) -> None:
    page([played], tmp_path, ["html"])
    with (tmp_path / "open-pairs.csv").open(encoding="utf-8") as file:
        pairs = list(csv.DictReader(file))
    n = len(played.players)
    # `special` and `ax` share no case.
    assert len(pairs) == n * (n - 1) // 2 - 1
    for pair in pairs:
        assert float(pair["rank_low"]) <= float(pair["rank"]) <= float(pair["rank_high"])
        assert float(pair["ratio_low"]) <= float(pair["ratio"]) <= float(pair["ratio_high"])
        assert pair["ahead"] in (pair["first"], pair["second"], "")


def test_every_case_is_in_one_family_and_one_group_of_each_property(played: Season) -> None:
    assert [group.name for group in families(played)] == ["smooth", "hills", "failures", "contexts"]
    for groups in (families(played), *properties(played).values()):
        assert sum(group.cases for group in groups) == 8
    assert [group.about for group in properties(played)["noise"]] == ["none", "3 % of the function's deviation"]
    assert [group.name for group in properties(played)["delays"]] == ["none", "poisson"]
    assert [group.name for group in properties(played)["parameters"]] == ["1 to 3 parameters"]


def test_what_is_on_the_page_is_complete_and_both_halves_have_their_place(played: Season, tmp_path: Path) -> None:
    missing = season(without=[("gp-ucb", 0)])
    text = page([missing, replace(played, half="sealed")], tmp_path, ["html"]).read_text(encoding="utf-8")
    opened, sealed = text.split("## The sealed half: what each found")
    assert "- `gp-ucb`: not played: 21 of its 24 runs have been played." not in opened
    assert "- `gp-ucb`: not played: 16 of its 24 runs have been played." in opened
    assert not any("gp-ucb" in row[0] for row in rows(opened, "found"))
    assert any("gp-ucb" in row[0] for row in rows(sealed, "found"))
    assert text.count("## How to enter") == 1
    assert (tmp_path / "sealed-found.html").exists()


def test_before_anything_is_played_the_page_says_so(tmp_path: Path) -> None:
    text = page([], tmp_path).read_text(encoding="utf-8")
    assert "No half of its cases has been played yet" in text
    assert list(tmp_path.iterdir()) == [tmp_path / "index.md"]


def test_figures_show_the_numbers_and_tell_ours_and_others_apart(played: Season) -> None:
    findings = Findings(played)
    figure = ranks(findings.found, {one.name: one for one in played.players})
    drawn = {name: (trace.name, x) for trace in figure.data for name, x in zip(trace.y, trace.x, strict=True)}
    assert {name: x for name, (_, x) in drawn.items()} == {one.entrant: one.share for one in findings.found}
    assert drawn["auto"][0] == "auto, the default of Belated"
    assert drawn["ax"][0] == "other libraries"
    assert drawn["Mine"][0] == "runs that others sent in"
    assert list(figure.layout.yaxis.tickvals) == [one.entrant for one in findings.found]
    grouped = {group.name: group.shares for group in families(played)}
    cells = by_group(grouped, ["ax", "auto"]).data[0].z
    assert cells[0][3] is None  # `ax` plays no contexts
    assert np.array(cells[1], dtype=float) == pytest.approx([of_group["auto"] for of_group in grouped.values()])


@pytest.mark.longest
@pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="images need Chrome or Chromium")
def test_images_are_light_and_narrow_enough_for_a_telephone(played: Season, tmp_path: Path) -> None:
    text = page([played], tmp_path, ["svg"]).read_text(encoding="utf-8")
    images = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
    assert images == ["open-found.svg", "open-cumulative.svg", "open-families.svg"]
    for image in images:
        content = (tmp_path / image).read_text(encoding="utf-8")
        assert len(content.encode()) < MOST_BYTES
        assert 'width="480"' in content.split(">")[0]


def test_over_one_case_alone_there_are_no_intervals(played: Season, tmp_path: Path) -> None:
    here = played.suite[2]
    one = {name: {case: runs for case, runs in of.items() if case == here.key} for name, of in played.runs.items()}
    few = replace(played, suite=(here,), runs={name: of for name, of in one.items() if of})
    text = page([replace(few, players=tuple(who for who in played.players if one[who.name]))], tmp_path, ["html"])
    said = text.read_text(encoding="utf-8")
    assert "nan" not in said
    assert "found a better one. It is ahead of nobody by more than chance" in said

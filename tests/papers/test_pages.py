"""The pages of results are what today's code would write: what each was made with stands beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from belated.errors import MissingDataError, MissingPackageError
from belated.experiments import Arm, papers
from belated.experiments.papers import Figure, Opening

RESULTS = Path(__file__).resolve().parents[2] / "docs" / "results"
# Seconds that an arm's first rounds may take here; what takes longer is played by the slow tests.
QUICK = 0.25


def kept(key: str) -> dict[str, Any]:
    """What the page of a paper was made with, by figure."""
    path = RESULTS / f"{key}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def openings(key: str) -> dict[str, Opening]:
    """The first rounds of all arms on a page, by digest."""
    return {
        arm["digest"]: Opening(**arm)
        for figure in kept(key).values()
        for panel in figure["panels"]
        for arm in panel.get("arms", ())
    }


def arms(key: str) -> dict[str, tuple[str, Arm]]:
    """The arms of a paper by digest, with the key of a figure that draws them."""
    return {
        arm.digest: (figure.key, arm)
        for figure in papers.paper(key).figures
        if isinstance(figure, Figure)
        for panel in figure.panels
        for arm in panel.arms
    }


@pytest.mark.parametrize("key", papers.names())
def test_a_page_shows_the_arms_of_today(key: str) -> None:
    made = kept(key)
    index = (RESULTS / "index.md").read_text(encoding="utf-8")
    said, _, _ = index.partition("**Not run since**")[2].partition("<!-- claims -->")
    stale = key in said
    assert bool(made) is not stale, f"docs/results/index.md must say of {key} whether it was run again"
    for figure in papers.paper(key).figures:
        if isinstance(figure, Figure) and made:
            shown = {arm["digest"] for panel in made[figure.key]["panels"] for arm in panel.get("arms", ())}
            there = {panel["panel"] for panel in made[figure.key]["panels"] if "arms" in panel}
            today = {arm.digest for panel in figure.panels if panel.title in there for arm in panel.arms}
            assert shown == today, f"run figure {figure.key} of {key} again: its arms have changed"


@pytest.mark.parametrize("key", papers.names())
def test_todays_code_plays_what_a_page_shows(key: str) -> None:
    """The first rounds of what is cheap to play; a changed default, measure or problem shows there."""
    _assert_played(key, quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("key", papers.names())
def test_todays_code_plays_all_that_a_page_shows(key: str) -> None:
    _assert_played(key, quick=False)


def _assert_played(key: str, quick: bool) -> None:
    today = arms(key)
    for digest, before in openings(key).items():
        figure, arm = today[digest]
        if quick and before.seconds > QUICK:
            continue
        try:
            now = Opening.played(arm, before.seed)
        except (MissingDataError, MissingPackageError):
            continue
        assert now.agrees(before), f"run figure {figure} of {key} again: {arm.label!r} plays otherwise by now"

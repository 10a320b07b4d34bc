"""Every kind of figure is documented, with its options; the figure of the idea shows what is said of it."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from belated.study import figures
from docs.hooks import idea

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "concepts" / "figures.md"
ROW = re.compile(r"^\| `(\w+)` \| .* \| (.*) \|$", re.MULTILINE)


def test_every_kind_has_its_row_with_its_options() -> None:
    rows = {kind: re.findall(r"`(\w+)`", options) for kind, options in ROW.findall(PAGE.read_text(encoding="utf-8"))}
    assert rows == {kind: figures.options(kind) for kind in figures.kinds()}


@pytest.mark.slow
def test_the_figure_of_the_idea_shows_what_its_captions_say() -> None:
    medians = {
        policy: float(np.median([run.simple_regret[-1] for run in idea.runs(policy)])) for policy in idea.POLICIES
    }
    said = re.compile(r"its regret ends at ([\d.]+) where pending queries are ignored, and at ([\d.]+) where")
    for page in (ROOT / "README.md", ROOT / "docs" / "index.md"):
        found = said.search(page.read_text(encoding="utf-8").replace("\n", " "))
        assert found is not None
        # Rounding may end differently elsewhere: each is that of its caption within a factor of two.
        assert float(found[1]) / 2 < medians["gp-ucb"] < 2 * float(found[1])
        assert float(found[2]) / 2 < medians["gp-bucb"] < 2 * float(found[2])

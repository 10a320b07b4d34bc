"""Every kind of figure is documented, with its options."""

from __future__ import annotations

import re
from pathlib import Path

from belated.study import figures

PAGE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "figures.md"
ROW = re.compile(r"^\| `(\w+)` \| .* \| (.*) \|$", re.MULTILINE)


def test_every_kind_has_its_row_with_its_options() -> None:
    rows = {kind: re.findall(r"`(\w+)`", options) for kind, options in ROW.findall(PAGE.read_text(encoding="utf-8"))}
    assert rows == {kind: figures.options(kind) for kind in figures.kinds()}

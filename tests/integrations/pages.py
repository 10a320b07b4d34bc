"""The code of pages that need a cluster, run with one that is at hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGES = Path(__file__).resolve().parents[2] / "docs" / "integrations"
BLOCK = re.compile(r"^```python no-run\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(name: str, instead: dict[str, str]) -> dict[str, Any]:
    """The names that a page defines, with these words of it replaced by others."""
    code = "\n".join(BLOCK.findall((PAGES / f"{name}.md").read_text(encoding="utf-8")))
    for there, here in instead.items():
        assert there in code, f"{name}.md does not say {there}"
        code = code.replace(there, here)
    names: dict[str, Any] = {"__name__": "__page__"}
    exec(compile(code, f"{name}.md", "exec", dont_inherit=True), names)
    return names

"""The seal of the sealed cases: they are opened for a release, and every time is written down beside their runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from belated.errors import ParameterError
from belated.experiments.league.cases import Case
from belated.release import RELEASE

OPENED = "opened.txt"


def opened(suite: Sequence[Case], why: str | None, folder: Path) -> None:
    """Refuse sealed cases unless somebody says for which release; note it in the folder of the runs."""
    sealed = [case.key for case in suite if case.half == "sealed"]
    if not sealed:
        return
    if not why or not why.strip():
        raise ParameterError(
            f"league(): {sealed[0]!r} is a sealed case; who looks at those while choosing has nothing left to test the "
            f"choice on; play the open ones, or say for which release it is, as --release '0.2: the page of the "
            f"release'."
        )
    path = folder / "sealed" / OPENED
    path.parent.mkdir(parents=True, exist_ok=True)
    said = f"{time.strftime('%Y-%m-%d')} belated {RELEASE}: {' '.join(why.split())}\n"
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    # A league that goes on after an interruption opens nothing anew.
    if said not in before:
        with path.open("a", encoding="utf-8") as file:
            file.write(said)

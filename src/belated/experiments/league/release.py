"""The seal of the sealed cases: they are opened for a release, and every time is written down beside their runs.

Of our policies only the default plays there, and the best of the others, by what they found in the open half.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from belated.errors import ParameterError
from belated.experiments.league.bounds import BOUNDS
from belated.experiments.league.cases import Case, cases
from belated.experiments.league.comparison import standings
from belated.experiments.league.entrants import Entrant
from belated.experiments.league.fixtures import Programme, programme
from belated.experiments.league.season import seasons
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


def planned(suite: Sequence[Case], players: Sequence[Entrant], folder: Path, seeds: int | None = None) -> Programme:
    """The plan for these entrants, of whom only those play the sealed half whom the bounds on computing let."""
    sealed = [case for case in suite if case.half == "sealed"]
    parts = [programme([case for case in suite if case.half == "open"], players, seeds)]
    if sealed:
        kept = seasons(folder, cases("open"))
        best = [one.entrant for one in standings(kept[0].tables, "found")] if kept else []
        parts.append(programme(sealed, [one for one in players if BOUNDS.plays_sealed(one, best)], seeds))
    fixtures, absences = zip(*((part.fixtures, part.absences) for part in parts), strict=True)
    return Programme(sum(fixtures, ()), sum(absences, ()))

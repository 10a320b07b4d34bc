"""Result files: the runs of somebody's optimizer, played elsewhere, which join those that are kept here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from belated.errors import ParameterError
from belated.experiments.league.cases import Case
from belated.experiments.league.entrants import entrants, guest
from belated.experiments.league.kept import LeagueRun, archive


@dataclass(frozen=True)
class Joined:
    """What a result file brought: whose runs, how many are new here, and how many were there already."""

    entrant: str
    added: int
    known: int


def join(path: Path, folder: Path, suite: Sequence[Case]) -> tuple[Joined, ...]:
    """Add the runs of a result file to those that a folder keeps; all of it, or, if a line is refused, none."""
    call = f"league(results={str(path)!r})"
    if not path.is_file():
        raise ParameterError(f"{call}: there is no such file; give one that `belated league --entrant` wrote.")
    shelf = archive(path.parent).read(path.name.removesuffix(".jsonl"))
    if shelf.damaged or not shelf.runs:
        raise ParameterError(
            f"{call}: {shelf.damaged or 'all'} of its lines are no runs of this league; give a file as `belated league "
            f"--entrant` writes it, with nothing else in it."
        )
    cases = {case.digest: case for case in suite}
    runs = list(shelf.runs.values())
    for run in runs:
        _check(call, run, cases)
    found: dict[str, Joined] = {}
    for run in runs:
        kept, before = archive(folder / cases[run.case].half), found.get(run.entrant, Joined(run.entrant, 0, 0))
        there = run.key in kept.read(run.entrant).runs
        if not there:
            kept.add(run.entrant, run)
        found[run.entrant] = Joined(run.entrant, before.added + (not there), before.known + there)
    return tuple(found.values())


def _check(call: str, run: LeagueRun, cases: dict[str, Case]) -> None:
    """Refuse a run of one of ours, and one of a case that is not among these."""
    if run.entrant in {entrant.name for entrant in entrants()}:
        raise ParameterError(f"{call}: {run.entrant!r} plays here itself; its runs are not taken from elsewhere.")
    guest(run.entrant)
    if run.case not in cases:
        raise ParameterError(
            f"{call}: {run.entrant!r} played a case {run.case!r} that is not among these; cases have changed since, or "
            f"it was a --quick look; play it again with this release."
        )

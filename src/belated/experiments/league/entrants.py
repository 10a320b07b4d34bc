"""The entrants: every registered policy with its defaults, peers from other libraries, two searches, and visitors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from belated import policies
from belated.errors import ParameterError, unknown_name
from belated.experiments.league.cases import Half
from belated.experiments.league.entries import (
    Entry,
    GuestEntry,
    OptimizerEntry,
    PolicyEntry,
    declared_contexts,
    found_class,
)
from belated.experiments.league.kept import archive
from belated.experiments.league.peers import PEERS

Kind = Literal["policy", "peer", "search", "visitor"]
# The measure of all others; every case needs it. It is no study: random search uses its best answer, not a model.
RANDOM = "random"
_SEARCHES = {"random": "Random", "sobol": "Sobol"}
_BOTH = ("before", "after")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Entrant:
    """What plays, by its name, which is that of the file of its runs."""

    name: str
    title: str
    kind: Kind
    entry: Entry
    seconds: float = 0.0  # of a processor that a run of a peer takes, which bounds how much it plays

    @property
    def peer(self) -> bool:
        """Whether it comes from another library."""
        return self.kind == "peer"


def _policies() -> tuple[Entrant, ...]:
    ours = [name for name in policies.names() if name not in _SEARCHES]
    return tuple(Entrant(name, name, "policy", PolicyEntry(name)) for name in ours)


def _searches() -> tuple[Entrant, ...]:
    place = "belated.experiments.league.searches"
    return tuple(
        Entrant(name, name, "search", OptimizerEntry(name, f"{place}:{made}", _BOTH))
        for name, made in _SEARCHES.items()
    )


def _peers() -> tuple[Entrant, ...]:
    return tuple(
        Entrant(
            peer.name,
            peer.title,
            "peer",
            OptimizerEntry(peer.name, peer.where, peer.contexts, peer.packages, peer.arguments),
            peer.seconds,
        )
        for peer in PEERS
    )


def visitor(where: str) -> Entrant:
    """Anybody's optimizer, at "mine.py:Mine"; its name is that of its class."""
    call = f"league(entrant={where!r})"
    contexts, name = declared_contexts(found_class(call, where)), where.rpartition(":")[2]
    if name in {entrant.name for entrant in entrants()}:
        raise ParameterError(f"{call}: an entrant is named {name!r} already; give the class another name.")
    place = where.rpartition(":")[0]
    # A process that plays may stand in another folder.
    found = f"{Path(place).resolve()}:{name}" if place.endswith(".py") else where
    return Entrant(name, name, "visitor", OptimizerEntry(name, found, contexts))


def guest(name: str, played: Iterable[str] = ()) -> Entrant:
    """A visitor of whom only runs are here, of the cases with these digests."""
    if not _NAME.fullmatch(name):
        raise ParameterError(
            f"league: got {name!r} as the name of an entrant; a name has letters, digits, '-', '_' and '.', as it is "
            f"that of a file."
        )
    return Entrant(name, name, "visitor", GuestEntry(name, frozenset(played)))


def guests(folder: Path, half: Half) -> tuple[Entrant, ...]:
    """Those whose runs of one half of the cases a folder keeps, and who are none of the entrants."""
    known = {entrant.name for entrant in entrants()}
    names = sorted(path.stem for path in (folder / half).glob("*.jsonl") if path.stem not in known)
    return tuple(guest(name, {case for case, _ in archive(folder / half).read(name).runs}) for name in names)


def entrants(names: Sequence[str] | None = None) -> tuple[Entrant, ...]:
    """All that can be named, or some of them and `random`, by which all are measured; the slowest last."""
    known = {entrant.name: entrant for entrant in (*_policies(), *_searches(), *_peers())}
    for name in names or ():
        if name not in known:
            raise unknown_name("league", "entrant", name, known)
    wanted = {*names, RANDOM} if names is not None else set(known)
    return tuple(entrant for name, entrant in known.items() if name in wanted)

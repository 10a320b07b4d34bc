"""The entrants: every registered policy with its defaults, and peers from other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from belated import policies
from belated.errors import unknown_name
from belated.experiments.league import peers
from belated.experiments.league.earlier import EarlierCase as Case
from belated.policies import Recipe

# The measure of all others; every case needs it.
MEASURE = "random"
SEEDS, FEW_SEEDS = 10, 5


@dataclass(frozen=True)
class Entrant:
    """A policy or a peer that plays, by its name."""

    name: str

    @property
    def peer(self) -> bool:
        """Whether it comes from another library."""
        return self.name in peers.PEERS

    @property
    def slow(self) -> bool:
        """Whether it plays last, and with fewer seeds."""
        return self.peer and peers.PEERS[self.name].slow

    @property
    def seeds(self) -> int:
        """How many seeds it plays."""
        return FEW_SEEDS if self.slow else SEEDS

    def policy(self, case: Case) -> Recipe:
        """The policy that plays a case: with its defaults, and told what it must be told."""
        if self.peer:
            return peers.recipe(self.name)
        return policies.build(self.name, **_told(self.name, case))

    def require(self) -> None:
        """Refuse an entrant whose packages are not installed."""
        if self.peer:
            peers.require(self.name)


def entrants(names: Sequence[str] | None = None) -> tuple[Entrant, ...]:
    """All that can be named, or some of them and `random`, by which all are measured; peers last."""
    ours = [name for name in policies.names() if name not in peers.PEERS]
    known = [*ours, *peers.PEERS]
    for name in names or ():
        if name not in known:
            raise unknown_name("league", "entrant", name, known)
    wanted = {*names, MEASURE} if names else set(known)
    return tuple(Entrant(name) for name in known if name in wanted)


def _told(name: str, case: Case) -> dict[str, Any]:
    """Parameters without a default: the length of the study, and what a paper assumes to be known of delays."""
    told: dict[str, dict[str, Any]] = {
        "bpe": {"horizon": case.rounds},
        "bpe-delay": {"horizon": case.rounds, "mean_delay": case.mean_delay},
    }
    return told.get(name, {})

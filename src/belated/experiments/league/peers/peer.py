"""What the league must know of a peer before it is imported: its packages may be those of another environment."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """An optimizer of another library, wrapped as one of the league."""

    name: str  # as --only names it
    title: str  # as the page does
    where: str  # its class, as "belated.experiments.league.peers.ax:Ax"
    packages: tuple[str, ...]  # that must be there to import it
    seconds: float  # of a processor that its slowest runs take, measured: it bounds how much it plays
    arguments: tuple[str, ...] = ()  # given first to its class
    contexts: tuple[str, ...] = ()  # as its class declares them

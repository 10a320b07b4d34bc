"""The peers: optimizers of other libraries, each used as its own documentation says."""

from belated.experiments.league.peers.peer import Peer

__all__ = ["PEERS", "Peer"]

PEERS: tuple[Peer, ...] = ()

"""Peers from other libraries, as policies of ours: they play in the same loop and meet the same chance.

A study builds its policy from the log by name, so that a process that plays must know the peers by theirs: it enlists
them. No other process does, and the list of our policies stays as it is. They need the extra `bench`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec

from belated import policies
from belated.beliefs import GP
from belated.contexts import LeftOut
from belated.errors import MissingPackageError
from belated.evidence import Evidence
from belated.experiments.league.botorch_rules import Acquisition
from belated.experiments.league.optuna_rules import Sampler
from belated.pacing import Always
from belated.pending import Ignore
from belated.policies import Compose, Policy, Recipe
from belated.rules import Rule


@dataclass(frozen=True)
class Peer:
    """What a peer is called on the page, its rule, and what it needs."""

    title: str
    rule: Callable[[Evidence], Rule]  # it knows of all that was asked
    packages: tuple[str, ...]
    slow: bool


PEERS = {
    "botorch-qlognei": Peer("BoTorch's qLogNEI", partial(Acquisition, "qlognei"), ("botorch",), slow=True),
    "botorch-qucb": Peer("BoTorch's qUCB", partial(Acquisition, "qucb"), ("botorch",), slow=True),
    "optuna-gp": Peer("Optuna's GPSampler", partial(Sampler, "gp"), ("optuna", "torch"), slow=False),
    "optuna-tpe": Peer("Optuna's TPESampler", partial(Sampler, "tpe"), ("optuna",), slow=False),
}


@dataclass(frozen=True)
class _PeerComposition:
    """What decides for a peer: its rule knows of pending queries itself."""

    name: str

    def __call__(self, evidence: Evidence, now: float) -> Policy:
        """The policy of this moment."""
        return Policy(
            belief=GP(), treatment=Ignore(), rule=PEERS[self.name].rule(evidence), pacing=Always(), aim=LeftOut()
        )


def recipe(name: str) -> Recipe:
    """A peer by its name: contexts seen after the decision are noise to it."""
    return Recipe(name, {}, _PeerComposition(name))


def require(name: str) -> None:
    """Refuse a peer whose packages are not installed."""
    for package in PEERS[name].packages:
        if find_spec(package) is None:
            raise MissingPackageError(
                f"league({name!r}): needs the package {package}, which is not installed; Belated's extra 'bench' "
                f"brings it."
            )


def enlist() -> None:
    """Make the peers known by name in this process, in which studies are about to be played."""
    for name in PEERS:
        if name not in policies.names():
            build: Callable[[], Compose] = partial(_PeerComposition, name)
            policies.policy(name)(build)

"""The peers: optimizers of other libraries, each used as its own documentation says."""

from belated.experiments.league.peers.peer import Peer

__all__ = ["PEERS", "Peer"]

_HERE = "belated.experiments.league.peers"
_BOTH, _AFTER = ("before", "after"), ("after",)

# The seconds of a processor that the slowest runs of each take: see "What they cost" on the page of how peers are used.
PEERS: tuple[Peer, ...] = (
    Peer("botorch-qlognei", "BoTorch's qLogNEI", f"{_HERE}.botorch:BoTorch", ("botorch",), 120, ("qlognei",), _BOTH),
    Peer("botorch-qucb", "BoTorch's qUCB", f"{_HERE}.botorch:BoTorch", ("botorch",), 120, ("qucb",), _BOTH),
    Peer("ax", "Ax", f"{_HERE}.ax:Ax", ("ax",), 90, contexts=_BOTH),
    Peer("optuna-gp", "Optuna's GPSampler", f"{_HERE}.optuna:Optuna", ("optuna", "torch"), 40, ("gp",), _BOTH),
    Peer("optuna-tpe", "Optuna's TPESampler", f"{_HERE}.optuna:Optuna", ("optuna",), 1, ("tpe",), _BOTH),
    Peer("smac", "SMAC3", f"{_HERE}.smac:Smac", ("smac",), 90, contexts=_AFTER),
    Peer("bayes-opt", "bayesian-optimization", f"{_HERE}.bayes_opt:BayesOpt", ("bayes_opt",), 30, contexts=_AFTER),
)

"""The league for optimizers of your own: its cases, and one run of a case.

from belated.league import cases, play

for case in cases("open"):
    run = play(case, Mine, seed=0)
"""

from __future__ import annotations

from collections.abc import Callable

from belated.checks import require_count
from belated.experiments.league import Case, Measures, Optimizer, measured
from belated.experiments.league.cases import cases
from belated.experiments.league.entries import entered
from belated.simulate.loop import LARGEST_SEED

__all__ = ["Case", "Measures", "Optimizer", "cases", "play"]


def play(case: Case, optimizer: Callable[..., Optimizer], seed: int = 0) -> Measures:
    """What an optimizer comes to in a case: its class is called as the league calls it, and told late."""
    require_count("play", "seed", seed, least=0, most=LARGEST_SEED)
    posed = case.problem_for(seed)
    name = getattr(optimizer, "__name__", "optimizer")
    return measured(entered(f"play({name})", name, optimizer, case, posed, seed), posed, case.delay, case.rounds, seed)

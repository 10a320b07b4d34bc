"""Small experiments that end in a moment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import belated as bl
from belated import simulate
from belated.experiments import Arm, Experiment, Runs

DELAY = simulate.lost(0.2, simulate.poisson(2))


def arm(label: str = "random", policy: str = "random", **changed: Any) -> Arm:
    """A policy on Branin's function, eight rounds."""
    return Arm(**{"label": label, "problem": "branin", "delay": DELAY, "rounds": 8, **changed}, policy=built(policy))


def built(policy: str) -> bl.policies.Recipe:
    """A policy that takes no time: it has nothing to fit."""
    match policy:
        case "one by one":
            return bl.policies.hbbo_ucb(maximum=1, initial=99)
        case "gp-bucb":
            return bl.policies.gp_bucb(belief=bl.GP(lengthscale=0.3, variance=1.0, noise=0.01))
    return bl.policies.build(policy)


def experiment(seeds: Sequence[int] = range(4), *arms: Arm) -> Experiment:
    """Two policies, or the given arms."""
    return Experiment("small", arms or (arm(), arm("one by one", "one by one")), seeds)


def assert_same(first: Runs, second: Runs) -> None:
    """Both have the same runs, whatever time they took."""
    for name in ("seeds", "regrets", "simple_regret", "answers"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file of the folder: what is in it, and when it was written."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}

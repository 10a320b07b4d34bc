"""Settings of learners and their cross-validated scores, from tables that were computed once.

`benchmarks/tuning_tables.py` computes them, on scikit-learn's own data sets; no package is needed to read them.
"""

from __future__ import annotations

import gzip
import itertools
import json
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from belated.errors import unknown_name
from belated.simulate.problems.problem import Problem, tabulated
from belated.simulate.problems.registry import problem
from belated.space import Array, Candidates

# Scores are kept in ten-thousandths.
UNIT = 1e-4


@problem("tuned")
def tuned(seed: int = 0, *, table: str = "svm-cancer") -> Problem:
    """The settings of a learner and its cross-validated score: real tables, to be maximised.

    A value is the mean score on three of four folds; which one is left out is the seed's: 0, 1, 2, 3, 0 and so on.
    """
    kept = _kept()
    if table not in kept:
        raise unknown_name("tuned", "table", table, kept)
    settings, scores = _table(table)
    values = np.delete(scores, seed % scores.shape[1], axis=1).mean(axis=1)
    described = f"{len(settings)} settings of {table.replace('-', ' on ')} and their cross-validated scores"
    return tabulated("tuned", settings, values, 0.0, described)


def tuned_tables() -> tuple[str, ...]:
    """The names of the tables that there are, as learner-data."""
    return tuple(_kept())


@lru_cache(maxsize=4)
def _table(name: str) -> tuple[Candidates, Array]:
    """The settings of a table, and their scores on each fold, as (N, folds)."""
    kept = _kept()[name]
    names = list(kept["settings"])
    rows = [dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*kept["settings"].values())]
    return Candidates(rows), UNIT * np.array(kept["scores"], dtype=float)


@lru_cache(maxsize=1)
def _kept() -> dict[str, Any]:
    """All tables, as they are kept."""
    found: dict[str, Any] = json.loads(
        gzip.decompress(resources.files(__package__).joinpath("tuned.json.gz").read_bytes())
    )
    return found

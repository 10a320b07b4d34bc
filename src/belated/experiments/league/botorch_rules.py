"""BoTorch's acquisition functions as rules, set up as its documentation has them.

A SingleTaskGP with its own priors on the unit cube (a MixedSingleTaskGP where there are choices), fitted to all answers
before each ask; pending queries are X_pending; the first points are Sobol's. Whole numbers are rounded.
"""

from __future__ import annotations

import itertools
import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from belated.errors import UnsupportedError
from belated.evidence import Evidence
from belated.randomness import Stream
from belated.rules import Situation
from belated.space import Array, Candidates, Space

# As BoTorch's tutorials have them.
RESTARTS, RAW_SAMPLES = 10, 512
# β of qUCB: the width is 2, as that of our upper bounds.
BETA = 4.0
# Answers are standardised, which needs two.
FEWEST = 2


@dataclass(frozen=True)
class Acquisition:
    """The point with the highest acquisition, after 2 (d + 1) points of a design."""

    kind: Literal["qlognei", "qucb"]
    evidence: Evidence

    def choose(self, situation: Situation) -> Array:
        """The next point of the design, or the maximiser."""
        domain = situation.domain
        if situation.number <= 2 * (domain.dimension + 1) or situation.answers < FEWEST:
            return _designed(situation)
        seed = int(situation.random(Stream.CHOICE).integers(2**31))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from botorch.utils.sampling import manual_seed

            with manual_seed(seed):
                return self._maximised(situation)

    def _maximised(self, situation: Situation) -> Array:
        import torch

        evidence, domain = self.evidence, situation.domain
        points, values, errors = evidence.arrivals()
        if errors is not None:
            raise UnsupportedError(
                "league: the entrants of BoTorch take every answer for one measurement, and errors of some were told; "
                "let them play without."
            )
        asked = torch.from_numpy(np.array(points))
        model = _model(asked, torch.from_numpy(np.array(values))[:, None], domain)
        pending = evidence.points[evidence.pending_mask]
        waiting = torch.from_numpy(np.array(pending)) if len(pending) else None
        found = _maximiser(self._acquisition(model, asked, waiting), domain)
        return found if isinstance(domain, Candidates) else domain.snap(found[None])[0]

    def _acquisition(self, model: Any, asked: Any, waiting: Any) -> Any:
        from botorch.acquisition import qUpperConfidenceBound
        from botorch.acquisition.logei import qLogNoisyExpectedImprovement

        if self.kind == "qucb":
            return qUpperConfidenceBound(model, beta=BETA, X_pending=waiting)
        return qLogNoisyExpectedImprovement(model, X_baseline=asked, X_pending=waiting, prune_baseline=True)


def _designed(situation: Situation) -> Array:
    """The next point of Sobol's sequence, the same one for a study throughout; on a table a random row."""
    domain = situation.domain
    if isinstance(domain, Candidates):
        row: Array = domain.sample(1, situation.random(Stream.DESIGN))[0]
        return row
    from torch.quasirandom import SobolEngine

    seed = int(situation.random(Stream.DESIGN, 0).integers(2**31))
    drawn = SobolEngine(domain.dimension, scramble=True, seed=seed).draw(situation.number)
    designed: Array = domain.snap(drawn.numpy().astype(float)[-1:])[0]
    return designed


def _model(points: Any, values: Any, domain: Space | Candidates) -> Any:
    """The model with its hyperparameters fitted."""
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import MixedSingleTaskGP, SingleTaskGP
    from gpytorch.mlls import ExactMarginalLogLikelihood

    choices = [column for column, chosen in enumerate(domain.categorical) if chosen]
    model = MixedSingleTaskGP(points, values, cat_dims=choices) if choices else SingleTaskGP(points, values)
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def _maximiser(acquisition: Any, domain: Space | Candidates) -> Array:
    """Where the acquisition is highest. (d,)"""
    import torch
    from botorch.optim import (
        optimize_acqf,
        optimize_acqf_discrete,
        optimize_acqf_mixed,
    )

    if isinstance(domain, Candidates):
        found, _ = optimize_acqf_discrete(acquisition, q=1, choices=torch.from_numpy(np.array(domain.table)))
        return np.asarray(found[0].numpy(), dtype=float)
    bounds = torch.tensor([[0.0] * domain.dimension, [1.0] * domain.dimension], dtype=torch.float64)
    options = {"bounds": bounds, "q": 1, "num_restarts": RESTARTS, "raw_samples": RAW_SAMPLES}
    if any(domain.categorical):
        found, _ = optimize_acqf_mixed(acquisition, fixed_features_list=_choices(domain), **options)
    else:
        found, _ = optimize_acqf(acquisition, **options)
    return np.asarray(found[0].detach().numpy(), dtype=float)


def _choices(domain: Space) -> list[dict[int, float]]:
    """All combinations of the choices, each as the unit coordinates of their columns, as answers have them."""
    columns = [column for column, chosen in enumerate(domain.categorical) if chosen]
    options = [[(column, unit) for unit in _centres(domain, column)] for column in columns]
    return [dict(combination) for combination in itertools.product(*options)]


def _centres(domain: Space, column: int) -> list[float]:
    """The unit coordinates of the options of a column, to the last digit: the kernel asks whether they are equal."""
    levels = domain.levels[column] or 1
    rows = np.full((levels, domain.dimension), 0.5)
    rows[:, column] = (np.arange(levels) + 0.5) / levels
    centres: list[float] = domain.snap(rows)[:, column].tolist()
    return centres

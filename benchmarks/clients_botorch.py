"""BoTorch as its tutorials have it: a SingleTaskGP with its own priors, and qLogEI that knows the pending points."""

from __future__ import annotations

import warnings

import numpy as np
import torch
from botorch.acquisition import qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from belated.space import Array

torch.set_default_dtype(torch.float64)
warnings.simplefilter("ignore")


def log_improvement(points: Array, values: Array, pending: Array, restarts: int, raw_samples: int) -> Array:
    """Fit the model to points of the unit cube, and return the maximiser of qLogEI."""
    dimension = points.shape[1]
    model = SingleTaskGP(torch.from_numpy(points), torch.from_numpy(values)[:, None])
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    waiting = torch.from_numpy(pending) if len(pending) else None
    acquisition = qLogExpectedImprovement(model, best_f=float(values.max()), X_pending=waiting)
    bounds = torch.tensor([[0.0] * dimension, [1.0] * dimension])
    found, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=restarts, raw_samples=raw_samples)
    return np.asarray(found[0].detach().numpy())

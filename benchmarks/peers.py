"""BoTorch and Optuna, set up as their documentation does, on the same model and priors as ours."""

from __future__ import annotations

import math
import warnings

import numpy as np
import optuna
import torch
from botorch.acquisition import UpperConfidenceBound, qUpperConfidenceBound
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.models.transforms import Standardize
from botorch.optim import optimize_acqf
from gpytorch.constraints import GreaterThan
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.likelihoods import GaussianLikelihood
from gpytorch.mlls import ExactMarginalLogLikelihood
from gpytorch.priors import LogNormalPrior
from gpytorch.settings import max_cholesky_size
from optuna.distributions import BaseDistribution, FloatDistribution

from belated.beliefs import GaussianProcess, SimpleKernel
from belated.space import Array

torch.set_default_dtype(torch.float64)
optuna.logging.set_verbosity(optuna.logging.ERROR)
warnings.simplefilter("ignore")

RESTARTS, RAW_SAMPLES = 16, 1024


def botorch_model(points: Array, values: Array) -> SingleTaskGP:
    """Matérn 5/2 ARD with a scale, under the very priors of belated.beliefs.Prior."""
    d = points.shape[1]
    centre = math.sqrt(2.0) + 0.5 * math.log(d)
    kernel = ScaleKernel(
        MaternKernel(
            2.5,
            ard_num_dims=d,
            lengthscale_prior=LogNormalPrior(centre, math.sqrt(3.0)),
            lengthscale_constraint=GreaterThan(5e-3, transform=None, initial_value=math.exp(centre - 3.0)),
        ),
        outputscale_prior=LogNormalPrior(0.0, 1.0),
        outputscale_constraint=GreaterThan(1e-3, transform=None, initial_value=1.0),
    )
    likelihood = GaussianLikelihood(
        noise_prior=LogNormalPrior(-4.0, 1.0),
        noise_constraint=GreaterThan(1e-6, transform=None, initial_value=math.exp(-5.0)),
    )
    targets = torch.from_numpy(values)[:, None]
    return SingleTaskGP(
        torch.from_numpy(points), targets, covar_module=kernel, likelihood=likelihood, outcome_transform=Standardize(1)
    )


def botorch_fit(points: Array, values: Array) -> SingleTaskGP:
    """The model with its hyperparameters fitted; Cholesky throughout, as ours."""
    model = botorch_model(points, values)
    with max_cholesky_size(10_000):
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
    return model


def botorch_logarithms(model: SingleTaskGP) -> Array:
    """Log variance, lengthscales and noise in standardised units."""
    kernel = model.covar_module
    scales = kernel.base_kernel.lengthscale.detach().numpy().ravel()
    logarithms: Array = np.log([kernel.outputscale.item(), *scales, model.likelihood.noise.item()])
    return logarithms


def botorch_ask(points: Array, values: Array, pending: Array) -> Array:
    """Refit, then maximise qUCB with X_pending."""
    model = botorch_fit(points, values)
    with max_cholesky_size(10_000):
        acquisition = qUpperConfidenceBound(model, beta=4.0, X_pending=torch.from_numpy(pending))
        bounds = torch.tensor([[0.0] * points.shape[1], [1.0] * points.shape[1]])
        found, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
    return np.asarray(found[0].detach().numpy())


def botorch_maximiser(belief: GaussianProcess, width: float) -> Array:
    """The maximiser that BoTorch finds of the upper confidence bound under exactly our posterior."""
    ours = belief.kernel
    assert belief.factor is not None
    assert isinstance(ours, SimpleKernel), "the benchmark's belief has the default kernel"
    kernel = ScaleKernel(MaternKernel(2.5, ard_num_dims=belief.factor.points.shape[1]))
    likelihood = GaussianLikelihood(noise_constraint=GreaterThan(1e-12, transform=None, initial_value=belief.noise))
    model = SingleTaskGP(
        torch.from_numpy(np.array(belief.factor.points)),
        torch.from_numpy(belief.values)[:, None],
        covar_module=kernel,
        likelihood=likelihood,
        outcome_transform=None,
    )
    kernel.outputscale = ours.variance
    kernel.base_kernel.lengthscale = torch.tensor(ours.lengthscales)
    model.likelihood.noise = belief.noise
    model.mean_module.constant.data.fill_(belief.prior_mean)
    model.eval()
    bounds = torch.tensor([[0.0] * belief.factor.points.shape[1], [1.0] * belief.factor.points.shape[1]])
    with max_cholesky_size(10_000):
        acquisition = UpperConfidenceBound(model, beta=width**2)
        found, _ = optimize_acqf(acquisition, bounds, q=1, num_restarts=RESTARTS, raw_samples=RAW_SAMPLES)
    return np.asarray(found[0].detach().numpy())


class OptunaStudy:
    """Optuna's GPSampler with past trials added and others running."""

    def __init__(self, points: Array, values: Array) -> None:
        self.space: dict[str, BaseDistribution] = {f"x{i}": FloatDistribution(0.0, 1.0) for i in range(points.shape[1])}
        self.study = optuna.create_study(
            direction="maximize", sampler=optuna.samplers.GPSampler(seed=0, n_startup_trials=0)
        )
        for point, value in zip(points, values, strict=True):
            named = dict(zip(self.space, point.tolist(), strict=True))
            self.study.add_trial(optuna.trial.create_trial(params=named, distributions=self.space, value=float(value)))

    def ask(self) -> tuple[optuna.trial.Trial, Array]:
        """A new running trial and its point."""
        trial = self.study.ask(self.space)
        return trial, np.array([trial.params[name] for name in self.space])

    def tell(self, trial: optuna.trial.Trial, value: float) -> None:
        """The outcome of a trial."""
        self.study.tell(trial, value)

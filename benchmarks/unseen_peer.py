"""SBO-KDE written straightforwardly on BoTorch, as [huang2024, appendix B.1] describes it.

The model has the kernel and the priors of ours (Matérn 5/2 ARD, `peers.botorch_model`) and standardised values, is
fitted anew for every query, and its upper bounds are averaged over 1024 contexts drawn from the kernel density.
"""

from __future__ import annotations

import numpy as np
import torch
from botorch.acquisition import AcquisitionFunction
from botorch.optim import optimize_acqf
from botorch.utils.transforms import t_batch_mode_transform

from belated.space import Array
from benchmarks.peers import botorch_fit

WIDTH, SAMPLES = 1.5, 1024
RESTARTS, RAW_SAMPLES = 50, 1024
# Points that are scored in one call, each in all contexts: of 4 to 64 the quickest on one thread, as it stays in cache.
CHUNK = 8


class ExpectedUpperBound(AcquisitionFunction):
    """The mean over contexts c_j of μ(x, c_j) + 1.5 σ(x, c_j)."""

    def __init__(self, model: object, contexts: torch.Tensor) -> None:
        super().__init__(model)
        self.register_buffer("contexts", contexts)

    @t_batch_mode_transform(expected_q=1)
    def forward(self, X: torch.Tensor) -> torch.Tensor:
        count = len(self.contexts)
        points = X.expand(-1, count, -1)
        contexts = self.contexts.expand(len(X), -1, -1)
        # Each pair is a batch of its own: one of several points would compute their covariances too.
        pairs = torch.cat([points, contexts], dim=-1).reshape(len(X) * count, 1, -1)
        posterior = self.model.posterior(pairs)
        bounds = posterior.mean + WIDTH * posterior.variance.clamp_min(1e-12).sqrt()
        return bounds.reshape(len(X), count).mean(dim=1)


def botorch_sbo_kde(points: Array, contexts: Array, values: Array, rng: np.random.Generator) -> Array:
    """The next point to ask, given those asked (n, d), the contexts seen (n, c) and the answers, to be maximised."""
    standard = (values - values.mean()) / values.std(ddof=1)
    model = botorch_fit(np.concatenate([points, contexts], axis=1), standard)
    acquisition = ExpectedUpperBound(model, torch.from_numpy(density_sample(contexts, rng)))
    bounds = torch.tensor([[0.0] * points.shape[1], [1.0] * points.shape[1]])
    found, _ = optimize_acqf(
        acquisition,
        bounds,
        q=1,
        num_restarts=RESTARTS,
        raw_samples=RAW_SAMPLES,
        options={"batch_limit": CHUNK, "init_batch_limit": CHUNK},
    )
    return np.asarray(found[0].detach().numpy())


def density_sample(contexts: Array, rng: np.random.Generator) -> Array:
    """Draws from the kernel density with the rule-of-thumb bandwidth, clipped to the unit cube."""
    count, dimension = contexts.shape
    exponent = 1.0 / (dimension + 4)
    widths = (4.0 / (dimension + 2)) ** exponent * contexts.std(axis=0) * count**-exponent
    chosen = contexts[rng.integers(count, size=SAMPLES)]
    return np.asarray(np.clip(chosen + widths * rng.standard_normal(chosen.shape), 0.0, 1.0))

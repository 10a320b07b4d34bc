"""How to trade when costs are seen only afterwards: a surrogate of 3000 back-tests, in a table to be fetched."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from belated.beliefs import FORMS, SimpleKernel
from belated.simulate.problems.data import DataFile, numbers, read
from belated.simulate.problems.distributions import Distribution, Normal, Uniform, clipped, reduced
from belated.simulate.problems.problem import Formula, Problem
from belated.simulate.problems.registry import problem
from belated.simulate.problems.unseen import Independent
from belated.space import Array, Float, Space

BACK_TESTS = DataFile(
    path="portfolio_cvx/portfolio_3000.csv",
    rows=3000,
    columns=7,
    sha256="9b546a919336e9cc1a5906fc0ad333460f6698a6fc25fd22d330719fd0ee9e16",
    published="port_evals of github.com/lamda-bbo/sbokde (30 files of 100 rows, put into one table)",
)
DECISIONS = ("x1", "x2", "x3")
CONTEXTS = ("c1", "c2")

# The Gaussian process that the authors of huang2024 fitted, by their published state: all but the last two numbers are
# in units of the standardised losses.
KERNEL = SimpleKernel(FORMS["matern52"], 4.61990559, (0.22256403, 7.77973511, 0.26326662, 0.52403907, 2.52192738))
NOISE_VARIANCE, MEAN = 0.01367959, -0.5664739
LOSS_MEAN, LOSS_DEVIATION = -2.885738, 3.829588

# Gauss points for each number of the context, the surrogate being smoother in the second: with more, no expectation
# moves by more than about 1e-6.
NODES = (20, 6)


@dataclass(frozen=True, eq=False)
class Surrogate:
    """Minus the posterior mean of what the back-tests lost, given all of them."""

    tested: Array  # (n, 5), decisions and contexts
    losses: Array  # (n,), standardised

    @cached_property
    def weights(self) -> Array:
        """(K + σ² I)⁻¹ (losses − mean), as (n,)."""
        from scipy.linalg import cho_factor, cho_solve  # as long to import as a whole room, and few need it

        covariance = KERNEL.gram(self.tested, self.tested)
        covariance[np.diag_indices_from(covariance)] += NOISE_VARIANCE
        return np.asarray(cho_solve(cho_factor(covariance, overwrite_a=True), self.losses - MEAN))

    def __call__(self, rows: Array) -> Array:
        """The yearly return in percent, at every row (x₁, x₂, x₃, c₁, c₂) of (m, 5)."""
        return -LOSS_MEAN - LOSS_DEVIATION * (MEAN + KERNEL.gram(rows, self.tested) @ self.weights)


@dataclass(frozen=True, eq=False)
class ExpectedReturn:
    """The expectation of the surrogate, by Gauss's rule in both numbers of the context."""

    surrogate: Surrogate
    distribution: Distribution
    nodes: tuple[int, int] = NODES

    @cached_property
    def contexts(self) -> tuple[Array, Array]:
        """The contexts of the rule, (k, 2), and their weights, (k,)."""
        first, second = (reduced(clipped(self.distribution), count) for count in self.nodes)
        pairs = np.stack(np.meshgrid(first.nodes, second.nodes, indexing="ij"), axis=-1).reshape(-1, 2)
        return pairs, np.outer(first.weights, second.weights).ravel()

    def __call__(self, rows: Array) -> Array:
        """Σⱼ wⱼ f(x, cⱼ) at every row x of (m, 3)."""
        pairs, shares = self.contexts
        joined = np.hstack([np.repeat(rows, len(pairs), axis=0), np.tile(pairs, (len(rows), 1))])
        return np.asarray(self.surrogate(joined).reshape(len(rows), -1) @ shares)


@problem("portfolio-uniform")
def portfolio_uniform(seed: int = 0, *, data: str | None = None) -> Problem:
    """The return of a portfolio by three aversions; costs, uniform, are seen after it; to be fetched [huang2024]."""
    return _problem("portfolio-uniform", Uniform(), 19.325126479, (0.0, 1.0, 0.59954627), data)


@problem("portfolio-normal")
def portfolio_normal(seed: int = 0, *, data: str | None = None) -> Problem:
    """The return of a portfolio by three aversions; costs, normal, are seen after it; to be fetched [huang2024]."""
    return _problem("portfolio-normal", Normal(0.5, 0.1), 21.586239137, (0.0, 1.0, 0.0828009), data)


def _problem(
    name: str, distribution: Distribution, optimum: float, best: tuple[float, ...], data: str | None
) -> Problem:
    """The problem with that distribution of both costs.

    The optimum is the best of 25,000 points, most of them spread over the box and the others over its faces, and of
    climbs from the best 60.
    """
    surrogate = _surrogate(numbers(read(BACK_TESTS, f"build({name!r})", data), (*DECISIONS, *CONTEXTS, "y")).tobytes())
    return Problem(
        name=name,
        space=Space(**{parameter: Float(0, 1) for parameter in DECISIONS}),
        objective=Formula(ExpectedReturn(surrogate, distribution), DECISIONS),
        noise=0.0,
        goal="maximize",
        optimum=optimum,
        optimum_point=dict(zip(DECISIONS, best, strict=True)),
        description="a surrogate of a portfolio's return: three decisions, and costs of two kinds seen after them",
        proven=False,
        chance=Independent(distribution, CONTEXTS, Formula(surrogate, (*DECISIONS, *CONTEXTS))),
    )


@lru_cache(maxsize=1)
def _surrogate(content: bytes) -> Surrogate:
    """Kept, since to solve for its weights takes seconds."""
    table = np.frombuffer(content).reshape(BACK_TESTS.rows, -1)
    return Surrogate(table[:, :-1], (table[:, -1] - LOSS_MEAN) / LOSS_DEVIATION)

"""Aims that are robust within a ball of laws around the contexts seen, by the maximum mean discrepancy (MMD).

Laws live on a grid of contexts. With ŵ the empirical law and M the matrix of a kernel k of contexts,
    MMD(w, ŵ)² = (w − ŵ)ᵀ M (w − ŵ),
and a point with values g on the grid is worth the lowest wᵀg of a law w with MMD(w, ŵ) ≤ ε [kirschner2020]: by a
conic solver, or by the closed form that lies between two bounds of it [tay2022].
k is the kernel of the belief, in the context's columns alone and with variance one, where the belief is one Gaussian
process of a stationary form. Any other belief has no such kernel, and a linear one sees only the mean of a law; then
it is a Matérn 5/2 with a lengthscale of half the box, and options of a choice correlate by 1/e.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from belated.beliefs import FORMS, Belief, Cholesky, Kernel, SimpleKernel, cholesky
from belated.checks import require_count
from belated.contexts.aims import FEW, View, Weighed, n_numeric, require_radius
from belated.contexts.empirical import Observed
from belated.contexts.grid import LARGEST_GRID, combinations, empirical, interpolated, ladders, per_column
from belated.contexts.law import ContextLaw
from belated.errors import MissingPackageError
from belated.space import Array, Indices, Space

# On the diagonal of M, which for a smooth kernel on a fine grid is singular to rounding (some 1e-13 here). It is part
# of M everywhere, so that all formulas agree; the square of no discrepancy changes by more than twice as much.
RIDGE = 1e-8
SQUARE = "its contexts have a matrix of that many rows and columns"
# The coarse grids of the closed form, as far as they are coarser.
COARSE = (32, 256)
# 1 − γ is the chance that the law of the contexts is in the ball [kirschner2020, lemma 3; huang2024, appendix B.1].
GAMMA = 0.1
# The gap of a solution that the solver could not quite finish, as a share of the range of g.
ALMOST = 1e-7
# Where the belief has no kernel of contexts.
LENGTHSCALE = 0.5
CONTRAST = 1.0


@dataclass(frozen=True)
class MeanDiscrepancyBall:
    """min wᵀg over laws w on the grid with MMD(w, ŵ) ≤ ε, by a conic solver [kirschner2020; huang2024, section 4.1].

    The grid has ⌈grid^{1/D_c}⌉ values per numeric column, or all where there are fewer, and the options of the others.
    Without a `radius`, ε = (2 + √(2 ln 10)) / √n with n the contexts seen, each counted at the nearest of the grid.
    """

    grid: int = 100
    radius: float | None = None

    def __post_init__(self) -> None:
        require_count("MeanDiscrepancyBall", "grid", self.grid, least=2, most=LARGEST_GRID, reason=SQUARE)
        require_radius("MeanDiscrepancyBall", self.radius)

    def describe(self) -> str:
        """Over which contexts, in words."""
        return "under the worst law near that of the contexts seen"

    @property
    def law(self) -> ContextLaw:
        """The empirical law."""
        return Observed()

    def views(self, seen: Array, space: Space, belief: Belief, rng: np.random.Generator) -> tuple[View, ...]:
        """The closed form on the same grid, from fewer of its values first, then the solver's minimum."""
        package = _clarabel()
        grid = ladders("MeanDiscrepancyBall", space, self.grid)
        ball = ball_around(seen, grid, belief, space, self.radius)
        closed = Approximate(ball)
        few, fewer = (interpolated("MeanDiscrepancyBall", closed, grid, space, size) for size in (COARSE[0], FEW))
        if few is None:
            return closed, Worst(ball, package)
        return replace(few, few=fewer), closed, Worst(ball, package)


@dataclass(frozen=True)
class MinimaxDiscrepancy:
    """An approximation of `MeanDiscrepancyBall` without a solver, on a finer grid [tay2022; huang2024, section 4.1].

    The lowest wᵀg in the ball is at least V0 − εS and at least min g, and at most what the mixture of ŵ and the point
    mass at the minimiser gives, V0 + εs; the value is midway between the lower and the upper bound.
    """

    grid: int = 1024
    radius: float | None = None

    def __post_init__(self) -> None:
        require_count("MinimaxDiscrepancy", "grid", self.grid, least=2, most=LARGEST_GRID, reason=SQUARE)
        require_radius("MinimaxDiscrepancy", self.radius)

    def describe(self) -> str:
        """Over which contexts, in words."""
        return "under the worst law near that of the contexts seen"

    @property
    def law(self) -> ContextLaw:
        """The empirical law."""
        return Observed()

    def views(self, seen: Array, space: Space, belief: Belief, rng: np.random.Generator) -> tuple[View, ...]:
        """The closed form on coarse grids, then on the whole one."""
        sizes = [*(size for size in COARSE if size < self.grid), self.grid]
        # Some sizes are one grid: that of the largest.
        sizes = list({per_column(size, n_numeric(space)): size for size in sizes}.values())
        grids = [ladders("MinimaxDiscrepancy", space, size) for size in sizes]
        first, *finer = (Approximate(ball_around(seen, grid, belief, space, self.radius)) for grid in grids)
        few = interpolated("MinimaxDiscrepancy", first, grids[0], space, FEW)
        return replace(first, few=few), *finer


@dataclass(frozen=True, eq=False)
class Ball:
    """The laws w on a grid of contexts with (w − ŵ)ᵀ M (w − ŵ) ≤ ε²."""

    contexts: Array  # (k, c)
    centre: Array  # (k,), ŵ
    matrix: Array  # (k, k), M
    radius: float  # ε

    @cached_property
    def reach(self) -> Array:
        """MMD(e_j, ŵ) for the point mass e_j at every context. (k,)"""
        along = self.matrix @ self.centre
        squares = self.matrix.diagonal() - 2.0 * along + self.centre @ along
        # Where ŵ is itself a point mass, rounding can leave a square just below zero.
        return np.sqrt(np.maximum(squares, 0.0))

    def share_of(self, places: Indices) -> Array:
        """The largest t for which (1 − t) ŵ + t e_j is in the ball, min(ε / MMD(e_j, ŵ), 1), for some j. (m,)"""
        reach = self.reach[places]
        shares = np.ones(len(places))
        np.divide(self.radius, reach, out=shares, where=reach > self.radius)
        return shares

    @cached_property
    def factor(self) -> Cholesky:
        """L with L Lᵀ = M."""
        factor = cholesky(self.matrix)
        assert factor is not None, "the ridge is far above what rounding can take from a correlation matrix"
        return factor


@dataclass(frozen=True, eq=False)
class Approximate:
    """The mean of a lower and an upper bound of the lowest wᵀg in the ball [tay2022; huang2024, section 4.1].

    With V0 = ŵᵀg, S² = gᵀM⁻¹g − (1ᵀM⁻¹g)²/(1ᵀM⁻¹1), ε_max = MMD(e_j, ŵ) for the minimiser j and s = (min g − V0)/ε_max,
        V = V0 + ½ε(s − S)            where ε ≤ ε_l = (V0 − min g)/S,
        V = ½(V0 + εs + min g)        where ε_l < ε ≤ ε_max,
        V = min g                     beyond;
    ε_l ≤ ε_max, for e_j is in the ball of radius ε_max, and V is continuous in ε. As V is homogeneous in g, it is the
    sum of its shares times g. Where the minimiser changes, so does ε_max, and V may jump as a function of g.
    """

    ball: Ball
    few: View | None = None  # a coarser view of it

    @property
    def contexts(self) -> Array:
        """The contexts of the grid."""
        return self.ball.contexts

    @np.errstate(invalid="ignore")  # non-finite inputs give non-finite outputs
    def weigh(self, values: Array) -> Weighed:
        """The approximation, with shares that may be negative in its first case.

        With t = min(ε/ε_max, 1), it is a V0 + (1 − a) min g with a = ½(1 − t), but a = 1 − ½t and ½εS less in the first
        case; ∂S/∂g = (M⁻¹g − M⁻¹1 (1ᵀM⁻¹g)/(1ᵀM⁻¹1))/S.
        """
        ball, rows, places = self.ball, np.arange(len(values)), values.argmin(axis=1)
        low = values[rows, places]
        excess = values - low[:, None]
        average = excess @ ball.centre
        mixed = ball.share_of(places)
        inner = np.flatnonzero(mixed < 1.0)
        steepness, whitened = self._steepness(excess[inner])
        descent = ball.radius * steepness
        is_first = (steepness > 0.0) & (descent <= average[inner])
        first = inner[is_first]
        of_centre = 0.5 * (1.0 - mixed)
        of_centre[first] += 0.5
        value = low + of_centre * average
        value[first] -= 0.5 * descent[is_first]
        shares = of_centre[:, None] * ball.centre
        shares[rows, places] += 1.0 - of_centre
        slopes = whitened[is_first] @ ball.factor.inverse_lower / steepness[is_first, None]
        shares[first] -= 0.5 * ball.radius * slopes
        return Weighed(value, shares)

    def narrowed(self, values: Array) -> Approximate:
        """Itself: M⁻¹ takes in the whole grid."""
        return self

    def glance(self) -> View:
        """The coarser view, if there is one."""
        return self.few or self

    def _steepness(self, values: Array) -> tuple[Array, Array]:
        """S, and z with S = |z| and S ∂S/∂g = L⁻ᵀz: L⁻¹g less its part along L⁻¹1. (m,), (m, k)"""
        whitened = values @ self.ball.factor.inverse_lower.T
        whitened -= np.outer(whitened @ self._along, self._along)
        return np.linalg.norm(whitened, axis=1), whitened

    @cached_property
    def _along(self) -> Array:
        """The direction of L⁻¹1. (k,)"""
        along = self.ball.factor.inverse_lower.sum(axis=1)
        return np.asarray(along / np.linalg.norm(along))


@dataclass(frozen=True, eq=False)
class Worst:
    """The lowest wᵀg in the ball: min wᵀg subject to w ≥ 0, 1ᵀw = 1 and |Lᵀ(w − ŵ)| ≤ ε, M = L Lᵀ."""

    ball: Ball
    package: ModuleType

    @property
    def contexts(self) -> Array:
        """The contexts of the grid."""
        return self.ball.contexts

    @np.errstate(invalid="ignore")  # non-finite inputs give non-finite outputs
    def weigh(self, values: Array) -> Weighed:
        """The minima, with the laws that attain them as shares; one problem is solved per row, if need be."""
        ball, rows, places = self.ball, np.arange(len(values)), values.argmin(axis=1)
        low = values[rows, places]
        span = values.max(axis=1) - low
        mixed = ball.share_of(places)
        # The mixture that touches the ball: the answer where the point mass is inside or g is constant.
        shares = (1.0 - mixed)[:, None] * ball.centre
        shares[rows, places] += mixed
        for row in np.flatnonzero((mixed < 1.0) & (span > 0.0) & np.isfinite(span)):
            law = self._solved((values[row] - low[row]) / span[row]) if ball.radius > 0.0 else None
            if law is not None:
                shares[row] = law
        value = low + np.einsum("ij,ij->i", shares, values - low[:, None])
        return Weighed(value, shares)

    def narrowed(self, values: Array) -> Worst:
        """Itself: every law on the grid may be the worst."""
        return self

    def glance(self) -> Worst:
        """Itself: every context of the grid counts."""
        return self

    def _solved(self, costs: Array) -> Array | None:
        """The law of least cost, for costs from 0 to 1; None where the solver gave up."""
        self._solver.update(q=costs)
        solution = self._solver.solve()
        if solution.status not in (self.package.SolverStatus.Solved, self.package.SolverStatus.AlmostSolved):
            return None
        law = np.maximum(solution.x, 0.0)
        return np.asarray(law / law.sum())

    @cached_property
    def _solver(self) -> Any:
        """The problem in the solver's form, Ax + s = b with s in a product of cones; only costs change later.

        A new problem for every row would take a tenth longer. It begins with costs of its own, since the solver
        scales by the first ones: what a row gives must not depend on the rows before it.
        """
        from scipy import sparse

        package, ball = self.package, self.ball
        size, upper = len(ball.centre), ball.factor.lower.T
        blocks = [np.ones((1, size)), -np.eye(size), np.zeros((1, size)), -upper]
        right = np.concatenate([[1.0], np.zeros(size), [ball.radius], -upper @ ball.centre])
        cones = [package.ZeroConeT(1), package.NonnegativeConeT(size), package.SecondOrderConeT(size + 1)]
        settings = package.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        settings.presolve_enable = False  # it would forbid changing the costs
        # A solution that is called almost solved is to be as good as this too.
        settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = settings.reduced_tol_feas = ALMOST
        quadratic, linear = sparse.csc_matrix((size, size)), sparse.csc_matrix(np.vstack(blocks))
        return package.DefaultSolver(quadratic, np.linspace(0.0, 1.0, size), linear, right, cones, settings)


def ball_around(seen: Array, grid: list[Array], belief: Belief, space: Space, radius: float | None) -> Ball:
    """The ball around the empirical law on a grid given by its values per column."""
    contexts = combinations(grid)
    matrix = context_kernel(belief, space).gram(contexts, contexts)
    matrix.flat[:: len(matrix) + 1] += RIDGE
    if radius is None:
        radius = (2.0 + math.sqrt(2.0 * math.log(1.0 / GAMMA))) / math.sqrt(max(len(seen), 1))
    return Ball(contexts, empirical(seen, grid), matrix, float(radius))


def context_kernel(belief: Belief, space: Space) -> Kernel:
    """The kernel of the context's columns, which are the belief's first, with variance one."""
    n_nominal, width = sum(space.categorical), space.dimension
    mask = space.categorical if n_nominal else None
    whole = belief.kernel
    if isinstance(whole, SimpleKernel) and whole.stationary:
        # One lengthscale may be for all columns; and where none is numeric, any will do.
        scales = whole.lengthscales if len(whole.lengthscales) == 1 else whole.lengthscales[: width - n_nominal]
        return SimpleKernel(whole.form, 1.0, scales or (LENGTHSCALE,), whole.contrasts[:n_nominal], mask)
    return SimpleKernel(FORMS["matern52"], 1.0, (LENGTHSCALE,), (CONTRAST,) * n_nominal, mask)


def _clarabel() -> ModuleType:
    """The solver; the package is asked for only when a minimum is."""
    try:
        import clarabel
    except ImportError:
        raise MissingPackageError(
            "MeanDiscrepancyBall(): needs the package clarabel, which is not installed; Belated's extra 'robust' "
            "brings it."
        ) from None
    module: ModuleType = clarabel
    return module


__all__ = ["MeanDiscrepancyBall", "MinimaxDiscrepancy"]

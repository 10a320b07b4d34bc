"""Cholesky factors and what follows from them.

NumPy and SciPy each bring a BLAS with threads of its own, which spin for a while after every call that used them; with
both at work, small calls wait for cores. Up to SMALL rows, therefore, only routines are called that take one thread at
such sizes; LAPACK's inverse from a factor, dpotri, takes all of them at any size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType

import numpy as np

from belated.errors import BelatedError
from belated.space.arrays import Array, Indices

SMALL = 72
# The jitter as a share of the mean diagonal: from where rounding can be at work to where it no longer can.
SMALLEST_JITTER = 1e-12
LARGEST_JITTER = 1e-2


@dataclass(frozen=True, eq=False)
class Cholesky:
    """L, lower triangular with L Lᵀ = C."""

    lower: Array  # (n, n)

    @cached_property
    def inverse_lower(self) -> Array:
        """L⁻¹, lower triangular."""
        return np.asarray(_lapack().dtrtri(self.lower, lower=1)[0]) if len(self.lower) else self.lower

    @property
    def log_determinant(self) -> float:
        """log |C|."""
        return 2.0 * float(np.log(self.lower.diagonal()).sum())

    def solution(self, right: Array) -> Array:
        """C⁻¹ b."""
        if len(self.lower) > SMALL:
            return np.asarray(_lapack().dpotrs(self.lower, right, lower=1)[0])
        return np.asarray((self.inverse_lower @ right) @ self.inverse_lower)

    def inverse_less(self, vector: Array) -> Array:
        """C⁻¹ − v vᵀ, of which the upper triangle is right and the lower need not be."""
        if len(self.lower) > SMALL:
            inverse = _lapack().dpotri(self.lower, lower=1)[0]
        else:
            inverse = _blas().dsyrk(1.0, self.inverse_lower, lower=1, trans=1)
        # The lower triangle of a matrix in Fortran's order is the upper one of its transpose in C's.
        return np.asarray(_blas().dsyr(-1.0, vector, a=inverse, lower=1, overwrite_a=1).T)


def cholesky(covariance: Array, spare: bool = False) -> Cholesky | None:
    """The factor of C, read from its upper triangle; None where there is none. What is to `spare` is written over."""
    if not len(covariance):
        return Cholesky(covariance)
    lower, failure = _lapack().dpotrf(covariance.T, lower=1, clean=1, overwrite_a=spare)
    return None if failure else Cholesky(np.asarray(lower))


def steadied(call: str, covariance: Array, ridge: float | Array) -> tuple[Cholesky, float]:
    """The factor of C with ridge + jitter on its diagonal, and the jitter: 0, unless rounding leaves C indefinite.

    The jitter is the same for all, and grows tenfold; the ridge may be one number or one for each row.
    """
    unit = float(covariance.trace()) / max(1, len(covariance))
    jitter = 0.0
    while jitter <= LARGEST_JITTER * unit:
        matrix = covariance.copy()
        matrix.flat[:: len(matrix) + 1] += ridge + jitter
        root = cholesky(matrix, spare=True)
        if root is not None:
            return root, jitter
        jitter = max(SMALLEST_JITTER * unit, 10.0 * jitter)
    raise BelatedError(
        f"{call}: the covariance of {len(covariance)} points is singular even with {jitter:.0e} on its diagonal; "
        f"it must be positive definite; give the belief a larger noise."
    )


def pivoted(covariance: Array, least: float) -> tuple[Indices, Array]:
    """An order of the rows and a factor of C in it, with as many columns as rows that the ones before do not tell.

    The row with the largest variance given those before it comes next, until none is above `least`: C = R Rᵀ in this
    order, up to that. (k,), (k, r)
    """
    if not len(covariance):
        return np.empty(0, dtype=np.intp), np.empty((0, 0))
    factor, pivots, rank, _ = _lapack().dpstrf(covariance, tol=least, lower=1)
    return np.asarray(pivots, dtype=np.intp) - 1, np.tril(factor)[:, :rank]


@cache
def _lapack() -> ModuleType:
    """SciPy's LAPACK, imported when first needed: it takes half as long to import as all the rest."""
    from scipy.linalg import lapack

    return lapack


@cache
def _blas() -> ModuleType:
    """SciPy's BLAS, imported when it is first needed."""
    from scipy.linalg import blas

    return blas

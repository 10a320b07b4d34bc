"""Cholesky factors and what follows from them.

NumPy and SciPy each bring a BLAS with threads of its own, which spin for a while after every call that used them; with
both at work, small calls wait for cores. Up to SMALL rows, therefore, only routines are called that take one thread at
such sizes; LAPACK's inverse from a factor, dpotri, takes all of them at any size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtri

from belated.space.arrays import Array

SMALL = 72


@dataclass(frozen=True, eq=False)
class Cholesky:
    """L, lower triangular with L Lᵀ = C."""

    lower: Array  # (n, n)

    @cached_property
    def inverse_lower(self) -> Array:
        """L⁻¹, lower triangular."""
        return np.asarray(dtrtri(self.lower, lower=1)[0]) if len(self.lower) else self.lower

    @property
    def log_determinant(self) -> float:
        """log |C|."""
        return 2.0 * float(np.log(self.lower.diagonal()).sum())

    def solution(self, right: Array) -> Array:
        """C⁻¹ b."""
        if len(self.lower) > SMALL:
            return np.asarray(dpotrs(self.lower, right, lower=1)[0])
        return np.asarray((self.inverse_lower @ right) @ self.inverse_lower)

    def inverse(self) -> Array:
        """C⁻¹ in Fortran's order, of which the lower triangle is right and the upper need not be."""
        if len(self.lower) > SMALL:
            return np.asarray(dpotri(self.lower, lower=1)[0])
        return np.asarray(dsyrk(1.0, self.inverse_lower, lower=1, trans=1))


def cholesky(covariance: Array) -> Cholesky | None:
    """The factor of C, read from its upper triangle; None where there is none."""
    if not len(covariance):
        return Cholesky(covariance)
    lower, failure = dpotrf(covariance.T, lower=1, clean=1)
    return None if failure else Cholesky(np.asarray(lower))

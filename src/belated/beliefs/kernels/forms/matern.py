"""Matérn forms, {1, 1 + r, 1 + r + r²/3} exp(−r) with r = √(2ν t) [rasmussen2006, eq. 4.17]."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs.kernels.form import Stationary, register
from belated.space.arrays import Array


@dataclass(frozen=True)
class Matern12(Stationary):
    """exp(−r) with r = √t: samples are continuous and rough [rasmussen2006, eq. 4.18]."""

    name = "matern12"
    label = "Matérn 1/2"

    def radii(self, squares: Array) -> Array:
        """√t."""
        return np.sqrt(squares, out=squares)

    def factor(self, radii: Array) -> float:
        return 1.0

    def fall(self, radii: Array) -> Array:
        """1/(2r), and 0 at r = 0, where the form has a kink and descends alike in every direction."""
        return np.divide(0.5, radii, out=np.zeros(radii.shape), where=radii > 0.0)

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Student draws with 1 degree of freedom."""
        return student_draws(1.0, count, dimension, rng)


@dataclass(frozen=True)
class Matern32(Stationary):
    """(1 + r) exp(−r) with r = √(3t): samples have one derivative [rasmussen2006, eq. 4.17]."""

    name = "matern32"
    label = "Matérn 3/2"

    def radii(self, squares: Array) -> Array:
        """√(3t)."""
        squares *= 3.0
        return np.sqrt(squares, out=squares)

    def factor(self, radii: Array) -> Array:
        """1 + r."""
        return 1.0 + radii

    def fall(self, radii: Array) -> float:
        return 1.5

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Student draws with 3 degrees of freedom."""
        return student_draws(3.0, count, dimension, rng)


@dataclass(frozen=True)
class Matern52(Stationary):
    """(1 + r + r²/3) exp(−r) with r = √(5t): samples have two derivatives [rasmussen2006, eq. 4.17]."""

    name = "matern52"
    label = "Matérn 5/2"

    def radii(self, squares: Array) -> Array:
        """√(5t)."""
        squares *= 5.0
        return np.sqrt(squares, out=squares)

    def factor(self, radii: Array) -> Array:
        """1 + r + r²/3."""
        factor = radii * (1.0 / 3.0)
        factor += 1.0
        factor *= radii
        factor += 1.0
        return factor

    def fall(self, radii: Array) -> Array:
        """(5/6)(1 + r)."""
        fall = radii * (5.0 / 6.0)
        fall += 5.0 / 6.0
        return fall

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Student draws with 5 degrees of freedom."""
        return student_draws(5.0, count, dimension, rng)


def student_draws(degrees: float, count: int, dimension: int, rng: np.random.Generator) -> Array:
    """Multivariate Student draws: the spectral law of a Matérn form, 2ν degrees [rasmussen2006, eq. 4.15]."""
    normal = rng.standard_normal((count, dimension))
    return normal / np.sqrt(rng.chisquare(degrees, (count, 1)) / degrees)


for _form in (Matern12(), Matern32(), Matern52()):
    register(_form)

"""The shapes a correlation may take over numeric coordinates that are already divided by their lengthscales.

A form is a function c(t) of one number t per pair of scaled points a, b. Where t is the squared distance
|a − b|² the form is stationary, and each one here is a factor times a decay:
    squared exponential   exp(−r)                    r = t/2
    Matérn 1/2, 3/2, 5/2  {1, 1 + r, 1 + r + r²/3} exp(−r)   r = √(2ν t)   [rasmussen2006, eq. 4.9 and 4.17].
The linear form is 1 + t with t = a·b. Variance and categorical columns are the kernel's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from belated.errors import UnsupportedError, unknown_name
from belated.space.arrays import Array


class Form(Protocol):
    """The shape of the correlation c(a, b) over scaled coordinates."""

    @property
    def name(self) -> str:
        """The word by which a policy asks for this form."""

    def correlation(self, first: Array, second: Array) -> Array:
        """c(aᵢ, bⱼ) for all rows a of `first` (n, d) and b of `second` (m, d), as (n, m)."""

    def at(self, numbers: Array) -> Array:
        """c(t) of every number t; overwrites them."""

    def shares(self, points: Array) -> Array:
        """What every column adds to the number t of each pair of points, as (d, n, n)."""

    def tangent(self, first: Array, second: Array) -> tuple[Array, Array]:
        """c(tᵢⱼ) and dc/dt at tᵢⱼ, both (n, m), for little more than the price of one."""

    def gather(self, first: Array, second: Array, weights: Array) -> Array:
        """Row j is Σᵢ wᵢⱼ ∂t(aᵢ, bⱼ)/∂bⱼ, as (m, d), with no array of n × m × d."""

    def diagonal(self, points: Array) -> Array:
        """c(a, a) for every row a, as (m,)."""

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Draws ω (count, d) from the spectral law: E cos ω·(a − b) = c(a, b)."""


class Stationary(ABC):
    """A form of the squared distance t: factor(r) exp(−r) of a radius r(t)."""

    @abstractmethod
    def radii(self, squares: Array) -> Array:
        """r(t); overwrites `squares`."""

    @abstractmethod
    def factor(self, radii: Array) -> Array | float:
        """c(t) exp(r)."""

    @abstractmethod
    def fall(self, radii: Array) -> Array | float:
        """−dc/dt exp(r)."""

    @abstractmethod
    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Draws from the spectral law."""

    def correlation(self, first: Array, second: Array) -> Array:
        """factor(r) exp(−r)."""
        return self.at(squared_distances(first, second))

    def at(self, numbers: Array) -> Array:
        """factor(r) exp(−r)."""
        radii = self.radii(numbers)
        decay = np.exp(-radii)
        decay *= self.factor(radii)
        return decay

    def shares(self, points: Array) -> Array:
        """(aᵢₖ − aⱼₖ)² for every column k."""
        columns = points.T
        return np.asarray((columns[:, :, None] - columns[:, None, :]) ** 2)

    def tangent(self, first: Array, second: Array) -> tuple[Array, Array]:
        """factor(r) exp(−r) and −fall(r) exp(−r)."""
        radii = self.radii(squared_distances(first, second))
        decay = np.exp(-radii)
        descent = np.negative(decay)
        descent *= self.fall(radii)
        decay *= self.factor(radii)
        return decay, descent

    def gather(self, first: Array, second: Array, weights: Array) -> Array:
        """Row j: 2 Σᵢ wᵢⱼ (bⱼ − aᵢ), a column sum and a matrix product."""
        slopes: Array = weights.sum(axis=0)[:, None] * second
        slopes -= weights.T @ first
        slopes *= 2.0
        return slopes

    def diagonal(self, points: Array) -> Array:
        """Ones."""
        return np.ones(len(points))


@dataclass(frozen=True)
class SquaredExponential(Stationary):
    """exp(−t/2): samples have derivatives of every order [rasmussen2006, eq. 4.9]."""

    name = "se"

    def radii(self, squares: Array) -> Array:
        """t/2."""
        squares *= 0.5
        return squares

    def factor(self, radii: Array) -> float:
        """One."""
        return 1.0

    def fall(self, radii: Array) -> float:
        """One half."""
        return 0.5

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Standard normal draws [rasmussen2006, eq. 4.11]."""
        return rng.standard_normal((count, dimension))


@dataclass(frozen=True)
class Matern12(Stationary):
    """exp(−r) with r = √t: samples are continuous and rough [rasmussen2006, eq. 4.18]."""

    name = "matern12"

    def radii(self, squares: Array) -> Array:
        """√t."""
        return np.sqrt(squares, out=squares)

    def factor(self, radii: Array) -> float:
        """One."""
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

    def radii(self, squares: Array) -> Array:
        """√(3t)."""
        squares *= 3.0
        return np.sqrt(squares, out=squares)

    def factor(self, radii: Array) -> Array:
        """1 + r."""
        return 1.0 + radii

    def fall(self, radii: Array) -> float:
        """Three halves."""
        return 1.5

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Student draws with 3 degrees of freedom."""
        return student_draws(3.0, count, dimension, rng)


@dataclass(frozen=True)
class Matern52(Stationary):
    """(1 + r + r²/3) exp(−r) with r = √(5t): samples have two derivatives [rasmussen2006, eq. 4.17]."""

    name = "matern52"

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


@dataclass(frozen=True)
class Linear:
    """1 + a·b: a constant and a plane, both uncertain [rasmussen2006, eq. 4.2].

    The kernel centres its points at ½ before scaling, so that the constant is the height at the middle of the
    unit cube and no corner is favoured: the deviation grows alike towards all of them.
    """

    name = "linear"

    def correlation(self, first: Array, second: Array) -> Array:
        """1 + aᵢ·bⱼ."""
        return self.at(first @ second.T)

    def at(self, numbers: Array) -> Array:
        """1 + t."""
        numbers += 1.0
        return numbers

    def shares(self, points: Array) -> Array:
        """aᵢₖ aⱼₖ for every column k."""
        columns = points.T
        return np.asarray(columns[:, :, None] * columns[:, None, :])

    def tangent(self, first: Array, second: Array) -> tuple[Array, Array]:
        """1 + aᵢ·bⱼ and ones."""
        return self.correlation(first, second), np.ones((len(first), len(second)))

    def gather(self, first: Array, second: Array, weights: Array) -> Array:
        """Row j: Σᵢ wᵢⱼ aᵢ."""
        slopes: Array = weights.T @ first
        return slopes

    def diagonal(self, points: Array) -> Array:
        """1 + |a|²."""
        return squared_norms(points) + 1.0

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Refused: a form that is not stationary has no spectral law."""
        raise UnsupportedError(
            "frequencies(form='linear'): the linear form is not stationary, so it has no spectral law; "
            "use an exact GP, or one of the forms se, matern12, matern32, matern52."
        )


def squared_norms(points: Array) -> Array:
    """|a|² for every row, as (n,)."""
    norms: Array = np.einsum("ij,ij->i", points, points)
    return norms


def squared_distances(first: Array, second: Array) -> Array:
    """|aᵢ − bⱼ|² as (n, m), from one matrix product; exactly zero on the diagonal when `first` is `second`.

    (|a|² + |b|²) − 2 a·b, in this order symmetric to the last bit, has an error of about 1e-16 (|a|² + |b|²);
    so the kernel centres its points, and what is within the error is zero: a rough form would take its root.
    """
    norms, others = squared_norms(first), squared_norms(second)
    squares = np.add.outer(norms, others)
    squares -= (2.0 * first) @ second.T
    error = 4.0 * np.finfo(float).eps * (norms.max(initial=0.0) + others.max(initial=0.0))
    squares[squares < error] = 0.0
    if first is second:
        np.fill_diagonal(squares, 0.0)
    return squares


def student_draws(degrees: float, count: int, dimension: int, rng: np.random.Generator) -> Array:
    """Multivariate Student draws: the spectral law of a Matérn form, 2ν degrees [rasmussen2006, eq. 4.15]."""
    normal = rng.standard_normal((count, dimension))
    return normal / np.sqrt(rng.chisquare(degrees, (count, 1)) / degrees)


FORMS: dict[str, Form] = {
    form.name: form for form in (SquaredExponential(), Matern12(), Matern32(), Matern52(), Linear())
}


def form_named(name: str, call: str) -> Form:
    """The form of that name; `call` is what the error names when there is none."""
    if name not in FORMS:
        raise unknown_name(call, "kernel form", name, FORMS)
    return FORMS[name]

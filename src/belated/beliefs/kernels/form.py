"""What a shape of a correlation is, and the names by which policies ask for them.

A form is a function c(t) of one number t per pair of points whose numeric coordinates are already divided by their
lengthscales. Where t is the squared distance |a − b|² the form is stationary, and each one here is a factor times a
decay, factor(r) exp(−r), of a radius r(t). Variance and categorical columns are the kernel's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Protocol, Self, TypeGuard

import numpy as np

from belated.beliefs.kernels.hyperparameters import Hyperparameter
from belated.beliefs.kernels.pairing import Pairing, SquaredDistance
from belated.beliefs.kernels.waves import Cosine, Oscillation
from belated.errors import unknown_name
from belated.space.arrays import Array


class Form(Protocol):
    """The shape of a correlation."""

    @property
    def name(self) -> str:
        """The word by which a policy asks for this form."""

    @property
    def label(self) -> str:
        """What people call it."""

    @property
    def pairing(self) -> Pairing:
        """The number t that it is a function of."""

    @property
    def oscillation(self) -> Oscillation:
        """The random functions that have this correlation."""

    def at(self, numbers: Array) -> Array:
        """c(t) of every number t; overwrites them."""

    def tangent(self, numbers: Array) -> tuple[Array, Array]:
        """c(t) and dc/dt, for little more than the price of one; overwrites the numbers."""

    def draws(self, count: int, dimension: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Frequencies (count, d) and phases (count,) of random functions that have this correlation."""

    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """Those that are its own; most forms have none."""

    def with_values(self, values: Mapping[str, float]) -> Self:
        """The same with other values of those of its own that are named."""

    def log_slopes(self, first: Array, second: Array, weights: Array) -> dict[str, float]:
        """Σᵢⱼ wᵢⱼ ∂log c(tᵢⱼ)/∂log θₚ for every p of its own."""


class Plain:
    """A form without hyperparameters of its own."""

    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        return ()

    def with_values(self, values: Mapping[str, float]) -> Self:
        return self

    def log_slopes(self, first: Array, second: Array, weights: Array) -> dict[str, float]:
        return {}


class Stationary(Plain, ABC):
    """A form of the squared distance t: factor(r) exp(−r) of a radius r(t)."""

    pairing = SquaredDistance()
    oscillation = Cosine()

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
        """Draws ω (count, d) from the spectral law: E cos ω·(a − b) = c(a, b)."""

    def at(self, numbers: Array) -> Array:
        """factor(r) exp(−r)."""
        radii = self.radii(numbers)
        decay = np.exp(-radii)
        decay *= self.factor(radii)
        return decay

    def tangent(self, numbers: Array) -> tuple[Array, Array]:
        """factor(r) exp(−r) and −fall(r) exp(−r)."""
        radii = self.radii(numbers)
        decay = np.exp(-radii)
        descent = np.negative(decay)
        descent *= self.fall(radii)
        decay *= self.factor(radii)
        return decay, descent

    def draws(self, count: int, dimension: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draws from the spectral law, and phases all around the circle."""
        frequencies = self.frequencies(count, dimension, rng) if dimension else np.zeros((count, 0))
        return frequencies, rng.uniform(0.0, 2.0 * np.pi, count)


class Spectral(Form, Protocol):
    """A stationary form whose spectral law has no parameters, so that its frequencies stay while others are fitted."""

    def frequencies(self, count: int, dimension: int, rng: np.random.Generator) -> Array:
        """Draws ω (count, d) from the spectral law: E cos ω·(a − b) = c(a, b)."""


def is_spectral(form: Form | None) -> TypeGuard[Spectral]:
    """Whether random features can stand for a kernel of this form."""
    return isinstance(form, Stationary) and not form.hyperparameters()


FORMS: dict[str, Form] = {}


def register(form: Form) -> None:
    """Let policies ask for this form by its name."""
    FORMS[form.name] = form


def form_named(name: str, call: str) -> Form:
    """The form of that name; `call` is what the error names when there is none."""
    if name not in FORMS:
        raise unknown_name(call, "kernel form", name, FORMS)
    return FORMS[name]

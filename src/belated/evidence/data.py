"""Points and their values, on which beliefs are conditioned, and how far the values may be off."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from belated.evidence.scale import Scale
from belated.space import Array, Indices, Mask

# Its square is still a number; an answer that may be off by so much says nothing in any unit.
LARGEST_SD = 1e150


@dataclass(frozen=True, eq=False)
class Errors:
    """What was told of the errors of answers; row i belongs to answer i, and all are in the units of the values.

    `sd` is the standard error of an answer, above 0, or NaN where none was told. Answer i is the mean of `repeats`
    measurements nᵢ, 1 where it was a single one, and `scatter` is Σⱼ (yᵢⱼ − ȳᵢ)², 0 of a single one; beside a standard
    error, the two are not read. With σ² the variance of one measurement, the noise variance of answer i is
        sdᵢ²  where a standard error was told,   σ²/nᵢ  where not.
    """

    sd: Array  # (n,)
    repeats: Array  # (n,), whole numbers as floats
    scatter: Array  # (n,)

    @staticmethod
    def untold(count: int) -> Errors:
        """Those of single measurements of which nothing was told."""
        return Errors(np.full(count, np.nan), np.ones(count), np.zeros(count))

    @cached_property
    def told_mask(self) -> Mask:
        """The answers whose standard error was told. (n,)"""
        return ~np.isnan(self.sd)

    @cached_property
    def shares(self) -> Array:
        """The noise variances in units of σ²: 1/nᵢ, or 0 of a told one, which does not depend on σ². (n,)"""
        return np.where(self.told_mask, 0.0, 1.0 / self.repeats)

    @cached_property
    def told_variances(self) -> Array:
        """sdᵢ² where it was told, else 0. (n,)"""
        return np.where(self.told_mask, np.minimum(self.sd, LARGEST_SD), 0.0) ** 2

    def variances(self, noise: float) -> Array:
        """The noise variance of each answer, for a variance σ² of one measurement. (n,)"""
        return self.told_variances + noise * self.shares

    @property
    def measurements(self) -> Array:
        """How many measurements each answer counts as where answers are counted: a told one is one. (n,)"""
        return np.where(self.told_mask, 1.0, self.repeats)

    @property
    def scatters(self) -> Array:
        """Σⱼ (yᵢⱼ − ȳᵢ)² of the answers whose repeats are read; 0 of a told one. (n,)"""
        return np.where(self.told_mask, 0.0, self.scatter)

    def over(self, unit: float, least: float = 0.0) -> Errors:
        """The same in other units, with no standard error below the least."""
        with np.errstate(over="ignore"):
            sd = np.clip(self.sd / unit, least, LARGEST_SD)
        return Errors(sd, self.repeats, self.scatter / unit / unit)

    def read_on(self, scale: Scale, values: Array) -> Errors:
        """The same on a scale, by its slope around these values, which are not on it.

        So is the deviation of repeats, whose squares make up the scatter.
        """
        freedom = np.maximum(self.repeats - 1.0, 1.0)
        deviation = scale.half_widths(values, np.sqrt(self.scatter / freedom))
        return Errors(scale.half_widths(values, self.sd), self.repeats, freedom * deviation**2)

    def placed(self, rows: Indices, count: int) -> Errors:
        """The same at these of `count` rows, of which nothing is told of the others."""
        placed = Errors.untold(count)
        for whole, own in zip(_arrays(placed), _arrays(self), strict=True):
            whole[rows] = own
        return placed

    def of(self, rows: Indices | Mask | slice) -> Errors | None:
        """Those of some answers; None where nothing was told of any."""
        chosen = Errors(self.sd[rows], self.repeats[rows], self.scatter[rows])
        return chosen if bool(np.any(chosen.told_mask | (chosen.repeats > 1.0))) else None


class Data(NamedTuple):
    """Points and the values that a belief is conditioned on.

    `errors` are None where every value is a single measurement of which no error was told.
    """

    points: Array  # (n, d)
    values: Array  # (n,)
    errors: Errors | None = None

    def key(self) -> Hashable:
        """A key that is equal for equal data, to the last bit; it holds no copy of them."""
        return _Key(self)

    def of(self, rows: Indices | Mask | slice) -> Data:
        """Some of them."""
        errors = None if self.errors is None else self.errors.of(rows)
        return Data(self.points[rows], self.values[rows], errors)

    def first(self, count: int) -> Data:
        """The first `count` of them."""
        return self.of(slice(count))

    def last(self, count: int) -> Data:
        """The last `count` of them."""
        return self.of(slice(max(len(self.values) - count, 0), None))

    def filled(self, mask: Mask, values: Array | float) -> Data:
        """The same with these values at some rows, as single measurements of which nothing was told."""
        filled = self.values.copy()
        filled[mask] = values
        if self.errors is None:
            return Data(self.points, filled)
        none = Errors.untold(len(filled))
        parts = zip(_arrays(self.errors), _arrays(none), strict=True)
        errors = Errors(*(np.where(mask, other, own) for own, other in parts))
        return Data(self.points, filled, errors.of(slice(None)))

    def begins(self, other: Data) -> bool:
        """Whether the other data start with these, to the last bit.

        Data that share their memory are not compared, and the arrivals of one study mostly do.
        """
        n = len(self.values)
        if n > len(other.values) or self.points.shape[1] != other.points.shape[1]:
            return False
        alike = _same(self.values, other.values[:n]) and _same(self.points, other.points[:n])
        return alike and _same_errors(self.errors, other.first(n).errors)


@dataclass(frozen=True, eq=False)
class _Key:
    data: Data

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Key) or len(self.data.values) != len(other.data.values):
            return False
        return self.data.begins(other.data)

    def __hash__(self) -> int:
        return hash(self.data.points.shape)


def _same(first: Array, second: Array) -> bool:
    """Whether two arrays of one shape hold the same bits."""
    if first.strides == second.strides and _address(first) == _address(second):
        return True
    return np.array_equal(first.view(np.int64), second.view(np.int64))


def _same_errors(first: Errors | None, second: Errors | None) -> bool:
    if first is None or second is None:
        return first is second
    return all(_same(own, other) for own, other in zip(_arrays(first), _arrays(second), strict=True))


def _arrays(errors: Errors) -> tuple[Array, Array, Array]:
    return errors.sd, errors.repeats, errors.scatter


def _address(array: Array) -> int:
    address: int = array.__array_interface__["data"][0]
    return address

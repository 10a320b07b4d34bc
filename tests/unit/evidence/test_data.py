"""Data: what tells data from others, and whether they begin others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from belated.evidence import Data, Errors, Evidence, Scale
from belated.evidence.data import LARGEST_SD
from belated.log import Added, Event, Record, Revised
from belated.space import Float, Space

SPACE = Space(heat=Float(-30.0, 170.0), dose=Float(0.0, 2.0))


def some_data(n: int, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    return Data(rng.random((n, 2)), rng.standard_normal(n))


def first(data: Data, n: int) -> Data:
    return Data(data.points[:n], data.values[:n])


def copied(data: Data) -> Data:
    return Data(data.points.copy(), data.values.copy())


def arrivals(record: Record) -> Data:
    return Evidence.of(record).arrivals()


@pytest.mark.parametrize("n", [0, 1, 7, 8])
def test_data_begin_those_that_have_more(n: int) -> None:
    data = some_data(8)
    assert first(data, n).begins(data)
    assert copied(first(data, n)).begins(data)
    assert first(data, n).begins(copied(data))
    assert data.begins(first(data, n)) == (n == 8)
    assert copied(data).begins(first(data, n)) == (n == 8)


@pytest.mark.parametrize("part", ["points", "values"])
def test_one_other_bit_and_they_do_not(part: str) -> None:
    data = Data(np.zeros((8, 2)), np.zeros(8))
    other = copied(data)
    array = getattr(other, part)
    array[3] = -0.0
    assert not data.begins(other)
    assert not first(data, 4).begins(other)
    assert first(data, 3).begins(other)


def test_neither_other_widths_nor_other_places_in_memory_are_mistaken() -> None:
    data = some_data(8)
    assert not data.begins(Data(np.zeros((9, 3)), np.zeros(9)))
    assert not first(Data(data.points[1:], data.values[1:]), 3).begins(data)
    # The same beginning in memory, and yet every second row.
    assert not Data(data.points[::2], data.values[::2]).begins(data)


def test_arrivals_of_one_study_are_known_to_begin_later_ones_without_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    record, records = Record.empty(SPACE), []
    for query in range(1, 31):
        added = Added(query, {"heat": 10.0, "dose": query / 20}, 1.0 / query)
        record = record.extend([Event(query, 0.0, added)])
        records.append(record)
    branch = arrivals(records[20].extend([Event(22, 0.0, Added(22, {"heat": 0.0, "dose": 0.5}, 7.0))]))
    revised = arrivals(record.extend([Event(31, 0.0, Revised(3, 9.0))]))
    assert arrivals(records[20]).begins(branch)
    assert not arrivals(record).begins(branch)
    assert not arrivals(records[25]).begins(revised)
    assert arrivals(records[1]).begins(revised)

    def compared(*arrays: object) -> bool:
        raise AssertionError("nothing needs to be compared")

    monkeypatch.setattr(np, "array_equal", compared)
    for earlier, later in zip(records, records[3:], strict=False):
        assert arrivals(earlier).begins(arrivals(later))
        assert not arrivals(later).begins(arrivals(earlier))


def test_keys_are_equal_where_all_bits_are() -> None:
    data = some_data(5)
    assert data.key() == copied(data).key()
    assert data.key() != first(data, 4).key()
    assert data.key() != some_data(5, seed=1).key()


# Errors.


def some_errors(n: int, seed: int = 5) -> Errors:
    """A third told, a third repeated, a third of which nothing is known."""
    rng, kinds = np.random.default_rng(seed), np.arange(n) % 3
    repeats = np.where(kinds == 1, 4.0, 1.0)
    return Errors(np.where(kinds == 0, 0.1 + rng.random(n), np.nan), repeats, np.where(kinds == 1, rng.random(n), 0.0))


def told_data(n: int) -> Data:
    return some_data(n)._replace(errors=some_errors(n))


def test_the_variance_of_an_answer_is_that_told_or_a_share_of_that_of_one_measurement() -> None:
    errors = Errors(np.array([0.5, np.nan, np.nan, 1e200]), np.array([3.0, 4.0, 1.0, 1.0]), np.zeros(4))
    assert_array_equal(errors.variances(2.0), [0.25, 0.5, 2.0, LARGEST_SD**2])
    assert_array_equal(errors.shares, [0.0, 0.25, 1.0, 0.0])
    assert_array_equal(errors.measurements, [1.0, 4.0, 1.0, 1.0])


@pytest.mark.parametrize("part", ["sd", "repeats", "scatter"])
def test_data_with_other_errors_are_other_data(part: str) -> None:
    data, other = told_data(9), told_data(9)
    assert data.begins(other)
    assert data.key() == other.key()
    assert data.errors is not None
    array = getattr(data.errors, part).copy()
    array[4] = 7.0
    changed = data._replace(errors=replace(data.errors, **{part: array}))
    assert not changed.begins(other)
    assert not other.begins(changed)
    assert changed.key() != other.key()
    assert changed.first(4).begins(other)
    assert not data._replace(errors=None).begins(data)
    assert not data.begins(data._replace(errors=None))


def test_answers_of_which_nothing_was_told_have_no_errors() -> None:
    data = some_data(6)._replace(errors=some_errors(6))
    assert data.of(np.array([2, 5])).errors is None
    assert some_data(6).of(np.array([2, 5])).key() == data.of(np.array([2, 5])).key()
    assert data.first(0).errors is None
    assert some_data(3)._replace(errors=Errors.untold(3)).first(3).errors is None


def test_rows_that_are_filled_in_have_the_error_of_one_measurement() -> None:
    data, mask = told_data(6), np.array([True, False, False, True, False, False])
    filled = data.filled(mask, np.array([8.0, 9.0]))
    assert_array_equal(filled.values[mask], [8.0, 9.0])
    assert filled.errors is not None
    assert data.errors is not None
    assert_array_equal(filled.errors.variances(2.0)[mask], [2.0, 2.0])
    assert_array_equal(filled.errors.variances(2.0)[~mask], data.errors.variances(2.0)[~mask])
    assert_array_equal(filled.errors.scatter[~mask], data.errors.scatter[~mask])
    assert data.filled(np.ones(6, dtype=bool), 0.0).errors is None
    assert not np.any(data.values == 8.0)


def test_errors_are_placed_among_rows_that_have_none() -> None:
    placed = some_errors(3).placed(np.array([4, 0, 2]), 6)
    assert_array_equal(placed.of(np.array([4, 0, 2])).sd, some_errors(3).sd)  # type: ignore[union-attr]
    assert placed.of(np.array([1, 3, 5])) is None


def test_errors_are_read_on_a_scale_by_its_slope() -> None:
    scale = Scale(np.array([-4.0, -2.0, 0.0]), np.array([-1.0, -0.5, 0.0]))
    errors = Errors(
        np.array([0.1, 0.2, np.nan, np.nan]), np.array([1.0, 1.0, 5.0, 1.0]), np.array([0.0, 0.0, 4.0, 0.0])
    )
    read = errors.read_on(scale, np.array([-3.0, 2.0, -2.0, 5.0]))
    assert_allclose(read.sd, [0.025, 0.2, np.nan, np.nan])
    assert_allclose(read.scatter, [0.0, 0.0, 0.25, 0.0])
    # Below the lowest knot all answers are read alike, and are no surer for that.
    assert_allclose(errors.read_on(scale, np.full(4, -9.0)).sd, [0.025, 0.05, np.nan, np.nan])
    half = errors.over(2.0, least=0.08)
    assert_allclose(half.sd, [0.08, 0.1, np.nan, np.nan])
    assert_allclose(half.scatter, errors.scatter / 4.0)

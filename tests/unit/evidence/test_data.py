"""Data: what tells data from others, and whether they begin others."""

from __future__ import annotations

import numpy as np
import pytest

from belated.evidence import Data, Evidence
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

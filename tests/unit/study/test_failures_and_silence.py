"""A study in which queries fail, and in which silence means something: neither is taken for the other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import belated as bl
from belated.log import State, Window
from tests.builders import Clock

QUERIES, WINDOW = 60, 6.0


class Shop:
    """Some buy, and the books know two days later; silence is no sale; prices above 14 the till refuses."""

    def __init__(self) -> None:
        clock, chance = Clock(0.0), np.random.default_rng(3)
        self.study = bl.Study.in_memory(
            bl.Space(price=bl.Float(1, 20)),
            silence=0.0,
            policy=bl.policies.build("auto", window=bl.Window(seconds=WINDOW)),
            seed=3,
            clock=clock,
            notices=False,
        )
        due: list[tuple[float, int, float]] = []
        for day in range(QUERIES + 10):
            clock.now = float(day)
            for _, number, price in [sale for sale in due if sale[0] <= day]:
                self.study.tell(number, price)
            due = [sale for sale in due if sale[0] > day]
            if day >= QUERIES:
                continue
            query = self.study.ask()
            assert isinstance(query, bl.Query)
            price = float(query.point["price"])
            if price > 14.0:
                self.study.fail(query, "the till refuses it")
            elif chance.random() < math.exp(-price / 6.0):
                due.append((day + 2.0, query.id, price))


@pytest.fixture(scope="module")
def shop() -> Shop:
    """The shop when all that comes has come."""
    return Shop()


def test_a_failed_point_counts_as_failed_and_not_as_silent(shop: Shop) -> None:
    evidence, record = shop.study.evidence(), shop.study.record()
    failed = [query for query in shop.study.queries() if query.state is State.FAILED]
    assert failed
    assert all(query.point["price"] > 14.0 for query in failed)
    assert record.counts.overdue > 0.2 * QUERIES
    waiting = int(evidence.pending_mask.sum())
    counted = evidence.counting_silence(Window(seconds=WINDOW), float(QUERIES + 10), np.zeros(waiting))
    assert counted.failed_rows.tolist() == evidence.failed_rows.tolist()
    assert len(counted.failed_rows) == len(failed)
    assert not np.any(counted.answered_mask & counted.failed_mask)
    assert counted.n_answered == evidence.n_answered + record.counts.overdue


def test_failed_points_are_not_handed_out_again_and_few_fail(shop: Shop) -> None:
    queries = shop.study.queries()
    failed = [query.point["price"] for query in queries if query.state is State.FAILED]
    assert len(set(failed)) == len(failed) <= QUERIES // 4


def test_the_best_and_the_recommendation_lie_where_sales_are(shop: Shop) -> None:
    assert 0.0 < shop.study.best().value <= 14.0
    found = shop.study.recommend()
    assert found.point["price"] <= 14.0
    assert found.point["price"] * math.exp(-found.point["price"] / 6.0) > 0.8 * 6.0 / math.e


def test_an_ask_goes_on_beside_both(shop: Shop) -> None:
    tried = [query.point for query in shop.study.queries()]
    query = shop.study.ask()
    assert isinstance(query, bl.Query)
    assert query.point not in tried

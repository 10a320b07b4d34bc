"""No sale: prices are tried, a sale is known some queries later, and no sale is silence."""

from __future__ import annotations

import math

import numpy as np
import pytest

import belated as bl
from tests.builders import Clock

QUERIES = 150
BEST = 6.0 / math.e


def revenue(price: float) -> float:
    """What is expected of a price."""
    return price * math.exp(-price / 6.0)


class Shop:
    """A shop that tries prices and tells a sale once it is booked."""

    def __init__(self) -> None:
        self._clock, self._chance = Clock(0.0), np.random.default_rng(12)
        self.study = bl.Study.in_memory(
            bl.Space(price=bl.Float(1, 20)), silence=0.0, seed=0, clock=self._clock, notices=False
        )
        self.prices: list[float] = []
        self.sold: list[tuple[float, int, float]] = []

    def open(self, days: int) -> None:
        """One visitor a day, who buys or not, and of whose purchase the books know later."""
        for _ in range(days):
            day = float(len(self.prices))
            self._clock.now = day
            for sale in [sale for sale in self.sold if sale[0] <= day]:
                self.study.tell(sale[1], sale[2])
                self.sold.remove(sale)
            query = self.study.ask()
            assert isinstance(query, bl.Query)
            price = float(query.point["price"])
            self.prices.append(price)
            if self._chance.random() < math.exp(-price / 6.0):
                self.sold.append((day + self._chance.poisson(5.0), query.id, price))


@pytest.fixture(scope="module")
def shop() -> Shop:
    """The shop after 150 visitors."""
    shop = Shop()
    shop.open(QUERIES)
    return shop


def test_the_best_price_is_found(shop: Shop) -> None:
    assert revenue(shop.study.recommend().point["price"]) > 0.9 * BEST


def test_visitors_pay_on_the_way(shop: Shop) -> None:
    uniform = float(np.mean([revenue(price) for price in np.linspace(1.0, 20.0, 1000)]))
    later = shop.prices[QUERIES // 2 :]
    assert np.mean([revenue(price) for price in later]) > uniform


def test_who_does_not_buy_is_counted_and_said_to_be(shop: Shop) -> None:
    counts = shop.study.record().counts
    assert counts.overdue > 0.3 * QUERIES
    assert f"{counts.overdue} of them overdue and counted as 0" in counts.words(0.0)["pending"]
    assert "which means 0" in shop.study.delays().summary()


def test_the_recommendation_expects_what_a_visitor_pays_not_what_a_buyer_does(shop: Shop) -> None:
    found = shop.study.recommend()
    assert found.mean < 0.7 * found.point["price"]
    assert abs(found.mean - revenue(found.point["price"])) < 4.0 * found.deviation

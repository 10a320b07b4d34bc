"""Of many queries some are drawn: evenly spread, and those that wait first."""

from __future__ import annotations

from belated.report.thinning import remark, spread, thinned
from tests.builders import random_study


def test_few_items_are_all_drawn() -> None:
    assert spread([3, 1, 2], 3) == [3, 1, 2]


def test_many_items_are_drawn_from_the_first_to_the_last_at_even_distances() -> None:
    assert spread(range(101), 5) == [0, 25, 50, 75, 100]
    assert len(set(spread(range(2001), 2000))) == 2000


def test_queries_without_an_answer_are_drawn_before_all_others() -> None:
    queries = random_study(3, n_answered=40, n_pending=6, n_abandoned=4).queries()
    drawn = thinned(queries, 12)
    assert len(drawn) == 12
    assert [query.id for query in drawn] == sorted(query.id for query in drawn)
    waiting = [query.id for query in queries if query.state == "pending"]
    assert set(waiting) <= {query.id for query in drawn}
    assert [query.state for query in thinned(queries, 4)] == ["pending"] * 4


def test_a_remark_says_what_is_left_out() -> None:
    assert remark([1] * 2000, [1] * 100_000) == "2,000 of 100,000 queries are drawn."
    assert remark([1], [1]) == ""

"""The late week: a batch is stuck in the analyser, and the next flasks are due."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import belated as bl

DAY = 86_400.0
SPACE = bl.Space(
    x=bl.Float(0, 1), temperature=bl.Float(20, 120), solvent=bl.Choice("DMF", "THF", "water"), hours=bl.Int(1, 8)
)


def yielded(query: bl.Query) -> float:
    values = query.point
    x, temperature, hours = (float(str(values[name])) for name in ("x", "temperature", "hours"))
    return float(-((x - 0.4) ** 2) - ((temperature - 80.0) / 60.0) ** 2 + (values["solvent"] == "THF") - 0.02 * hours)


class Week:
    """A laboratory with a clock: batches are asked, and told after some days."""

    def __init__(self, seed: int, policy: str) -> None:
        self.now = 0.0
        self.chance = np.random.default_rng(seed)
        self.study = bl.Study.in_memory(SPACE, policy=policy, seed=seed, clock=lambda: self.now)

    def asked(self, count: int) -> list[bl.Query]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bl.errors.BelatedWarning)
            return list(self.study.ask(count))

    def told(self, batch: list[bl.Query], days: float) -> None:
        self.now += days * DAY
        for query in batch:
            self.study.tell(query, yielded(query))


def is_same(one: bl.Query, other: bl.Query) -> bool:
    """Whether two flasks are filled alike, to a thousandth of each range."""
    gaps = [abs(float(one.point[name] - other.point[name])) / width for name, width in (("x", 1), ("temperature", 100))]
    alike = all(one.point[name] == other.point[name] for name in ("solvent", "hours"))
    return alike and max(gaps) <= 1e-3


@pytest.mark.parametrize("late", [0.1, 0.5, 9.0])
@pytest.mark.parametrize("size", [1, 8])
def test_eight_new_experiments_and_the_stuck_ones_keep_their_places(size: int, late: float) -> None:
    week = Week(3, "auto")
    for _ in range(6):
        week.told(week.asked(size), week.chance.uniform(2.0, 4.0))
    stuck = week.asked(size)
    week.now += 4.0 * (1.0 + late) * DAY
    following = week.asked(size)
    assert len(following) == size
    assert not [(a.id, b.id) for a in following for b in stuck if is_same(a, b)]
    # What comes after all is welcome.
    week.told(stuck, 0.5)
    assert {query.id for query in week.study.pending()} == {query.id for query in following}


def test_a_batch_that_came_together_shows_one_delay() -> None:
    week = Week(0, "auto")
    for _ in range(2):
        week.told(week.asked(8), 2.0)
    stuck = week.asked(8)
    week.now += 2.5 * DAY
    # Two batches are two observations, of which nobody learns that two days and a half are too long.
    assert {str(query.state) for query in week.study.pending()} == {"pending"}
    assert [query.id for query in week.study.pending()] == [query.id for query in stuck]


def test_one_notice_says_which_are_overdue_and_what_to_do() -> None:
    week = Week(0, "auto")
    week.study.change(window=bl.Window(seconds=3 * DAY))
    week.told(week.asked(4), 2.0)
    stuck = week.asked(4)
    week.now += 5.0 * DAY
    with pytest.warns(bl.errors.BelatedWarning, match="Overdue: queries 5, 6, 7, 8, asked 5 d ago"):
        week.study.ask(4)
    (notice,) = [notice for notice in week.study.notices() if notice.kind == "overdue"]
    assert "waited for 3 d." in notice.text
    assert "abandon()" in notice.text
    week.told(stuck, 1.0)
    week.asked(4)
    assert [notice.kind for notice in week.study.notices()].count("overdue") == 1

"""The late week: a batch is stuck in the analyser, and the next flasks are due."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest

import belated as bl
from tests.pairs import first
from tests.scenes.laboratory import DAY, Batch, Laboratory, alike, yielded

SPACE = bl.Space(
    x=bl.Float(0, 1), temperature=bl.Float(20, 120), solvent=bl.Choice("DMF", "THF", "water"), hours=bl.Int(1, 8)
)


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
            self.study.tell(query, yielded(query.point))


def is_same(one: bl.Query, other: bl.Query) -> bool:
    """Whether two flasks are filled alike, to a thousandth of each range."""
    gaps = [abs(float(one.point[name] - other.point[name])) / width for name, width in (("x", 1), ("temperature", 100))]
    alike = all(one.point[name] == other.point[name] for name in ("solvent", "hours"))
    return alike and max(gaps) <= 1e-3


@pytest.mark.parametrize("late", first(2, 0.1, 9.0, 0.5))
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
    assert "abandon what will never come" in notice.text
    week.told(stuck, 1.0)
    week.asked(4)
    assert [notice.kind for notice in week.study.notices()].count("overdue") == 1


# The whole scene, as a chemist plays it: by command line and spreadsheet.


class Flasks(NamedTuple):
    """A batch on its way: its flasks, and after how many seconds each is measured."""

    batch: Batch
    seconds: dict[int, int]


def filled(laboratory: Laboratory, chance: np.random.Generator, together: bool) -> Flasks:
    """Eight flasks, whose answers take two to four days at random, each by itself or all together."""
    batch = laboratory.ask(8)
    days = np.full(8, chance.uniform(2.0, 4.0)) if together else chance.uniform(2.0, 4.0, 8)
    return Flasks(batch, dict(zip(batch.flasks, (days * DAY).astype(int).tolist(), strict=True)))


def measured(laboratory: Laboratory, flasks: Flasks) -> None:
    """Wait for the answers, and send back the sheet whenever one or some have come."""
    passed = 0
    for moment in sorted(set(flasks.seconds.values())):
        laboratory.pass_time(moment - passed)
        passed = moment
        came = [query for query, seconds in flasks.seconds.items() if seconds == moment]
        laboratory.tell_by_sheet({query: yielded(flasks.batch.flasks[query]) for query in came})


class Stuck(NamedTuple):
    """The fifth batch, six days in the analyser, and the sixth, asked for meanwhile."""

    fifth: Batch
    sixth: Batch


def stuck(laboratory: Laboratory, together: bool) -> Stuck:
    """Four batches come back in time; the fifth does not, and eight more flasks are due."""
    chance = np.random.default_rng(11)
    for _ in range(4):
        measured(laboratory, filled(laboratory, chance, together))
    fifth = filled(laboratory, chance, together).batch
    assert fifth.aside == ""
    laboratory.pass_time(6 * DAY)
    return Stuck(fifth, laboratory.ask(8))


@pytest.mark.parametrize("together", [False, True], ids=["flask by flask", "batch by batch"])
def test_the_chemist_gets_eight_new_experiments_and_may_tell_of_the_stuck_ones_later(
    laboratory: Laboratory, together: bool
) -> None:
    fifth, sixth = stuck(laboratory, together)
    assert len(sixth.flasks) == 8
    assert alike(sixth.flasks, sixth.flasks | fifth.flasks) == []
    assert set(laboratory.states()) == {*fifth.flasks, *sixth.flasks}
    laboratory.pass_time(DAY)
    laboratory.tell_by_sheet({query: yielded(flask) for query, flask in fifth.flasks.items()})
    assert set(laboratory.states()) == set(sixth.flasks)


@pytest.mark.parametrize(
    "together", [pytest.param(False, id="flask by flask"), pytest.param(True, id="batch by batch")]
)
def test_the_chemist_hears_once_that_the_batch_is_overdue(laboratory: Laboratory, together: bool) -> None:
    fifth, sixth = stuck(laboratory, together)
    # By batches, the window is not past yet, though no answer took so long.
    said = "Late" if together else "Overdue"
    assert sixth.aside.count("Worth knowing") == 1
    assert f"{said}: queries 33, 34, 35, 36, 37, 38, 39, 40, asked 6 d ago" in sixth.aside
    assert f"{said}:" not in laboratory.ask(1).aside
    laboratory.tell_by_sheet({query: yielded(flask) for query, flask in fifth.flasks.items()})
    assert f"{said}:" not in laboratory.ask(1).aside
    assert laboratory.notices().count("overdue") == 1

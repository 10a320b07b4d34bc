"""The weekend: nobody works from Friday evening to Monday, and the study makes nothing of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.scenes.laboratory import DAY, HOUR, Batch, Laboratory, alike, yielded
from tests.service.test_delays import lines_of

# From five in the evening to three in the afternoon, and from Friday evening to Monday morning.
NEXT_DAY, WEEKEND = 22 * HOUR, 64 * HOUR


class Team:
    """People who work from Monday to Friday; they send back the whole sheet, or type in answer after answer."""

    def __init__(self, laboratory: Laboratory, by_sheet: bool) -> None:
        self.laboratory, self._by_sheet = laboratory, by_sheet

    def tell(self, flasks: Mapping[int, Mapping[str, Any]]) -> None:
        """Some answers; typed in, each is the work of half an hour or more."""
        if self._by_sheet:
            self.laboratory.tell_by_sheet({query: yielded(flask) for query, flask in flasks.items()})
            return
        for query, flask in flasks.items():
            self.laboratory.pass_time(HOUR // 2 + 10 * 60 * (query % 3))
            self.laboratory.tell(query, yielded(flask))

    def work_until_friday(self, weeks: int) -> None:
        """Weeks in which five flasks are filled on Mondays and on Wednesdays, and measured the day after."""
        for week in range(weeks):
            for _ in ("Monday", "Wednesday"):
                batch = self.laboratory.ask(5)
                self.laboratory.pass_time(NEXT_DAY)
                self.tell(batch.flasks)
                self.laboratory.pass_time(2 * DAY - NEXT_DAY)
            if week < weeks - 1:
                self.laboratory.pass_time(3 * DAY)


def part(batch: Batch, first: int, last: int) -> dict[int, dict[str, Any]]:
    """Some flasks of a batch, by their places."""
    return dict(list(batch.flasks.items())[first:last])


@pytest.mark.parametrize("by_sheet", [True, False], ids=["by sheet", "one by one"])
def test_nothing_is_asked_again_and_nothing_is_said(laboratory: Laboratory, by_sheet: bool) -> None:
    team = Team(laboratory, by_sheet)
    team.work_until_friday(weeks=3)
    friday = laboratory.ask(8)
    laboratory.pass_time(WEEKEND)
    team.tell(part(friday, 0, 2))
    monday = laboratory.ask(2)
    laboratory.pass_time(DAY)
    team.tell(part(friday, 2, 8))
    tuesday = laboratory.ask(6)
    asked = friday.flasks | monday.flasks | tuesday.flasks
    assert len(asked) == 16
    assert alike(asked, asked) == []
    assert set(laboratory.states()) == {*monday.flasks, *tuesday.flasks}
    assert [friday.aside, monday.aside, tuesday.aside] == ["", "", ""]
    assert laboratory.notices() == []


def test_who_asks_before_the_first_answer_is_told_that_delays_are_by_the_clock(laboratory: Laboratory) -> None:
    team = Team(laboratory, by_sheet=False)
    team.work_until_friday(weeks=3)
    friday = laboratory.ask(8)
    laboratory.pass_time(WEEKEND)
    monday = laboratory.ask(2)
    assert alike(monday.flasks, friday.flasks) == []
    assert (
        "Overdue: queries 31, 32, 33, 34, 35, 36, 37, 38, asked 2 d 16 h ago, when answers are waited for 1 d 3 h. "
        "That is by the clock: nights and weekends count."
    ) in monday.aside
    # They come as on any Monday, nothing is held against them, and the next weekend is no surprise.
    team.tell(friday.flasks | monday.flasks)
    laboratory.ask(8)
    laboratory.pass_time(WEEKEND)
    assert list(laboratory.states().values()) == ["pending"] * 8
    assert laboratory.notices().count("overdue") == 1


def test_delays_are_said_to_be_by_the_clock(laboratory: Laboratory) -> None:
    team = Team(laboratory, by_sheet=True)
    friday = laboratory.ask(8)
    laboratory.pass_time(WEEKEND)
    team.tell(part(friday, 0, 2))
    said = lines_of(laboratory.belated("delays", "lab").out)
    assert said["longest"] == "7 queries, 2 d 16 h"
    assert said["times"] == "are by the clock: nights and weekends count"

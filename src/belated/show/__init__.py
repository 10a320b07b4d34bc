"""How numbers, times and values look to a person, said once for every room."""

from belated.show.card import card, escape
from belated.show.words import EARLIEST_DATE, LATEST_DATE, UNITS, counted, duration, instant, written

__all__ = ["EARLIEST_DATE", "LATEST_DATE", "UNITS", "card", "counted", "duration", "escape", "instant", "written"]

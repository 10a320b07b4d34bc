"""How numbers, times and values look to a person, said once for every room."""

from belated.show.card import card, escape
from belated.show.words import EARLIEST_DATE, LATEST_DATE, UNITS, duration, instant, written

__all__ = ["EARLIEST_DATE", "LATEST_DATE", "UNITS", "card", "duration", "escape", "instant", "written"]

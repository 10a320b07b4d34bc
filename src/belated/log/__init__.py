"""The events of a study, and what they add up to."""

from belated.log.consistency import LARGEST_ANSWER, is_answer, is_seed, whole_log
from belated.log.data import Data
from belated.log.events import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Body,
    Closed,
    ContextSeen,
    Created,
    Event,
    Goal,
    Noticed,
    PolicyChanged,
    Reopened,
    Revised,
    SeedChanged,
)
from belated.log.history import History, Plays, encode
from belated.log.query import FOREVER, LEARNED, Answer, Balk, GivenWindow, Learned, Query, State, Window, as_window
from belated.log.records import Records, entered
from belated.log.scale import Scale
from belated.log.settings import Settings, settings_after
from belated.log.standing import Standing, standings
from belated.log.values import Values

__all__ = [
    "FOREVER",
    "LARGEST_ANSWER",
    "LEARNED",
    "Abandoned",
    "Added",
    "Answer",
    "Answered",
    "Asked",
    "Balk",
    "Body",
    "Closed",
    "ContextSeen",
    "Created",
    "Data",
    "Event",
    "GivenWindow",
    "Goal",
    "History",
    "Learned",
    "Noticed",
    "Plays",
    "PolicyChanged",
    "Query",
    "Records",
    "Reopened",
    "Revised",
    "Scale",
    "SeedChanged",
    "Settings",
    "Standing",
    "State",
    "Values",
    "Window",
    "as_window",
    "encode",
    "entered",
    "is_answer",
    "is_seed",
    "settings_after",
    "standings",
    "whole_log",
]

"""The events of a study, and what they add up to."""

from belated.log.consistency import LARGEST_ANSWER, is_answer, is_seed, whole_log
from belated.log.effect import Effect
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
    kind,
    kinds,
)
from belated.log.queries import Queries, entered
from belated.log.query import FOREVER, Answer, Balk, GivenWindow, Query, State, Window, as_window
from belated.log.record import Counts, Record, encode
from belated.log.rows import Rows
from belated.log.settings import Settings, settings_after
from belated.log.standing import QueryStanding, standings
from belated.log.values import Values

__all__ = [
    "FOREVER",
    "LARGEST_ANSWER",
    "Abandoned",
    "Added",
    "Answer",
    "Answered",
    "Asked",
    "Balk",
    "Body",
    "Closed",
    "ContextSeen",
    "Counts",
    "Created",
    "Effect",
    "Event",
    "GivenWindow",
    "Goal",
    "Noticed",
    "PolicyChanged",
    "Queries",
    "Query",
    "QueryStanding",
    "Record",
    "Reopened",
    "Revised",
    "Rows",
    "SeedChanged",
    "Settings",
    "State",
    "Values",
    "Window",
    "as_window",
    "encode",
    "entered",
    "is_answer",
    "is_seed",
    "kind",
    "kinds",
    "settings_after",
    "standings",
    "whole_log",
]

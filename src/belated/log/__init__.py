"""The events of a study, and what they add up to."""

from belated.log.consistency import LARGEST_ANSWER, is_answer, is_seed, outcomes_of, whole_log
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
    Failed,
    Noticed,
    Performed,
    PolicyChanged,
    Reopened,
    Retracted,
    Revised,
    SeedChanged,
    kind,
    kinds,
)
from belated.log.intake import encode, encode_performed
from belated.log.measurement import Measurement, fields_of, measured_text, measurements_in
from belated.log.outcomes import VALUE, AtLeast, AtMost, Goal, Maximize, Minimize, Outcome, Outcomes, Signal
from belated.log.queries import Queries, entered
from belated.log.query import FOREVER, Answer, Balk, GivenWindow, Query, State, Window, as_window
from belated.log.record import Counts, Record
from belated.log.rows import Rows
from belated.log.settings import Settings, settings_after
from belated.log.standing import QueryStanding, standings
from belated.log.values import Values

__all__ = [
    "FOREVER",
    "LARGEST_ANSWER",
    "VALUE",
    "Abandoned",
    "Added",
    "Answer",
    "Answered",
    "Asked",
    "AtLeast",
    "AtMost",
    "Balk",
    "Body",
    "Closed",
    "ContextSeen",
    "Counts",
    "Created",
    "Effect",
    "Event",
    "Failed",
    "GivenWindow",
    "Goal",
    "Maximize",
    "Measurement",
    "Minimize",
    "Noticed",
    "Outcome",
    "Outcomes",
    "Performed",
    "PolicyChanged",
    "Queries",
    "Query",
    "QueryStanding",
    "Record",
    "Reopened",
    "Retracted",
    "Revised",
    "Rows",
    "SeedChanged",
    "Settings",
    "Signal",
    "State",
    "Values",
    "Window",
    "as_window",
    "encode",
    "encode_performed",
    "entered",
    "fields_of",
    "is_answer",
    "is_seed",
    "kind",
    "kinds",
    "measured_text",
    "measurements_in",
    "outcomes_of",
    "settings_after",
    "standings",
    "whole_log",
]

"""The events of a study, and what they add up to."""

from belated.log.consistency import whole_log
from belated.log.events import (
    Abandoned,
    Added,
    Answered,
    Asked,
    Body,
    Closed,
    Created,
    Event,
    Goal,
    PolicyChanged,
    Revised,
)
from belated.log.history import Data, History, encode
from belated.log.query import FOREVER, Answer, Balk, Query, State, Window
from belated.log.values import Values

__all__ = [
    "FOREVER",
    "Abandoned",
    "Added",
    "Answer",
    "Answered",
    "Asked",
    "Balk",
    "Body",
    "Closed",
    "Created",
    "Data",
    "Event",
    "Goal",
    "History",
    "PolicyChanged",
    "Query",
    "Revised",
    "State",
    "Values",
    "Window",
    "encode",
    "whole_log",
]

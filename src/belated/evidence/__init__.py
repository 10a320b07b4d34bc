"""What the mathematics reads of a study."""

from belated.evidence.data import Data, Errors
from belated.evidence.evidence import Evidence, Plays
from belated.evidence.scale import Scale
from belated.evidence.waits import Spans, Unit, Waits, waits

__all__ = [
    "Data",
    "Errors",
    "Evidence",
    "Plays",
    "Scale",
    "Spans",
    "Unit",
    "Waits",
    "waits",
]

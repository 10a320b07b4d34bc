"""When it is worth asking again: as soon as an answer can be expected."""

from __future__ import annotations

from belated.delays import until_next_answer
from belated.study import Study

LEAST, MOST, UNKNOWN = 1.0, 3600.0, 30.0


def retry_after(study: Study) -> float:
    """Seconds until the next answer can be expected, or until one looks again where that is not known."""
    expected = until_next_answer(study.evidence().waits(study.now()))
    return UNKNOWN if expected is None else min(max(expected, LEAST), MOST)

"""When it is worth asking again: as soon as an answer can be expected."""

from __future__ import annotations

from statistics import median

from belated.study import Study

LEAST, MOST, UNKNOWN = 1.0, 3600.0, 30.0


def retry_after(study: Study) -> float:
    """Seconds until the first of the pending queries has waited as long as half of the answers took.

    A query that has waited longer may be answered at any moment: then it is a tenth of that time.
    """
    record = study.record()
    waits = [query.answer.at - query.asked_at for query in record.queries if query.answer and query.number]
    if not waits:
        return UNKNOWN
    usual, now = median(waits), study.now()
    left = [max(usual - (now - query.asked_at), usual / 10.0) for query in record.pending()]
    return min(max(min(left, default=usual), LEAST), MOST)

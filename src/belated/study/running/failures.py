"""How many queries of a run have failed, and whether it is to go on."""

from __future__ import annotations

from typing import final

from belated.errors import ObjectiveError
from belated.log import Query
from belated.study.running.evaluation import Failure
from belated.study.running.run_errors import none_succeeded, too_many_failed
from belated.study.running.terms import Terms

# An objective that works at a third of all points or more fails ten times from the start in one run of fifty at most;
# one with a mistake in it fails every time.
HOPELESS = 10


@final
class Failures:
    """The queries that failed; a run without a limit ends if nothing ever succeeds."""

    def __init__(self, terms: Terms) -> None:
        self._tolerated = terms.tolerate
        self._last: tuple[Query, Failure] | None = None
        self._succeeded = False
        self.count = 0

    def succeeded(self) -> None:
        """One evaluation has succeeded."""
        self._succeeded = True

    def failed(self, query: Query, failure: Failure) -> ObjectiveError | None:
        """One more query has failed; the error if that is one too many."""
        self.count += 1
        self._last = query, failure
        if self._tolerated is None:
            return self.at_end() if self.count >= HOPELESS else None
        return too_many_failed(query, failure, self.count, self._tolerated) if self.count > self._tolerated else None

    def at_end(self) -> ObjectiveError | None:
        """The error of a run without a limit in which nothing has succeeded."""
        if self._last is None or self._succeeded or self._tolerated is not None:
            return None
        return none_succeeded(*self._last, self.count)

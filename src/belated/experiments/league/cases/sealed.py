"""The sealed half of the cases: played for a release, and by nobody who still chooses.

Whoever looks at results while choosing a policy, a default or a constant chooses what happens to be good on these very
cases, and what is then reported on them is no longer what a user will find. So nobody looks at results on this half
while developing: the open half is of the same make and is there for that. This half answers one question, once per
release: whether what was found on the open half holds on functions, shifts, rotations, tables and laws of delays that
no choice has seen.
"""

from __future__ import annotations

from belated.experiments.league.cases.case import Case

SEALED: tuple[Case, ...] = ()

"""What agents are told once, before they call a tool."""

from __future__ import annotations

INSTRUCTIONS = """
Belated chooses what to try next where answers come late: after seconds or weeks, in any order, or never. A study has a
space (what can be varied), what is measured and whether large or small is good, and a log of all that was asked and
told. It outlives this conversation: what is asked now may be answered in another one.

The loop:
1. ask gives queries: each has a number and a point to try. Ask for as many as can be tried at the same time. Do not
   wait for the answers before you ask again: the study knows what is under way and asks for something else.
2. The point is tried, by a person, a machine or you: an experiment, a training run, a measurement. A query is a
   question and no result: never make up, estimate or predict its answer.
3. tell gives the answer by the number of its query, whenever it comes. pending lists what is waited for.

What may come of a query instead of an answer:
- Nothing yet: leave it alone. Pending and overdue queries may be answered at any time, and are no mistake.
- It cannot be done there, because of the point (it crashed, precipitated, was not feasible): fail. That teaches the
  study to keep away from such points.
- No answer will ever come, for a reason that has nothing to do with the point (sample lost, power cut): abandon. That
  teaches nothing.
- A bad value is an answer: tell it.
Told wrongly: revise puts another value in its place; retract takes back what was told. The log keeps both.

Parameters and answers are in the units in which the study was declared, which status shows: convert before you tell,
round nothing, and do not turn the sign where small is good. If another point was tried than asked, tell it as point.
Telling the same twice, or asking again with the same key, changes nothing: after an error of the connection, repeat.
recommend is the point to use now; best is the best answer so far, which may owe its place to noise.
Times are UTC; durations are in seconds. An error says what to do instead.
""".strip()

"""The sealed half of the cases: played for a release, and by nobody who still chooses.

Whoever looks at results while choosing a policy, a default or a constant chooses what happens to be good on these very
cases, and what is then reported on them is no longer what a user will find. So nobody looks at results on this half
while developing: the open half is of the same make and is there for that. This half answers one question, once per
release: whether what was found on the open half holds on functions, shifts, rotations, tables and laws of delays that
no choice has seen.
"""

from __future__ import annotations

from belated.experiments.league.cases.design import CaseDelay, Draft, arranged, boxes
from belated.simulate.laws import (
    batch,
    bathtub,
    business_days,
    constant,
    exponential,
    lognormal,
    lost,
    lost_above,
    lost_below,
    none,
    pareto,
    poisson,
    sooner,
)

# By this the delays and shares of noise stand elsewhere in the square than those of the open half.
TURN = 4
ROWS = {
    "smooth": boxes("smooth", ("crater", "softbowl")),
    "rough": boxes("rough", ("sawtooth", "cusps")),
    "hills": boxes("hills", ("ripples", "funnels")),
    "ill-conditioned": boxes("ill-conditioned", ("cigar", "snake")),
    "tables": (
        Draft(
            "table-mixed-200",
            "table-mixed",
            "catalogue",
            40,
            {"rows": 200, "numbers": 2, "categories": 1, "texture": "jagged", "law": "prototypes"},
        ),
        Draft(
            "table-numbers-500",
            "table-numbers",
            "catalogue",
            60,
            {"rows": 500, "numbers": 4, "texture": "jagged", "law": "prototypes"},
        ),
        Draft(
            "table-categories-1000",
            "table-categories",
            "catalogue",
            60,
            {"rows": 1000, "numbers": 0, "categories": 5, "texture": "jagged", "law": "prototypes"},
        ),
        Draft(
            "table-numbers-2000", "table-numbers", "catalogue", 80, {"rows": 2000, "numbers": 6, "law": "prototypes"}
        ),
        Draft(
            "table-categories-5000",
            "table-categories",
            "catalogue",
            80,
            {"rows": 5000, "numbers": 0, "categories": 6, "law": "prototypes"},
        ),
        Draft(
            "table-mixed-20000",
            "table-mixed",
            "catalogue",
            80,
            {"rows": 20000, "numbers": 5, "categories": 3, "law": "prototypes"},
        ),
    ),
    "mixed": (
        Draft("mixed-3", "mixed", "recipe", 40, {"function": "softbowl", "logs": 0}),
        Draft("mixed-4", "mixed", "recipe", 60, {"function": "ripples", "floats": 0, "choices": 2}),
        Draft("mixed-6", "mixed", "recipe", 80, {"function": "softbowl", "logs": 2, "ints": 2}),
        Draft("mixed-8", "mixed", "recipe", 80, {"function": "ripples", "floats": 3, "choices": 3}),
        Draft(
            "mixed-12",
            "mixed",
            "recipe",
            100,
            {"function": "softbowl", "floats": 3, "logs": 3, "ints": 2, "choices": 4},
        ),
        Draft(
            "mixed-20", "mixed", "recipe", 120, {"function": "ripples", "floats": 6, "logs": 6, "ints": 5, "choices": 3}
        ),
    ),
    "tuning": (
        Draft("tuning-svm-digits", "tuning", "tuned", 40, {"table": "svm-digits"}),
        Draft("tuning-neighbours-wine", "tuning", "tuned", 40, {"table": "neighbours-wine"}),
        Draft("tuning-trees-digits", "tuning", "tuned", 50, {"table": "trees-digits"}),
        Draft("tuning-boosting-cancer", "tuning", "tuned", 50, {"table": "boosting-cancer"}),
        Draft("tuning-perceptron-cancer", "tuning", "tuned", 60, {"table": "perceptron-cancer"}),
        Draft("tuning-ridge-diabetes", "tuning", "tuned", 60, {"table": "ridge-diabetes"}),
    ),
    "failures": (
        Draft("failures-2", "failures", "fenced", 40, {"function": "crater", "fence": "corridor"}),
        Draft("failures-3", "failures", "fenced", 60, {"function": "funnels", "dimension": 3, "fence": "cells"}),
        Draft(
            "failures-4",
            "failures",
            "fenced",
            60,
            {"function": "snake", "dimension": 4, "fence": "corridor", "share": 0.5},
        ),
        Draft(
            "failures-6",
            "failures",
            "fenced",
            80,
            {"function": "softbowl", "dimension": 6, "fence": "cells", "share": 0.5},
        ),
        Draft("failures-10", "failures", "fenced", 100, {"function": "ripples", "dimension": 10, "fence": "corridor"}),
        Draft("failures-20", "failures", "fenced", 120, {"function": "crater", "dimension": 20, "fence": "cells"}),
    ),
    "contexts": (
        Draft("contexts-before-2", "contexts", "moving", 60, {"function": "crater", "rhythm": "drawn"}),
        Draft(
            "contexts-before-3", "contexts", "moving", 60, {"function": "softbowl", "dimension": 3, "rhythm": "blocks"}
        ),
        Draft(
            "contexts-before-5",
            "contexts",
            "moving",
            80,
            {"function": "ripples", "dimension": 5, "contexts": 2, "rhythm": "cycle"},
        ),
        Draft("contexts-after-2", "contexts", "swayed", 60, {"function": "funnels", "distribution": "two-peaks"}),
        Draft("contexts-after-4", "contexts", "swayed", 60, {"function": "crater", "dimension": 4}),
        Draft("contexts-after-5", "contexts", "swayed", 80, {"function": "softbowl", "dimension": 5}),
    ),
}
WAITS = {
    "none": CaseDelay(none(), 0.0),
    "constant": CaseDelay(constant(12), 12.0),
    "poisson": CaseDelay(poisson(6), 6.0),
    "heavy": CaseDelay(pareto(2, 1.3), 8.7),
    "lost": CaseDelay(lost(0.2, exponential(8)), 8.0),
    "batch": CaseDelay(batch(12), 6.5),
    "bathtub": CaseDelay(bathtub(4, 30, 0.6, 4.0), 5.2),
    "clinical": CaseDelay(lost(0.15, business_days(lognormal(4, 0.6), day=4, opens=8, closes=18)), 7.1),
}
# Worst and best values, and thresholds, are told in the numbers of each problem; a test holds them to its values.
BY_VALUE = {
    "smooth-6": CaseDelay(sooner(0.7, 0.1, exponential(20), at_best=0.2), 17.0),
    "table-numbers-500": CaseDelay(lost_below(-1.0, exponential(8)), 8.0),
    # The better, the later: what trains well is trained to the end.
    "rough-2": CaseDelay(sooner(2.0, 5.5, exponential(20), at_best=0.2), 12.0),
    "ill-conditioned-50": CaseDelay(sooner(19.0, 8.0, exponential(20), at_best=0.1), 14.6),
    "failures-10": CaseDelay(lost_above(6.0, exponential(8)), 8.0),
    "contexts-after-2": CaseDelay(lost_above(12.0, exponential(8)), 8.0),
}
SEALED = arranged("sealed", TURN, ROWS, WAITS, BY_VALUE)

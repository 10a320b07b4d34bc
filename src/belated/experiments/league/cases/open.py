"""The open half of the cases: the one to develop on."""

from __future__ import annotations

from belated.experiments.league.cases.design import CaseDelay, Draft, arranged, boxes
from belated.simulate.laws import (
    batch,
    bathtub,
    constant,
    exponential,
    lognormal,
    lost,
    lost_above,
    lost_below,
    none,
    poisson,
    sooner,
    visits,
)

ROWS = {
    "smooth": boxes("smooth", ("well", "powers")),
    "rough": boxes("rough", ("weierstrass", "steps")),
    "hills": boxes("hills", ("ackley", "peaks")),
    "ill-conditioned": boxes("ill-conditioned", ("ellipsoid", "valley")),
    "tables": (
        Draft("table-numbers-200", "table-numbers", "catalogue", 40, {"rows": 200, "numbers": 3}),
        Draft(
            "table-categories-500", "table-categories", "catalogue", 60, {"rows": 500, "numbers": 0, "categories": 4}
        ),
        Draft("table-mixed-1000", "table-mixed", "catalogue", 60, {"rows": 1000, "numbers": 3, "categories": 2}),
        Draft(
            "table-categories-2000",
            "table-categories",
            "catalogue",
            80,
            {"rows": 2000, "numbers": 0, "categories": 6, "texture": "jagged"},
        ),
        Draft(
            "table-mixed-5000",
            "table-mixed",
            "catalogue",
            80,
            {"rows": 5000, "numbers": 4, "categories": 2, "texture": "jagged"},
        ),
        Draft(
            "table-numbers-20000", "table-numbers", "catalogue", 80, {"rows": 20000, "numbers": 8, "texture": "jagged"}
        ),
    ),
    "mixed": (
        Draft("mixed-3", "mixed", "recipe", 40, {"function": "powers", "ints": 0}),
        Draft("mixed-4", "mixed", "recipe", 60, {"function": "ackley"}),
        Draft("mixed-6", "mixed", "recipe", 80, {"function": "powers", "floats": 2, "choices": 2}),
        Draft(
            "mixed-8", "mixed", "recipe", 80, {"function": "ackley", "floats": 2, "logs": 2, "ints": 2, "choices": 2}
        ),
        Draft(
            "mixed-12", "mixed", "recipe", 100, {"function": "powers", "floats": 4, "logs": 2, "ints": 3, "choices": 3}
        ),
        Draft(
            "mixed-20", "mixed", "recipe", 120, {"function": "ackley", "floats": 8, "logs": 4, "ints": 4, "choices": 4}
        ),
    ),
    "tuning": (
        Draft("tuning-svm-cancer", "tuning", "tuned", 40, {"table": "svm-cancer"}),
        Draft("tuning-neighbours-digits", "tuning", "tuned", 40, {"table": "neighbours-digits"}),
        Draft("tuning-forest-wine", "tuning", "tuned", 50, {"table": "forest-wine"}),
        Draft("tuning-boosting-diabetes", "tuning", "tuned", 50, {"table": "boosting-diabetes"}),
        Draft("tuning-perceptron-wine", "tuning", "tuned", 60, {"table": "perceptron-wine"}),
        Draft("tuning-machine-diabetes", "tuning", "tuned", 60, {"table": "machine-diabetes"}),
    ),
    "failures": (
        Draft("failures-2", "failures", "fenced", 40, {"function": "well", "fence": "wall"}),
        Draft("failures-3", "failures", "fenced", 60, {"function": "peaks", "dimension": 3, "fence": "pits"}),
        Draft(
            "failures-4",
            "failures",
            "fenced",
            60,
            {"function": "valley", "dimension": 4, "fence": "wall", "share": 0.5},
        ),
        Draft(
            "failures-6",
            "failures",
            "fenced",
            80,
            {"function": "powers", "dimension": 6, "fence": "pits", "share": 0.5},
        ),
        Draft("failures-10", "failures", "fenced", 100, {"function": "ackley", "dimension": 10, "fence": "wall"}),
        Draft("failures-20", "failures", "fenced", 120, {"function": "well", "dimension": 20, "fence": "pits"}),
    ),
    "contexts": (
        Draft("contexts-before-2", "contexts", "moving", 60, {"function": "well", "rhythm": "cycle"}),
        Draft("contexts-before-3", "contexts", "moving", 60, {"function": "powers", "dimension": 3, "rhythm": "drawn"}),
        Draft(
            "contexts-before-5",
            "contexts",
            "moving",
            80,
            {"function": "ackley", "dimension": 5, "contexts": 2, "rhythm": "blocks"},
        ),
        Draft("contexts-after-2", "contexts", "swayed", 60, {"function": "peaks", "distribution": "skewed"}),
        Draft("contexts-after-4", "contexts", "swayed", 60, {"function": "well", "dimension": 4}),
        Draft("contexts-after-5", "contexts", "swayed", 80, {"function": "powers", "dimension": 5}),
    ),
}
WAITS = {
    "none": CaseDelay(none(), 0.0),
    "constant": CaseDelay(constant(8), 8.0),
    "poisson": CaseDelay(poisson(10), 10.0),
    "heavy": CaseDelay(lognormal(5, 1.2), 10.3),
    "lost": CaseDelay(lost(0.3, poisson(5)), 5.0),
    "batch": CaseDelay(batch(8), 4.5),
    "bathtub": CaseDelay(bathtub(10, 25), 8.9),
    "clinical": CaseDelay(visits(exponential(6), every=7, dropout=0.05), 9.9),
}
# Worst and best values, and thresholds, are told in the numbers of each problem; a test holds them to its values.
BY_VALUE = {
    "table-numbers-20000": CaseDelay(lost_below(-1.0, poisson(5)), 5.0),
    "rough-20": CaseDelay(sooner(2.8, 1.8, poisson(20), at_best=0.1), 15.0),
    # The better, the later: what trains well is trained to the end.
    "mixed-8": CaseDelay(sooner(-6.0, -17.0, poisson(20), at_best=0.2), 7.7),
    "hills-6": CaseDelay(lost_above(13.0, poisson(8)), 8.0),
    "tuning-neighbours-digits": CaseDelay(sooner(0.6, 0.995, poisson(20), at_best=0.1), 6.0),
    "ill-conditioned-2": CaseDelay(lost_above(14.0, poisson(8)), 8.0),
}
OPEN = arranged("open", 0, ROWS, WAITS, BY_VALUE)

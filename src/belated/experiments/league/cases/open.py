"""The open half of the cases: the one to develop on."""

from __future__ import annotations

from belated.experiments.league.cases.case import Case
from belated.simulate.laws import batch, constant, lognormal, none, poisson

OPEN: tuple[Case, ...] = (
    Case("open-smooth-6", "smooth", "open", "hartmann6", "poisson", poisson(10), 10.0, 80, 0.03),
    Case("open-hills-2", "hills", "open", "eggholder", "none", none(), 0.0, 40, 0.1),
    Case("open-table-1000", "table-numbers", "open", "gp-se", "heavy", lognormal(5, 1.2), 10.0, 60, 0.0),
    Case("open-mixed-4", "mixed", "open", "coupling", "batch", batch(10), 5.0, 80, 0.03),
    Case("open-contexts-1", "contexts", "open", "newsvendor", "constant", constant(10), 10.0, 60, 0.1),
)

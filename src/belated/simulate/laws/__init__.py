"""Laws of delays: how long answers take, by themselves or depending on the query, and their names and texts."""

from belated.simulate.laws.awaited import bathtub, visits
from belated.simulate.laws.combined import lost, mixture, never, replayed
from belated.simulate.laws.counted import (
    adaptive_batch,
    batch,
    constant,
    geometric,
    none,
    poisson,
)
from belated.simulate.laws.dependent import (
    along,
    by_point,
    by_value,
    lost_above,
    lost_below,
    sooner,
)
from belated.simulate.laws.law import DelayLaw, Occasion, check_law, check_space, ends_batch
from belated.simulate.laws.notation import as_law, parse, text
from belated.simulate.laws.registry import describe, law, names, signature
from belated.simulate.laws.timed import exponential, lognormal, pareto
from belated.simulate.laws.workplace import business_days, workers

__all__ = [
    "DelayLaw",
    "Occasion",
    "adaptive_batch",
    "along",
    "as_law",
    "batch",
    "bathtub",
    "business_days",
    "by_point",
    "by_value",
    "check_law",
    "check_space",
    "constant",
    "describe",
    "ends_batch",
    "exponential",
    "geometric",
    "law",
    "lognormal",
    "lost",
    "lost_above",
    "lost_below",
    "mixture",
    "names",
    "never",
    "none",
    "pareto",
    "parse",
    "poisson",
    "replayed",
    "signature",
    "sooner",
    "text",
    "visits",
    "workers",
]

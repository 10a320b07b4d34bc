"""How far a problem's values lie apart over its space: the unit in which noise is told."""

from __future__ import annotations

import numpy as np

from belated.simulate.problems.problem import Formula, Problem, Tabulated
from belated.space import Array, Candidates, Float
from belated.space.sobol import sobol

# A deviation from as many values is off by about 2 % where values are normal: less than levels of noise differ by.
POINTS = 1024


def deviation(problem: Problem) -> float:
    """The standard deviation of the objective without noise over the whole space, whether it can be done there or not.

    A table has it exactly; elsewhere it is that of 1024 of Sobol's points, always the same ones (Halton's, past the
    table of Sobol's directions). Where a context is seen before the decision, each point meets that of another round.
    """
    return float(np.std(spread_values(problem)))


def spread_values(problem: Problem) -> Array:
    """The objective without noise at every row of a table, or at points spread evenly over a box. (N,)"""
    if isinstance(problem.objective, Tabulated):
        return problem.objective.values
    if isinstance(problem.space, Candidates):
        return _one_by_one(problem, problem.space.table)
    # The fixed source makes the points, and with them the deviation, a fact of the problem.
    units = problem.space.snap(sobol(POINTS, problem.space.dimension, np.random.default_rng(0)))
    plain = [entry for entry in problem.space.parameters if isinstance(entry, Float) and not entry.log]
    formula = problem.objective
    if isinstance(formula, Formula) and formula.names == problem.space.names and len(plain) == len(formula.names):
        # The same but for rounding, in a hundredth of the time.
        low, high = np.array([(entry.low, entry.high) for entry in plain]).T
        return formula.function(low + units * (high - low))
    return _one_by_one(problem, units)


def _one_by_one(problem: Problem, units: Array) -> Array:
    """The objective at these encodings, each in the context of another round if there is one. (m,)"""
    before = problem.circumstances
    return np.array(
        [
            problem.value(problem.space.decode(unit), None if before is None else before.at(number))
            for number, unit in enumerate(units, 1)
        ]
    )

"""One hyperparameter fit against BoTorch's, on the same data, model and priors."""

from __future__ import annotations

from functools import partial

import numpy as np

from belated.beliefs import FORMS, Prior, SimpleKernel, fit, log_marginal_likelihood
from belated.beliefs.fitting.fit import Task, standard
from belated.beliefs.fitting.parameters import Parameters
from benchmarks.data import DIMENSION, SIZES, design
from benchmarks.measure import Row, keep, seconds
from benchmarks.peers import botorch_fit, botorch_logarithms

GOAL = 3.0
TEMPLATE = SimpleKernel(FORMS["matern52"], 1.0, (1.0,) * DIMENSION)
REPEATS = {50: 5, 200: 5, 1000: 1}


def main() -> None:
    """Time both fits and compare the posteriors that they reach, by our own likelihood and prior."""
    botorch_fit(*design(20))
    rows = []
    for size in SIZES:
        points, values = design(size)
        ours = seconds(partial(fit, points, values, TEMPLATE, prior=Prior()), REPEATS[size])
        theirs = seconds(partial(botorch_fit, points, values), REPEATS[size])
        gap = objective_gap(points, values)
        ratio = theirs / ours
        rows.append(
            Row(
                f"fit, n = {size}, log posterior {gap:+.2e} above theirs",
                f"{1e3 * ours:.1f} ms",
                f"{1e3 * theirs:.1f} ms (BoTorch)",
                ratio,
                f"≥ {GOAL:g} times faster, log posterior no worse than by 1e-3",
                ratio >= GOAL and gap >= -1e-3,
            )
        )
    keep("fit", rows, "Matérn 5/2 ARD, d = 6, maximum a posteriori under the same priors.")


def objective_gap(points: np.ndarray, values: np.ndarray) -> float:
    """How much higher our log posterior is than BoTorch's."""
    shift, unit = standard(values, None)
    task = Task(
        points,
        (values - shift) / unit,
        Parameters.of(TEMPLATE, points.shape[1]),
        Prior(),
        None,
        log_marginal_likelihood,
    )
    objective, found = task.objective(), fit(points, values, TEMPLATE, prior=Prior())
    own = {each.name: each.value for each in found.kernel.scaled(unit**-2).hyperparameters(DIMENSION)}
    ours = np.log(task.parameters.vector({**own, "noise": found.noise / unit**2}))
    return float(objective(ours)[0] - objective(botorch_logarithms(botorch_fit(points, values)))[0])

"""Noisy expected improvement against its definition, ask by ask, and against the classical one that it comes from."""

from __future__ import annotations

import numpy as np
import pytest

from belated.policies import gp_lognei
from belated.space import Array, Candidates
from tests.builders import Run, delayed_run, known_gp, table
from tests.reference.noisy_improvement import Estimate, improvement
from tests.reference.policies import expected_improvement
from tests.tolerance import STANDARD_ERRORS

DRAWS, PLAIN = 1024, 20_000


def values_on(domain: Candidates) -> Array:
    return np.asarray(np.sin(5 * domain.table[:, 0]) + domain.table[:, 1] ** 2)


@pytest.mark.parametrize("delays", [[0] * 12, [3] * 12, [0, 5, 1, None, 3, 0] * 2], ids=["none", "constant", "mixed"])
def test_gp_lognei_expects_most_above_all_that_was_asked(delays: list[int | None]) -> None:
    domain = table(50)
    belief, plain = known_gp("matern52", 0.3, 1.0, 0.1)
    gains: list[Estimate] = []

    def check(run: Run) -> None:
        if not run.rows:  # the best is the prior mean, and all rows are alike
            return
        arrived = run.arrived()
        rows, values = [run.rows[place] for place in arrived], np.array([run.values[place] for place in arrived])
        asked = domain.table[run.rows]
        gains.append(improvement(plain, domain.table[rows], values, asked, domain.table, PLAIN, len(run.rows)))

    policy = gp_lognei(draws=DRAWS, belief=belief)
    run = delayed_run(policy, domain, values_on(domain), delays, seed=2, noise=0.3, check=check)
    for row, expected in zip(run.rows[1:], gains, strict=True):
        best = int(np.argmax(expected.value))
        # The policy's own draws are fewer, and each tells more than one of these.
        error = np.hypot(expected.error[best], expected.error[row]) * np.sqrt(1.0 + PLAIN / DRAWS)
        assert expected.value[row] >= expected.value[best] - STANDARD_ERRORS * error


def test_without_delay_and_noise_it_is_the_expected_improvement_over_the_best_answer() -> None:
    domain = table(50)
    belief, plain = known_gp("matern52", 0.3, 1.0, 1e-9)
    improvements: list[Array] = []

    def check(run: Run) -> None:
        mean, deviation = plain.moments(domain.table[run.rows], np.array(run.values), domain.table)
        best = max(run.values, default=0.0)
        found = [expected_improvement(m, max(d, 1e-12), best) for m, d in zip(mean, deviation, strict=True)]
        improvements.append(np.array(found))

    run = delayed_run(gp_lognei(belief=belief), domain, values_on(domain), [0] * 20, seed=3, check=check)
    assert sum(expected.max() > 1e-6 for expected in improvements) >= 10
    for row, expected in zip(run.rows, improvements, strict=True):
        if expected.max() > 1e-6:  # below, the noise that is left counts
            assert expected[row] >= expected.max() * (1 - 1e-2)


def test_pending_queries_are_never_asked_again() -> None:
    domain = table(50)
    belief, _ = known_gp("matern52", 0.3, 1.0, 0.1)
    run = delayed_run(gp_lognei(belief=belief), domain, values_on(domain), [None] * 20, seed=1, noise=0.3)
    assert len(set(run.rows)) == 20

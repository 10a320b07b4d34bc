"""Evidence that a share is exceeded: by its definition, and how rarely chance alone makes it strong."""

from __future__ import annotations

import numpy as np
import pytest

from belated.study.insight.notices import FEWEST_WAITS, STRONG, against
from tests.tolerance import ROUNDING, STANDARD_ERRORS


@pytest.mark.parametrize("bad, cases, share", [(0, 0, 0.1), (3, 3, 0.1), (7, 20, 0.1), (0, 30, 0.5), (18, 20, 0.5)])
def test_evidence_is_the_mean_of_likelihood_ratios(bad: int, cases: int, share: float) -> None:
    total = 0.0
    for place in range(20):
        other = share + (1.0 - share) * (place + 0.5) / 20
        total += (other / share) ** bad * ((1.0 - other) / (1.0 - share)) ** (cases - bad) / 20
    assert against(bad, cases, share) == pytest.approx(total, rel=ROUNDING)


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_chance_alone_makes_it_strong_in_at_most_one_study_of_a_hundred(share: float) -> None:
    studies, cases = 2000, 300
    bad = np.cumsum(np.random.default_rng(8).random((studies, cases)) < share, axis=1)
    strong = [
        any(against(int(row[n - 1]), n, share) >= STRONG for n in (*range(FEWEST_WAITS, 60), *range(60, cases, 10)))
        for row in bad[:: 1 if share == 0.1 else 4]
    ]
    error = (0.01 * 0.99 / len(strong)) ** 0.5
    assert np.mean(strong) <= 0.01 + STANDARD_ERRORS * error


def test_eight_late_answers_of_twenty_are_too_many_and_seven_are_not() -> None:
    assert against(7, 20, 0.1) < STRONG <= against(8, 20, 0.1)


def test_evidence_past_the_largest_double_is_still_a_number() -> None:
    assert STRONG < against(10**6, 10**6, 0.1) < float("inf")

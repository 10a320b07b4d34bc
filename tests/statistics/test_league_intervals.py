"""The intervals of the league have what they are of, 95 times in 100, on leagues drawn from laws that we know."""

from __future__ import annotations

import math

import numpy as np
import pytest

from belated.experiments.league.comparison import pairs, standings
from tests.league.made_up import tables
from tests.tolerance import STANDARD_ERRORS

LEAGUES, DRAWS = 600, 400
LEVEL = 0.95
# How far the share of intervals that cover may lie from 0.95 by the chance of so many leagues.
SLACK = STANDARD_ERRORS * math.sqrt(LEVEL * (1 - LEVEL) / LEAGUES)
# The true geometric mean ratio of `one` to `other`.
RATIO = 0.8


def drawn(rng: np.random.Generator, cases: int, among: float, within: float) -> dict[str, dict[str, dict[int, float]]]:
    """A league whose regrets vary among cases and within: what is best differs from case to case.

    `one` and `other` follow the same law but for a factor, so that the logarithms of their mean regrets differ by that
    of RATIO on average, whatever the number of seeds; `random` and `third` make that two have ranks.
    """
    names, seeds = ("random", "one", "other", "third"), 4
    league = {}
    for case in range(cases):
        logs = among * rng.standard_normal((4, 1)) + within * rng.standard_normal((4, seeds))
        values = rng.lognormal(0.0, 2.0) * np.exp(logs) * np.array([[3.0], [RATIO], [1.0], [0.9]])
        league[f"case-{case}"] = {name: dict(enumerate(row.tolist())) for name, row in zip(names, values, strict=True)}
    return league


def true_ranks(among: float, within: float) -> tuple[float, float]:
    """The expected mean rank of `one`, and how far it is from that of `other`, each from a formula.

    The logarithm of a ratio of two regrets is normal with the variance 2 (among² + within²).
    """
    spread = math.sqrt(2.0 * (among**2 + within**2))

    def better(first: float, second: float) -> float:
        return 0.5 * math.erfc(math.log(first / second) / spread / math.sqrt(2.0))

    one = (better(3.0, RATIO) + better(1.0, RATIO) + better(0.9, RATIO)) / 3
    other = (better(3.0, 1.0) + better(RATIO, 1.0) + better(0.9, 1.0)) / 3
    return one, one - other


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "among", "within"), [(6, 0.8, 0.3), (12, 0.5, 0.5), (36, 0.8, 0.3), (12, 0.2, 1.0)])
def test_intervals_cover_what_they_are_of_and_are_no_wider_than_they_must(
    cases: int, among: float, within: float
) -> None:
    rng = np.random.default_rng(11)
    truth = np.array([*true_ranks(among, within), RATIO])
    covered, widths, estimates = [], [], []
    for _ in range(LEAGUES):
        made = tables(drawn(rng, cases, among, within))
        rank = next(one for one in standings(made, "found", draws=DRAWS) if one.entrant == "one")
        pair = pairs(made, "one", "found", draws=DRAWS)["other"]
        low, high = np.array(
            [(rank.low, rank.high), (pair.rank.low, pair.rank.high), (pair.ratio.low, pair.ratio.high)]
        ).T
        covered.append((low <= truth) & (truth <= high))
        widths.append(high - low)
        estimates.append((rank.share, pair.rank.value, pair.ratio.value))
    shares = np.mean(covered, axis=0)
    assert np.all(shares >= LEVEL - SLACK), shares
    # Drawing seeds within cases counts their chance twice at most: the variance at most doubles. A tenth is for the
    # errors of the deviation over 600 leagues, 3 %, and of quantiles of 400 draws far out.
    from scipy.stats import t

    needed = 2.0 * t.ppf(0.975, cases - 1) * np.std(estimates, axis=0)
    assert np.all(np.mean(widths, axis=0) <= math.sqrt(2.0) * needed * 1.1), (np.mean(widths, axis=0), needed)

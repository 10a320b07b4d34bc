"""The statistics of the league, number by number, in plain Python: what league/comparison does with arrays.

A league is a dictionary from case to entrant to seed to a regret of the size of one query; `scales` has what a random
point misses in each case.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

League = Mapping[str, Mapping[str, Mapping[int, float]]]

LEAST = 0.001


def bounded(league: League, scales: Mapping[str, float]) -> dict[str, dict[str, dict[int, float]]]:
    """The regrets relative to what a random point misses, none below a thousandth."""
    return {
        case: {
            name: {seed: max(value / scales[case], LEAST) for seed, value in of_seeds.items()}
            for name, of_seeds in by_entrant.items()
        }
        for case, by_entrant in league.items()
    }


def share(of_seed: Mapping[str, float], name: str) -> float:
    """The share of the others that did better with a seed; who is level counts half."""
    others = [value for other, value in of_seed.items() if other != name]
    points = [1.0 if value < of_seed[name] else 0.5 if value == of_seed[name] else 0.0 for value in others]
    return sum(points) / len(points)


def shares(by_entrant: Mapping[str, Mapping[int, float]]) -> dict[str, dict[int, float]]:
    """The shares of a case, by entrant and seed."""
    found: dict[str, dict[int, float]] = {}
    for name, of_seeds in by_entrant.items():
        found[name] = {}
        for seed in of_seeds:
            of_seed = {other: values[seed] for other, values in by_entrant.items() if seed in values}
            found[name][seed] = share(of_seed, name)
    return found


def average(values: list[float]) -> float:
    return sum(values) / len(values)


def mean_rank(league: League, scales: Mapping[str, float], name: str) -> float:
    """The mean over the cases that an entrant plays of the mean over its seeds."""
    cases = [by_entrant for by_entrant in bounded(league, scales).values() if name in by_entrant]
    return average([average(list(shares(by_entrant)[name].values())) for by_entrant in cases])


def difference(league: League, scales: Mapping[str, float], first: str, second: str) -> tuple[float, float]:
    """The mean difference of ranks, and the geometric mean of the ratio of mean regrets, over what both played."""
    ranks, logarithms = [], []
    for by_entrant in bounded(league, scales).values():
        both = sorted(set(by_entrant.get(first, {})) & set(by_entrant.get(second, {})))
        if not both:
            continue
        ranked = shares(by_entrant)
        ranks.append(average([ranked[first][seed] - ranked[second][seed] for seed in both]))
        own, theirs = (average([by_entrant[name][seed] for seed in both]) for name in (first, second))
        logarithms.append(math.log(own / theirs))
    return average(ranks), math.exp(average(logarithms))


def redrawn(cases: list[list[float]], rng: np.random.Generator, draws: int) -> list[float]:
    """Means over cases drawn anew, each the mean over seeds drawn anew within it."""
    found = []
    for _ in range(draws):
        means = []
        for _ in cases:
            values = cases[rng.integers(len(cases))]
            means.append(average([values[rng.integers(len(values))] for _ in values]))
        found.append(average(means))
    return found


def tail(cases: int, student: float) -> float:
    """How much of the draws lies beyond either end of an interval, given Student's quantile for that many cases."""
    return NormalDist().cdf(-math.sqrt(cases / (cases - 1)) * student)

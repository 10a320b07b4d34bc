"""The papers' formulas and whole algorithms, one line of the paper at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, getcontext

import numpy as np
import numpy.typing as npt

from tests.reference.gp import PlainGP

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """A query as the papers see it: its row of the table, its answer, and its delay in queries (None: never)."""

    row: int
    value: float
    delay: int | None


# desautels2014, theorem 2


def alpha_finite(size: int, t: int, delta: float) -> float:
    """Case 1: 2 log(|D| t² π² / (6δ))."""
    return 2 * math.log(size * t**2 * math.pi**2 / (6 * delta))


def alpha_box(d: int, t: int, delta: float, a: float, b: float) -> float:
    """Case 2 in the unit cube: 2 log(2 t² π² / (3δ)) + 2d log(t² d b √log(4da/δ))."""
    first = 2 * math.log(2 * t**2 * math.pi**2 / (3 * delta))
    return first + 2 * d * math.log(t**2 * d * b * math.sqrt(math.log(4 * d * a / delta)))


def alpha_norm(squared_norm: float, gamma: float, t: int, delta: float) -> float:
    """Case 3: 2M + 300 γ_t ln³(t/δ)."""
    return 2 * squared_norm + 300 * gamma * math.log(t / delta) ** 3


def information_bound(gp: PlainGP, candidates: Array, count: int) -> float:
    """The smaller of e/(e−1) times the greedy information and γ_1 · count."""
    gains = gp.greedy_gains(candidates, count)
    return min(math.e / (math.e - 1) * sum(gains), gains[0] * count)


def local_bound(gp: PlainGP, candidates: Array, minimum: int) -> float:
    """max_x ½ log(1 + B_min σ_n⁻² k(x, x))."""
    return max(0.5 * math.log(1 + minimum * gp.kernel(row, row) / gp.noise) for row in candidates.tolist())


def bucb_scores(
    gp: PlainGP, table: Array, answered: Sequence[int], values: Sequence[float], asked: Sequence[int], width: float
) -> Array:
    """μ_fb(x) + β^½ σ_{t−1}(x) on the table: the mean from the answers, the deviation from all asked rows."""
    mean, _ = gp.moments(table[list(answered)], np.array(values), table)
    return mean + width * gp.deviation(table[list(asked)], table)


def initial_set_complete(gp: PlainGP, points: Array, batch: int, threshold: float) -> bool:
    """The proof of lemma 4 online: (B − 1) · I(f; y_T | y_1..T−1) ≤ C."""
    if not len(points):
        return batch == 1
    return (batch - 1) * gp.information(points[:-1], points[-1:]) <= threshold


# verma2022


def censored(queries: Sequence[Asked], window: int) -> list[float]:
    """ỹ_{s,t} = y_s 1{d_s ≤ min(m, age)} before the next query; the age counts the queries asked after s."""
    t = len(queries)
    result = []
    for s, query in enumerate(queries, start=1):
        seen = query.delay is not None and query.delay <= min(window, t - s)
        result.append(query.value if seen else 0.0)
    return result


def sdf_scores(gp: PlainGP, table: Array, queries: Sequence[Asked], window: int, bound: float, base: float) -> Array:
    """μ_{t−1}(x) + ν_t σ_{t−1}(x) with ν_t = B_y Σ_{s=t−m}^{t−1} σ_{t−1}(x_s) + β_t."""
    rows = [query.row for query in queries]
    mean, deviation = gp.moments(table[rows], np.array(censored(queries, window)), table)
    t = len(queries) + 1
    width = base
    for s in range(max(1, t - window), t):
        width += bound * float(deviation[rows[s - 1]])
    return mean + width * deviation


# vakili2023


def allowance(horizon: int, mean_delay: float, xi: float, b: float, delta: float) -> float:
    """u_T = E[τ] + min{√(2ξ²L), 2bL}, L = log(3T/δ)."""
    term = math.log(3 * horizon / delta)
    return mean_delay + min(math.sqrt(2 * xi**2 * term), 2 * b * term)


def round_lengths(horizon: int, extra: float) -> list[int]:
    """t_r = ⌈q_r + u_T⌉ with q_r = ⌈√(T q_{r−1})⌉, the last one cut so that they add up to T."""
    lengths: list[int] = []
    q = 1
    while sum(lengths) < horizon:
        q = math.ceil(math.sqrt(horizon * q))
        lengths.append(min(math.ceil(q + extra), horizon - sum(lengths)))
    return lengths


@dataclass(frozen=True)
class Elimination:
    """What BPE-Delay may choose next: the rows of largest deviation among the survivors."""

    deviation: Array  # (N,), −∞ where removed
    alive: list[int]


def elimination(
    gp: PlainGP, table: Array, queries: Sequence[Asked], lengths: Sequence[int], width: float
) -> Elimination:
    """Algorithm 1 replayed from the start, up to the query after these."""
    alive = list(range(len(table)))
    first = 0
    for length in lengths:
        if len(queries) < first + length:
            break
        own = queries[first : first + length]
        # At the end of the round `length − place` queries have been asked after the one at `place`.
        arrived = [
            query
            for place, query in enumerate(own, start=1)
            if query.delay is not None and query.delay <= length - place
        ]
        if arrived:
            mean, deviation = gp.moments(
                table[[query.row for query in arrived]], np.array([query.value for query in arrived]), table
            )
            highest = max(mean[x] - width * deviation[x] for x in alive)
            alive = [x for x in alive if mean[x] + width * deviation[x] >= highest]
        first += length
    current = [query.row for query in queries[first:]]
    deviation = np.full(len(table), -np.inf)
    deviation[alive] = gp.deviation(table[current], table[alive])
    return Elimination(deviation, alive)


# Expected improvement


def log_improvement_factor(z: float) -> float:
    """log(φ(z) + z Φ(z)) with sixty digits."""
    getcontext().prec = 60
    x = Decimal(z)
    pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
    log_density = -x * x / 2 - (2 * pi).ln() / 2
    if z < -6:
        # Mills' ratio is 1/(x + c) with c = 1/(x + 2/(x + 3/(x + …))), so 1 − x M(x) = c/(x + c).
        size = -x
        tail = Decimal(0)
        for depth in range(400, 0, -1):
            tail = Decimal(depth) / (size + tail)
        return float(log_density + (tail / (size + tail)).ln())
    # Φ(z) = ½ + φ(z) Σ z^(2k+1) / (2k+1)!!
    k = 0
    total, term = Decimal(0), x
    while abs(term) > Decimal(10) ** -58 * max(abs(total), Decimal(10) ** -40):
        total += term
        k += 1
        term = term * x * x / (2 * k + 1)
        if x == 0:
            break
    density = log_density.exp()
    return float((density + x * (Decimal("0.5") + density * total)).ln())


def expected_improvement(mean: float, deviation: float, best: float) -> float:
    """E[max(f − best, 0)] for f ~ N(mean, deviation²)."""
    z = (mean - best) / deviation
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return deviation * (density + z * 0.5 * math.erfc(-z / math.sqrt(2)))


# Simulation matching


def next_medoid(points: Sequence[Sequence[float]], picked: Sequence[Sequence[float]]) -> int:
    """The point that, picked too, makes Σ_s min_p |s − p| least."""
    costs = []
    for candidate in points:
        cost = 0.0
        for other in points:
            cost += min(math.dist(other, chosen) for chosen in [*picked, candidate])
        costs.append(cost)
    return costs.index(min(costs))

"""Where some points cannot be done: how many queries fail, and what is found beside them.

`python -m benchmarks failures` plays them all and writes docs/results/failures.md. What is played is kept in
results/failures.jsonl: run it again to go on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import belated as bl
from belated.space import Array
from benchmarks.measure import RESULTS

KEPT = RESULTS / "failures.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "failures.md"
QUERIES, SEEDS, FEWER, MORE = 40, 10, 5, 20
# Played beside, but no choice was made by them.
HELD_OUT = range(10, 30)
# The share of a cube that fails, as where x > 0.7.
SHARE = 0.3
NAMED = ("x > 0.7", "half-space", "inside a ball", "outside a ball")
OTHERS = ("best beyond x > 0.7", "two islands", "outside a ball of half the space")
POLICIES = ("gp-ucb", "gp-ei", "gp-ts", "gp-bucb")
LEVELS = "uvwz"
ABOUT = f"""\
Some points cannot be done, and `study.fail` says so. f is a high and a low Gaussian bump at random places; unless said
otherwise, {SHARE:.0%} of the space fail. Each study asks {QUERIES} queries, one after the other. The tables count the
queries that failed (the mean and the most over seeds 0 to {SEEDS - 1}) of `auto` and of random search, the means of the
best value found, and the seeds in which that of `auto` is at least random search's. `python -m benchmarks failures`
plays it again.

Where it is less by much, the answers that are left are all on the lower hill, and most of the last 25 queries lie
around its top: f is believed to be nearly level elsewhere. Of six such studies (half-space and outside a ball, one
and two dimensions), in three no other place promised more even had success been sure, in the others only places
where success was unlikely. The same happens without a failure: of twenty studies in two dimensions in which a tenth
of the queries is abandoned at random, three stay on the lower hill. Over thirty seeds `auto` is as good in 26 to
30. In the first thirteen rows more than a quarter of the queries fail in one study, inside a ball in five
dimensions.

Three of them, looked at one by one (half-space, one dimension, seed 7; two dimensions, seed 1; outside a ball, two
dimensions, seed 8), fail in the same way. All climbs of a fit end at the same hyperparameters, so that no likelier ones
were missed. After 16, 25 and 40 queries f at the optimum is expected 2.3 to 2.9 deviations below the summit that was
found, and `auto` looks 2 deviations far: of the last 20 queries none is further than 0.05 from the summit. In the
third, ranks have nearly halved the deviations by then. With a fourth (half-space, two dimensions, seed 17),
the regret in the end was

- 0.50, 0.49, 0.50 and 0.50 as they were played, and the same where the mean of the process has a flat law;
- 0.20, 0.49, 0.50 and 0.50 where the far bound grows as the root of 2 log t;
- 0.13, 0.02, 0.50 and 0.03 where expected improvement stands in place of the far bound, which is nothing at a summit
that is known.

Answers that are standardised by half their range, where they gather at a summit, instead of their deviation, bring the
optimum to 2.2 to 2.9 deviations, which is still too far.

In turn with the near bound, expected improvement does not pay on seeds that nothing was chosen by. In 23 studies
(seeds 10 to 14 of half-space, inside and outside a ball in two dimensions, 10 to 13 of the first two in one), seven end
with a regret above 0.05 and six do as it is; 7.4 queries fail on average and 2.7 do, in one study 14 and 8; and the
mean regret of all answers is 0.22 and 0.18."""

Point = Mapping[str, Any]


class Play(NamedTuple):
    """What is played."""

    case: str
    dimension: int
    policy: str
    seed: int
    chance: float = 0.0  # of a failure that has nothing to do with the point
    told: str = "fail"  # what is told of those: fail or abandon
    batch: int = 1


class Found(NamedTuple):
    """What came of it."""

    failed: int
    best: float
    regret: float  # of the best
    mean_regret: float  # of all that was answered


class Scene(NamedTuple):
    """What is searched, what is measured, and where that cannot be done."""

    domain: bl.Space | bl.Candidates
    value: Callable[[Point], float]
    fails: Callable[[Point], bool]
    highest: float  # of f where nothing fails


def scene(case: str, dimension: int, seed: int) -> Scene:
    """One of the cases."""
    chance = np.random.default_rng([1000, seed])
    if case in ("a category", "a corner of a category"):
        return _mixed(case, seed, chance)
    summits = chance.random((2, dimension))
    if case == "best beyond x > 0.7":
        summits[0, 0] = 0.85
    slopes = chance.uniform(2.0, 4.0, dimension)

    def bumps(x: Array) -> float:
        squares = np.sum(((x - summits) * slopes) ** 2, axis=1) / dimension**0.5
        return float(np.array([1.0, 0.5]) @ np.exp(-squares))

    outside = _outside(case, dimension, chance)
    domain: bl.Space | bl.Candidates = bl.Space(**{f"x{column}": bl.Float(0, 1) for column in range(dimension)})
    if case == "a table":
        names = [f"x{column}" for column in range(dimension)]
        domain = bl.Candidates([dict(zip(names, row, strict=True)) for row in chance.random((600, dimension)).tolist()])
    return Scene(domain, lambda point: bumps(_row(point)), lambda point: outside(_row(point)), _highest(bumps, summits))


def _row(point: Point) -> Array:
    return np.array(list(point.values()), dtype=float)


def _outside(case: str, dimension: int, chance: np.random.Generator) -> Callable[[Array], bool]:
    """Where points of a cube fail."""
    anywhere = np.random.default_rng(0).random((20_000, dimension))
    if case in ("half-space", "a table"):
        normal = chance.normal(size=dimension)
        limit = float(np.quantile(anywhere @ normal, 1.0 - SHARE))
        return lambda x: float(x @ normal) > limit
    if "ball" in case:
        distances = np.linalg.norm(anywhere - 0.5, axis=1)
        share = {"inside a ball": SHARE, "outside a ball": 1.0 - SHARE}.get(case, 0.5)
        radius = float(np.quantile(distances, share))
        inside = case == "inside a ball"

        def within(x: Array) -> bool:
            return bool((np.linalg.norm(x - 0.5) < radius) == inside)

        return within
    if case == "two islands":
        nearest = np.minimum(*(np.linalg.norm(anywhere - middle, axis=1) for middle in (0.25, 0.75)))
        reach = float(np.quantile(nearest, SHARE))
        return lambda x: min(float(np.linalg.norm(x - middle)) for middle in (0.25, 0.75)) < reach
    return lambda x: case != "anywhere" and float(x[0]) > 1.0 - SHARE


def _highest(bumps: Callable[[Array], float], summits: Array) -> float:
    from scipy.optimize import minimize

    def depth(x: Array) -> float:
        return -bumps(x)

    bounds = [(0.0, 1.0)] * summits.shape[1]
    return float(max(-minimize(depth, summit, bounds=bounds).fun for summit in summits))


def _mixed(case: str, seed: int, chance: np.random.Generator) -> Scene:
    """Two numbers and a category, of which one level fails, or half of it: the best one with every other seed."""
    space = bl.Space(a=bl.Float(0, 1), b=bl.Float(0, 1), kind=bl.Choice(*LEVELS))
    heights = dict(zip(LEVELS, (0.3 * chance.normal(size=4)).tolist(), strict=True))
    summit = chance.random(2)
    bad = LEVELS[int(chance.integers(4))] if seed % 2 else max(heights, key=lambda kind: heights[kind])

    def value(point: Point) -> float:
        x = np.array([point["a"], point["b"]], dtype=float)
        return float(np.exp(-9.0 * np.sum((x - summit) ** 2)) + heights[point["kind"]])

    def fails(point: Point) -> bool:
        return bool(point["kind"] == bad and (case == "a category" or point["a"] > 0.5))

    return Scene(space, value, fails, 1.0 + max(heights.values()))


def play(one: Play) -> tuple[Play, Found]:
    """One study."""
    posed = scene(one.case, one.dimension, one.seed)
    chance = np.random.default_rng([one.seed, 99])
    study = bl.Study.in_memory(posed.domain, policy=one.policy, seed=one.seed, clock=lambda: 0.0, notices=False)
    values: list[float] = []
    failed = 0
    for _ in range(QUERIES // one.batch):
        asked = study.ask(one.batch)
        for query in asked if isinstance(asked, list) else [asked]:
            assert isinstance(query, bl.Query)
            unlucky = float(chance.random()) < one.chance
            if posed.fails(query.point) or unlucky:
                failed += 1
                (study.fail if one.told == "fail" else study.abandon)(query, "it crashed")
            else:
                values.append(posed.value(query.point))
                study.tell(query, values[-1])
    best = max(values, default=-np.inf)
    return one, Found(failed, best, posed.highest - best, posed.highest - float(np.mean(values or [-np.inf])))


def plays() -> Iterator[Play]:
    """All that is played."""
    for case, dimension in cases():
        for policy, seed in product(("auto", "random"), range(SEEDS)):
            yield Play(case, dimension, policy, seed)
    for case, dimension in cases():
        if dimension == 2:
            yield from (Play(case, dimension, policy, seed) for policy, seed in product(POLICIES, range(FEWER)))
            yield from (Play(case, dimension, "auto", seed, batch=8) for seed in range(FEWER))
    for dimension, seed, told in product((1, 2, 5), range(MORE), ("fail", "abandon")):
        yield Play("anywhere", dimension, "auto", seed, 0.1, told)
    for case, dimension, policy, seed in product(NAMED, (1, 2), ("auto", "random"), HELD_OUT):
        yield Play(case, dimension, policy, seed)


def cases() -> list[tuple[str, int]]:
    """The cases in their dimensions."""
    return [
        *product(NAMED, (1, 2, 5)),
        ("a category", 3),
        *product(OTHERS, (1, 2, 5)),
        ("a corner of a category", 3),
        ("a table", 3),
    ]


def kept() -> dict[Play, Found]:
    """What was played."""
    if not KEPT.exists():
        return {}
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()]
    return {Play(*one): Found(*found) for one, found in lines}


def main() -> None:
    """Play what is missing, then write the page."""
    there = kept()
    wanted = [one for one in plays() if one not in there]
    with ProcessPoolExecutor() as pool, KEPT.open("a") as file:
        for one, found in pool.map(_quietly, wanted):
            there[one] = found
            file.write(json.dumps([one, [float(f"{number:.6g}") for number in found]]) + "\n")
            file.flush()
    PAGE.write_text("\n".join(page(there)) + "\n")
    print(f"Written to {PAGE}")


def _quietly(one: Play) -> tuple[Play, Found]:
    warnings.simplefilter("ignore", bl.errors.BelatedWarning)
    return play(one)


def page(runs: dict[Play, Found]) -> Iterator[str]:
    """The page, line by line."""
    yield f"# Failures\n\n{ABOUT}"
    yield from ("", "## One after the other", "")
    yield "| fails | dimensions | failed, `auto` | failed, random | best, `auto` | best, random | as good in |"
    yield "|---|---|---|---|---|---|---|"
    for case, dimension in cases():
        ours, theirs = (_found(runs, Play(case, dimension, policy, 0), SEEDS) for policy in ("auto", "random"))
        wins = int(np.count_nonzero(ours[:, 1] >= theirs[:, 1]))
        yield (
            f"| {case} | {dimension} | {_failed(ours)} | {_failed(theirs)} | {ours[:, 1].mean():.4f} | "
            f"{theirs[:, 1].mean():.4f} | {wins} of {SEEDS} |"
        )
    yield from _held_out(runs)
    yield from ("", "## Other policies, and batches of eight", "", OTHER, "")
    yield f"| fails | {' | '.join(f'`{policy}`' for policy in POLICIES)} | `auto`, batches of 8 |"
    yield "|---" * (2 + len(POLICIES)) + "|"
    for case, dimension in cases():
        if dimension == 2:
            cells = [_found(runs, Play(case, dimension, policy, 0), FEWER) for policy in POLICIES]
            cells.append(_found(runs, Play(case, dimension, "auto", 0, batch=8), FEWER))
            yield f"| {case} | {' | '.join(f'{_failed(each)}; {each[:, 1].mean():.4f}' for each in cells)} |"
    yield from ("", "## Failures that have nothing to do with the point", "", UNRELATED, "")
    yield "| dimensions | told | regret of the best | median | mean regret of all answers |"
    yield "|---|---|---|---|---|"
    for dimension, told in product((1, 2, 5), ("fail", "abandon")):
        found = _found(runs, Play("anywhere", dimension, "auto", 0, 0.1, told), MORE)
        yield (
            f"| {dimension} | `{told}` | {found[:, 2].mean():.5f} | {np.median(found[:, 2]):.5f} | "
            f"{found[:, 3].mean():.4f} |"
        )


def _held_out(runs: dict[Play, Found]) -> Iterator[str]:
    """What came of seeds that nothing was chosen by."""
    yield from ("", "## Seeds that nothing was chosen by", "", HELD, "")
    yield "| fails | dimensions | failed, `auto` | failed, random | best, `auto` | best, random | as good in |"
    yield "|---|---|---|---|---|---|---|"
    for case, dimension in product(NAMED, (1, 2)):
        first = [Play(case, dimension, policy, HELD_OUT[0]) for policy in ("auto", "random")]
        ours, theirs = (_found(runs, one, len(HELD_OUT)) for one in first)
        wins = int(np.count_nonzero(ours[:, 1] >= theirs[:, 1]))
        yield (
            f"| {case} | {dimension} | {_failed(ours)} | {_failed(theirs)} | {ours[:, 1].mean():.4f} | "
            f"{theirs[:, 1].mean():.4f} | {wins} of {len(HELD_OUT)} |"
        )


HELD = f"""\
Seeds {HELD_OUT[0]} to {HELD_OUT[-1]}, since ten studies are few. Looking elsewhere once a query gains nothing was tried
and left out: chosen on the seeds above, it won three studies more there, and here one of
{len(NAMED) * 2 * len(HELD_OUT)}."""
OTHER = f"""\
In two dimensions, over {FEWER} seeds: the mean and the most of the {QUERIES} queries that failed; the mean of the best
value found."""
UNRELATED = f"""\
A tenth of all queries fail at random, wherever they are, over {MORE} seeds: told with `fail`, which teaches what is not
true, and with `abandon`, which says nothing. In one and in two dimensions the
regret of the best differs in one study of twenty, where early failures lay around the highest place; in five, either
way."""


def _found(runs: dict[Play, Found], first: Play, seeds: int) -> Array:
    """What came of it with each of so many seeds. (seeds, 4)"""
    return np.array([runs[first._replace(seed=first.seed + step)] for step in range(seeds)], dtype=float)


def _failed(found: Array) -> str:
    return f"{found[:, 0].mean():.1f} ({found[:, 0].max():.0f})"

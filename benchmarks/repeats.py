"""What is asked again on tables, and what it is good for: rows asked twice, and the regret of the recommendation.

`python -m benchmarks repeats` plays functions drawn from a process on tables of 20, 60 and 600 rows, without noise and
with some, and writes docs/results/repeats.md. What is played is kept in results/repeats.jsonl: run it again to go on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

import belated as bl
from belated.experiments.statistics import sign_flip
from benchmarks.measure import RESULTS

KEPT = RESULTS / "repeats.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "repeats.md"
SIZES, NOISES, SEEDS, BATCHES, BATCH = (20, 60, 600), (0.0, 0.1, 0.3, 1.0), 20, 12, 5
ALLOWED = ("never", "if worth it")
LENGTHSCALE = 0.3
ABOUT = f"""\
`auto` asks a row of a table again only where noise makes it worth it, with `repeats="if worth it"`, or never, with
`repeats="never"`. Functions of three parameters, drawn from a process with deviation 1 and lengthscale {LENGTHSCALE},
on tables of random rows; {BATCHES} batches of {BATCH}, each told before the next, or fewer where the policy balks, all
rows being asked. "Measured thrice" are studies that begin with three answers at one row, as in a laboratory that wants
to know its noise. The tables have the queries asked, those of them that were asked again, and the regret of what
`recommend()` names in the end, in deviations of the function, with its standard error over {SEEDS} seeds.
`python -m benchmarks repeats` plays it again."""


class Play(NamedTuple):
    """What is played."""

    rows: int
    noise: float  # in deviations of the function
    allowed: str
    thrice: bool  # whether a row was measured three times before
    seed: int


class Found(NamedTuple):
    """What came of it."""

    asked: int
    again: int
    regret: float


def play(one: Play) -> tuple[Play, Found]:
    """One study."""
    chance = np.random.default_rng([one.seed, one.rows])
    rows = chance.random((one.rows, 3))
    distances = np.linalg.norm(rows[:, None] - rows[None], axis=2) * np.sqrt(5.0) / LENGTHSCALE
    gram = (1.0 + distances + distances**2 / 3.0) * np.exp(-distances)
    truth = np.linalg.cholesky(gram + 1e-9 * np.eye(one.rows)) @ chance.normal(size=one.rows)
    table = bl.Candidates([dict(zip("abc", row, strict=True)) for row in rows.tolist()])
    value = {tuple(row): float(height) for row, height in zip(rows.tolist(), truth, strict=True)}
    policy = bl.policies.build("auto", repeats=one.allowed)
    study = bl.Study.in_memory(table, policy=policy, seed=one.seed, clock=lambda: 0.0, notices=False)
    if one.thrice:
        row = rows[0].tolist()
        known = dict(zip("abc", row, strict=True)), value[tuple(row)]
        study.add_many([(known[0], known[1] + one.noise * float(chance.normal())) for _ in range(3)])
    seen: list[tuple[float, ...]] = []
    for _ in range(BATCHES):
        for query in study.ask(BATCH) or ():
            seen.append(tuple(query.point.values()))
            study.tell(query, value[seen[-1]] + one.noise * float(chance.normal()))
    named = tuple(study.recommend().point.values())
    return one, Found(len(seen), len(seen) - len(set(seen)), float(truth.max()) - value[named])


def kept() -> dict[Play, Found]:
    """What was played."""
    if not KEPT.exists():
        return {}
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()]
    return {Play(*play): Found(*found) for play, found in lines}


def main() -> None:
    """Play what is missing, then write the page."""
    there = kept()
    every = (Play(*key, seed) for seed in range(SEEDS) for key in product(SIZES, NOISES, ALLOWED, (False, True)))
    wanted = [one for one in every if one not in there]
    warnings.simplefilter("ignore", bl.errors.BelatedWarning)
    with ProcessPoolExecutor() as pool, KEPT.open("a") as file:
        for one, found in pool.map(play, wanted):
            there[one] = found
            file.write(json.dumps([one, [found.asked, found.again, float(f"{found.regret:.5g}")]]) + "\n")
            file.flush()
    PAGE.write_text("\n".join(page(there)) + "\n")
    print(f"Written to {PAGE}")


def page(played: dict[Play, Found]) -> Iterator[str]:
    """The page, line by line."""
    yield f"# Rows that are asked again\n\n{ABOUT}\n"
    for thrice in (False, True):
        yield f"## {'One row measured thrice before' if thrice else 'Nothing measured before'}\n"
        yield "| rows | noise | asked | asked again | regret, never again | regret, if worth it | difference | p |"
        yield "|---|---|---|---|---|---|---|---|"
        for rows, noise in product(SIZES, NOISES):
            yield f"| {rows} | {noise:g} | {' | '.join(_cells(played, rows, noise, thrice))} |"
        yield ""


def _cells(played: dict[Play, Found], rows: int, noise: float, thrice: bool) -> list[str]:
    never, worth = ([played[Play(rows, noise, allowed, thrice, seed)] for seed in range(SEEDS)] for allowed in ALLOWED)
    regrets = [np.array([found.regret for found in runs]) for runs in (never, worth)]
    asked, again = (np.mean([getattr(found, name) for found in worth]) for name in ("asked", "again"))
    less = regrets[1] - regrets[0]
    return [f"{asked:.1f}", f"{again:.1f}", *map(_cell, (*regrets, less)), f"{sign_flip(less):.2g}"]


def _cell(values: np.ndarray) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"

"""What it is worth to tell the errors of answers: the regret of what is recommended, with them and without.

`python -m benchmarks errors` plays two laboratories, one with a precise instrument and a rough one in turn, one that
repeats every other measurement, and writes docs/results/errors.md. What is played is kept in results/errors.jsonl: run
it again to go on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

import belated as bl
from belated.experiments.statistics import sign_flip
from belated.simulate.problems import Problem
from benchmarks.measure import RESULTS

KEPT = RESULTS / "errors.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "errors.md"
PROBLEMS, POLICIES, SEEDS = ("branin", "hartmann3"), ("auto", "gp-bucb", "gp-ts"), 20
# After so many answers the regret is taken; each answer comes when this many more queries have been asked.
ANSWERS, LATE = (10, 20, 40), 4
# In deviations of the function over its space.
PRECISE, ROUGH, SINGLE, REPEATS = 0.02, 1.0, 0.5, 8
CASES = {
    "instruments": f"A precise instrument, of deviation {PRECISE:g}, and a rough one, of deviation {ROUGH:g}, in turn",
    "repeats": f"One measurement of deviation {SINGLE:g} and the mean of {REPEATS} of them in turn",
}
ABOUT = f"""\
Answers of which [the errors are told](../concepts/beliefs.md#errors-of-answers), by `tell(query, value, sd=…)` or
`tell(query, [value, …])`, against the same answers told as bare numbers. Deviations are in units of that of the
function over its space; every answer comes {LATE} queries late. The tables have the regret of what `recommend()` names,
in the same units, with its standard error over {SEEDS} seeds that both share, and p of the difference, by flipping
signs. `python -m benchmarks errors` plays it again."""


class Play(NamedTuple):
    """What is played."""

    case: str
    problem: str
    policy: str
    told: bool
    seed: int


def play(one: Play) -> tuple[Play, list[float]]:
    """One study: its regrets after so many answers."""
    problem, chance = bl.simulate.problems.build(one.problem), np.random.default_rng([one.seed, 26])
    unit, regrets = deviation(one.problem), []
    study = bl.Study.in_memory(
        problem.space, policy=one.policy, goal=problem.goal, seed=one.seed, clock=lambda: 0.0, notices=False
    )
    waiting: list[bl.Query] = []
    for number in range(1, ANSWERS[-1] + LATE + 1):
        query = study.ask()
        assert query
        waiting.append(query)
        if number > LATE:
            first = waiting.pop(0)
            tell(study, one, first, problem.value(first.point), unit, chance)
        if number - LATE in ANSWERS:
            regrets.append(problem.sign * (problem.optimum - problem.value(study.recommend().point)) / unit)
    return one, regrets


def tell(study: bl.Study, one: Play, query: bl.Query, value: float, unit: float, chance: np.random.Generator) -> None:
    """The answer as it is measured, with what is known of its error or without."""
    better = query.id % 2 == 0
    if one.case == "instruments":
        sd = unit * (PRECISE if better else ROUGH)
        measured = value + sd * float(chance.standard_normal())
        study.tell(query, measured, sd=sd if one.told else None)
        return
    noises = chance.standard_normal(REPEATS)[: REPEATS if better else 1]
    repeats = (value + unit * SINGLE * noises).tolist()
    study.tell(query, repeats if one.told else float(np.mean(repeats)))


@cache
def deviation(name: str) -> float:
    """That of a problem's function over its space."""
    problem: Problem = bl.simulate.problems.build(name)
    assert isinstance(problem.space, bl.Space)
    points = problem.space.sample(2000, np.random.default_rng(0))
    return float(np.std([problem.value(problem.space.decode(point)) for point in points]))


def kept() -> dict[Play, list[float]]:
    """What was played."""
    if not KEPT.exists():
        return {}
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()]
    return {Play(*play): regrets for play, regrets in lines}


def main() -> None:
    """Play what is missing, then write the page."""
    there = kept()
    every = (Play(*key, seed) for seed in range(SEEDS) for key in product(CASES, PROBLEMS, POLICIES, (True, False)))
    wanted = [one for one in every if one not in there]
    warnings.simplefilter("ignore", bl.errors.BelatedWarning)
    with ProcessPoolExecutor() as pool, KEPT.open("a") as file:
        for one, regrets in pool.map(play, wanted):
            there[one] = regrets
            file.write(json.dumps([one, [float(f"{regret:.5g}") for regret in regrets]]) + "\n")
            file.flush()
    PAGE.write_text("\n".join(page(there)) + "\n")
    print(f"Written to {PAGE}")


def page(played: dict[Play, list[float]]) -> Iterator[str]:
    """The page, line by line."""
    yield f"# Errors that are told\n\n{ABOUT}\n"
    for case, title in CASES.items():
        yield f"## {title}\n"
        yield "| problem | policy | answers | regret, told | regret, not told | told less not told | p |"
        yield "|---|---|---|---|---|---|---|"
        for problem, policy in product(PROBLEMS, POLICIES):
            both = [
                np.array([played[Play(case, problem, policy, told, seed)] for seed in range(SEEDS)])
                for told in (True, False)
            ]
            for place, answers in enumerate(ANSWERS):
                told, not_told = (regrets[:, place] for regrets in both)
                cells = map(_cell, (told, not_told, told - not_told))
                chance = f"{sign_flip(told - not_told):.2g}"
                yield f"| {problem} | {policy} | {answers} | {' | '.join(cells)} | {chance} |"
        yield ""


def _cell(values: np.ndarray) -> str:
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(SEEDS):.3f}"

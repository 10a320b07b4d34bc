"""What to name in the end: the point with the best bound, the best answer, or another one.

`python -m benchmarks recommending` plays all studies and writes docs/results/recommendation.md. What is played is kept
in results/recommending.jsonl: run it again to go on.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

import belated as bl
from belated.beliefs import Belief
from belated.randomness import Stream
from belated.rules import Ground, Moment, mean_alone
from belated.search import MomentScore
from belated.simulate import problems
from belated.simulate.problems import Problem
from belated.space import Array
from belated.study.insight.recommendation import recommended
from benchmarks.measure import RESULTS

KEPT = RESULTS / "recommending.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "recommendation.md"
PROBLEMS: tuple[tuple[str, int | None], ...] = (
    ("branin", None),
    ("drop-wave", None),
    ("eggholder", None),
    ("ackley", 2),
    ("michalewicz", 2),
    ("hartmann3", None),
    ("levy", 4),
    ("zakharov", 4),
    ("rosenbrock", 3),
    ("ackley", 5),
    ("michalewicz", 5),
    ("hartmann6", None),
)
POLICIES = ("auto", "gp-bucb")
NOISES = (0.0, 0.03, 0.1)  # as a share of the deviation of f over its box
MOMENTS = (12, 20, 40)  # answers
SEEDS = 2
# Regrets are in units of the deviation of f; what is smaller than this is as good as none.
FLOOR = 1e-4
WAYS = {
    "mean": "the highest mean anywhere",
    "mean tried": "the highest mean of what was tried",
    "bound tried": "the highest lower bound, one deviation, of what was tried",
    "recommended": "**what `recommend()` names**",
    "best": "the best answer",
    "truth": "the best that was tried, which nobody knows",
}


class Play(NamedTuple):
    """A study."""

    problem: str
    dimension: int | None
    policy: str
    noise: float
    seed: int


def posed(one: Play) -> tuple[Problem, float]:
    """The problem, and the deviation of f over its box."""
    given = {} if one.dimension is None else {"dimension": one.dimension}
    problem = problems.build(one.problem, **given)
    points = problem.space.sample(1000, np.random.default_rng(5))
    return problem, float(np.std([problem.objective(problem.space.decode(point)) for point in points]))


def play(one: Play) -> tuple[Play, list[dict[str, float]]]:
    """The regret of each way, at each of the moments, in units of the deviation of f."""
    warnings.simplefilter("ignore", bl.errors.BelatedWarning)
    problem, unit = posed(one)
    rng = np.random.default_rng([one.seed, PROBLEMS.index(one[:2]), 7])
    study = bl.Study.in_memory(
        problem.space, goal=problem.goal, policy=one.policy, seed=one.seed, clock=lambda: 0.0, notices=False
    )
    found = []
    for number in range(1, max(MOMENTS) + 1):
        query = study.ask()
        assert isinstance(query, bl.Query)
        study.tell(query, problem.objective(query.point) + one.noise * unit * float(rng.standard_normal()))
        if number in MOMENTS:
            found.append({way: regret / unit for way, regret in regrets(study, problem).items()})
    return one, found


def regrets(study: bl.Study, problem: Problem) -> dict[str, float]:
    """The regret of each way now."""
    moment = study._knowledge.answered_moment("recommend()", 0.0, np.empty(0))
    answered = moment.evidence.points[moment.evidence.answered_mask]
    named = {way: _regret(problem, point) for way, point in _named(moment, answered).items()}
    return {**named, "truth": min(_regret(problem, point) for point in answered)}


def _named(moment: Moment, answered: Array) -> dict[str, Array]:
    belief: Belief = moment.settled
    mean, deviation = belief.moments(answered)
    return {
        "mean": Ground(moment).search.best(MomentScore(belief, mean_alone), moment.random(Stream.SEARCH, 0)),
        "mean tried": answered[np.argmax(mean)],
        "bound tried": answered[np.argmax(mean - deviation)],
        "recommended": recommended(moment),
        "best": moment.evidence.points[moment.evidence.best_rows(1)[0]],
    }


def _regret(problem: Problem, point: Array) -> float:
    sign = 1.0 if problem.goal == "maximize" else -1.0
    return max(sign * (problem.optimum - problem.objective(problem.space.decode(point))), 0.0)


def plays() -> Iterator[Play]:
    """All that is played."""
    for seed, noise, policy, (problem, dimension) in product(range(SEEDS), NOISES, POLICIES, PROBLEMS):
        yield Play(problem, dimension, policy, noise, seed)


def kept() -> dict[Play, list[dict[str, float]]]:
    """What was played."""
    if not KEPT.exists():
        return {}
    return {Play(*one): found for one, found in map(json.loads, KEPT.read_text().splitlines())}


def main() -> None:
    """Play what is missing, then write the page."""
    there = kept()
    with ProcessPoolExecutor() as pool, KEPT.open("a") as file:
        for one, found in pool.map(play, [one for one in plays() if one not in there]):
            there[one] = found
            short = [{way: float(f"{regret:.4g}") for way, regret in each.items()} for each in found]
            file.write(json.dumps([one, short]) + "\n")
            file.flush()
    PAGE.write_text("\n".join(page(there)) + "\n")
    print(f"Written to {PAGE}")


ABOUT = f"""\
# What is recommended

Which point is to be used in the end? {len(PROBLEMS)} standard functions of 2 to 6 parameters, {SEEDS} seeds, and
noise of 0, 3 and 10 % of the deviation of f over its box, decided by `auto` and by `gp-bucb`, without delays; after
{MOMENTS[0]}, {MOMENTS[1]} and {MOMENTS[2]} answers. The tables say how far the true value of the named point lies from
the optimum, by the geometric mean of the regret divided by that of naming the best answer, with an interval of 95 %,
and in which share of the studies it is more than twice, or less than half, as far. `python -m benchmarks recommending`
plays them again."""
AFTER = """\
What [`recommend()`](../concepts/beliefs.md#what-is-recommended) names is the point with the highest lower bound
anywhere, two deviations below the mean, or that of the best answer where no more is expected there. The rule was chosen
among sixteen by these same studies."""


def page(runs: dict[Play, list[dict[str, float]]]) -> Iterator[str]:
    """The page, line by line."""
    yield ABOUT
    yield from ("", AFTER)
    yield from _table("All", list(runs.values()))
    for noise in NOISES:
        yield from _table(f"Noise of {noise:.0%}", [found for one, found in runs.items() if one.noise == noise])
    for policy in POLICIES:
        yield from _table(f"Decided by `{policy}`", [found for one, found in runs.items() if one.policy == policy])
    for place, count in enumerate(MOMENTS):
        yield from _table(f"After {count} answers", [[found[place]] for found in runs.values()])


def _table(title: str, runs: Sequence[Sequence[dict[str, float]]]) -> Iterator[str]:
    """How each way fares; an interval takes the moments of a study together, since they are not independent."""
    yield from ("", f"## {title}", "")
    yield "| named | regret, of that of the best answer | more than twice | less than half |"
    yield "|---|---|---|---|"
    base = np.array([[each["best"] for each in found] for found in runs])
    for way, words in WAYS.items():
        regret = np.array([[each[way] for each in found] for found in runs])
        logs = np.log((regret + FLOOR) / (base + FLOOR)).mean(axis=1)
        middle, error = float(logs.mean()), 1.96 * float(logs.std(ddof=1)) / len(logs) ** 0.5
        low, ratio, high = np.exp([middle - error, middle, middle + error])
        worse, better = (np.mean(a > 2.0 * b + FLOOR) for a, b in ((regret, base), (base, regret)))
        interval = "" if way == "best" else f" ({low:.2f} to {high:.2f})"
        yield f"| {words} | {ratio:.2f}{interval} | {worse:.0%} | {better:.0%} |"

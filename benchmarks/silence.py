"""What silence should count as: treatments, prior means and widths judged apart, on both regrets.

`python -m benchmarks silence` plays them all on problems whose answers are late, lost at random, or lost because they
are bad, and writes docs/results/silence.md. What is played is kept in results/silence.jsonl: run it again to go on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np

import belated as bl
from belated.experiments.statistics import sign_flip
from belated.log import GivenWindow, Window, as_window
from belated.pacing import Always
from belated.pending import Censor, Hallucinate, ImputeSilence, Treatment
from belated.policies import Policy, Recipe
from belated.policies.parameters import begin
from belated.rules import Constant, UpperBound
from belated.simulate import laws
from benchmarks.measure import RESULTS

KEPT = RESULTS / "silence.jsonl"
PAGE = Path(__file__).parent.parent / "docs" / "results" / "silence.md"
ROUNDS, SEEDS = 100, 20


@dataclass(frozen=True)
class Case:
    """A problem under a law, with the smallest value that its answers can have."""

    title: str
    problem: str
    law: str
    floor: float


CASES = {
    "late": Case("late, the synthetic problem of [verma2022]", "gp-unit", "poisson(10)", 0.0),
    "random": Case("three in ten lost at random", "gp-unit", "lost(0.3, poisson(5))", 0.0),
    "bad": Case("lost where f is below a half", "gp-unit", "lost_below(0.5, poisson(5))", 0.0),
    "bad-grid": Case("lost where f is below 0.3, on a grid", "cosines-grid", "lost_below(0.3, poisson(5))", -0.5),
    "bad-box": Case("lost where f is below 0.5, in a box", "hartmann3", "lost_below(0.5, poisson(5))", 0.0),
    "sooner": Case("good answers come sooner", "gp-unit", "sooner(0, 1, poisson(20))", 0.0),
}
TREATMENTS = ("hallucinate", "hallucinate, window learned", "censor", "impute", "impute, silence known to be bad")
MEANS: tuple[Literal["fitted", "smallest"], ...] = ("fitted", "smallest")
WIDTHS = (1.0, 2.0)
ABOUT = f"""\
A pending query may count as what is expected of it (hallucination), as the worst value (censoring), or as what the log
says that silence means ([`ImputeSilence`](../concepts/late-answers.md#silence-that-is-weighed)). Three things change
together in the papers: the treatment, the prior mean (at the floor where silence is censored) and the width. Here they
are judged apart, by the cumulative and the simple regret after {ROUNDS} rounds, each with its standard error over
{SEEDS} seeds that all arms share. `python -m benchmarks silence` plays it again."""
Key = tuple[str, str, str, float, int]


def treatment(name: str, floor: float, window: Window) -> Treatment:
    """The treatment of that name, with the window that the delays so far suggest where it learns one."""
    made: dict[str, Treatment] = {
        "hallucinate": Hallucinate(),
        "hallucinate, window learned": Hallucinate(window),
        "censor": Censor(bl.Window(queries=20), floor),
        "impute": ImputeSilence(window, floor),
        "impute, silence known to be bad": ImputeSilence(window, floor, 1.0),
    }
    return made[name]


@bl.policies.policy("silence")
def silence(
    case: str, treated: str, mean: Literal["fitted", "smallest"], width: float, window: GivenWindow = "auto"
) -> Policy:
    """An upper bound of this width, under this treatment, around this prior mean."""
    belief = bl.GP(mean=mean)
    rule = begin(UpperBound(Constant(width)), belief, None)
    return Policy(belief, treatment(treated, CASES[case].floor, as_window(window)), rule, Always())


def play(key: Key) -> tuple[Key, float, float]:
    """One run: both regrets after the last round."""
    posed, seed = CASES[key[0]], key[4]
    run = bl.simulate.run(posed.problem, _policy(key[:4]), laws.parse(posed.law), rounds=ROUNDS, seed=seed)
    return key, float(run.cumulative_regret[-1]), float(run.simple_regret[-1])


@cache
def _policy(parameters: tuple[str, str, str, float]) -> Recipe:
    return bl.policies.build("silence", **dict(zip(("case", "treated", "mean", "width"), parameters, strict=True)))


def kept() -> dict[Key, tuple[float, float]]:
    """What was played."""
    if not KEPT.exists():
        return {}
    lines = [json.loads(line) for line in KEPT.read_text().splitlines()]
    return {(*key[:4], key[4]): (cumulative, simple) for key, cumulative, simple in lines}


def main() -> None:
    """Play what is missing, then write the page."""
    there = kept()
    wanted = [
        (case, treated, mean, width, seed)
        for seed, case, treated, mean, width in product(range(SEEDS), CASES, TREATMENTS, MEANS, WIDTHS)
        if (case, treated, mean, width, seed) not in there
    ]
    with ProcessPoolExecutor() as pool, KEPT.open("a") as file:
        for key, cumulative, simple in pool.map(play, wanted):
            there[key] = cumulative, simple
            file.write(json.dumps([key, float(f"{cumulative:.5g}"), float(f"{simple:.5g}")]) + "\n")
            file.flush()
    PAGE.write_text("\n".join(page(there)) + "\n")
    print(f"Written to {PAGE}")


def page(runs: dict[Key, tuple[float, float]]) -> Iterator[str]:
    """The page, line by line."""
    yield f"# What silence should count as\n\n{ABOUT}"
    for key, case in CASES.items():
        yield from ("", f"## {case.title[0].upper()}{case.title[1:]}", "", f"`{case.problem}` with `{case.law}`.", "")
        arms = [f"mean {mean}, width {width:g}" for mean, width in product(MEANS, WIDTHS)]
        yield f"| treatment | {' | '.join(arms)} |"
        yield "|---" * (1 + len(MEANS) * len(WIDTHS)) + "|"
        for treated in TREATMENTS:
            cells = (_cell(runs, key, treated, mean, width) for mean, width in product(MEANS, WIDTHS))
            yield f"| {treated} | {' | '.join(cells)} |"
        yield from ("", *_compared(runs, key))


def _regrets(runs: dict[Key, tuple[float, float]], case: str, treated: str, mean: str, width: float) -> np.ndarray:
    """Both regrets by seed. (seeds, 2)"""
    return np.array([runs[case, treated, mean, width, seed] for seed in range(SEEDS)])


def _cell(runs: dict[Key, tuple[float, float]], case: str, treated: str, mean: str, width: float) -> str:
    found = _regrets(runs, case, treated, mean, width)
    means, errors = found.mean(axis=0), found.std(axis=0, ddof=1) / np.sqrt(SEEDS)
    return f"{means[0]:.1f} ± {errors[0]:.1f}; {means[1]:.3f} ± {errors[1]:.3f}"


def _compared(runs: dict[Key, tuple[float, float]], case: str) -> Iterator[str]:
    """ImputeSilence against the others, over all means and widths, seed by seed."""
    ours = np.mean([_regrets(runs, case, "impute", mean, width) for mean, width in product(MEANS, WIDTHS)], axis=0)
    yield "ImputeSilence less another treatment, in the mean over prior means and widths, seed by seed:"
    yield ""
    for other in ("hallucinate", "hallucinate, window learned", "censor"):
        theirs = np.mean([_regrets(runs, case, other, mean, width) for mean, width in product(MEANS, WIDTHS)], axis=0)
        difference = ours - theirs
        said = [
            f"{name} {column.mean():+.3g} ± {column.std(ddof=1) / np.sqrt(SEEDS):.2g} (p = {sign_flip(column):.2g})"
            for name, column in zip(("cumulative", "simple"), difference.T, strict=True)
        ]
        yield f"- than {other}: {'; '.join(said)}"

"""What pending queries should count as: published claims, under each law of delays and with 2 to 32 workers.

`python -m benchmarks pending` plays what is missing and writes docs/results/pending.md and its figures. What is played
is kept in results/pending.jsonl: run it again to go on. Runs of a further pass that is not whole may be kept there too;
none of them is on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, NamedTuple, Self

import numpy as np

import belated as bl
from belated.beliefs import Memory
from belated.experiments import Archive, Arm, Job, performed
from belated.experiments.archive import JsonLine, RunKey
from belated.experiments.processes import Heed, go_on
from belated.pacing import Always
from belated.pending import Censor, ExpectLess, Fantasise, Hallucinate, Ignore, Lie, Treatment
from belated.policies import Policy
from belated.randomness import Stream
from belated.rules import (
    Constant,
    Ground,
    Improvement,
    ImprovementOnAsked,
    Penalise,
    Rule,
    UpperBound,
    mean_alone,
)
from belated.search import MomentScore
from belated.simulate import DelayLaw, Run, laws
from belated.simulate.loop import run
from belated.simulate.randomness import study_seed
from benchmarks.measure import RESULTS

FILE = "pending"
QUERIES, START = 48, 10
WORKERS = (2, 4, 8, 16, 32)
SERIAL = 1
# Answers between fits, which are half of the work otherwise.
REFIT = 10
# The seed of a pass is its number.
PASSES = 1
# Each problem with the deviation of f over its space, by 100,000 points: noise is a share of it.
PROBLEMS = {"branin": 51.0, "michalewicz": 0.32, "gp-matern32": 0.57, "levy": 28.0, "hartmann6": 0.38}
NOISES = (0.0, 0.05)
# Means closer than so many deviations are equal.
EQUAL = 1e-6
LAWS = ("constant", "poisson", "heavy", "batch", "lost")
RULES = ("ucb", "ei")
TREATMENTS: dict[str, Treatment] = {
    "ignore": Ignore(),
    "hallucinate": Hallucinate(),
    "fantasise": Fantasise(),
    "penalise": Ignore(),
    "lie": Lie("worst"),
    "expect-less": ExpectLess(1.0),
    "censor": Censor(),
}
# Averaged over draws, an upper bound is that of hallucination: the deviation is the same under every draw.
SAME = ("ucb", "fantasise")


class Play(NamedTuple):
    """One run of the study."""

    rule: str
    treatment: str
    law: str
    workers: int
    problem: str
    noise: float
    seed: int

    @property
    def arm(self) -> str:
        """All but the seed, in one word."""
        return " ".join(map(str, self[:-1]))


@dataclass(frozen=True)
class Regrets:
    """What came of a run once every answer that comes had come."""

    arm: str
    seed: int
    found: float  # regret of the point with the highest mean
    simple: float  # the smallest regret of a point that was answered
    cumulative: float

    @property
    def key(self) -> RunKey:
        """The arm and the seed."""
        return self.arm, self.seed

    @classmethod
    def of(cls, job: Job, run: Run) -> Self:
        """The budget is one of queries: the last answers are waited for."""
        posed, study = run.problem, run.study
        for outcome, arrived in zip(run.outcomes, run.arrived, strict=True):
            if not arrived and np.isfinite(outcome.delay):
                study.tell(outcome.query, outcome.answer)
        found = posed.sign * (posed.optimum - posed.value(highest_mean(run)))
        come = [outcome.regret for outcome in run.outcomes if np.isfinite(outcome.delay)]
        simple = min([known.regret for known in run.initial] + come)
        values = (max(found, 0.0), simple, float(np.nansum(run.regrets)))
        return cls(job.arm.label, job.seed, *(float(f"{value:.4g}") for value in values))

    @classmethod
    def read(cls, line: JsonLine) -> Self | None:
        """What a line says; None where it is not whole."""
        try:
            found, simple, cumulative = map(float, line["regrets"])
            return cls(str(line["of"]), int(line["seed"]), found, simple, cumulative)
        except (LookupError, TypeError, ValueError):
            return None

    def line(self) -> JsonLine:
        """What is written."""
        return {"of": self.arm, "seed": self.seed, "regrets": [self.found, self.simple, self.cumulative]}


def highest_mean(run: Run) -> Mapping[str, Any]:
    """The point with the highest posterior mean anywhere; among equals, one that was answered."""
    study = run.study
    moment = study.policy.moment(study.evidence(), study.now(), study_seed(run.seed), Memory())
    found = Ground(moment).search.best(MomentScore(moment.settled, mean_alone), moment.random(Stream.SEARCH, 0))
    answered = moment.evidence.points[moment.evidence.answered_mask]
    mean, deviation = moment.settled.moments(np.concatenate([found[None], answered]))
    tried = int(np.argmax(mean[1:]))
    chosen = answered[tried] if mean[1 + tried] >= mean[0] - EQUAL * deviation[0] else found
    return moment.domain.decode(chosen)


NAME = "pending-study"


def register() -> None:
    """Give the study's policy its name where it plays; whoever only reads its runs has no policy more than others."""
    if NAME not in bl.policies.names():
        bl.policies.policy(NAME)(pending_study)


def pending_study(rule: str, treatment: str) -> Policy:
    """One rule and one Gaussian process under a treatment of pending queries."""
    counted = treatment in ("ignore", "penalise")
    improvement: Rule = Improvement() if counted else ImprovementOnAsked()
    return Policy(
        belief=bl.GP(refit=REFIT),
        treatment=TREATMENTS[treatment],
        rule=UpperBound(Constant(2.0)) if rule == "ucb" else improvement,
        pacing=Always(),
        repeats=Penalise() if treatment == "penalise" else None,
    )


def delay(law: str, workers: int) -> DelayLaw:
    """The law under which so many queries are under way on average, the one just asked included.

    One query is asked a round. With constant(w) a query has w − 1 others in flight when it is asked.
    """
    made = {
        "constant": f"constant({workers})",
        "poisson": f"poisson({workers})",
        # The mean of a log-normal law with spread 1 is its median times √e.
        "heavy": f"lognormal({workers / np.sqrt(np.e):.6g}, 1)",
        "batch": f"batch({workers})",
        "lost": f"lost(0.3, poisson({workers}))",
    }
    return laws.parse(made[law])


def plays(passes: int = PASSES) -> Iterator[Play]:
    """All runs. In each pass, every law meets every number of workers once, and every problem, by a Latin square."""
    arms = [arm for arm in product(RULES, TREATMENTS) if arm != SAME]
    for turn in range(passes):
        posed = [(problem, NOISES[(k + turn) % 2]) for k, problem in enumerate(PROBLEMS)]
        for (i, law), (j, workers) in product(enumerate(LAWS), enumerate(WORKERS)):
            problem, noise = posed[(i + j + turn) % len(posed)]
            for rule, treatment in arms:
                yield Play(rule, treatment, law, workers, problem, noise, turn)
        for (problem, noise), rule in product(posed, RULES):
            yield Play(rule, "ignore", "constant", SERIAL, problem, noise, turn)


def job(play: Play) -> Job:
    """The run as a job of the engine."""
    register()
    arm = Arm(
        label=play.arm,
        problem=play.problem,
        policy=bl.policies.build(NAME, rule=play.rule, treatment=play.treatment),
        delay=delay(play.law, play.workers),
        rounds=QUERIES,
        initial=START,
        parameters={"dimension": 4} if play.problem == "levy" else {},
        noise=play.noise * PROBLEMS[play.problem],
    )
    return Job(arm, play.seed, FILE)


def kept() -> dict[RunKey, Regrets]:
    """What was played."""
    return Archive(RESULTS, Regrets).read(FILE).runs


def perform(archive: Archive[Regrets], job: Job, heed: Heed = go_on) -> Regrets:
    """Do a job, and keep what came of it."""
    register()
    arm = job.arm
    posed = arm.posed(job.seed)
    ended = run(posed, arm.policy, arm.delay, arm.rounds, job.seed, lambda number, _: heed(number), initial=arm.initial)
    regrets = Regrets.of(job, ended)
    archive.add(job.file, regrets)
    return regrets


def play_all(wanted: Sequence[Play], processes: int) -> None:
    """Play what is missing."""
    there, archive = kept(), Archive(RESULTS, Regrets)
    left = [job(play) for play in wanted if (play.arm, play.seed) not in there]
    with closing(performed(partial(perform, archive), left, processes)) as results:
        for done, _ in enumerate(results, 1):
            if done % 50 == 0:
                print(f"{done} of {len(left)} played", flush=True)


def main() -> None:
    """Play what is missing, then write the page."""
    from benchmarks import pending_page

    play_all(list(plays()), 1)
    pending_page.write(kept())

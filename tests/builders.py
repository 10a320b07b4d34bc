"""Domains, studies and runs that tests share, all made through the library's own doors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from belated.beliefs import FORMS, GP, Belief, GaussianProcess, Memory, Setting, SimpleKernel
from belated.beliefs.process.on_table import CandidateTable
from belated.evidence import Evidence
from belated.log import FOREVER, Goal, Query
from belated.pending import Ignore, Treatment
from belated.policies import Policy, Recipe
from belated.rules import Model, Moment, Situation
from belated.space import Array, Candidates, Choice, Float, Int, Space
from belated.study import Study
from tests.reference.gp import PlainGP, PlainKernel

Domain = Space | Candidates
# The policies that need contexts seen after the decision; tests/laws/test_policies_across.py holds them to their laws.
ACROSS = ("drbo-kde", "drbo-mmd", "drbo-mmd-minimax", "sbo-kde", "stableopt")


@dataclass
class Clock:
    """A clock that stands still until it is set."""

    now: float = 1000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


# Domains, shifted and rescaled.


def box() -> Space:
    """Two numbers, one of them on a logarithmic scale."""
    return Space(heat=Float(-30.0, 170.0), dose=Float(1e-4, 10.0, log=True))


def mixed() -> Space:
    """Numbers, whole numbers and choices."""
    return Space(
        heat=Float(20.0, 120.0), steps=Int(1, 8), solvent=Choice("DMF", "THF", "water"), fast=Choice(True, False)
    )


def table(n_rows: int = 40, seed: int = 5) -> Candidates:
    """Rows of two numbers of very different sizes."""
    rng = np.random.default_rng(seed)
    return Candidates(rng.random((n_rows, 2)) * [250.0, 3e-3] + [-40.0, 7.0], names=["heat", "dose"])


def mixed_table() -> Candidates:
    """Rows of numbers and labels."""
    rng = np.random.default_rng(6)
    solvents = ["DMF", "THF", "water"]
    rows = [
        {"heat": float(rng.uniform(20, 120)), "steps": int(rng.integers(1, 9)), "solvent": solvents[i % 3]}
        for i in range(36)
    ]
    return Candidates(rows)


DOMAINS: dict[str, Callable[[], Domain]] = {"box": box, "mixed": mixed, "table": table, "mixed table": mixed_table}


# Studies.


def all_rows(evidence: Evidence) -> bytes:
    """Everything that the log says of each row, to the last bit."""
    rows = evidence._rows
    columns = [rows.entries[name] for name in rows.entries.dtype.names or ()]
    columns += [evidence._by_row(0, rows.arrivals[name]) for name in ("arrived", "delay", "answered_at")]
    columns += [evidence.values, rows.ending_places < rows.extent.endings]
    return b"".join(column.tobytes() for column in columns)


def random_evidence(seed: int, n_answered: int, n_pending: int, **options: Any) -> Evidence:
    """A study in which answers came in a random order between the asks, some never; options as `random_study` has."""
    return random_study(seed, n_answered, n_pending, **options).evidence()


def random_study(
    seed: int,
    n_answered: int,
    n_pending: int,
    *,
    domain: Domain | None = None,
    n_added: int = 0,
    n_abandoned: int = 0,
    minimise: bool = False,
    clock: Clock | None = None,
) -> Study:
    """The study behind `random_evidence`; the time moves by a random step before each event."""
    rng = np.random.default_rng(seed)
    clock = clock or Clock()
    sign = -1.0 if minimise else 1.0
    goal: Goal = "minimize" if minimise else "maximize"
    study = Study.in_memory(domain or table(), policy="random", goal=goal, seed=seed, clock=clock, notices=False)
    fates = rng.permutation(["answer"] * n_answered + ["wait"] * n_pending + ["abandon"] * n_abandoned)
    adds = set(rng.choice(len(fates) + 1, size=n_added).tolist()) if n_added else set()
    due: list[tuple[int, int, str]] = []
    for step, fate in enumerate(fates):
        clock.now += float(rng.exponential(2.0))
        if step in adds:
            study.add(_somewhere(study.space, rng), sign * float(rng.standard_normal()))
        query = _asked(study)
        if fate != "wait":
            due.append((step + int(rng.geometric(0.3)) - 1, query.id, str(fate)))
        for entry in [entry for entry in due if entry[0] <= step]:
            due.remove(entry)
            clock.now += float(rng.exponential(0.5))
            _settle(study, entry[1], entry[2], sign * float(rng.standard_normal()))
    for _, query_id, fate in due:
        clock.now += float(rng.exponential(0.5))
        _settle(study, query_id, fate, sign * float(rng.standard_normal()))
    return study


def _settle(study: Study, query: int, fate: str, value: float) -> None:
    if fate == "answer":
        study.tell(query, value)
    else:
        study.abandon(query, "lost")


def _somewhere(domain: Domain, rng: np.random.Generator) -> dict[str, Any]:
    return domain.decode(domain.sample(1, rng)[0])


def _asked(study: Study) -> Query:
    query = study.ask()
    assert isinstance(query, Query)
    return query


# Beliefs.


def kernels_of(domain: Domain, form: str = "matern52", ard: bool = True) -> tuple[SimpleKernel, PlainKernel]:
    """The same kernel for the library and for the reference, with no two parameters alike."""
    categorical = domain.categorical
    n_numeric = len(categorical) - sum(categorical)
    scales = tuple(0.35 + 0.2 * i for i in range(n_numeric if ard else 1))
    contrasts = tuple(0.6 + 0.5 * i for i in range(sum(categorical)))
    mask = categorical if any(categorical) else None
    return (
        SimpleKernel(FORMS[form], 1.7, scales, contrasts, mask),
        PlainKernel(form, 1.7, scales, contrasts, mask or ()),
    )


def processes_of(
    domain: Domain, form: str = "matern52", ard: bool = True, noise: float = 0.04, mean: float = 0.3
) -> tuple[GaussianProcess, PlainGP]:
    """The same prior process for the library and for the reference."""
    kernel, plain = kernels_of(domain, form, ard)
    table = CandidateTable(domain.table) if isinstance(domain, Candidates) else None
    setting = Setting(domain.dimension, domain.levels, table, memory=Memory())
    return GaussianProcess(kernel, noise, mean, setting), PlainGP(plain, noise, mean)


def probes_of(domain: Domain, count: int = 7, seed: int = 99) -> Array:
    """Some points of the domain."""
    return domain.sample(count, np.random.default_rng(seed))


@dataclass(frozen=True)
class Given:
    """A model whose prior is given, whatever the evidence."""

    belief: Belief

    def prior(self, evidence: Evidence, memory: Memory) -> Belief:
        """The belief."""
        return self.belief


def situation_of(
    evidence: Evidence,
    model: Model,
    treatment: Treatment | None = None,
    *,
    now: float = 0.0,
    seed: int = 0,
    memory: Memory | None = None,
) -> Situation:
    """The moment after this evidence, as a rule sees it."""
    return Situation(moment_of(evidence, model, treatment, now=now, seed=seed, memory=memory))


def moment_of(
    evidence: Evidence,
    model: Model,
    treatment: Treatment | None = None,
    *,
    now: float = 0.0,
    seed: int = 0,
    memory: Memory | None = None,
) -> Moment:
    """The moment after this evidence, as treatments and pacings have it."""
    return Moment(model, treatment or Ignore(FOREVER), evidence, now, seed, memory or Memory(), np.empty(0))


def recipe_of(policy: Policy) -> Recipe:
    """A policy that was composed by hand, in the form in which a study takes it."""
    return Recipe("composed", {}, policy)


def known_gp(
    form: str = "se", lengthscale: float = 0.2, variance: float = 1.0, noise: float = 0.01, mean: float | str = "zero"
) -> tuple[GP, PlainGP]:
    """A belief with nothing to fit, and its reference; for numeric columns and a known mean."""
    plain = PlainGP(PlainKernel(form, variance, (lengthscale,)), noise, 0.0 if isinstance(mean, str) else mean)
    belief = GP(kernel=form, lengthscale=lengthscale, variance=variance, noise=noise, mean=mean)  # type: ignore[arg-type]
    return belief, plain


# Runs.


@dataclass
class Run:
    """What was asked, in order: rows of the table, values, delays in queries (None: never answered)."""

    study: Study
    rows: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    delays: list[int | None] = field(default_factory=list)

    def arrived(self) -> list[int]:
        """The places of the queries whose answers have come, in the order asked."""
        n = len(self.rows)
        return [i for i, delay in enumerate(self.delays) if delay is not None and delay <= n - 1 - i]


def delayed_run(
    policy: str | Recipe,
    domain: Candidates,
    objective: Array,
    delays: list[int | None],
    *,
    seed: int = 0,
    noise: float = 0.0,
    check: Callable[[Run], None] | None = None,
    memory: Memory | None = None,
    clock: Clock | None = None,
) -> Run:
    """Ask once per delay; the answer to a query comes after so many further queries were asked.

    `check` sees the run just before each ask, when all answers that are due have been told.
    """
    study = Study.in_memory(domain, policy=policy, seed=seed, clock=clock or Clock(), notices=False)
    if memory is not None:
        study._knowledge.memory = memory
    run = Run(study)
    rng = np.random.default_rng([seed, 77])
    for delay in delays:
        for place in run.arrived():
            study.tell(place + 1, run.values[place])
        if check is not None:
            check(run)
        query = _asked(study)
        row = domain.index(query.point)
        run.rows.append(row)
        run.values.append(float(objective[row] + noise * rng.standard_normal()))
        run.delays.append(delay)
        if clock is not None:
            clock.now += 1.0
    return run


def batch_of(study: Study, count: int) -> list[Query]:
    """So many queries at once, or fewer if the policy balks after the first."""
    queries = study.ask(count)
    assert isinstance(queries, list)
    return queries


def points_asked(study: Study, n: int, objective: Callable[[Mapping[str, Any]], float]) -> list[dict[str, Any]]:
    """n queries, each answered at once."""
    points = []
    for _ in range(n):
        query = _asked(study)
        points.append(dict(query.point))
        study.tell(query.id, objective(query.point))
    return points


__all__ = [
    "ACROSS",
    "DOMAINS",
    "Clock",
    "Domain",
    "Given",
    "Run",
    "batch_of",
    "box",
    "delayed_run",
    "kernels_of",
    "known_gp",
    "mixed",
    "mixed_table",
    "moment_of",
    "points_asked",
    "probes_of",
    "processes_of",
    "random_evidence",
    "random_study",
    "recipe_of",
    "situation_of",
    "table",
]

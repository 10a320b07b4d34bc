"""Six clients that tune the same task with the same workers, and how a run of one of them is measured.

`python -m benchmarks.clients_tools TASK TOOL SEED EVALUATIONS` makes one run and prints it as a line of JSON.

Belated runs by its own `study.run`; the others are asked and told in one loop, which tells every answer that is there
before it asks again. The first queries are the same for all, Belated's own design; from then on each tool decides with
its model. Before the clock starts, the tool and the workers rehearse on a loss that costs nothing, so that what is
imported, compiled or read once is nobody's time.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

import numpy as np

import belated as bl
from benchmarks.clients_kept import Run, Wanted
from benchmarks.clients_tasks import TASKS, Evaluate

WORKERS = 4
INITIAL = 2 * WORKERS
# When the first query after the initial ones is asked, one worker is free, and so many answers at least are there.
FIRST_ANSWERS = INITIAL - WORKERS + 1
# BoTorch's, as its tutorials have them.
RESTARTS, RAW_SAMPLES = 10, 512
REHEARSAL = INITIAL + 2

Point = Mapping[str, Any]


class Client(Protocol):
    """A tool that is asked for points and told their losses, in any order."""

    def ask(self) -> tuple[Any, Point]:
        """A point to evaluate, and what to tell its loss by."""

    def tell(self, handle: Any, loss: float) -> None:
        """The loss of a point."""


def design(space: bl.Space, seed: int) -> list[Point]:
    """The first points of a seed."""
    study = bl.Study.in_memory(space, policy=bl.policies.auto(initial=INITIAL), seed=seed)
    return [query.point for query in study.ask(INITIAL)]


# Clients.


@dataclass
class RandomClient:
    """Points drawn evenly, after the initial ones."""

    space: bl.Space
    seed: int
    asked: int = 0

    def __post_init__(self) -> None:
        self.first, self.rng = design(self.space, self.seed), np.random.default_rng(self.seed)

    def ask(self) -> tuple[Any, Point]:
        """The next point."""
        self.asked += 1
        if self.asked <= INITIAL:
            return self.asked, self.first[self.asked - 1]
        return self.asked, self.space.decode(self.rng.random(self.space.dimension))

    def tell(self, handle: Any, loss: float) -> None:
        """Nothing is made of a loss."""


@dataclass
class BoTorchClient:
    """qLogEI with the pending points, on a SingleTaskGP as it comes; whole numbers are rounded."""

    space: bl.Space
    seed: int
    asked: list[np.ndarray] = field(default_factory=list)
    losses: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        import torch

        torch.manual_seed(self.seed)
        self.first = [self.space.encode(point) for point in design(self.space, self.seed)]

    def ask(self) -> tuple[Any, Point]:
        """The point with the highest acquisition."""
        number = len(self.asked)
        point = self.space.decode(self.first[number] if number < INITIAL else self.found())
        self.asked.append(self.space.encode(point))
        return number, point

    def tell(self, handle: Any, loss: float) -> None:
        """The loss of a point."""
        self.losses[handle] = loss

    def found(self) -> np.ndarray:
        """Fit the model to all losses, then maximise qLogEI."""
        from benchmarks.clients_botorch import log_improvement

        answered = np.array([self.asked[number] for number in self.losses])
        pending = np.array([point for number, point in enumerate(self.asked) if number not in self.losses])
        return log_improvement(answered, -np.array(list(self.losses.values())), pending, RESTARTS, RAW_SAMPLES)


@dataclass
class OptunaClient:
    """A study of Optuna in memory, by its ask and tell; its sampler is made from the seed."""

    space: bl.Space
    seed: int
    sampler: Callable[[int], Any]

    def __post_init__(self) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self.distributions = {name: distribution(self.space[name]) for name in self.space}
        self.study = optuna.create_study(direction="minimize", sampler=self.sampler(self.seed))
        for point in design(self.space, self.seed):
            self.study.enqueue_trial(dict(point))

    def ask(self) -> tuple[Any, Point]:
        """A new running trial, and its point."""
        trial = self.study.ask(self.distributions)
        return trial, trial.params

    def tell(self, handle: Any, loss: float) -> None:
        """The loss of a trial."""
        self.study.tell(handle, loss)


def distribution(parameter: Any) -> Any:
    """A parameter in Optuna's words."""
    from optuna.distributions import FloatDistribution, IntDistribution

    kind = IntDistribution if isinstance(parameter, bl.Int) else FloatDistribution
    return kind(parameter.low, parameter.high, log=parameter.log)


def gaussian_sampler(seed: int) -> Any:
    """Optuna's GPSampler."""
    from optuna.samplers import GPSampler

    return GPSampler(seed=seed, n_startup_trials=FIRST_ANSWERS)


def tree_sampler(seed: int) -> Any:
    """Optuna's TPESampler, which takes running trials for bad ones."""
    from optuna.samplers import TPESampler

    return TPESampler(seed=seed, n_startup_trials=FIRST_ANSWERS, constant_liar=True)


def belated_sampler(seed: int) -> Any:
    """Belated inside Optuna."""
    from belated.integrations.optuna import BelatedSampler

    return BelatedSampler(policy=bl.policies.auto(initial=INITIAL), seed=seed)


# Runs.

Play = Callable[[bl.Space, int, int, Evaluate, Executor], list[float]]


def belated_play(space: bl.Space, seed: int, evaluations: int, evaluate: Evaluate, pool: Executor) -> list[float]:
    """Belated by itself; returns the seconds of each ask."""
    policy = bl.policies.auto(initial=INITIAL)
    study = bl.Study.in_memory(space, policy=policy, goal="minimize", seed=seed)
    thoughts: list[float] = []
    ask = study.ask

    def timed(*arguments: Any, **options: Any) -> Any:
        began = time.perf_counter()
        query = ask(*arguments, **options)
        thoughts.append(time.perf_counter() - began)
        return query

    with patch.object(study, "ask", timed):
        study.run(evaluate, evaluations, executor=pool, workers=WORKERS, progress=False)
    return thoughts


def client_play(make: Callable[[bl.Space, int], Client]) -> Play:
    """How a client that is asked and told plays; returns the seconds of each ask."""

    def play(space: bl.Space, seed: int, evaluations: int, evaluate: Evaluate, pool: Executor) -> list[float]:
        client = make(space, seed)
        thoughts: list[float] = []
        running: dict[Future[float], Any] = {}
        while len(thoughts) < evaluations or running:
            free = len(running) < WORKERS and len(thoughts) < evaluations
            if free:
                began = time.perf_counter()
                handle, point = client.ask()
                thoughts.append(time.perf_counter() - began)
                running[pool.submit(evaluate, point)] = handle
            for future in wait(running, 0 if free else None, FIRST_COMPLETED).done:
                client.tell(running.pop(future), future.result())
        return thoughts

    return play


def optuna_play(sampler: Callable[[int], Any]) -> Play:
    """How a sampler of Optuna plays."""
    return client_play(lambda space, seed: OptunaClient(space, seed, sampler))


@dataclass(frozen=True)
class Tool:
    """What a tool is called on the page, the package whose version counts, and how it plays."""

    title: str
    package: str
    play: Play


TOOLS = {
    "belated": Tool("Belated", "belated", belated_play),
    "belated-optuna": Tool("Belated in Optuna", "optuna", optuna_play(belated_sampler)),
    "optuna-gp": Tool("Optuna's GPSampler", "optuna", optuna_play(gaussian_sampler)),
    "optuna-tpe": Tool("Optuna's TPESampler", "optuna", optuna_play(tree_sampler)),
    "botorch": Tool("BoTorch's qLogEI", "botorch", client_play(BoTorchClient)),
    "random": Tool("random search", "belated", client_play(RandomClient)),
}


def measured(wanted: Wanted, folder: Path) -> Run:
    """Rehearse, then run, with workers that know nothing of the tool."""
    tool, space = TOOLS[wanted.tool], TASKS[wanted.task].space
    evaluate = Evaluate(wanted.task, wanted.seed, folder / "notes")
    # Workers are copies of a process that has imported the tasks, and no tool.
    starting = multiprocessing.get_context("forkserver")
    starting.set_forkserver_preload(["benchmarks.clients_tasks"])
    with ProcessPoolExecutor(WORKERS, starting) as pool:
        rehearsal = Evaluate(wanted.task, wanted.seed, folder / "rehearsal", rehearsal=True)
        tool.play(space, wanted.seed + 1_000_000, REHEARSAL, rehearsal, pool)
        load, busy, own = os.getloadavg()[0], processors_busy(), time.process_time()
        start = time.time()
        thoughts = tool.play(space, wanted.seed, wanted.evaluations, evaluate, pool)
        seconds = time.time() - start
        own, busy_after = time.process_time() - own, processors_busy()
    done = evaluate.evaluations()
    assert len(done) == len(thoughts) == wanted.evaluations, (len(done), len(thoughts), wanted)
    own += sum(evaluation.processor for evaluation in done)
    return Run(
        wanted.task,
        wanted.tool,
        wanted.seed,
        f"{tool.package} {version(tool.package)}",
        load,
        None if busy is None or busy_after is None else max(0.0, (busy_after - busy - own) / seconds),
        seconds,
        tuple(thoughts),
        tuple(evaluation.began - start for evaluation in done),
        tuple(evaluation.ended - start for evaluation in done),
        tuple(evaluation.processor for evaluation in done),
        tuple(evaluation.loss for evaluation in done),
    )


def processors_busy() -> float | None:
    """The seconds that all processors together have been busy since the system started; None where it is not said."""
    try:
        first = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    except OSError:
        return None
    user, nice, system, _idle, _waiting, *others = map(int, first[1:9])
    return (user + nice + system + sum(others)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    task, tool, seed, evaluations = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        print(measured(Wanted(task, tool, int(seed), int(evaluations)), Path(scratch)).line())

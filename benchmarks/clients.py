"""Real clients: the same asynchronous tuning tasks by Belated and by its peers, against time and evaluations.

`python -m benchmarks clients` makes all runs that are not there yet, and the page. `python -m benchmarks.clients` takes
options: `--most N` runs or `--minutes M` and no more, so that it can be done in pieces; `--page-only` makes no run.
Every run has a process of its own, and is kept as soon as it is done.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.clients_kept import Run, Wanted, keep_run, kept, missing
from benchmarks.clients_page import write_page
from benchmarks.clients_tasks import TASKS
from benchmarks.clients_tools import INITIAL, TOOLS
from benchmarks.measure import RESULTS
from benchmarks.simulating import ONE_THREAD

SEEDS, EVALUATIONS = 20, 40
PAGES = Path(__file__).parent.parent / "docs" / "results"


def main(arguments: Sequence[str] = ()) -> None:
    options = given(arguments)
    began = time.monotonic()
    runs = [run for run in kept(options.file) if len(run.losses) == options.evaluations]
    to_do = (
        []
        if options.page_only
        else missing(runs, options.tasks, options.tools, range(options.seeds), options.evaluations)
    )
    failed = 0
    for number, wanted in enumerate(to_do[: options.most], start=1):
        if options.minutes is not None and time.monotonic() - began > 60.0 * options.minutes:
            break
        try:
            run = apart(wanted)
        except KeyboardInterrupt:
            print("clients: interrupted; the next call goes on from here.", file=sys.stderr)
            break
        failed += run is None
        if run is not None:
            keep_run(options.file, run)
            runs.append(run)
        print(said(wanted, run, number, len(to_do), time.monotonic() - began), file=sys.stderr, flush=True)
    if runs:
        print(f"{len(runs)} runs are there: {write_page(runs, options.pages)}")
    if failed:
        sys.exit(f"clients: {failed} runs failed; what they said is above; run the section again to repeat them.")


def given(arguments: Sequence[str]) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser("python -m benchmarks.clients")
    parser.add_argument("--most", type=int, help="make so many runs at most")
    parser.add_argument("--minutes", type=float, help="begin no run after so many minutes")
    parser.add_argument("--page-only", action="store_true", help="make the page from what is there")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--evaluations", type=int, default=EVALUATIONS)
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--file", type=Path, default=RESULTS / "clients.jsonl", help="where runs are kept")
    parser.add_argument("--pages", type=Path, default=PAGES, help="the folder of the page and its figures")
    options = parser.parse_args(arguments)
    if options.evaluations <= INITIAL:
        parser.error(f"--evaluations {options.evaluations}: the first {INITIAL} are the same for all; give more.")
    return options


def apart(wanted: Wanted) -> Run | None:
    """A run in a process of its own, on one thread; None if it failed, and why goes to the standard error."""
    command = [sys.executable, "-m", "benchmarks.clients_tools", *map(str, wanted)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **ONE_THREAD})
    return Run.read(done.stdout) if done.returncode == 0 else None


def said(wanted: Wanted, run: Run | None, number: int, total: int, spent: float) -> str:
    """A line for whoever waits: what came out, and how long the rest will take."""
    outcome = "failed"
    if run is not None:
        others = "" if run.others is None else f", others {run.others:.2f} processors"
        outcome = f"{run.seconds:.1f} s, loss {min(run.losses):.4g}, load {run.load:.1f}{others}"
    left = spent / number * (total - number) / 60.0
    return f"{wanted.task}, {wanted.tool}, seed {wanted.seed}: {outcome}; {number} of {total}, {left:.0f} minutes left"


if __name__ == "__main__":
    main(sys.argv[1:])

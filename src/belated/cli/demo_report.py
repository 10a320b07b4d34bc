"""The report of the demonstration: what happened in the laboratory, told with figures."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from belated import report as reports
from belated.cli.laboratory import AT_RANDOM, EVERY_DAY, LOSS, MEAN_DELAY, ONE_BY_ONE, PATIENCE
from belated.report import PageTable, Section
from belated.simulate import Run


def report(path: Path, runs: Mapping[str, Run]) -> Path:
    """Write the report of these runs, and return where it is."""
    ours = runs[EVERY_DAY]
    lead = (
        f"One experiment a day can start; its yield comes back {MEAN_DELAY} days later on average, and {LOSS:.0%} of "
        f"the samples are lost. This page shows {ours.rounds} simulated days, spent in three ways that met the same "
        f"noise, the same delays and the same losses (seed {ours.seed})."
    )
    sections = [_outcome(runs), _progress(runs), _waiting(runs), _choices(ours), _limits(ours)]
    return reports.write_report(path, "A laboratory with late answers", sections, lead)


def best_yield(run: Run) -> str:
    """The true yield of the best experiment that was answered."""
    if not run.study.record().n_answers:
        return "none"
    return f"{run.problem.optimum - run.problem.sign * run.simple_regret[-1]:.1f} %"


def _outcome(runs: Mapping[str, Run]) -> Section:
    first = next(iter(runs.values()))
    facts = [(label, best_yield(run)) for label, run in runs.items()]
    rows = [
        (
            label,
            str(len(run.outcomes)),
            str(run.study.record().n_answers),
            str(sum(np.isinf(outcome.delay) for outcome in run.outcomes)),
            best_yield(run),
            f"{run.simple_regret[-1]:.1f}",
        )
        for label, run in runs.items()
    ]
    header = ("", "experiments", "answers", "lost", "best yield", "short by")
    text = [
        "Best yield is the true one, without noise, of the best experiment whose answer had arrived by the last day. "
        f"The best there is, is {first.problem.optimum:.1f} %."
    ]
    return Section(
        "What came of it",
        text,
        [*facts, ("The best there is", f"{first.problem.optimum:.1f} %")],
        PageTable(header, rows),
    )


def _progress(runs: Mapping[str, Run]) -> Section:
    text = [
        f"“{EVERY_DAY}” asks each day without waiting. It counts what is under way as if it had been answered as "
        "expected, and so looks elsewhere meanwhile: the policy gp-bucb.",
        f"“{ONE_BY_ONE}” has the same model and the same rule, and starts the next experiment only when the last is "
        f"answered, or given up after {PATIENCE} days. “{AT_RANDOM}” learns nothing: it shows what luck alone can do.",
    ]
    return Section("The best yield, day by day", text, figures=[reports.attained(runs, "day", "yield in percent")])


def _waiting(runs: Mapping[str, Run]) -> Section:
    ours = runs[EVERY_DAY]
    lost = [outcome.query.id for outcome in ours.outcomes if np.isinf(outcome.delay)]
    text = [
        f"Each line is one experiment of “{EVERY_DAY}”, from the day it was asked to the day of its answer, or to the "
        f"last day. After {PATIENCE} days without an answer it is overdue, and the policy no longer counts on it. That "
        "an answer never comes is known to this simulation, and to nobody in a laboratory."
    ]
    figures = [reports.timeline(ours.study, "day", lost), reports.waits(ours.study, "day")]
    return Section("Waiting for answers", text, figures=figures)


def _choices(run: Run) -> Section:
    text = [
        "Every answer against each of the four knobs, coloured by when it was asked. Early experiments are spread "
        "out; later ones gather where the yield is high."
    ]
    answered = run.study.record().n_answers
    facts: list[tuple[str, str]] = []
    if answered:
        best = run.study.best()
        facts = [(name, _short(value)) for name, value in best.point.items()]
        facts.append(("its answer, with noise", f"{best.value:.1f} %"))
        text.append(f"The best answer came from experiment {best.query}:")
    return Section("Where it asked", text, facts, figures=[reports.asked(run.study, "yield (%)")])


def _limits(run: Run) -> Section:
    text = [
        "The laboratory is made up, and this is one run of each way: luck plays its part in every line above. Run the "
        f"demonstration again with another seed (belated demo --seed {run.seed + 1}) and see what stays.",
        "In a study of your own, study.ask() gives the next experiment and study.tell(id, value) takes its answer, "
        "whenever that comes.",
    ]
    return Section("What this shows, and what not", text)


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)

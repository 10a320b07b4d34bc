"""What came of an experiment, and its curves as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from belated.errors import unknown_name
from belated.experiments.arm import Arm, Experiment
from belated.experiments.runs import Runs
from belated.experiments.statistics import estimate
from belated.space import Array
from belated.study.files import called, write_text

COLUMNS = ("experiment", "arm", "measure", "round", "mean", "standard_error", "n")


@dataclass(frozen=True, eq=False)
class Results:
    """The runs of every arm of an experiment by its label, with the same seeds in the same order."""

    experiment: Experiment
    runs: Mapping[str, Runs]

    def __getitem__(self, label: str) -> Runs:
        """The runs of an arm."""
        if label not in self.runs:
            raise unknown_name("Results", "arm", label, self.runs)
        return self.runs[label]

    @property
    def arms(self) -> tuple[Arm, ...]:
        """The arms in their order."""
        return self.experiment.arms

    def measure(self, name: str) -> dict[str, Array]:
        """A measure of every arm by its label. (seeds, rounds) each"""
        return {label: runs.measure(name) for label, runs in self.runs.items()}

    def final(self, name: str) -> dict[str, Array]:
        """A measure of every arm after its last round. (seeds,) each"""
        return {label: values[:, -1] for label, values in self.measure(name).items()}


def write_csv(
    path: str | Path,
    results: Results | Sequence[Results],
    measures: Sequence[str] = ("simple", "cumulative"),
    most: int | None = None,
) -> Path:
    """Write the mean of measures in every round, with its standard error and the number of runs; a row for each.

    `most` limits the number of rounds that are written; they are evenly spaced, and the last is among them.
    """
    some = [results] if isinstance(results, Results) else results
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for result in some:
        for name in measures:
            for label, values in result.measure(name).items():
                found = estimate(values)
                for place in _shown(values.shape[1], most):
                    mean, error = f"{found.mean[place]:.6g}", f"{found.error[place]:.4g}"
                    writer.writerow((result.experiment.name, label, name, place + 1, mean, error, found.n[place]))
    write_text(called("write_csv", path), path, text.getvalue())
    return Path(path).resolve()


def _shown(rounds: int, most: int | None) -> list[int]:
    """The places of the rounds that are written."""
    step = 1 if most is None else -(-rounds // most)
    return [place for place in range(rounds) if (rounds - 1 - place) % step == 0]

"""A figure of a paper run again, and what became of the paper's claims."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from belated.errors import MissingDataError, MissingPackageError
from belated.experiments import Experiment, Results, RunsDone, conduct
from belated.experiments.papers.paper import Claim, Figure, Paper, PaperPanel, Tabulation
from belated.experiments.statistics import below, estimate
from belated.space import Array

# A claim is said to come out, or its contrary to, where chance alone would do so once in twenty times at most.
LEVEL = 0.05

PanelWatch = Callable[[PaperPanel, RunsDone], None]


@dataclass(frozen=True)
class ClaimVerdict:
    """What became of a claim: the mean of the lower curve less that of the higher, over paired trials."""

    claim: Claim
    difference: float
    error: float
    p_value: float  # one-sided, for the claim
    contrary: float  # one-sided, for its contrary

    @property
    def outcome(self) -> str:
        """The verdict in words."""
        if self.p_value <= LEVEL:
            return "comes out"
        return "the other way round" if self.contrary <= LEVEL else "no difference seen"


@dataclass(frozen=True, eq=False)
class PanelOutcome:
    """A panel run again, or the reason why it could not be."""

    panel: PaperPanel
    results: Results | None
    verdicts: tuple[ClaimVerdict, ...] = ()
    missing: str = ""


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A figure run again."""

    paper: Paper
    figure: Figure
    trials: int
    outcomes: tuple[PanelOutcome, ...]


@dataclass(frozen=True, eq=False)
class Computed:
    """A table computed again."""

    paper: Paper
    table: Tabulation
    rows: Sequence[tuple[str, ...]]


def reproduce(
    paper: Paper, figure: Figure, folder: Path, trials: int, workers: int | None = None, watch: PanelWatch | None = None
) -> Reproduction:
    """Run the panels of a figure, each arm with all trials; runs are kept in the folder, and found there again."""
    experiments = paper.experiments(figure, trials)
    outcomes = [
        _outcome(panel, experiment, folder, workers, watch)
        for panel, experiment in zip(figure.panels, experiments, strict=True)
    ]
    return Reproduction(paper, figure, trials, tuple(outcomes))


def _outcome(
    panel: PaperPanel, experiment: Experiment, folder: Path, workers: int | None, watch: PanelWatch | None
) -> PanelOutcome:
    def report(progress: RunsDone) -> None:
        if watch is not None:
            watch(panel, progress)

    try:
        results = conduct(experiment, folder, workers, report)
    except (MissingDataError, MissingPackageError) as error:
        return PanelOutcome(panel, None, missing=str(error))
    return PanelOutcome(panel, results, tuple(verdict(claim, results) for claim in panel.claims))


def verdict(claim: Claim, results: Results) -> ClaimVerdict:
    """Whether the claimed order came out."""
    lower, higher = (_compared(results, label, claim) for label in (claim.lower, claim.higher))
    found = estimate(lower - higher)
    return ClaimVerdict(claim, float(found.mean), float(found.error), below(lower, higher), below(higher, lower))


def _compared(results: Results, label: str, claim: Claim) -> Array:
    """What each trial is compared by. (trials,)"""
    values = results[label].measure(claim.measure)
    return np.asarray(np.nanmean(values, axis=1) if claim.over_all_rounds else values[:, -1])

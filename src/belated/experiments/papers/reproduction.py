"""Figures and tables of a paper made again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from belated.errors import MissingDataError, MissingPackageError
from belated.experiments import Experiment, Results, RunsDone, check, conduct_all
from belated.experiments.papers.paper import Figure, Paper, PaperPanel, Tabulation
from belated.experiments.papers.verdict import ClaimVerdict, verdict

PaperWatch = Callable[[Figure, PaperPanel, RunsDone], None]


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
    outcomes: tuple[PanelOutcome, ...]


@dataclass(frozen=True, eq=False)
class Computed:
    """A table computed again."""

    paper: Paper
    table: Tabulation
    rows: Sequence[tuple[str, ...]]


def reproduce(
    paper: Paper,
    figures: Sequence[Figure | Tabulation],
    folder: Path,
    trials: int | None = None,
    workers: int | None = None,
    watch: PaperWatch | None = None,
) -> list[Reproduction | Computed]:
    """Run figures again, each arm with all trials, and compute tables; runs are kept in the folder, and found there.

    Without a number of trials each panel has its own, or the paper's.
    """
    panels = [(figure, panel) for figure in figures if isinstance(figure, Figure) for panel in figure.panels]
    experiments = {(one.key, panel.key): paper.experiment(one, panel, trials) for one, panel in panels}
    missing = {key: reason for key, experiment in experiments.items() if (reason := _missing(experiment))}
    whole = {experiment.name: place for place, experiment in zip(panels, experiments.values(), strict=True)}

    def report(experiment: Experiment, now: RunsDone) -> None:
        if watch is not None:
            watch(*whole[experiment.name], now)

    possible = [experiment for key, experiment in experiments.items() if key not in missing]
    conducted = conduct_all(possible, folder, workers, report)
    found = {results.experiment.name: results for results in conducted}
    outcomes = {
        key: _outcome(panel, found.get(experiments[key].name), missing.get(key, ""))
        for key, (_, panel) in zip(experiments, panels, strict=True)
    }
    return [_made(paper, figure, outcomes) for figure in figures]


def _made(
    paper: Paper, figure: Figure | Tabulation, outcomes: Mapping[tuple[str, str], PanelOutcome]
) -> Reproduction | Computed:
    if isinstance(figure, Tabulation):
        return Computed(paper, figure, figure.compute())
    return Reproduction(paper, figure, tuple(outcomes[figure.key, panel.key] for panel in figure.panels))


def _missing(experiment: Experiment) -> str:
    """What its arms need and this machine does not have."""
    try:
        for arm in experiment.arms:
            check(arm, experiment.seeds[0])
    except (MissingDataError, MissingPackageError) as error:
        return str(error)
    return ""


def _outcome(panel: PaperPanel, results: Results | None, missing: str) -> PanelOutcome:
    if results is None:
        return PanelOutcome(panel, None, missing=missing)
    return PanelOutcome(panel, results, tuple(verdict(claim, results) for claim in panel.claims))

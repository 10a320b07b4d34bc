"""A paper's experiments as data: figures of panels, panels of arms, and what the paper says came out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from belated.experiments import Arm, Experiment

DrawingStyle = Literal["curves", "logarithmic curves", "costs", "times"]
RegretMeasure = Literal["average", "minimum", "simple", "cumulative"]


@dataclass(frozen=True)
class Claim:
    """What the paper reports of one panel: one curve lies below another.

    Sums and averages are compared after the last round; the best so far over all rounds, since in the end every
    policy may have found the optimum.
    """

    lower: str  # labels of arms
    higher: str
    measure: RegretMeasure

    @property
    def over_all_rounds(self) -> bool:
        """Whether the mean of all rounds is compared, and not the last round."""
        return self.measure in ("simple", "minimum")


@dataclass(frozen=True)
class PaperPanel:
    """One pair of axes: curves of the same problem."""

    key: str
    title: str
    arms: tuple[Arm, ...]
    measures: tuple[RegretMeasure, ...]
    claims: tuple[Claim, ...] = ()
    trials: int | None = None  # fewer than the figure's, where a policy is slow


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, as it is drawn again."""

    key: str
    title: str
    says: str  # what the paper reports, in our words
    panels: tuple[PaperPanel, ...]
    note: str = ""  # where our setting differs from the paper's, and why
    drawing: DrawingStyle = "curves"

    @property
    def name(self) -> str:
        """What it is called in a heading."""
        return named(self.key)


@dataclass(frozen=True)
class Tabulation:
    """A table of a paper for which no study is run, computed again."""

    key: str
    title: str
    says: str
    header: tuple[str, ...]
    compute: Callable[[], Sequence[tuple[str, ...]]]
    note: str = ""

    @property
    def name(self) -> str:
        """What it is called in a heading."""
        return named(self.key)


@dataclass(frozen=True)
class Paper:
    """Everything of a paper that is reproduced, with the paper's own number of trials."""

    key: str
    title: str
    trials: int
    figures: tuple[Figure | Tabulation, ...]

    def experiments(self, figure: Figure, trials: int) -> list[Experiment]:
        """One experiment for each panel, with this number of trials, or fewer where a panel says so."""
        return [
            Experiment(
                name=f"{self.key}-{figure.key}{panel.key}",
                arms=panel.arms,
                seeds=tuple(range(min(trials, panel.trials or trials))),
            )
            for panel in figure.panels
        ]


def named(key: str) -> str:
    """Figure 1 for the key 1, Table 1 for table-1."""
    kind, _, number = key.rpartition("-")
    return f"{kind.capitalize() or 'Figure'} {number}"

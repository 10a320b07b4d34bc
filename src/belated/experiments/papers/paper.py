"""A paper's experiments as data: figures of panels, panels of arms, and what the paper says came out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from belated.experiments import Arm, Experiment

DrawingStyle = Literal["curves", "logarithmic curves", "costs", "times"]
RegretMeasure = Literal["average", "minimum", "simple", "cumulative"]
Span = Literal["after the last round", "over all rounds"]


@dataclass(frozen=True)
class Claim:
    """What the paper reports of one panel: one curve lies below another, at their ends unless it speaks of the whole.

    Sums and averages hold the rounds before in themselves. The best so far is compared both ways, since in the end
    every policy may have found the optimum; `span` is the one of which the paper speaks.
    """

    lower: str  # labels of arms
    higher: str
    measure: RegretMeasure
    span: Span = "after the last round"

    @property
    def labels(self) -> tuple[str, str]:
        """The curves compared."""
        return self.lower, self.higher

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans over which it is judged."""
        both = self.measure in ("simple", "minimum")
        return ("after the last round", "over all rounds") if both else (self.span,)


@dataclass(frozen=True)
class LevelClaim:
    """What the paper reports of one panel: two curves are level over this span."""

    first: str  # labels of arms
    second: str
    measure: RegretMeasure
    span: Span = "after the last round"

    @property
    def labels(self) -> tuple[str, str]:
        """The curves compared."""
        return self.first, self.second

    @property
    def spans(self) -> tuple[Span, ...]:
        """The span over which it is judged."""
        return (self.span,)


@dataclass(frozen=True)
class PaperPanel:
    """One pair of axes: curves of the same problem."""

    key: str
    title: str
    arms: tuple[Arm, ...]
    measures: tuple[RegretMeasure, ...]
    claims: tuple[Claim | LevelClaim, ...] = ()
    # In place of the paper's: fewer where a policy is slow, more where the paper's tell too little.
    trials: int | None = None


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
class Story:
    """What a reader should know before the details."""

    says: str  # what the paper reports
    found: str  # what came out here
    advice: str  # what that means for a user
    lead: str  # the one picture to see, as 1-simple
    departures: tuple[str, ...]  # where our experiments are not the paper's


@dataclass(frozen=True)
class Paper:
    """Everything of a paper that is reproduced, with the paper's own number of trials."""

    key: str
    title: str
    trials: int
    figures: tuple[Figure | Tabulation, ...]
    story: Story

    def experiment(self, figure: Figure, panel: PaperPanel, trials: int | None = None) -> Experiment:
        """The experiment of a panel, with so many trials, of which a slow panel takes no more than its own.

        Without a number of trials each panel has its own, or the paper's.
        """
        own = panel.trials or self.trials
        seeds = range(own if trials is None else min(trials, own) if own < self.trials else trials)
        return Experiment(f"{self.key}-{figure.key}{panel.key}", panel.arms, tuple(seeds))


def named(key: str) -> str:
    """Figure 1 for the key 1, Table 1 for table-1."""
    kind, _, number = key.rpartition("-")
    return f"{kind.capitalize() or 'Figure'} {number}"

"""A paper's experiments as data: figures of panels, panels of arms, and what the paper says came out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from belated.experiments import MEASURES, Arm, Experiment, Results
from belated.space import Array

DrawingStyle = Literal["curves", "logarithmic curves", "costs", "times"]
RegretMeasure = Literal["average", "minimum", "simple", "cumulative"]
Span = Literal["after the last round", "over all rounds"]
Relation = Literal["below", "level"]


# As good as, and as many times as fast: a tenth more, and half an order of magnitude.
COMPARABLE = 1.1
TENFOLD = 10.0**-0.5


class Claimed(Protocol):
    """What the paper reports of two arms of one panel: a number of each trial is smaller for the first, or about equal.

    With `relation` "level" it is about equal.
    """

    relation: ClassVar[Relation]

    @property
    def labels(self) -> tuple[str, str]:
        """The arms compared; the one with the smaller number first."""

    @property
    def span(self) -> Span:
        """The span of which the paper speaks."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans over which it is judged."""

    @property
    def words(self) -> str:
        """The claim as a page has it."""

    def numbers(self, results: Results, span: Span) -> tuple[Array, Array]:
        """What is compared: a number of each trial for the first arm, and for the second. (trials,) each"""


@dataclass(frozen=True)
class Claim:
    """One curve lies below another, or below `factor` times the other, at their ends unless the paper says otherwise.

    Sums and averages hold the rounds before in themselves. The best so far is compared both ways, since in the end
    every policy may have found the optimum; `span` is the one of which the paper speaks.
    """

    relation: ClassVar[Relation] = "below"

    lower: str  # labels of arms
    higher: str
    measure: RegretMeasure
    span: Span = "after the last round"
    factor: float = 1.0

    @property
    def labels(self) -> tuple[str, str]:
        """The curves compared."""
        return self.lower, self.higher

    @property
    def spans(self) -> tuple[Span, ...]:
        """The spans over which it is judged."""
        both = self.measure in ("simple", "minimum")
        return ("after the last round", "over all rounds") if both else (self.span,)

    @property
    def words(self) -> str:
        """The claim as a page has it."""
        return f"{self.lower} < {_times(self.factor)}{self.higher}, {MEASURES[self.measure].title}"

    def numbers(self, results: Results, span: Span) -> tuple[Array, Array]:
        """The regrets in the end, or on average over the rounds."""
        lower, higher = (_over(span, results[label].measure(self.measure)) for label in self.labels)
        return lower, self.factor * higher


@dataclass(frozen=True)
class LevelClaim:
    """Two curves are level over this span."""

    relation: ClassVar[Relation] = "level"

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

    @property
    def words(self) -> str:
        """The claim as a page has it."""
        return f"{self.first} ≈ {self.second}, {MEASURES[self.measure].title}"

    def numbers(self, results: Results, span: Span) -> tuple[Array, Array]:
        """The regrets in the end, or on average over the rounds."""
        first, second = (_over(span, results[label].measure(self.measure)) for label in self.labels)
        return first, second


@dataclass(frozen=True)
class TimeClaim:
    """A run of one arm takes less than `factor` times the seconds of another."""

    relation: ClassVar[Relation] = "below"

    lower: str  # labels of arms
    higher: str
    factor: float = 1.0
    span: Span = "over all rounds"

    @property
    def labels(self) -> tuple[str, str]:
        """The arms compared."""
        return self.lower, self.higher

    @property
    def spans(self) -> tuple[Span, ...]:
        """The whole run."""
        return (self.span,)

    @property
    def words(self) -> str:
        """The claim as a page has it."""
        return f"{self.lower} < {_times(self.factor)}{self.higher}, seconds a run"

    def numbers(self, results: Results, span: Span) -> tuple[Array, Array]:
        """The seconds of each run."""
        return results[self.lower].seconds, self.factor * results[self.higher].seconds


@dataclass(frozen=True)
class PaperPanel:
    """One pair of axes: curves of the same problem."""

    key: str
    title: str
    arms: tuple[Arm, ...]
    measures: tuple[RegretMeasure, ...]
    claims: tuple[Claimed, ...] = ()
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


def _times(factor: float) -> str:
    return "" if factor == 1.0 else f"{factor:.2g} × "


def _over(span: Span, values: Array) -> Array:
    """Of each trial the last value, or the mean over the rounds. (trials,)"""
    return np.asarray(values[:, -1] if span == "after the last round" else np.nanmean(values, axis=1))

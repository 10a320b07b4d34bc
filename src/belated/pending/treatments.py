"""How queries still unanswered shape the belief we decide with.

Each treatment gives every unanswered query a value, or none, and conditions the prior on the result. A value that
equals the belief's own mean leaves the mean as it is and narrows the deviation: that is hallucination. A value that a
treatment gives counts as one measurement; answers keep the errors that were told of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeVar, runtime_checkable

import numpy as np

from belated.beliefs import Belief, Expecting, Imagine, Mixture
from belated.checks import require_count, require_number
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.log import FOREVER, Window, as_window
from belated.space import Array, Mask

B = TypeVar("B", bound=Belief)


class Treatment(Protocol):
    """How queries still unanswered shape the belief we decide with."""

    @property
    def window(self) -> Window:
        """How long an answer is waited for."""

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B | Mixture:
        """The belief to decide with: of the prior's own kind, or a mixture of such."""


@runtime_checkable
class Settling(Protocol):
    """A treatment for which silence says something even when nothing is decided: what is lost counts."""

    def settled(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief from the answers, and from the queries that are waited for no longer."""


@runtime_checkable
class LeavingOpen(Protocol):
    """A treatment under which some unanswered queries keep values that nobody knows: rules may weigh what they are."""

    def open_mask(self, evidence: Evidence) -> Mask:
        """The rows of those queries."""


@dataclass(frozen=True)
class Ignore:
    """Unanswered queries leave no trace: μ and σ from the answers alone, in the order of their arrival."""

    window: Window = FOREVER

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", as_window(self.window, "Ignore"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return "leave no trace"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief from the answers alone."""
        return prior.condition(*evidence.arrivals())


@dataclass(frozen=True)
class Hallucinate:
    """Unanswered queries count as answered with the mean that the answers give [desautels2014, section 4.1].

    The mean stays that of the answers, μ_fb; the deviation is that of all asked points, σ_{t−1}. A query past the
    window keeps its place: it may still be under way, and nothing is asked on top of it until it is abandoned.
    """

    window: Window = FOREVER

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", as_window(self.window, "Hallucinate"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return "count as answered with what is expected of them"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief with the mean from answers and the deviation from all asked points."""
        return with_imagined(prior, evidence, own_mean)


@dataclass(frozen=True)
class Open:
    """Unanswered queries keep values that nobody knows yet: f there is as open as the answers leave it.

    The belief is that from the answers alone. A rule that looks for more than the best so far counts f at these points
    among what may be the best [balandat2020]; other rules see nothing of them. A query past the window keeps its place.
    Where the study says what silence means, a query may never be answered, and all of them are hallucinated.
    """

    window: Window = FOREVER

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", as_window(self.window, "Open"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return "count with every value that they may turn out to have"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief from the answers alone."""
        if evidence.silence is None:
            return prior.condition(*evidence.arrivals())
        return with_imagined(prior, evidence, own_mean)

    def open_mask(self, evidence: Evidence) -> Mask:
        """The rows of unanswered queries."""
        pending = evidence.pending_mask
        return pending if evidence.silence is None else np.zeros_like(pending)


@dataclass(frozen=True)
class Rehallucinate:
    """Unanswered queries count as answered with the mean of one query ago, to which older hallucinations are answers.

        h_t(s) = μ(x_s | the answers at query t − 1, and h_{t−1} of what was unanswered then).
    So the published code of [verma2022] has its baselines, where [desautels2014] takes the mean from the answers alone.
    Unlike that code, it keeps to the hyperparameters of now all along, and fits them to answers alone.
    """

    window: Window = FOREVER

    def __post_init__(self) -> None:
        object.__setattr__(self, "window", as_window(self.window, "Rehallucinate"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return "count as answered with what was expected of them before, over and over"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief with hallucinations that build on earlier ones."""
        belief = prior
        for number in range(1, evidence.n_asked + 2):
            seen = evidence.before(number)
            rows = seen.answered_mask | seen.pending_mask
            told, missing = seen.by_row(rows), seen.pending_mask[rows]
            expected = own_mean(belief, told.points[missing]) if missing.any() else 0.0
            belief = prior.condition(*told.filled(missing, expected))
        return belief


@dataclass(frozen=True)
class Nearest:
    """Unanswered queries count as the mean of the posterior means at the k nearest answers [verma2022, footnote 3].

    Near is meant in the unit cube. With fewer than k answers all of them count; with none, the prior mean does.
    """

    k: int = 5
    window: Window = FOREVER

    def __post_init__(self) -> None:
        require_count("Nearest", "k", self.k)
        object.__setattr__(self, "window", as_window(self.window, "Nearest"))

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief with unanswered queries filled in by their neighbours."""
        answered = evidence.points[evidence.answered_mask]

        def neighbourly(known: Expecting, points: Array) -> Array:
            if not len(answered):
                return known.moments(points).mean
            means = known.moments(answered).mean
            distances = np.linalg.norm(points[:, None, :] - answered[None, :, :], axis=2)
            nearest = np.argsort(distances, axis=1, kind="stable")[:, : self.k]
            return np.asarray(means[..., nearest].mean(axis=-1))

        return with_imagined(prior, evidence, neighbourly)


@dataclass(frozen=True)
class Censor:
    """Unanswered queries count as answered with the smallest value of f, the floor [verma2022, eq. 1].

        ỹ_s = y_s 1{d_s ≤ min(m, age of s)},  values shifted so that the floor is 0,
    with m the window and d_s the delay. The prior mean is the floor too, as in the paper, which has it at 0. A floor
    of None is learned: the smallest answer so far. Queries past the window keep the floor; an answer that comes
    after it is "discard"ed as in the paper, or "accept"ed, as always where the study says what silence means.
    """

    window: Window = FOREVER
    floor: float | None = None
    late: Literal["accept", "discard"] = "accept"

    def __post_init__(self) -> None:
        if self.late not in ("accept", "discard"):
            raise ParameterError(f"Censor(late={self.late!r}): a late answer is 'accept'ed or 'discard'ed.")
        if self.floor is not None:
            require_number("Censor", "floor", self.floor)
        object.__setattr__(self, "window", as_window(self.window, "Censor"))

    def describe(self) -> str:
        """What becomes of pending queries, in words."""
        return "count as the worst value until their answers come"

    def __call__(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief in which silence is the floor."""
        counted = evidence.answered_mask
        if self.late == "discard" and evidence.silence is None:
            counted = counted & ~evidence.late_mask(self.window)
        floor = floor_of(self.floor, evidence)
        rows = evidence.answered_mask | evidence.pending_mask
        return prior.with_mean(floor).condition(*evidence.by_row(rows).filled(~counted[rows], floor))

    def settled(self, prior: B, evidence: Evidence, now: float) -> B:
        """The belief from all answers, late ones too, in which a query past the window is the floor."""
        floor = floor_of(self.floor, evidence)
        known = prior.with_mean(floor).condition(*evidence.arrivals())
        lost = evidence.points[evidence.overdue_mask(self.window, now)]
        return known.condition(lost, np.full(len(lost), floor)) if len(lost) else known


def floor_of(given: float | None, evidence: Evidence) -> float:
    """The smallest value of f, in inside units: as given, or the smallest answer so far."""
    if given is not None:
        return evidence.inward(given)
    answers = evidence.values[evidence.answered_mask]
    return float(answers.min()) if len(answers) else 0.0


def own_mean(known: Expecting, points: Array) -> Array:
    """The mean that is believed already. (…, m)"""
    return known.moments(points).mean


def with_imagined(prior: B, evidence: Evidence, imagine: Imagine) -> B:
    """The belief after the answers and, in the order asked, values imagined for all that have none yet."""
    known = prior.condition(*evidence.arrivals())
    pending = evidence.pending_mask
    if not pending.any():
        return known
    rows = evidence.answered_mask | pending
    expected = imagine if evidence.silence is None else _after_waiting(evidence, evidence.silence, imagine)
    return prior.completed(known, evidence.by_row(rows), pending[rows], expected)


def _after_waiting(evidence: Evidence, silence: float, imagine: Imagine) -> Imagine:
    """What is expected of pending queries that have been silent for a while, where silence means s.

    If a share P of queries is answered, and c of the answers would have come by now, one still is with probability
    P (1 − c)/(1 − P c). What was expected of it, v = P e + (1 − P) s, is then s + (v − s) (1 − c)/(1 − P c).
    """
    _, come = evidence.come_shares()
    values = evidence.arrivals().values
    answered = (np.count_nonzero(values != silence) + 1.0) / (len(values) + 2.0)
    left = (1.0 - come) / (1.0 - answered * come)

    def expected(known: Expecting, points: Array) -> Array:
        return silence + (imagine(known, points) - silence) * left

    return expected

"""How many deviations above the mean an upper confidence bound reaches.

A width is √β_t of [desautels2014] or ν_t of [verma2022]. The schedules that carry a guarantee are wide; the papers'
own experiments multiply β_t by a small `premultiplier`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np

from belated.checks import require_count, require_number
from belated.errors import ParameterError
from belated.log import Window
from belated.rules.needs import Need, needs_of
from belated.rules.situation import Situation
from belated.space import Candidates


class Width(Protocol):
    """How many deviations count as plausible."""

    def __call__(self, situation: Situation) -> float:
        """The width for the query about to be asked."""


@dataclass(frozen=True)
class Constant:
    """The same width always."""

    value: float = 2.0

    def __post_init__(self) -> None:
        require_number("Constant", "value", self.value, low=0)

    def describe(self) -> str:
        """How far it reaches, in words."""
        return f"{self.value:g} deviations"

    def __call__(self, situation: Situation) -> float:
        """The value, whatever the situation."""
        return self.value


@dataclass(frozen=True)
class Finite:
    """√(premultiplier · α_{fb+1}) with α_t = 2 log(|D| t² π² / (6 δ)) for a finite set [desautels2014, theorem 2.1].

    GP-BUCB keeps the guarantee with exp(2C) as `premultiplier`, C the `information` of B − 1 points [corollary 3]. With
    contexts, |D| counts the candidates in the context of the ask, where regret is paid; for bounds in all of |Z|
    contexts at once, |Z||D| in its place, give δ/|Z|.
    """

    needs: ClassVar = frozenset({Need.TABLE})

    delta: float = 0.1
    premultiplier: float = 1.0

    def __post_init__(self) -> None:
        _check_schedule("Finite", self.delta, self.premultiplier)

    def __call__(self, situation: Situation) -> float:
        """The width after fb answers."""
        assert isinstance(situation.domain, Candidates), "it counts the candidates"
        t = situation.answers + 1
        alpha = 2.0 * np.log(len(situation.domain) * t**2 * np.pi**2 / (6.0 * self.delta))
        return float(np.sqrt(self.premultiplier * alpha))


@dataclass(frozen=True)
class Lipschitz:
    """√(premultiplier · α_t) for a box and sample paths with bounded derivatives [desautels2014, theorem 2.2].

        α_t = 2 log(2 t² π² / (3 δ)) + 2 d log(t² d b √log(4 d a / δ)),
    where Pr(sup |∂f/∂x_j| > L) ≤ a exp(−(L/b)²) in the unit cube.
    """

    a: float = 1.0
    b: float = 1.0
    delta: float = 0.1
    premultiplier: float = 1.0

    def __post_init__(self) -> None:
        _check_schedule("Lipschitz", self.delta, self.premultiplier)
        require_number("Lipschitz", "a", self.a, above=0)
        require_number("Lipschitz", "b", self.b, above=0)

    def __call__(self, situation: Situation) -> float:
        """The width for query t."""
        d, t = situation.domain.dimension, situation.number
        if self.a < self.delta / (4 * d):
            raise ParameterError(
                f"Lipschitz(a={self.a!r}): the theorem needs a ≥ δ/(4d) = {self.delta / (4 * d):.3g}; give a larger a."
            )
        reach = self.b * np.sqrt(np.log(4 * d * self.a / self.delta))
        alpha = 2.0 * np.log(2.0 * t**2 * np.pi**2 / (3.0 * self.delta)) + 2.0 * d * np.log(t**2 * d * reach)
        return float(np.sqrt(self.premultiplier * max(alpha, 0.0)))


@dataclass(frozen=True)
class AverageLipschitz:
    """√(premultiplier · β_t) for a box and expected regret, across contexts too [huang2024, theorems 1 and 2].

        β_t = 2 log(t²/√(2π)) + 2 D_x log(t² D_x a b r √π / 2),
    where Pr(sup |∂f/∂x_j| > L) ≤ a exp(−(L/b)²) in a cube of side r, here 1, and D_x counts the columns of the point.
    As the bound is one of an expectation, no δ is in it.
    """

    a: float = 1.0
    b: float = 1.0
    premultiplier: float = 1.0

    def __post_init__(self) -> None:
        require_number("AverageLipschitz", "a", self.a, above=0)
        require_number("AverageLipschitz", "b", self.b, above=0)
        require_number("AverageLipschitz", "premultiplier", self.premultiplier, low=0)

    def __call__(self, situation: Situation) -> float:
        """The width for query t."""
        d, t = situation.domain.dimension, situation.number
        of_points = 2.0 * d * np.log(t**2 * d * self.a * self.b * np.sqrt(np.pi) / 2.0)
        beta = 2.0 * np.log(t**2 / np.sqrt(2.0 * np.pi)) + of_points
        return float(np.sqrt(self.premultiplier * max(beta, 0.0)))


@dataclass(frozen=True)
class BoundedNorm:
    """√(premultiplier · α_{fb+1}) with α_t = 2 M + 300 γ_t log³(t/δ), M ≥ ‖f‖² [desautels2014, theorem 2.3].

    γ_t is replaced by its upper bound from greedy uncertainty sampling. In a box that is an estimate for up to 512
    answers, and the width carries no guarantee; on a table it does.
    """

    squared_norm: float = 1.0
    delta: float = 0.1
    premultiplier: float = 1.0

    def __post_init__(self) -> None:
        _check_schedule("BoundedNorm", self.delta, self.premultiplier)
        require_number("BoundedNorm", "squared_norm", self.squared_norm, low=0)

    def __call__(self, situation: Situation) -> float:
        """The width after fb answers."""
        t = situation.answers + 1
        gamma = situation.maximum_information(t)
        alpha = 2.0 * self.squared_norm + 300.0 * gamma * np.log(t / self.delta) ** 3
        return float(np.sqrt(self.premultiplier * alpha))


@dataclass(frozen=True)
class Martingale:
    """β_t = B_f + (R + B_y) √(2 (γ_{t−1} + 1 + log(2/δ))), the theory's base of ν_t [verma2022, eq. 2].

    Thompson sampling has log(4/δ) there [verma2022, appendix A.3]: give δ/2. In a box γ_{t−1} is an estimate for up to
    512 queries, and the width carries no guarantee.
    """

    norm: float = 1.0
    noise: float = 1.0
    bound: float = 1.0
    delta: float = 0.1

    def __post_init__(self) -> None:
        _check_schedule("Martingale", self.delta, 1.0)
        for name in ("norm", "noise", "bound"):
            require_number("Martingale", name, getattr(self, name), low=0)

    def __call__(self, situation: Situation) -> float:
        """The width for query t."""
        gamma = situation.maximum_information(situation.number - 1)
        spread = np.sqrt(2.0 * (gamma + 1.0 + np.log(2.0 / self.delta)))
        return float(self.norm + (self.noise + self.bound) * spread)


@dataclass(frozen=True)
class Delayed:
    """ν_t = B_y Σ_{s=t−m}^{t−1} σ_{t−1}(x_s) + β_t, wider while recent queries are uncertain [verma2022, eq. 2].

    The sum runs over the queries that the window still holds. B_y bounds the answers above their floor; the theory
    has k(x, x) ≤ 1, so without a `bound` both are in units of the prior deviation and B_y is 1, as in the paper's
    experiments; a `bound` that is given is taken as it is, in the units of the answers.
    """

    window: Window
    bound: float | None = None
    base: Width = field(default_factory=lambda: Constant(1.0))

    def __post_init__(self) -> None:
        if not isinstance(self.window, Window) or not callable(self.base):
            raise ParameterError(
                f"Delayed(window={self.window!r}, base={self.base!r}): give a bl.Window and a width, as Constant(1.0)."
            )
        if self.bound is not None:
            require_number("Delayed", "bound", self.bound, low=0)

    def describe(self) -> str:
        """How far it reaches, in words."""
        return "more deviations the less certain recent queries are"

    @property
    def needs(self) -> frozenset[Need]:
        """What the base needs."""
        return needs_of(self.base)

    def __call__(self, situation: Situation) -> float:
        """The width for query t."""
        recent = situation.past.recent(self.window)
        uncertainty = float(situation.belief.deviation(recent).sum()) if len(recent) else 0.0
        bound = 1.0 / situation.prior.scale if self.bound is None else self.bound
        return bound * uncertainty + self.base(situation)


@dataclass(frozen=True)
class Simultaneous:
    """β̃ = C_k + ratio √(2 log(4 R |X| / δ)), valid for all candidates and all R rounds [vakili2023, theorem 6.1].

    `norm` is C_k, a bound of the norm of f; `ratio` is σ/λ, the noise over the ridge. A rule in rounds refuses a number
    of rounds that is smaller than that of its own.
    """

    needs: ClassVar = frozenset({Need.TABLE})

    rounds: int
    norm: float = 1.0
    ratio: float = 1.0
    delta: float = 0.01

    def __post_init__(self) -> None:
        _check_schedule("Simultaneous", self.delta, 1.0)
        require_number("Simultaneous", "norm", self.norm, low=0)
        require_number("Simultaneous", "ratio", self.ratio, low=0)
        require_count("Simultaneous", "rounds", self.rounds)

    def __call__(self, situation: Situation) -> float:
        """The width of every round."""
        size = len(situation.candidates)
        return float(self.norm + self.ratio * np.sqrt(2.0 * np.log(4.0 * self.rounds * size / self.delta)))


@dataclass(frozen=True)
class Alternating:
    """w_t = far for every odd query t, and near for every even one: look around, use what is known, look around, …

    No theorem stands behind it. Among queries that wait together for their answers there are always some of either
    kind, whatever comes back of them and when.
    """

    near: float = 0.5
    far: float = 2.0

    def __post_init__(self) -> None:
        require_number("Alternating", "near", self.near, low=0)
        require_number("Alternating", "far", self.far, low=0)

    def describe(self) -> str:
        """How far it reaches, in words."""
        return f"in turn {self.far:g} and {self.near:g} deviations"

    def __call__(self, situation: Situation) -> float:
        """The width for query t."""
        return float(self.far if situation.number % 2 else self.near)


def _check_schedule(part: str, delta: float, premultiplier: float) -> None:
    require_number(part, "delta", delta, above=0, below=1)
    require_number(part, "premultiplier", premultiplier, low=0)

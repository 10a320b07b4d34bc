"""A policy is a composition of four parts, and a decision is a function of the log.

belief (what we think f is) × treatment (how unanswered queries enter it)
× rule (which point is most worth asking) × pacing (whether to ask at all now)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from belated.beliefs import Memory
from belated.errors import ParameterError, UnsupportedError
from belated.log import Balk, History, Window
from belated.pacing import Pacing
from belated.pending import Treatment
from belated.rules import Choice, Model, Rule, Situation, point_of
from belated.space import Array, Candidates, Context, Domain


@dataclass(frozen=True)
class Recipe:
    """How to build a policy again: its name and parameters, as JSON values."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The recipe as it is kept in the log."""
        return {"name": self.name, "parameters": dict(self.parameters)}


@dataclass(frozen=True)
class Policy:
    """Four parts that decide together."""

    belief: Model
    treatment: Treatment
    rule: Rule
    pacing: Pacing
    needs_table: bool = False
    recipe: Recipe | None = field(default=None, compare=False)

    @property
    def window(self) -> Window:
        """How long this policy waits for an answer."""
        return self.treatment.window

    def __post_init__(self) -> None:
        if not callable(getattr(self.belief, "prior", None)):
            raise ParameterError(
                f"policy(belief={self.belief!r}): a belief is described by bl.GP(…) and the like; give one."
            )

    def check(self, call: str, domain: Domain, context: Context | None = None) -> None:
        """Refuse a space on which the policy cannot work."""
        self.belief.prior(History.empty(domain, context), Memory())
        if self.needs_table and not isinstance(domain, Candidates):
            name = self.recipe.name if self.recipe else "this policy"
            raise UnsupportedError(
                f"{call}: got a box as the space for {name!r}, which looks at every candidate; it needs a finite set; "
                f"give a bl.Candidates table, for instance a grid over the box."
            )

    def situation(
        self, history: History, now: float, seed: int, memory: Memory, context: Array | None = None
    ) -> Situation:
        """The moment of a study, as this policy's parts see it."""
        encoded = np.empty(0) if context is None else context
        return Situation(self.belief, self.treatment, history, now, seed, memory, encoded)

    def decide(
        self, history: History, now: float, seed: int, memory: Memory, context: Array | None = None
    ) -> Choice | Balk:
        """What to ask now, or a balk; a function of its arguments, whatever the memory holds."""
        situation = self.situation(history, now, seed, memory, context)
        choice = cache(lambda: self.rule.choose(situation))
        waiting = history.points[history.waiting_rows(self.window, now)]
        reason = self.pacing(situation, waiting, lambda: point_of(choice()))
        return choice() if reason is None else Balk(reason)

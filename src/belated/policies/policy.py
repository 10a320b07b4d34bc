"""A policy is a composition of four parts, and a decision is a function of the log.

belief (what we think f is) × treatment (how unanswered queries enter it)
× rule (which point is most worth asking) × pacing (whether to ask at all now)

Where contexts are seen only after the decision, a fifth part, the aim, says what is made of those that may come. A
reading says on which scale the belief takes answers in, if not as they are. A policy that adapts composes itself anew
at every decision; what it makes of the log is a function of it, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from belated.beliefs import Memory
from belated.contexts import placed_history
from belated.delays import learned_window
from belated.errors import ParameterError, UnsupportedError, Way
from belated.log import Balk, History, Learned, Window
from belated.pacing import Pacing
from belated.pending import Treatment
from belated.rules import Aim, Choice, Model, Repetition, Rule, Situation, point_of
from belated.space import Array, Candidates, Context, Domain

Part = TypeVar("Part")
Adapt = Callable[[History, float], "Policy"]
Reading = Callable[[History, Memory], History]


@dataclass(frozen=True)
class Recipe:
    """How to build a policy again: its name and parameters, as JSON values."""

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    excess: str | None = field(default=None, compare=False)  # which number is larger than is taken today

    def to_json(self) -> dict[str, Any]:
        """The recipe as it is kept in the log."""
        return {"name": self.name, "parameters": dict(self.parameters)}


@dataclass(frozen=True)
class Policy:
    """Four parts that decide together, and an aim where contexts are seen after the decision."""

    belief: Model
    treatment: Treatment
    rule: Rule
    pacing: Pacing
    aim: Aim | None = None
    reading: Reading | None = None  # the scale on which answers are read; None: as they are
    repeats: Repetition | None = None  # which points may be asked again; None: any
    blind: bool = False  # contexts seen after the decision are left out
    needs_table: bool = False
    adapt: Adapt | None = None  # composes the policy of a moment; the parts here are what it begins with
    reasons: tuple[str, ...] = field(default=(), compare=False)  # why it is composed so, where it chose itself
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
        if not _is_part(self.treatment) or not isinstance(getattr(self.treatment, "window", None), Window):
            raise ParameterError(
                f"policy(treatment={self.treatment!r}): a treatment is one of bl.pending, as bl.pending.Hallucinate(); "
                f"give one."
            )
        if not _is_part(self.pacing):
            raise ParameterError(
                f"policy(pacing={self.pacing!r}): a pacing is one of bl.pacing, as bl.pacing.Always(); give one."
            )

    @property
    def adapts(self) -> bool:
        """Whether what decides depends on the log."""
        return self.adapt is not None or isinstance(self.window, Learned)

    def at(self, history: History, now: float) -> Policy:
        """The policy that decides at this moment: composed for it, and its window learned, where it does so."""
        policy = self if self.adapt is None else replace(self.adapt(history, now), recipe=self.recipe)
        if not isinstance(policy.window, Learned):
            return policy
        window = learned_window(history, now)
        parts = {name: _with_window(getattr(policy, name), window) for name in ("treatment", "rule", "pacing")}
        return replace(policy, **parts)

    def _require_affordable(self) -> None:
        """Refuse to decide by numbers from a log that would cost more than is taken today."""
        if self.recipe is not None and self.recipe.excess is not None:
            raise ParameterError(
                f"{self.recipe.excess} The log has that from an earlier release; change(policy=…) to a smaller number "
                f"and go on; all else, answers and exports too, needs no change."
            )

    def check(self, call: str, domain: Domain, context: Context | None = None) -> None:
        """Refuse a space or a context with which the policy cannot work."""
        self._require_affordable()
        self.at(History.empty(domain, context), 0.0)._check(call, domain, context)

    def _check(self, call: str, domain: Domain, context: Context | None) -> None:
        self.check_context(call, context)
        given = context.given() if context is not None and self.aim is not None else context
        prior = self.belief.prior(History.empty(domain, given), Memory())
        if context is not None and self.aim is not None:
            # A law that does not fit the context, or a package that is missing, is to be seen now, not at a later ask.
            self.aim.views(np.empty((0, context.space.dimension)), context.space, prior, np.random.default_rng(0))
        if self.needs_table and not isinstance(domain, Candidates):
            raise UnsupportedError(
                f"{call}: got a box as the space for {self._name!r}, which looks at every candidate; it needs a finite "
                f"set; ",
                Way("table", (), "give a bl.Candidates table, for instance a grid over the box"),
                ".",
            )

    def check_context(self, call: str, context: Context | None) -> None:
        """Refuse a context that is seen too late for the policy, or not late enough."""
        name = self._name
        after = context is not None and context.seen == "after"
        if after and self.aim is None and not self.blind:
            raise UnsupportedError(
                f"{call}: got a context seen after the decision, and {name!r} needs it before; give a policy that "
                f"learns the law of contexts, as 'sbo-kde', or one that leaves them out, as 'gp-ucb-blind'."
            )
        if self.aim is not None and not after:
            raise UnsupportedError(
                f"{call}: got {'no context' if context is None else 'a context seen before the decision'}, and "
                f"{name!r} learns the law of contexts seen after it; ",
                Way("seen-after", (), "give context=bl.Context(…, seen='after'), or another policy, as 'gp-bucb'"),
                ".",
            )

    @property
    def _name(self) -> str:
        return self.recipe.name if self.recipe else "this policy"

    def placed(self, history: History, seed: int, memory: Memory) -> History:
        """The history as this policy's belief reads it: over (context, point) where it learns the law of contexts."""
        self._require_affordable()
        placed = history if self.aim is None else placed_history(history, self.aim.law, seed)
        return placed if self.reading is None else self.reading(placed, memory)

    def situation(
        self, history: History, now: float, seed: int, memory: Memory, context: Array | None = None
    ) -> Situation:
        """The moment of a study, as the parts see it of the policy that decides then."""
        policy = self.at(history, now)
        return policy._situation(history, now, seed, memory, context)

    def _situation(self, history: History, now: float, seed: int, memory: Memory, context: Array | None) -> Situation:
        placed = self.placed(history, seed, memory)
        if self.aim is not None:
            seen = history.contexts
            return Situation(self.belief, self.treatment, placed, now, seed, memory, np.empty(0), self.aim, seen)
        encoded = np.empty(0) if context is None else context
        return Situation(self.belief, self.treatment, placed, now, seed, memory, encoded)

    def decide(
        self, history: History, now: float, seed: int, memory: Memory, context: Array | None = None
    ) -> Choice | Balk:
        """What to ask now, or a balk; a function of its arguments, whatever the memory holds."""
        policy = self.at(history, now)
        situation = policy._situation(history, now, seed, memory, context)
        if policy.repeats is not None and policy.aim is None:
            chosen = policy.repeats.chosen(policy.rule, situation)
            if isinstance(chosen, Balk):
                return chosen
            choice = cache(lambda: chosen)
        else:
            choice = cache(lambda: policy.rule.choose(situation))
        waiting = situation.history.points[situation.history.waiting_rows(policy.window, now)]
        reason = policy.pacing(situation, waiting, lambda: point_of(choice()))
        return choice() if reason is None else Balk(reason)


def _with_window(part: Part, window: Window) -> Part:
    """The part with this window wherever one was to be learned."""
    if isinstance(part, Learned):
        return window  # type: ignore[return-value]  # a window in the place of another
    if not is_dataclass(part) or isinstance(part, type):
        return part
    own = {entry.name: getattr(part, entry.name) for entry in fields(part) if entry.init}
    learned = {name: _with_window(value, window) for name, value in own.items()}
    changed = {name: value for name, value in learned.items() if value is not own[name]}
    return replace(part, **changed) if changed else part


def _is_part(part: object) -> bool:
    """Whether it can be called, and is no class that was not."""
    return callable(part) and not isinstance(part, type)

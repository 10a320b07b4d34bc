"""A policy is a composition of parts, and a decision is a function of the log.

belief (what we think f is) × treatment (how unanswered queries enter it)
× rule (which point is most worth asking) × pacing (whether to ask at all now)

Where contexts are seen only after the decision, an aim says what is made of those that may come; a reading says on
which scale the belief takes answers in, and a repetition which points may be asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from belated.beliefs import GP, Features, Memory, TwoParts
from belated.contexts import Aim, LeftOut, placed_evidence
from belated.delays import later
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.log import Balk, Window
from belated.pacing import Pacing
from belated.pending import Treatment
from belated.rules import Anew, Choice, Model, Moment, Need, Repetition, Rule, Situation, needs_of, point_of
from belated.space import Array, Context, Domain

Reading = Callable[[Evidence, Memory], Evidence]


@dataclass(frozen=True)
class Policy:
    """Parts that decide together."""

    belief: Model
    treatment: Treatment
    rule: Rule
    pacing: Pacing
    aim: Aim | LeftOut | None = None  # what is made of contexts seen after the decision; None: there must be none
    reading: Reading | None = None  # the scale on which answers are read; None: as they are
    repeats: Repetition | None = None  # which points may be asked again; None: all that worked
    patience: Window | None = None  # how long silence means nothing; None: as long as the treatment waits

    @property
    def window(self) -> Window:
        """How long this policy waits for an answer."""
        return self.treatment.window if self.patience is None else self.patience

    @property
    def across(self) -> Aim | None:
        """The aim with which points are weighed across contexts that are seen after the decision, if they are."""
        return None if isinstance(self.aim, LeftOut) else self.aim

    @property
    def needs(self) -> frozenset[Need]:
        """What its parts need of a study."""
        return needs_of(self.treatment, self.rule, self.pacing)

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

    def check(self, domain: Domain, context: Context | None) -> None:
        """Refuse a space or a context with which the parts cannot work, and a package that is missing."""
        aim = self.across
        given = context.given() if context is not None and aim is not None else context
        prior = self.belief.prior(Evidence.none(domain, given), Memory())
        if context is not None and aim is not None:
            # A law that does not fit the context, or a package that is missing, is to be seen now, not at a later ask.
            aim.views(np.empty((0, context.space.dimension)), context.space, prior, np.random.default_rng(0))

    def placed(self, evidence: Evidence, now: float, seed: int, memory: Memory) -> Evidence:
        """The evidence as the belief reads it: over (context, point) where the policy learns the law of contexts."""
        aim = self.across
        heard = self.heard(evidence, now)
        placed = heard if aim is None else placed_evidence(heard, aim.law, seed)
        # Ranks would change the mean over answers and silence.
        return placed if self.reading is None or placed.has_silent else self.reading(placed, memory)

    def heard(self, evidence: Evidence, now: float) -> Evidence:
        """The evidence in which silence counts, where the study says what it means."""
        if evidence.silence is None:
            return evidence
        pending = np.flatnonzero(evidence.pending_mask)
        return evidence.counting_silence(self.window, now, 1.0 - later(evidence, now, pending))

    def model(self, evidence: Evidence) -> Model:
        """The belief of this evidence: in two parts where silence counts, if it can be told in one process."""
        return TwoParts(self.belief) if evidence.has_silent and isinstance(self.belief, GP | Features) else self.belief

    def moment(self, evidence: Evidence, now: float, seed: int, memory: Memory, context: Array | None = None) -> Moment:
        """This moment of a study, with all that the parts may ask of it."""
        placed = self.placed(evidence, now, seed, memory)
        aim = self.across
        if aim is not None:
            seen = evidence.contexts
            return Moment(
                self.model(placed), self.treatment, placed, now, seed, memory, np.empty(0), aim, seen, evidence
            )
        encoded = np.empty(0) if context is None else context
        return Moment(self.model(placed), self.treatment, placed, now, seed, memory, encoded, tried=evidence)

    def decide(
        self, evidence: Evidence, now: float, seed: int, memory: Memory, context: Array | None = None
    ) -> Decision:
        """What to ask now, or a balk; a function of its arguments, whatever the memory holds."""
        moment = self.moment(evidence, now, seed, memory, context)
        situation = Situation(moment)
        repeats = Anew() if self.repeats is None or self.across is not None else self.repeats
        if not isinstance(repeats, Anew) or len(moment.unanswered):
            chosen = repeats.chosen(self.rule, moment)
            if isinstance(chosen, Balk):
                return Decision(chosen, self, moment)
            choice = cache(lambda: chosen)
        else:
            choice = cache(lambda: self.rule.choose(situation))
        reason = self.pacing(situation, moment.waiting(self.window), lambda: point_of(choice()))
        return Decision(choice() if reason is None else Balk(reason), self, moment)


@dataclass(frozen=True, eq=False)
class Decision:
    """What an ask came to, the policy that decided it, and the moment at which it did."""

    outcome: Choice | Balk
    policy: Policy
    moment: Moment


def _is_part(part: object) -> bool:
    """Whether it can be called, and is no class that was not."""
    return callable(part) and not isinstance(part, type)

"""The default policy: it looks at the study and composes itself of parts that exist, anew at every decision.

What it sees is what the study seeks, the contexts, how many answers have come, and what the log says of delays; what
it chooses follows from that alone, each choice with its reason in words, which `study.explain()` shows. No theorem
stands behind them: they were compared on simulated studies, as its page in the documentation says.
"""

from __future__ import annotations

from dataclasses import dataclass

from belated.beliefs import GP, Description, HalfRanks
from belated.contexts import Expectation, KernelDensity
from belated.evidence import Evidence
from belated.log import GivenWindow, as_window
from belated.pacing import Always
from belated.pending import ImputeSilence
from belated.policies.parameters import FOR_MANY, MANY, Initial, begin, require_belief, require_initial
from belated.policies.policy import Policy
from belated.policies.recipe import Compose
from belated.policies.registry import policy
from belated.rules import Allowed, Alternating, BoundOrExplore, Initially, Repeats, UpperBound

# Up to this many answers, a fit takes no longer than the search for the next point.
FEW = 200
GIVEN = "The belief is the one that was given."
LEARNED_SILENCE = "only where losses keep to places that promised little does silence count as bad news."
GIVEN_SILENCE = "what silence means was given."
DECLARED_SILENCE = (
    "the study says what silence means, and past the window it counts as that, until an answer comes after all."
)
RANKS = (
    "Answers below the middle count by their ranks where that makes all of them likelier: however bad they are, the "
    "good ones are still told apart."
)
DESIGN = (
    "The first queries spread evenly, in a box until half as many answers have come: without answers a belief asks in "
    "one corner after another."
)
EXPLORATION = (
    "Only the best point in the end counts: once an answer has come, the point with the highest upper bound is asked; "
    "until the next one, those of which least is known where the best may be, so that they tell most."
)
AFTER = "Contexts are seen only after the decision, so that the mean over those to come counts."
WIDTH = Alternating(near=0.5, far=2.0)
# Whether a query is answered is one bit, and tells little: of where to look at all, if the first are few, and of a
# place that is looked at because little is known of it.
WIDTH_OF_SILENCE, DESIGN_OF_SILENCE = Alternating(near=0.5, far=1.0), 20
# The share of the initial design that must be answered before the belief chooses.
ANSWERED = 0.5


@policy("auto")
def auto(
    floor: float | None = None,
    silence: float | None = None,
    window: GivenWindow = "auto",
    belief: Description | None = None,
    initial: Initial = None,
    repeats: Allowed = "if worth it",
) -> Compose:
    """Composed for the study at hand, by its contexts, answers and delays, and again as it goes on."""
    if belief is not None:
        require_belief(belief)
    require_initial(initial)
    return _AutoComposition(ImputeSilence(as_window(window), floor, silence), belief, initial, Repeats(repeats))


@dataclass(frozen=True)
class _AutoComposition:
    """What decides at a moment of a study."""

    treatment: ImputeSilence
    given: Description | None
    initial: int | None
    repeats: Repeats

    def __call__(self, evidence: Evidence, now: float) -> Policy:
        """The policy of this moment."""
        return self.composed(
            _counted(evidence), _seen_after(evidence), evidence.silence is not None, _explores(evidence)
        )

    def composed(self, n_answered: int, seen_after: bool, silent: bool = False, explores: bool = False) -> Policy:
        """The policy after this many answers; silence may be one, and it may explore where the best may be."""
        belief, bounds = self._belief(n_answered), UpperBound(WIDTH_OF_SILENCE if silent else WIDTH)
        rule = BoundOrExplore() if explores else bounds
        initial = DESIGN_OF_SILENCE if silent and self.initial is None else self.initial
        return Policy(
            belief=belief,
            treatment=self.treatment,
            rule=begin(rule, belief, initial, ANSWERED),
            pacing=Always(),
            aim=Expectation(KernelDensity()) if seen_after else None,
            reading=HalfRanks() if self._is_ranked(seen_after) else None,
            repeats=self.repeats,
        )

    def reasons(self, evidence: Evidence) -> tuple[str, ...]:
        """Why it is composed so now."""
        n_answered, seen_after = _counted(evidence), _seen_after(evidence)
        rule = self.composed(n_answered, seen_after).rule
        return (
            GIVEN if self.given is not None else _belief(n_answered)[1],
            *([RANKS] if self._is_ranked(seen_after) and evidence.silence is None else []),
            *([DESIGN] if isinstance(rule, Initially) else []),
            f"A pending query counts as what the answers expect of it, so that the next one goes elsewhere; "
            f"{self._silence(evidence)}",
            EXPLORATION if _explores(evidence) else _bounds(WIDTH if evidence.silence is None else WIDTH_OF_SILENCE),
            *([AFTER] if seen_after else []),
        )

    def _silence(self, evidence: Evidence) -> str:
        if evidence.silence is not None:
            return DECLARED_SILENCE
        return LEARNED_SILENCE if self.treatment.silence is None else GIVEN_SILENCE

    def _belief(self, n_answered: int) -> Description:
        return _belief(n_answered)[0] if self.given is None else self.given

    def _is_ranked(self, seen_after: bool) -> bool:
        # A belief that was given is in the units of the answers, and so is their mean over contexts.
        return self.given is None and not seen_after


def _explores(evidence: Evidence) -> bool:
    """Whether it explores where the best may be, as the best point is all that counts.

    Not where that has no region: where silence means a value, and over contexts to come. Nor once something has failed:
    a bound near the mean comes closer to the border beyond which nothing works, and the best is often there.
    """
    plain = evidence.silence is None and not _seen_after(evidence) and not len(evidence.failed_rows)
    return evidence.seek == "best" and plain


def _bounds(width: Alternating) -> str:
    return (
        f"The point with the highest upper bound is asked: every other time {_deviations(width.far)} above the mean, "
        f"so that the best place is not missed, and else {width.near:g}, so that queries are not wasted."
    )


def _counted(evidence: Evidence) -> int:
    """How many answers count, or at most will: where silence is one, nearly every query has some."""
    return evidence.n_answered if evidence.silence is None else len(evidence)


def _deviations(count: float) -> str:
    return f"{count:g} deviation{'' if count == 1.0 else 's'}"


def _seen_after(evidence: Evidence) -> bool:
    return evidence.context is not None and evidence.context.seen == "after"


def _belief(n_answered: int) -> tuple[Description, str]:
    """The belief after this many answers, and why."""
    if n_answered <= FEW:
        return GP(refit=1), f"Up to {FEW} answers, a Gaussian process is fitted anew with each: it pays most then."
    if n_answered <= MANY:
        return GP(), f"With more than {FEW} answers, one more changes little: a fit comes with every tenth more."
    return (
        FOR_MANY,
        f"With more than {MANY:,} answers an exact process would become slow: random features stand for it, at a cost "
        f"that hardly grows.",
    )

"""What a study sees, what decides, and why: in plain words."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.beliefs import GP, SMALLEST_UNIT, Ensemble, Features, FullyBayesian, Memory
from belated.delays import learned
from belated.evidence import Evidence
from belated.log import FOREVER, Counts, Record, Window
from belated.pacing import Always, Batches, Bounded
from belated.pending import Censor, Doubt, Hallucinate, Ignore
from belated.policies import Policy, Recipe
from belated.rules import Alternating, Anywhere, Constant, Improvement, Initially, Rule, Thompson, UpperBound
from belated.show import card, duration, written
from belated.space import Candidates, Choice, Context, Domain, Int, Space
from belated.study.insight.across import across_text

FITTED = GP()
# So many answers say how large the noise is. A fit to more keeps all cores busy, and on a loaded machine waiting.
ENOUGH = 128


@dataclass(frozen=True)
class Explanation:
    """What a study sees, what decides now, and why, each as names with their words."""

    policy: str
    saw: dict[str, str]
    chose: dict[str, str]
    why: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The explanation as plain values."""
        return {"policy": self.policy, "saw": self.saw, "chose": self.chose, "why": list(self.why)}

    def __str__(self) -> str:
        parts = [f"{self.policy} decides."]
        for title, said in (("What it sees", self.saw), ("What it does", self.chose)):
            parts.append(f"{title}:\n" + "\n".join(f"  {name}: {text}" for name, text in said.items()))
        if self.why:
            parts.append("Why:\n" + "\n".join(f"  {reason}" for reason in self.why))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        rows = [*self.saw.items(), *self.chose.items(), *(("why", reason) for reason in self.why)]
        return card("Explanation", f"{self.policy} decides", rows)


def explanation(recipe: Recipe, policy: Policy, record: Record, now: float, memory: Memory) -> Explanation:
    """What the policy of this moment makes of the study."""
    evidence = Evidence.of(record)
    placed = policy.placed(evidence, evidence.seed, memory)
    saw = {
        "space": _space(record.domain),
        "contexts": _context(record.context),
        "answers": _answers(record.counts),
        "delays": learned(evidence, now).summary() if record.counts.asked else "nothing was asked yet",
        **({"noise": _noise(policy, placed, memory)} if record.n_answers > 1 else {}),
    }
    chose = {
        "belief": _belief(policy.belief),
        **({} if policy.reading is None else {"answers": _reading(policy, placed)}),
        "pending queries": _treatment(policy, placed, now),
        "rule": _rule(policy.rule, policy, placed),
        "pacing": _pacing(policy.pacing),
    }
    return Explanation(str(recipe), saw, chose, recipe.reasons(evidence))


def _space(domain: Domain) -> str:
    if isinstance(domain, Candidates):
        return f"a table of {len(domain):,} candidates with {_count(len(domain.names), 'column')}"
    assert isinstance(domain, Space)
    kinds = [domain[name] for name in domain]
    choices = sum(isinstance(kind, Choice) for kind in kinds)
    whole = sum(isinstance(kind, Int) for kind in kinds)
    said = [("number", len(kinds) - choices - whole), ("whole number", whole), ("choice", choices)]
    return f"{_count(len(kinds), 'parameter')}: " + ", ".join(_count(n, name) for name, n in said if n)


def _context(context: Context | None) -> str:
    if context is None:
        return "none"
    names = ", ".join(context.space.names)
    return f"{names}, {'known before' if context.seen == 'before' else 'seen only after'} the decision"


def _answers(counts: Counts) -> str:
    said = f"{counts.answered} of {_count(counts.asked, 'query', 'queries')}, {counts.waiting} still waited for"
    said = f"{said} and {counts.overdue} no longer" if counts.overdue else said
    return f"{said}, and {counts.added} added" if counts.added else said


def _noise(policy: Policy, placed: Evidence, memory: Memory) -> str:
    values = placed.arrivals().values
    if len(values) < 2:
        return "not known yet"
    if isinstance(policy.rule, Anywhere):
        # Nothing is decided by a belief, and a fit to all answers would be made for this sentence alone.
        noise = FITTED.hyperparameters(placed, memory, most=ENOUGH).noise
    else:
        noise = policy.belief.prior(placed, memory).noise
    deviation, spread = math.sqrt(noise), float(np.std(values))
    if np.ptp(values) > 0.0 and spread <= SMALLEST_UNIT:
        return f"not known: answers that differ by less than {SMALLEST_UNIT:g} count as equal; give a smaller unit"
    share = f", {deviation / spread:.0%} of the spread of the answers" if spread > 0.0 else ""
    return f"a deviation of about {written(deviation, 2)}{share}"


def _belief(belief: object) -> str:
    match belief:
        case GP(known=True):
            return "a Gaussian process with the hyperparameters that were given"
        case GP(kernel=kernel, refit=refit):
            when = "with every tenth more answers" if refit is None else f"with every {_ordinal(refit)}answer"
            return f"a Gaussian process ({kernel}), fitted {when}"
        case Features(count=count):
            return f"a Gaussian process by {count} random features, at a cost that does not grow with the answers"
        case Ensemble(members=members):
            return f"an ensemble of {len(members)} beliefs, weighted by how well each explains the answers"
        case FullyBayesian():
            return "a Gaussian process with many draws of its hyperparameters"
    return _first_words(belief)


def _reading(policy: Policy, placed: Evidence) -> str:
    return "as they are" if placed.scale is None else _first_words(policy.reading).lower()


def _treatment(policy: Policy, placed: Evidence, now: float) -> str:
    treatment = policy.treatment
    waits = _window(treatment.window)
    match treatment:
        case Ignore():
            return "leave no trace"
        case Hallucinate():
            return f"count as answered with what is expected of them, and are counted on {waits}"
        case Censor():
            return f"count as the worst value until their answers come, and are counted on {waits}"
        case Doubt():
            return f"count as what is expected of them, and are counted on {waits}; {_silence(treatment, placed, now)}"
    return _first_words(treatment)


def _silence(treatment: Doubt, placed: Evidence, now: float) -> str:
    given = treatment.silence
    if given is not None:
        bad = "count as bad" if given == 1.0 else f"count as bad with a share of {given:g}"
        return f"those that are lost {bad if given > 0.0 else 'say nothing, and keep their places'}"
    if treatment.meaning(placed, now) > 0.0:
        return "those that are lost count as bad, since they keep to places that promised less"
    return "nothing says that those that are lost are worse than those that came"


def _window(window: Window) -> str:
    if window == FOREVER:
        return "for ever"
    limits = [
        *([_count(window.queries, "further query", "further queries")] if window.queries is not None else []),
        *([duration(window.seconds)] if window.seconds is not None else []),
    ]
    return f"for up to {' or '.join(limits)}"


def _rule(rule: Rule, policy: Policy, placed: Evidence) -> str:
    match rule:
        case Initially():
            rest = _rule(rule.then, policy, placed)
            lasts = rule.lasts(placed.domain, placed.n_asked, placed.n_answered)
            return f"{_design(rule, placed.domain)}, then {rest}" if lasts else rest
        case UpperBound(width=Constant(value=width)):
            return f"the highest upper bound, {width:g} deviations above the mean{_across(policy)}"
        case UpperBound(width=Alternating(near=near, far=far)):
            in_turn = f"in turn {far:g} and {near:g} deviations above the mean"
            return f"the highest upper bound, {in_turn}{_across(policy)}"
        case UpperBound():
            return f"the highest upper bound{_across(policy)}"
        case Improvement():
            return "the highest expected improvement on the best so far"
        case Thompson():
            return "the best point of a function drawn from the belief"
    return _first_words(rule)


def _design(rule: Initially, domain: Domain) -> str:
    first, awaited = rule.length(domain.dimension), rule.awaited(domain)
    until = f" and all others until {_count(awaited, 'answer has come', 'answers have come')}" if awaited else ""
    return f"the first {_count(first, 'query', 'queries')}{until} spread evenly"


def _across(policy: Policy) -> str:
    said = across_text(policy)
    return f", {said}" if said else ""


def _pacing(pacing: object) -> str:
    match pacing:
        case Always():
            return "asks whenever it is asked to"
        case Bounded(limit=limit):
            return f"lets at most {_count(limit, 'query wait', 'queries wait')}"
        case Batches(size=size):
            return f"asks in batches of {size}"
    return _first_words(pacing)


def _first_words(part: object) -> str:
    """What a part says of itself, up to its first stop and without its sources."""
    said = " ".join((inspect.getdoc(type(part)) or type(part).__name__).split("\n\n")[0].split())
    return said.partition(" [")[0].rstrip(".:")


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _ordinal(refit: int) -> str:
    return "" if refit == 1 else f"{refit} further "

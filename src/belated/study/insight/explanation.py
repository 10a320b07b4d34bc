"""What a study sees, what decides, and why: in plain words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from belated.beliefs import GP, SMALLEST_UNIT, Memory, success_chance
from belated.delays import delays_at
from belated.evidence import Evidence
from belated.log import FOREVER, SOUGHT, Counts, Outcomes, Record, Window, outcome_text
from belated.pending import Ignore, Treatment
from belated.policies import Policy, Reading, Recipe
from belated.randomness import Stream, generator
from belated.rules import Anywhere, DescribingNow, Eliminate, Situation, described, words_of
from belated.show import card, counted, duration, written
from belated.space import Candidates, Choice, Context, Domain, Int, Space
from belated.study.insight.across import across_text

FITTED = GP()
# So many answers say how large the noise is. A fit to more keeps all cores busy, and on a loaded machine waiting.
ENOUGH = 128
# So many points say how much of a space works.
LOOKED_AT = 512


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
    placed = policy.placed(evidence, now, evidence.seed, memory)
    saw = {
        "space": _space(record.domain),
        **({"outcomes": _outcomes(record.outcomes)} if record.outcomes.named else {}),
        "what counts": SOUGHT[evidence.seek],
        "contexts": _context(record.context),
        "answers": _answers(record.counts),
        **_failures(evidence, memory),
        "delays": delays_at(evidence, now).summary() if record.counts.asked else "nothing was asked yet",
        **({"noise": _noise(policy, placed, memory)} if record.n_answers > 1 else {}),
    }
    chose = {
        "belief": described(policy.belief, placed, now),
        **({} if policy.reading is None else {"answers": _reading(policy.reading, placed)}),
        "pending queries": _treatment(policy.treatment, placed, now) + _silence(policy, evidence),
        "rule": _rule(policy, placed, now),
        **_survivors(policy, evidence, now, memory),
        "pacing": described(policy.pacing, placed, now),
    }
    return Explanation(str(recipe), saw, chose, recipe.reasons(evidence))


def _space(domain: Domain) -> str:
    if isinstance(domain, Candidates):
        return f"a table of {len(domain):,} candidates with {counted(len(domain.names), 'column')}"
    assert isinstance(domain, Space)
    kinds = [domain[name] for name in domain]
    choices = sum(isinstance(kind, Choice) for kind in kinds)
    whole = sum(isinstance(kind, Int) for kind in kinds)
    said = [("number", len(kinds) - choices - whole), ("whole number", whole), ("choice", choices)]
    return f"{counted(len(kinds), 'parameter')}: " + ", ".join(counted(n, name) for name, n in said if n)


def _context(context: Context | None) -> str:
    if context is None:
        return "none"
    names = ", ".join(context.space.names)
    return f"{names}, {'known before' if context.seen == 'before' else 'seen only after'} the decision"


def _outcomes(outcomes: Outcomes) -> str:
    """What each outcome is for, and which one the rest speaks of."""
    said = "; ".join(f"{name}, {outcome_text(outcome)}" for name, outcome in outcomes.items())
    return f"{said}; what follows is of {outcomes.main}" if len(outcomes) > 1 else said


def _answers(counts: Counts) -> str:
    said = f"{counts.answered} of {counted(counts.asked, 'query', 'queries')}, {counts.waiting} still waited for"
    said = f"{said} and {counts.overdue} no longer" if counts.overdue else said
    said = f"{said}, {counts.failed} failed" if counts.failed else said
    return f"{said}, and {counts.added} added" if counts.added else said


def _failures(evidence: Evidence, memory: Memory) -> dict[str, str]:
    """What failures teach, where there are any."""
    chance = success_chance(evidence, memory)
    if chance is None:
        return {}
    drawn = generator(evidence.seed, Stream.DESIGN, 0)
    points = evidence.domain.sample(LOOKED_AT, drawn)
    if evidence.points.shape[1] > points.shape[1]:
        assert evidence.context is not None, "only contexts have columns of their own"
        points = np.concatenate([evidence.context.space.sample(LOOKED_AT, drawn), points], axis=1)
    works = f"{float(np.exp(chance.values(points)).mean()):.0%}"
    failed = counted(len(evidence.failed_rows), "query has", "queries have")
    what = "the table" if isinstance(evidence.domain, Candidates) else "the space"
    return {
        "failures": f"{failed} failed; by those and the answers, about {works} of {what} works, and a point counts for "
        f"less the likelier it is to fail"
    }


def _noise(policy: Policy, placed: Evidence, memory: Memory) -> str:
    _, values, errors = placed.arrivals()
    if len(values) < 2:
        return "not known yet"
    if errors is not None and errors.told_mask.all():
        low, high = (written(float(end), 2) for end in (errors.sd.min(), errors.sd.max()))
        return f"as told with every answer, deviations of {low} to {high}"
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


def _reading(reading: Reading, placed: Evidence) -> str:
    return "as they are" if placed.scale is None else words_of(reading)


def _treatment(treatment: Treatment, placed: Evidence, now: float) -> str:
    said = words_of(treatment)
    if not isinstance(treatment, Ignore):
        said = f"{said}, and are counted on {_window(treatment.window)}"
    return f"{said}; {treatment.describe_now(placed, now)}" if isinstance(treatment, DescribingNow) else said


def _silence(policy: Policy, evidence: Evidence) -> str:
    if evidence.silence is None:
        return ""
    means = written(evidence.sign * evidence.silence)
    return f"; one that has been waited for {_window(policy.window)} counts as {means}, which no answer means"


def _window(window: Window) -> str:
    if window == FOREVER:
        return "for ever"
    limits = [
        *([counted(window.queries, "further query", "further queries")] if window.queries is not None else []),
        *([duration(window.seconds)] if window.seconds is not None else []),
    ]
    return f"for up to {' or '.join(limits)}"


def _survivors(policy: Policy, evidence: Evidence, now: float, memory: Memory) -> dict[str, str]:
    """How many candidates are left where rounds drop some; with contexts, that depends on the one of the ask."""
    rule = policy.rule
    if not isinstance(rule, Eliminate) or evidence.context is not None:
        return {}
    situation = Situation(policy.moment(evidence, now, evidence.seed, memory))
    alive, ends = rule.survivors(situation), rule.rounds.ends()
    ended = len(rule.rounds.bounds(situation.number)) - 1
    after = f"after {ended} of {counted(len(ends), 'round')}"
    return {"candidates": f"{after}, {np.count_nonzero(alive):,} of {len(alive):,} may still be the best"}


def _rule(policy: Policy, placed: Evidence, now: float) -> str:
    said, across = described(policy.rule, placed, now), across_text(policy)
    return f"{said}, {across}" if across else said

"""A policy by its name and parameters, as the log keeps it, and how it composes itself at every moment.

Most policies are the same composition throughout. One that adapts composes itself anew for every decision; what it
makes of the log is a function of it, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, runtime_checkable

from belated.checks import ceilings_lifted
from belated.delays import silent_after
from belated.errors import ParameterError, UnsupportedError, Way
from belated.evidence import Evidence
from belated.log import FOREVER, Outcomes
from belated.policies.policy import Policy
from belated.rules import Need
from belated.show import written
from belated.space import Candidates, Context, Domain


class Compose(Protocol):
    """How a policy adapts."""

    def __call__(self, evidence: Evidence, now: float) -> Policy:
        """What decides at this moment."""


@runtime_checkable
class Reasoned(Protocol):
    """What can say why it composes as it does."""

    def reasons(self, evidence: Evidence) -> tuple[str, ...]:
        """Why it composes so now, in words."""


@dataclass(frozen=True)
class Recipe:
    """A policy by its name and parameters, as JSON values."""

    name: str
    parameters: Mapping[str, Any]
    composition: Policy | Compose = field(compare=False, repr=False)
    learns_window: bool = field(default=False, compare=False, repr=False)
    excess: str | None = field(default=None, compare=False, repr=False)  # which number is larger than is taken today

    def __str__(self) -> str:
        """The policy as one would write it, with what was given: gp-bucb(window=Window(seconds=600))."""
        return f"{self.name}{_arguments(self.parameters)}"

    def to_json(self) -> dict[str, Any]:
        """The recipe as it is kept in the log."""
        return {"name": self.name, "parameters": dict(self.parameters)}

    @property
    def adapts(self) -> bool:
        """Whether what decides depends on the log."""
        return not isinstance(self.composition, Policy)

    def compose(self, evidence: Evidence, now: float) -> Policy:
        """What decides at this moment."""
        policy = self._composed(evidence, now)
        if evidence.silence is None or not (self.learns_window or policy.window == FOREVER):
            return policy
        return replace(policy, patience=silent_after(evidence, now))

    def _composed(self, evidence: Evidence, now: float) -> Policy:
        if isinstance(self.composition, Policy):
            return self.composition
        # A log past a ceiling of today is read all the same; only `require_affordable` refuses to decide by it.
        with ceilings_lifted() if self.excess is not None else nullcontext():
            return self.composition(evidence, now)

    def beginning(self, domain: Domain, context: Context | None = None) -> Policy:
        """What decides in a study in which nothing has happened."""
        return self.compose(Evidence.none(domain, context), 0.0)

    def reasons(self, evidence: Evidence) -> tuple[str, ...]:
        """Why it is composed as it is, where it chose itself."""
        return self.composition.reasons(evidence) if isinstance(self.composition, Reasoned) else ()

    def require_affordable(self) -> None:
        """Refuse to decide by numbers from a log that would cost more than is taken today."""
        if self.excess is not None:
            raise ParameterError(
                f"{self.excess} The log has that from an earlier release; change(policy=…) to a smaller number "
                f"and go on; all else, answers and exports too, needs no change."
            )

    def check(self, call: str, domain: Domain, context: Context | None = None) -> None:
        """Refuse a space or a context with which the policy cannot work."""
        self.require_affordable()
        policy = self.beginning(domain, context)
        self.check_study(call, domain, context, policy)
        policy.check(domain, context)

    def check_outcomes(self, call: str, outcomes: Outcomes) -> None:
        """Refuse a second objective and constraints, save for a rule that reads no answers."""
        policy = self.composition if isinstance(self.composition, Policy) else None
        if outcomes.required == (outcomes.main,) or (policy and getattr(policy.rule, "takes_any_outcomes", False)):
            return
        others = [name for name in outcomes.required if name != outcomes.main]
        raise UnsupportedError(
            f"{call}: got {', '.join(map(repr, others))} beside {outcomes.main!r}; {self.name!r} takes one objective "
            f"and any signals, and policies of several objectives or constraints are not there yet; ",
            Way("one-objective", (), "make the others bl.Signal(), or give policy='random', which takes any"),
            ".",
        )

    def check_study(self, call: str, domain: Domain, context: Context | None, policy: Policy) -> None:
        """Refuse a study that lacks what the parts that decide need."""
        self._check_context(call, context, policy)
        needs = policy.needs
        if Need.TABLE in needs and not isinstance(domain, Candidates):
            raise UnsupportedError(
                f"{call}: got a box as the space for {self.name!r}, which looks at every candidate; it needs a finite "
                f"set; ",
                Way("table", (), "give a table of candidates, for instance bl.Candidates.over(space, 1000)"),
                ".",
            )
        if Need.BOX in needs and isinstance(domain, Candidates):
            raise UnsupportedError(
                f"{call}: got a table as the space for {self.name!r} with discretise, by which points stand for a box; "
                f"a table has its own; leave discretise out."
            )
        if Need.ONE_CONTEXT in needs and policy.across is not None:
            raise UnsupportedError(
                f"{call}: got {self.name!r}, whose rule decides in one context, and whose contexts are seen only after "
                f"the decision; compose it with UpperBound, Thompson or Explore."
            )

    def _check_context(self, call: str, context: Context | None, policy: Policy) -> None:
        """Refuse a context that is seen too late for what decides, or not late enough."""
        after = context is not None and context.seen == "after"
        if after and policy.aim is None:
            raise UnsupportedError(
                f"{call}: got a context seen after the decision, and {self.name!r} needs it before; give a policy that "
                f"learns the law of contexts, as 'sbo-kde', or one that leaves them out, as 'gp-ucb-blind'."
            )
        if policy.across is not None and not after:
            raise UnsupportedError(
                f"{call}: got {'no context' if context is None else 'a context seen before the decision'}, and "
                f"{self.name!r} learns the law of contexts seen after it; ",
                Way("seen-after", (), "give context=bl.Context(…, seen='after'), or another policy, as 'gp-bucb'"),
                ".",
            )


def _arguments(parameters: Mapping[str, Any]) -> str:
    given = [f"{name}={_argument(value)}" for name, value in parameters.items()]
    return f"({', '.join(given)})" if given else ""


def _argument(value: Any) -> str:
    if isinstance(value, Mapping):
        # Of a part, all fields are kept, and those that say nothing are None.
        said = {name: field for name, field in value.items() if name != "part" and field is not None}
        return f"{value.get('part')}{_arguments(said) or '()'}"
    return written(value) if isinstance(value, float) else repr(value)

"""The contexts over which an expectation is taken, as text."""

from __future__ import annotations

from belated.policies import Policy
from belated.rules import Describing


def across_text(policy: Policy) -> str:
    """The contexts over which a policy's expectation is taken, as text; empty if it is in one context, or there is
    none.
    """
    if policy.across is None:
        return ""
    return policy.across.describe() if isinstance(policy.across, Describing) else "across contexts"

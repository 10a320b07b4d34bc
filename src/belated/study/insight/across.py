"""Over which contexts an expectation is meant, in words."""

from __future__ import annotations

from belated.policies import Policy
from belated.rules import Describing


def across_text(policy: Policy) -> str:
    """Over which contexts a policy's expectation is meant; empty where it is meant in one, or in none."""
    if policy.across is None:
        return ""
    return policy.across.describe() if isinstance(policy.across, Describing) else "across contexts"

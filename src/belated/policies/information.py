"""How much queries could tell about f, the C by which widths grow where answers are late."""

from __future__ import annotations

from belated.beliefs import Description, Memory
from belated.checks import require_count
from belated.errors import ParameterError
from belated.evidence import Evidence
from belated.pacing import Always
from belated.pacing.pacings import MOST_GREEDY
from belated.pending import Ignore
from belated.policies.parameters import require_belief
from belated.policies.policy import Policy
from belated.rules import Explore, Situation
from belated.space import Candidates, Space


def information(space: Space | Candidates, belief: Description, count: int, seed: int = 0) -> float:
    """γ_count in nats: what the best `count` queries could tell about f, none of them answered yet.

    It is the smaller of γ_1 · count and e/(e−1) times what uncertainty sampling tells [desautels2014, section 4.4]. On
    a table that is an upper bound; in a box 512 points, drawn with the seed, stand for all, and it is an estimate.
    With at most B − 1 queries pending, GP-BUCB has the guarantee of the sequential GP-UCB if its width is exp(C) times
    as large, C = γ_{B−1} [desautels2014, corollary 3].
    """
    reason = "what so many queries would tell is computed step by step"
    require_count("information", "count", count, least=0, most=MOST_GREEDY, reason=reason)
    require_belief(belief)
    if not belief.known:
        raise ParameterError(
            f"information(belief={belief!r}): its hyperparameters are to be fitted, and what queries tell depends on "
            f"them; give them, as bl.GP(lengthscale=0.2, variance=1.0, noise=0.01)."
        )
    policy = Policy(belief=belief, treatment=Ignore(), rule=Explore(), pacing=Always())
    return Situation(policy.moment(Evidence.none(space, None), 0.0, seed, Memory())).maximum_information(count)

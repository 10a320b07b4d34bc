"""What a belief said when it had seen only the first of its answers."""

from __future__ import annotations

from dataclasses import replace

from belated.beliefs.belief import Belief
from belated.beliefs.memory import Memory
from belated.beliefs.process.gaussian import GaussianProcess
from belated.evidence import Data


def earlier(belief: Belief, prior: Belief, answers: Data, count: int) -> Belief:
    """The belief after the first `count` of these answers, which made it of the prior; hyperparameters stay.

    The factor of an exact process begins with that of its first answers, so that nothing is computed.
    """
    if isinstance(belief, GaussianProcess) and belief.factor is not None:
        return replace(belief, values=belief.values[:count], factor=replace(belief.factor, size=count))
    return prior.remembering(Memory()).condition(*answers.first(count))

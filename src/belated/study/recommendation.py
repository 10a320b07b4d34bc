"""The point to use now: where the belief from all answers expects most."""

from __future__ import annotations

import numpy as np

from belated.rules import Situation, Stream, mean_alone
from belated.search import MomentScore
from belated.space import Array

# Means closer than this many deviations are equal, and what was tried is preferred to what was not.
EQUAL = 1e-6


def recommended(situation: Situation) -> Array:
    """The point with the highest posterior mean; among equals, one that was answered. (d,)"""
    found = situation.maximise_with(MomentScore(situation.known, mean_alone), situation.random(Stream.SEARCH, 0))
    if situation.context.size or not len(situation.answered):
        return found
    mean, deviation = situation.known.moments(np.concatenate([found[None], situation.answered]))
    tried = int(np.argmax(mean[1:]))
    chosen: Array = situation.answered[tried] if mean[1 + tried] >= mean[0] - EQUAL * deviation[0] else found
    return chosen

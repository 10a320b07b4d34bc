"""Contexts that have not been seen yet, drawn from their law: those of pending queries, and those to come."""

from __future__ import annotations

import numpy as np

from belated.contexts.law import ContextLaw, picked
from belated.evidence import Evidence
from belated.randomness import Stream, generator
from belated.space import Array, Space

# A draw from a law is one of this many points of its sample.
SAMPLES = 1024


def drawn_contexts(law: ContextLaw, seen: Array, space: Space, count: int, rng: np.random.Generator) -> Array:
    """Independent draws from the law, given the contexts seen. (count, c)"""
    points, weights = law.sample(seen, space, SAMPLES, rng)
    return np.asarray(points[rng.choice(len(points), size=count, p=weights)])


def placed_evidence(evidence: Evidence, law: ContextLaw, seed: int) -> Evidence:
    """The evidence over (context, point): a pending query of unknown context counts as asked in one that is drawn.

    Each of these queries has a draw of its own from the law of contexts, which stays the same until another context is
    seen. An answer whose context is unknown does not count until that is told: nothing says where it belongs.
    """
    assert evidence.context is not None, "only a study with contexts has rows to place"
    space, seen, unknown = evidence.context.space, evidence.contexts, evidence.unplaced_rows()
    if not len(unknown):
        return evidence.placed(np.empty((0, space.dimension)))
    points, weights = law.sample(seen, space, SAMPLES, generator(seed, Stream.UNSEEN, len(seen)))
    chances = [generator(seed, Stream.UNSEEN, len(seen), int(row)).random() for row in unknown]
    return evidence.placed(points[picked(weights, np.array(chances))])

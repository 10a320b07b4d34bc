"""How a belief reads answers: as they are, or the worse half of them by their ranks.

Losses reach over orders of magnitude. Beside a few that are very bad, a stationary process takes all good ones for
equal, and it is among those that the best is looked for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs.factor import milestone
from belated.beliefs.fit import LARGEST_FIT, spaced
from belated.log import History, Scale
from belated.space import Array


@dataclass(frozen=True)
class HalfRanks:
    """The better half of the answers as they are, the worse half by their ranks [song2024].

    The i-th worst of n answers is read as m + s Φ⁻¹((i − ½)/n), equals by the mean of their ranks, with m the median
    and s the root mean square of what the better half lies above it: so both halves spread alike. Between two answers
    lies a straight line. Ranks are those among the first answers up to a milestone, so that the scale changes no more
    often than a fit need come; of very many, among some, evenly spaced. What is worse than all is read like the worst.
    """

    def __call__(self, history: History) -> History:
        """The history on the scale of its answers."""
        answers = history.arrivals().values
        scale = half_ranks(answers[spaced(milestone(len(answers)), LARGEST_FIT)])
        return history if scale is None else history.on(scale)


def half_ranks(answers: Array) -> Scale | None:
    """The scale of these answers; None where none is below the median, or none above it."""
    if not len(answers):
        return None
    middle = float(np.median(answers))
    spread = float(np.sqrt(np.mean((answers[answers >= middle] - middle) ** 2)))
    worse, counts = np.unique(answers[answers < middle], return_counts=True)
    if not len(worse) or not spread > 0.0:
        return None
    from scipy.special import ndtri  # as long to import as a whole room, and not every study needs it

    below = np.cumsum(counts) - 0.5 * counts
    images = middle + spread * ndtri(below / len(answers))
    return Scale(np.append(worse, middle), np.append(images, middle))

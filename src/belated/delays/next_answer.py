"""When the next answer can be expected, as far as the answers so far tell."""

from __future__ import annotations

import numpy as np

from belated.evidence import Waits


def until_next_answer(waits: Waits) -> float | None:
    """Seconds until the first of the pending queries has waited as long as half of the answers took.

    A query that has waited longer may be answered at any moment: then it is a tenth of that time. If nothing is waited
    for,
    it is the whole of it; before the first answer, None.
    """
    if not waits.answered_mask.any():
        return None
    usual = float(np.median(waits.seconds.lengths[waits.answered_mask]))
    left = np.maximum(usual - waits.seconds.lengths[waits.pending_mask], usual / 10.0)
    return float(left.min()) if left.size else usual

"""How evenly points fill the unit cube."""

from __future__ import annotations

import numpy as np

from belated.space import Array


def squared_discrepancy(points: Array) -> float:
    """How unevenly the points fill boxes around the centre, Hickernell's centred L2 measure."""
    count, dimension = points.shape
    arm = np.abs(points - 0.5)
    gap = np.abs(points[:, None, :] - points[None, :, :])
    single = np.prod(1 + (arm - arm**2) / 2, axis=1).sum()
    pairs = np.prod(1 + (arm[:, None, :] + arm[None, :, :] - gap) / 2, axis=2).sum()
    return float((13 / 12) ** dimension - 2 * single / count + pairs / count**2)

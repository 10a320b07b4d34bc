"""How much could be learned: the maximum information gain γ_T and bounds of it.

Information is submodular, so greedy uncertainty sampling gains at least (1 − 1/e) γ_T [desautels2014, section 4.4]:
    γ_T ≤ e/(e−1) I_greedy(T),   I_greedy(T) = ½ Σ_{t ≤ T} log(1 + σ_n⁻² max_x σ²_{t−1}(x)).
"""

from __future__ import annotations

import numpy as np

from belated.beliefs.kernels.kernel import Covariance
from belated.space import Array

GREEDY_RATIO = np.e / (np.e - 1.0)


def greedy_gains(kernel: Covariance, noise: float, points: Array, count: int) -> Array:
    """½ log(1 + σ_n⁻² max_x σ²) for each step of uncertainty sampling on these points. (count,)"""
    variance = kernel.diagonal(points)
    rows = np.empty((count, len(points)))
    gains = np.empty(count)
    for step in range(count):
        chosen = int(np.argmax(variance))
        gains[step] = 0.5 * np.log1p(max(variance[chosen], 0.0) / noise)
        row = kernel.gram(points[chosen : chosen + 1], points)[0] - rows[:step, chosen] @ rows[:step]
        row /= np.sqrt(max(variance[chosen], 0.0) + noise)
        rows[step] = row
        variance -= row * row
    return gains

"""How well hyperparameters explain answers by random features: the log marginal likelihood, with its gradient.

With Φ the features of n answers and C = Φ Φᵀ + σ² I, no matrix is larger than n × 2 D:
    A = I + Φᵀ Φ/σ²,   C⁻¹ = (I − Φ A⁻¹ Φᵀ/σ²)/σ²,   log |C| = log |A| + n log σ²,   C⁻¹ Φ = Φ A⁻¹/σ².
With errors C is Φ Φᵀ + N, N diagonal, and all of that holds for S C S, S = σ N^−½, of rows that are scaled by S.
The features that are fitted are those that are used, so the noise takes in what they cannot represent.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np

from belated.beliefs.answer_noise import log_scatter
from belated.beliefs.features.maps import FeatureMaps, placed_maps, sign_tables
from belated.beliefs.features.spectrum import Placed, Spectrum
from belated.beliefs.fitting.likelihood import LogLikelihood, level
from belated.beliefs.kernels.hyperparameters import NOISE, VARIANCE
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import MIDDLE
from belated.beliefs.process.cholesky import Cholesky, steadied
from belated.evidence import Errors
from belated.space import Array


@dataclass(frozen=True)
class FeatureLikelihood:
    """The likelihood of answers under regressions on features with these spectral draws."""

    key: Hashable
    spectrum: Spectrum = field(compare=False)

    def __call__(
        self,
        points: Array,
        values: Array,
        kernel: Kernel,
        noise: float,
        mean: float | None,
        errors: Errors | None = None,
    ) -> LogLikelihood:
        """log N(y; μ 1, Φ Φᵀ + N), for a known prior mean μ or, where None, the most likely one.

        With α = C⁻¹ (y − μ 1), the slopes in the features are ∂value/∂Φ = α αᵀ Φ − C⁻¹ Φ, and those in log θ follow by
        the chain rule. ∂value/∂log σ² is ½ σ² Σᵢ ∂νᵢ/∂σ² (αᵢ² − (C⁻¹)ᵢᵢ); where N = σ² I, it is ½ σ² (αᵀ α − tr C⁻¹)
        with tr C⁻¹ = (n − 2 D + tr A⁻¹)/σ².
        """
        placed = self.spectrum.placed(kernel, points.shape[1])
        maps = placed_maps([kernel], [placed], self.spectrum.count, points.shape[1])
        features = maps(points)[0]
        scales = np.ones(len(values)) if errors is None else np.sqrt(noise / errors.variances(noise))
        scaled = features if errors is None else scales[:, None] * features
        root, _ = steadied("log_marginal_likelihood()", scaled.T @ scaled / noise, 1.0)
        if mean is None:
            mean = level(scales * _solved(root, scaled, noise, scales), values).mean
        residual = values - mean
        alpha = scales * _solved(root, scaled, noise, scales * residual)
        n, width = features.shape
        log_determinant = root.log_determinant + n * np.log(noise) - 2.0 * np.log(scales).sum()
        value = -0.5 * (residual @ alpha + log_determinant + n * np.log(2.0 * np.pi))
        inverse = root.inverse_lower.T @ root.inverse_lower
        solved = scaled @ inverse / noise
        by_feature = np.outer(alpha, alpha @ features) - scales[:, None] * solved
        if errors is None:
            by_noise = 0.5 * (noise * float(alpha @ alpha) - (n - width + float(inverse.trace())))
        else:
            precision = scales**2 * (1.0 - np.einsum("if,if->i", solved, scaled)) / noise
            scatter = log_scatter(errors, noise)
            value += scatter.value
            by_noise = 0.5 * noise * float(errors.shares @ (alpha**2 - precision)) + scatter.slope
        slopes = self._log_slopes(placed, maps, points, features, by_feature)
        return LogLikelihood(float(value), {**slopes, NOISE.name: by_noise}, mean)

    def _log_slopes(
        self,
        placed: list[tuple[Placed, ...]],
        maps: FeatureMaps,
        points: Array,
        features: Array,
        by_feature: Array,
    ) -> dict[str, float]:
        """The slopes in the logarithms of the hyperparameters, given those in the features.

        Φ grows with √variance; an angle is ωᵀ z with z = (x − ½)/ℓ, so that ∂angle/∂log ℓ_k = −ω_k z_k.
        """
        half = features.shape[1] // 2
        shares = by_feature * features
        by_angle = by_feature[:, :half] * features[:, half:] - by_feature[:, half:] * features[:, :half]
        slopes: dict[str, float] = {}
        for term in placed:
            for each in term:
                leaf, stretch = each.leaf, each.stretch
                by_column = -np.einsum("ik,ik->k", points - MIDDLE, by_angle[:, stretch] @ each.frequencies)
                numeric, names = list(leaf.numeric), leaf.kernel.names
                by_scale = by_column[numeric] if len(names.lengthscales) == len(numeric) else [by_column.sum()]
                own = {
                    VARIANCE.name: 0.5 * shares.reshape(len(shares), 2, half)[:, :, stretch].sum(),
                    **dict(zip(names.lengthscales, by_scale, strict=True)),
                    **dict(zip(names.contrasts, self._by_contrast(each, term, maps, points, by_feature), strict=True)),
                }
                for name, slope in own.items():
                    slopes[leaf.prefix + name] = slopes.get(leaf.prefix + name, 0.0) + float(slope)
        return slopes

    def _by_contrast(
        self, each: Placed, term: tuple[Placed, ...], maps: FeatureMaps, points: Array, by_feature: Array
    ) -> list[float]:
        """The slopes in log contrast c: the features with ∂s/∂log c for s."""
        slopes, others = [], sign_tables([other for other in term if other is not each], self.spectrum.count)
        for column, change in each.sign_slopes().items():
            table = np.zeros((len(change), self.spectrum.count))
            table[:, each.stretch] = change * others[column][:, each.stretch] if column in others else change
            signs = tuple((own, table[None] if own == column else tables) for own, tables in maps.signs)
            slopes.append(float(np.sum(by_feature * replace(maps, signs=signs)(points)[0])))
        return slopes


def _solved(root: Cholesky, features: Array, noise: float, right: Array) -> Array:
    """C⁻¹ b, given the factor of A."""
    return np.asarray((right - features @ root.solution(features.T @ right) / noise) / noise)

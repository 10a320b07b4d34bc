"""Regressions on random features that several tests share, with their plain counterparts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from belated.beliefs import Memory, Regressions, SimpleKernel
from belated.beliefs.features.maps import FeatureMaps, feature_maps
from belated.beliefs.features.spectrum import drawn_spectrum
from belated.space import Array
from tests.builders import Domain, kernels_of
from tests.reference.features import PlainRegression, plain_features

FORMS = ("se", "matern12", "matern32", "matern52")
NOISES = (0.04, 0.1, 0.02, 0.3)
MEANS = (0.3, -0.7, 0.0, 1.1)


def maps_of(
    domain: Domain, spectral: int, forms: tuple[str, ...] = FORMS, ard: bool = True, seed: int = 0
) -> FeatureMaps:
    """The features of these kernels, no two of which have the same variance."""
    kernels = kernels_in(domain, forms, ard)
    spectra = [
        drawn_spectrum(kernel, domain.levels, spectral, np.random.default_rng([seed, place]))
        for place, kernel in enumerate(kernels)
    ]
    return feature_maps(kernels, spectra, domain.dimension)


def kernels_in(domain: Domain, forms: tuple[str, ...] = FORMS, ard: bool = True) -> list[SimpleKernel]:
    """Kernels of these forms with variances of their own."""
    return [kernels_of(domain, form, ard)[0].scaled(1.0 + 0.3 * place) for place, form in enumerate(forms)]


@dataclass(frozen=True)
class Regressed:
    """Regressions, and for each of them a plain one and the features at some points."""

    prior: Regressions
    plain: tuple[PlainRegression, ...]

    def features(self, place: int, points: Array) -> Array:
        """φ of one of them, feature by feature. (n, 2 D)"""
        maps = self.prior.maps
        signs = {column: table[place] for column, table in maps.signs}
        rows = [
            plain_features(point, maps.frequencies[place], float(maps.amplitudes[place]), signs)
            for point in points.tolist()
        ]
        return np.array(rows).reshape(len(points), maps.width)


def regressed(
    domain: Domain,
    spectral: int = 12,
    *,
    forms: tuple[str, ...] = FORMS,
    noises: tuple[float, ...] = NOISES,
    means: tuple[float, ...] = MEANS,
    memory: Memory | None = None,
) -> Regressed:
    """Regressions with so many spectral draws each, and no two parameters alike."""
    maps, count = maps_of(domain, spectral, forms), len(forms)
    prior = Regressions(maps, np.array(noises[:count]), np.array(means[:count]), "tested", memory or Memory())
    pairs = zip(noises[:count], means[:count], strict=True)
    return Regressed(prior, tuple(PlainRegression(noise, mean) for noise, mean in pairs))

"""The sources of a study's randomness: no two of them are the same."""

from __future__ import annotations

import itertools

import numpy as np

import belated as bl
from belated.beliefs import Ensemble, Features, Memory
from belated.randomness import Stream, entropy, generator
from tests.builders import random_evidence, situation_of

WITHIN = ((), (0,), (1,), (0, 0), (0, 1), (1, 0))


def test_no_two_streams_begin_alike() -> None:
    keys = list(itertools.product((0, 3), Stream, range(9), WITHIN))
    first = {generator(seed, stream, number, *within).random() for seed, stream, number, within in keys}
    assert len(first) == len(keys)


def test_a_generator_is_a_function_of_its_numbers() -> None:
    assert generator(5, Stream.MEMBER, 3, 1).random() == generator(5, Stream.MEMBER, 3, 1).random()
    assert np.random.default_rng(entropy(5, Stream.MEMBER, 3, 1)).random() == generator(5, Stream.MEMBER, 3, 1).random()


def test_what_a_draw_weighs_features_with_has_nothing_to_do_with_their_frequencies() -> None:
    kernels = tuple(bl.GP(kernel=form, lengthscale=0.3, variance=1.0, noise=0.1) for form in ("se", "matern52"))
    evidence, members = random_evidence(1, 0, 1), tuple(Features(kernel, 50) for kernel in kernels)
    spectra = [member.spectrum(evidence, place, Memory())[0] for place, member in enumerate(members)]
    ask = situation_of(evidence, Ensemble(members))
    generators = [np.random.default_rng(seed) for seed in spectra] + [ask.random(stream) for stream in Stream]
    assert len({chance.random() for chance in generators}) == len(generators)

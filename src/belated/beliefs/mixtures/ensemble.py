"""How beliefs begin that are not one exact Gaussian process: random features, and ensembles of several beliefs.

Random features are drawn from the study's seed and the number of answers fitted, so they too are a function of the
log; they are drawn anew at each refit [lu2022, algorithm 1].
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np

from belated.beliefs.capacity import require_memory
from belated.beliefs.features.likelihood import FeatureLikelihood
from belated.beliefs.features.maps import feature_maps, require_spectral
from belated.beliefs.features.regressions import Regressions
from belated.beliefs.features.spectrum import Spectrum, drawn_spectrum
from belated.beliefs.gp import GP, coordinates_of
from belated.beliefs.memory import Memory
from belated.beliefs.mixtures.members import Exact, Members
from belated.beliefs.mixtures.mixture import Mixture
from belated.checks import require_at_most, require_count, require_number
from belated.errors import BelatedWarning, ParameterError
from belated.evidence import Evidence
from belated.randomness import Stream, entropy
from belated.space import Array

# With this many answers the hyperparameters are known, and learning them again would mean adding up everything again:
# from there on an answer costs the same however many there are.
LAST_FIT = 10_000
MOST_FEATURES = 10_000
# The sums, their copy as answers come, the precision, its factor and the inverse of that.
MATRICES = 5
# Each member is fitted, updated and read by itself.
MOST_MEMBERS = 100


@dataclass(frozen=True)
class Features:
    """A Gaussian process approximated by random features: its cost does not grow with the number of answers.

    `process` says what is approximated and how its hyperparameters are fitted, `count` is D, the number of spectral
    draws, each of which gives a sine and a cosine [lu2022, eq. 15].
    """

    process: GP = GP()
    count: int = 50

    def __post_init__(self) -> None:
        if not isinstance(self.process, GP):
            raise ParameterError(f"Features(process={self.process!r}): features approximate a bl.GP(…); give one.")
        require_count("Features", "count", self.count, most=MOST_FEATURES)
        require_spectral("Features()", self.process.kernel, self.count)

    def describe(self) -> str:
        """What it is, in words."""
        return f"a Gaussian process by {self.count} random features, at a cost that does not grow with the answers"

    @property
    def known(self) -> bool:
        """Whether every hyperparameter of the kernel is given."""
        return self.process.known

    def around(self, mean: float | Literal["smallest"]) -> Features:
        """The same with another prior mean."""
        return replace(self, process=self.process.around(mean))

    def spectrum(self, evidence: Evidence, place: int, memory: Memory) -> tuple[tuple[int, ...], Spectrum]:
        """The seed and the spectral draws of a member at this place, drawn anew at each refit."""
        fitted = 0 if self.known else self.process.fitted_to(evidence, LAST_FIT)
        seed = tuple(entropy(evidence.seed, Stream.SPECTRUM, place, fitted))
        template = self.process.template(evidence)
        levels = coordinates_of(evidence).levels
        return seed, memory.recall(
            ("spectrum", self, place),
            (seed, levels),
            lambda: drawn_spectrum(template, levels, self.count, np.random.default_rng(seed)),
        )

    def prior(self, evidence: Evidence, memory: Memory) -> Mixture:
        """The regression before any answer, a mixture of one."""
        return Mixture((regressions((self,), 0, evidence, memory),), np.ones(1))


@dataclass(frozen=True)
class Ensemble:
    """Several beliefs at once, weighted by how well each explains the answers [lu2022, section 4].

        w_m ∝ p(y | m), the marginal likelihood: the product of all predictive likelihoods   [lu2022, eq. 7 and 10].
    With a `floor` they are mixed with equal ones, so that none falls below it: a member that has done badly is still
    heard now and then.
    """

    members: tuple[GP | Features, ...]
    floor: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.members, list):
            object.__setattr__(self, "members", tuple(self.members))
        if not isinstance(self.members, tuple) or not self.members:
            raise ParameterError(
                f"Ensemble(members={self.members!r}): an ensemble has at least one member; give bl.GP(…) or others."
            )
        reason = "each is fitted and read by itself"
        require_at_most(
            f"Ensemble({len(self.members)} members)", "their number", len(self.members), MOST_MEMBERS, reason
        )
        for member in self.members:
            if not isinstance(member, GP | Features):
                raise ParameterError(f"Ensemble(): got the member {member!r}; members are bl.GP(…) or bl.Features(…).")
            if self.members.count(member) > 1:
                raise ParameterError(f"Ensemble(): got {member!r} twice; members differ; leave one of them out.")
        require_number("Ensemble", "floor", self.floor, low=0, high=1.0 / len(self.members))

    def describe(self) -> str:
        """What it is, in words."""
        return f"an ensemble of {len(self.members)} beliefs, weighted by how well each explains the answers"

    @property
    def known(self) -> bool:
        """Whether no member has hyperparameters to learn."""
        return all(member.known for member in self.members)

    def around(self, mean: float | Literal["smallest"]) -> Ensemble:
        """The same with another prior mean for every member."""
        return replace(self, members=tuple(member.around(mean) for member in self.members))

    def prior(self, evidence: Evidence, memory: Memory) -> Mixture:
        """The mixture before any answer, with the weights that the answers have taught."""
        memory.make_room(len(self.members))
        parts: list[Members] = []
        for count, run in groupby(self.members, key=lambda member: member.count if isinstance(member, Features) else 0):
            alike, place = tuple(run), sum(part.count for part in parts)
            if count:
                features = [member for member in alike if isinstance(member, Features)]
                parts.append(regressions(features, place, evidence, memory))
            else:
                parts += [Exact(member.prior(evidence, memory)) for member in alike if isinstance(member, GP)]
        even = Mixture(tuple(parts), np.full(len(self.members), 1.0 / len(self.members)))
        arrivals = evidence.arrivals()
        if not len(arrivals.values):
            return even
        # Where no member explains the answers at all, squares overflow, and `shares` says so.
        with np.errstate(over="ignore", invalid="ignore"):
            weights = shares(even.condition(*arrivals).log_evidence, self.floor)
        return even.weighted(weights)


def regressions(members: Sequence[Features], first: int, evidence: Evidence, memory: Memory) -> Regressions:
    """Regressions on random features, of as many draws each, before any answer; `first` is the place of the first."""
    count = members[0].count
    require_memory(
        f"a set of {len(members)} beliefs with {count:,} random features each",
        MATRICES * len(members) * (2 * count) ** 2,
        "give fewer features or members",
    )
    spectra = [member.spectrum(evidence, place, memory) for place, member in enumerate(members, first)]
    found = [
        member.process.hyperparameters(
            evidence,
            memory,
            FeatureLikelihood((seed, member.count), spectrum),
            most=LAST_FIT,
            slot=(member.count, place),
        )
        for place, (member, (seed, spectrum)) in enumerate(zip(members, spectra, strict=True), first)
    ]
    dimension = evidence.points.shape[1]
    seeds = tuple(seed for seed, _ in spectra)
    key = (tuple((each.kernel, each.noise) for each in found), seeds, count, dimension)
    maps = memory.recall(
        ("features", tuple(members)),
        key,
        lambda: feature_maps([each.kernel for each in found], [spectrum for _, spectrum in spectra], dimension),
    )
    return Regressions(
        maps, np.array([each.noise for each in found]), np.array([each.mean for each in found]), key, memory
    )


def shares(log_evidence: Array, floor: float) -> Array:
    """Weights in proportion to the evidence, none below the floor; alike, with a warning, where there is none. (M,)"""
    usable = np.where(np.isnan(log_evidence), -np.inf, log_evidence)
    if not np.isfinite(usable.max()):
        warnings.warn(
            f"Ensemble(): no member explains the answers (log evidences {log_evidence.tolist()}); "
            f"all weights would vanish, and are set alike; look for an answer that is far off.",
            BelatedWarning,
            stacklevel=2,
        )
        return np.full(len(log_evidence), 1.0 / len(log_evidence))
    weights = np.exp(usable - usable.max())
    weights /= weights.sum()
    return np.asarray(floor + (1.0 - floor * len(weights)) * weights)

"""The global maximiser of a score on a box: floats, integers and choices through the same door.

A pool of points spread over the domain, around the anchors and on the faces is scored in one call. Its
summits climb together in their continuous columns (`ascend`). Where there are discrete columns, the leading
ones then try every change of a single column, climb again from the best changes, and so on until no change
helps. A finite domain no larger than the pool is searched whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from belated.search.ascent import ascend, finite_values
from belated.search.score import Score
from belated.space.arrays import Array, Indices, Mask

PERTURBED = 16  # anchors, from the first, whose surroundings join the pool
SCALES = (1e-1, 1e-2, 1e-3)  # of the perturbations
COPIES = 4  # perturbations per anchor and scale
NEAR_FACE = 0.1  # coordinates of an anchor this near to a face are also tried on it
SHORTLIST = 256  # the best of the pool, among which starts are chosen
SHARE = 4  # of the pool, one in this many is left after a glance
CROWD = 10.0  # a summit beats about this many neighbours
FEW_LEVELS = 16  # columns with no more levels try them all
PATIENCE = 10.0  # a climber that needs more than this multiple of its promised rise to lead gives up
LEADERS = 4  # starts that go on after the first sweep of discrete moves
TRIED_MOVES = 2  # moves per leader that climb before they are judged
SWEEPS = 24


class Box(Protocol):
    """What this search asks of a domain: columns of the unit cube, some of them with finitely many levels."""

    @property
    def dimension(self) -> int:
        """The number of columns."""
        ...

    @property
    def levels(self) -> tuple[int | None, ...]:
        """The number of distinct values per column; None for a continuous one."""
        ...

    @property
    def categorical(self) -> tuple[bool, ...]:
        """Whether the levels of each column have no order."""
        ...

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """Points (count, d) spread over the domain."""
        ...

    def snap(self, units: Array) -> Array:
        """The nearest valid points (m, d)."""
        ...


@dataclass(frozen=True)
class Terrain:
    """A score on a domain."""

    score: Score
    domain: Box

    def valid(self, points: Array) -> Array:
        """The points on the canonical centres of their levels."""
        return self.domain.snap(np.clip(points, 0.0, 1.0))

    def values(self, points: Array) -> Array:
        """The scores, with −∞ where they are not finite."""
        return finite_values(self.score.values(points))

    @property
    def continuous(self) -> Mask:
        """The columns that can be climbed."""
        return np.array([levels is None for levels in self.domain.levels], np.bool_)

    @property
    def discrete(self) -> Mask:
        """The columns that can only be changed by moves."""
        return ~self.continuous


def maximise_box(
    score: Score,
    domain: Box,
    rng: np.random.Generator,
    *,
    anchors: Array | None = None,  # (k, d) points worth a closer look, the most promising first
    raw: int = 1024,
    starts: int = 16,
) -> Array:
    """The best point (d,) of the domain that the search can find; the first where several are equal.

    It is a valid point, no worse than any other that was evaluated. Where no value at all is finite, it is
    the first sample. The same state of the generator gives the same point.
    """
    best: Array = leading_box(score, domain, rng, 1, anchors=anchors, raw=raw, starts=starts)[0]
    return best


def leading_box(
    score: Score,
    domain: Box,
    rng: np.random.Generator,
    count: int,
    *,
    anchors: Array | None = None,
    raw: int = 1024,
    starts: int = 16,
    glance: Score | None = None,  # much like the score, and cheaper
) -> Array:
    """The best point of the domain, and up to count − 1 other summits or points after it, best first. (k, d)

    At a `glance`, most of the pool is left out before it is scored.
    """
    terrain = Terrain(score, domain)
    if (n_points := number_of_points(domain)) is not None and n_points <= max(raw, 1):
        points = every_point(domain)
        return np.asarray(points[np.argsort(-terrain.values(points), kind="stable")[:count]])
    pool = _pool(terrain, np.zeros((0, domain.dimension)) if anchors is None else anchors, raw, rng)
    if glance is not None:
        most = max(len(pool) // SHARE, SHORTLIST)
        pool = pool[np.sort(np.argsort(-Terrain(glance, domain).values(pool), kind="stable")[:most])]
    values = terrain.values(pool)
    chosen = _summits(pool, values, terrain, starts)
    return _ascended(terrain, pool[chosen], values[chosen], count)


def refined_box(score: Score, domain: Box, points: Array, count: int) -> Array:
    """Where a climb from a few points (k, d) ends: up to count distinct ones, best first."""
    terrain = Terrain(score, domain)
    return _ascended(terrain, points, terrain.values(points), count)


def _ascended(terrain: Terrain, points: Array, values: Array, count: int) -> Array:
    """The best points after all have climbed, and been changed in their discrete columns, best first."""
    points, values = _climbed(terrain, points, values)
    if terrain.discrete.any():
        points, values = _swept(terrain, points, values)
    return np.asarray(points[_leaders(points, values, count)])


def number_of_points(domain: Box) -> int | None:
    """How many points a domain has; None where it has a continuous column."""
    levels = [number for number in domain.levels if number is not None]
    return math.prod(levels) if len(levels) == domain.dimension else None


def _ladders(domain: Box, most: int) -> dict[int, Array]:
    """The level centres of each discrete column that has few levels.

    Centres need not be evenly spaced (logarithmic integers); a raster sixteen times as fine finds them all.
    """
    columns = {column: number for column, number in enumerate(domain.levels) if number is not None and number <= most}
    finest = 16 * max(columns.values(), default=1)
    raster = np.repeat(((np.arange(finest) + 0.5) / finest)[:, None], domain.dimension, axis=1)
    snapped = domain.snap(raster)
    return {column: np.unique(snapped[:, column]) for column in columns}


def every_point(domain: Box) -> Array:
    """Every point of a domain without continuous columns, in order. (N, d)"""
    most = max(number or 1 for number in domain.levels)
    combinations = np.meshgrid(*_ladders(domain, most).values(), indexing="ij")
    return np.stack([coordinates.ravel() for coordinates in combinations], axis=1)


def _pool(terrain: Terrain, anchors: Array, raw: int, rng: np.random.Generator) -> Array:
    """Samples, some of them pushed to faces and corners too, and the anchors with their surroundings."""
    samples = terrain.domain.sample(raw, rng)
    dimension = terrain.domain.dimension
    parts = [samples]
    if terrain.continuous.any():
        faces = samples[: raw // 8]
        columns = rng.choice(np.flatnonzero(terrain.continuous), size=len(faces))
        parts.append(_pushed(faces, np.arange(dimension) == columns[:, None]))
        parts.append(_pushed(samples[: raw // 32], terrain.continuous))
    if len(anchors):
        parts.append(anchors)
        parts.extend(_surroundings(terrain, anchors[:PERTURBED], rng))
    pool = terrain.valid(np.concatenate(parts))
    if terrain.continuous.any():
        return pool
    return np.asarray(pool[np.sort(np.unique(pool, axis=0, return_index=True)[1])])


def _surroundings(terrain: Terrain, anchors: Array, rng: np.random.Generator) -> list[Array]:
    """The anchors shaken at every scale, and their projections to the faces nearby."""
    shape = (COPIES, *anchors.shape)
    shaken = [(anchors + scale * rng.standard_normal(shape)).reshape(-1, shape[-1]) for scale in SCALES]
    gaps = np.where(terrain.continuous, np.minimum(anchors, 1.0 - anchors), np.inf)
    nearest = gaps == gaps.min(axis=1, keepdims=True)
    faces = [_pushed(anchors, mask & np.isfinite(gaps)) for mask in (nearest, gaps < NEAR_FACE)]
    return shaken + faces


def _pushed(points: Array, mask: Mask) -> Array:
    """The points with the masked coordinates moved to the nearer end, 0 or 1."""
    return np.where(mask, np.where(points < 0.5, 0.0, 1.0), points)


def _summits(pool: Array, values: Array, terrain: Terrain, count: int) -> Indices:
    """Rows of the pool to start from: the best of their surroundings, and a few of the best others.

    A summit has no better point within the radius ρ of a ball that holds about CROWD of the m points,
        ρᵈ V_d = CROWD / m,   V_d = π^(d/2) / Γ(d/2 + 1),
    which is the topograph of [torn1992] with a radius in place of a number of neighbours.
    """
    dimension = terrain.domain.dimension
    log_ball = 0.5 * dimension * math.log(math.pi) - math.lgamma(0.5 * dimension + 1.0)
    radius = math.exp((math.log(CROWD / len(pool)) - log_ball) / dimension)
    order = np.argsort(-values, kind="stable")[: max(SHORTLIST, 4 * count)]
    near = _square_distances(pool[order], np.array(terrain.domain.categorical, np.bool_)) < radius**2
    is_summit = ~np.tril(near, -1).any(axis=1)
    summits, others = _spread(order[is_summit], count), order[~is_summit]
    # Where a few hills are all there is, a few more starts on them are enough.
    return np.concatenate([summits, others[: max(0, count // 2 - len(summits))]])


def _spread(ranked: Indices, count: int) -> Indices:
    """The first three quarters of count, and the last quarter evenly from all later ranks."""
    if len(ranked) <= count:
        return ranked
    n_best = count - count // 4
    later = np.linspace(n_best, len(ranked) - 1, count - n_best).astype(np.intp)
    return np.concatenate([ranked[:n_best], ranked[later]])


def _square_distances(points: Array, categorical: Mask) -> Array:
    """Squared distances between the rows (m, m), with at least 1 between different categories."""
    numeric = points[:, ~categorical]
    squares = np.sum(numeric**2, axis=1)
    distances = squares[:, None] + squares - 2.0 * numeric @ numeric.T
    for column in np.flatnonzero(categorical):
        distances += points[:, None, column] != points[:, column]
    return np.asarray(distances)


def _climbed(terrain: Terrain, points: Array, values: Array) -> tuple[Array, Array]:
    """The points after their continuous columns have climbed."""
    if not terrain.continuous.any() or len(points) == 0:
        return points, values
    return ascend(terrain.score, points, terrain.continuous, patience=PATIENCE)


def _swept(terrain: Terrain, points: Array, values: Array) -> tuple[Array, Array]:
    """The best points after sweeps of discrete moves, each followed by a climb, until no leader improves."""
    ladders = _ladders(terrain.domain, FEW_LEVELS)
    for sweep in range(SWEEPS):
        leaders = _leaders(points, values, len(points) if sweep == 0 else LEADERS)
        points, values = points[leaders], values[leaders]
        moved, moved_values = _moved(terrain, points, values, ladders)
        improved = moved_values > values
        if not improved.any():
            break
        points = np.where(improved[:, None], moved, points)
        values = np.where(improved, moved_values, values)
    return points, values


def _leaders(points: Array, values: Array, count: int) -> Indices:
    """The best rows, without those that ended at the same place."""
    order = np.argsort(-values, kind="stable")
    first = np.unique(np.round(points[order], 6), axis=0, return_index=True)[1]
    return np.asarray(order[np.sort(first)][:count])


def _moved(terrain: Terrain, points: Array, values: Array, ladders: dict[int, Array]) -> tuple[Array, Array]:
    """Each leader after its best change of one discrete column and a climb from there.

    Before the continuous columns adapt, a change that will help may look bad: the best few climb regardless.
    """
    changes, owners = _changes(terrain, points, ladders)
    if len(changes) == 0:
        return points, values
    scores = terrain.values(changes)
    tried = _best_of_each(owners, scores, TRIED_MOVES)
    climbed, climbed_values = _climbed(terrain, changes[tried], scores[tried])
    best = _best_of_each(owners[tried], climbed_values, 1)
    moved, moved_values = points.copy(), values.copy()
    moved[owners[tried][best]], moved_values[owners[tried][best]] = climbed[best], climbed_values[best]
    return moved, moved_values


def _changes(terrain: Terrain, points: Array, ladders: dict[int, Array]) -> tuple[Array, Indices]:
    """All changes of one discrete column (m, d), and the row (m,) that each one changes.

    A column with few levels takes them all; another one goes 1, 2, 4, … levels up and down, and to both ends.
    """
    parts, owners = [], []
    for column in np.flatnonzero(terrain.discrete):
        targets = _targets(points[:, column], terrain.domain.levels[column] or 1, ladders.get(int(column)))
        part = np.repeat(points, targets.shape[1], axis=0)
        part[:, column] = targets.ravel()
        parts.append(part)
        owners.append(np.repeat(np.arange(len(points)), targets.shape[1]))
    owner = np.concatenate(owners)
    changes = terrain.valid(np.concatenate(parts))
    different = (changes != points[owner]).any(axis=1)
    return changes[different], owner[different]


def _targets(units: Array, levels: int, ladder: Array | None) -> Array:
    """The coordinates (k, a) that a discrete column may move to from each of its present ones (k,)."""
    if ladder is not None:
        return np.broadcast_to(ladder, (len(units), len(ladder)))
    # Logarithmic integers have bins narrower than 1 / levels; a stride that changes nothing is dropped later.
    strides = 2.0 ** np.arange(-5, math.ceil(math.log2(levels))) / levels
    shifts = np.concatenate([-strides, strides, [-1.0, 1.0]])
    return np.asarray(np.clip(units[:, None] + shifts, 0.0, 1.0))


def _best_of_each(owners: Indices, values: Array, count: int) -> Indices:
    """The rows with each owner's greatest values, at most count of them; the first where some are equal."""
    order = np.lexsort((-values, owners))
    sorted_owners = owners[order]
    ranks = np.arange(len(order)) - np.searchsorted(sorted_owners, sorted_owners)
    return np.asarray(order[ranks < count])


__all__ = ["Box", "every_point", "leading_box", "maximise_box", "number_of_points", "refined_box"]

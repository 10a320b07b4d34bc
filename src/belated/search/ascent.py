"""Many local ascents in the unit cube at once: a batched quasi-Newton method with trust boxes.

Each start keeps its own quadratic model  f(x + s) ≈ f + gᵀs − ½ sᵀBs,  with B learnt by damped BFGS, and its
own trust radius r. A round maximises every model over the box  [0, 1]ᵈ ∩ {|s|∞ ≤ r},  evaluates all proposals
in one call, moves where the score rose, and adapts the radii. Starts that are done leave the batch.
As both constraints are boxes, faces and corners are reached exactly, and backtracking needs no inner loop.
Everything is relative: multiplying the score by a constant changes no step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from belated.search.score import Score
from belated.space.arrays import Array, Indices, Mask

# Evaluations change by a few per cent when these are halved or doubled.
FIRST_STEP = 0.1  # the first proposal moves the steepest coordinate by this much
FIRST_RADIUS = 0.2
GREATEST_RADIUS = 0.5
# A step of a true parabola brings half of what its slope promises.
POOR, GOOD = 0.1, 0.3
PASSES = 3  # solves per proposal; another one is needed only where a bound was met
LEAST_CURVATURE = 1e-13  # as a share of the trace, so that no model is singular to rounding
# A quasi-Newton step this short leaves an error far below it (superlinear convergence).
SHORTEST_STEP = 1e-7
LEAST_SHARE = 1e-9  # a step should promise this share of what the climber has gained so far
DOUBTFUL_SHARE = 1e-5  # a slope that promises this share over FIRST_STEP is not a summit's
ROUNDING = 8.0 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Place:
    """Points and what the score says there."""

    points: Array  # (s, d)
    values: Array  # (s,), −∞ where the score is not finite
    gradients: Array  # (s, d), level where the score or its slope is not finite

    def __getitem__(self, kept: Mask) -> Place:
        """The rows where kept is true."""
        return Place(self.points[kept], self.values[kept], self.gradients[kept])

    def replaced(self, mask: Mask, other: Place) -> Place:
        """The other's rows where the mask is true."""
        points = np.where(mask[:, None], other.points, self.points)
        gradients = np.where(mask[:, None], other.gradients, self.gradients)
        return Place(points, np.where(mask, other.values, self.values), gradients)


@dataclass(frozen=True)
class QuadraticModel:
    """What each climber believes about the curvature around it, and how far it trusts that."""

    curvatures: Array  # (s, d, d), positive definite: minus the Hessian, as far as known
    radii: Array  # (s,)
    fresh: Mask  # (s,) nothing learnt yet

    def __getitem__(self, kept: Mask) -> QuadraticModel:
        """The rows where kept is true."""
        return QuadraticModel(self.curvatures[kept], self.radii[kept], self.fresh[kept])

    def replaced(self, mask: Mask, other: QuadraticModel) -> QuadraticModel:
        """The other's rows where the mask is true."""
        curvatures = np.where(mask[:, None, None], other.curvatures, self.curvatures)
        radii = np.where(mask, other.radii, self.radii)
        return QuadraticModel(curvatures, radii, np.where(mask, other.fresh, self.fresh))


@dataclass(frozen=True)
class Climbers:
    """The starts still climbing, one per row."""

    rows: Indices  # (s,) which start each one is
    held: Mask  # (s, d) the coordinates that may not move
    place: Place
    model: QuadraticModel
    gained: Array  # (s,) since the start
    doubted: Mask  # (s,) the model has been renewed once

    def __getitem__(self, kept: Mask) -> Climbers:
        """The climbers where kept is true."""
        parts = self.place[kept], self.model[kept], self.gained[kept], self.doubted[kept]
        return Climbers(self.rows[kept], self.held[kept], *parts)


def ascend(
    score: Score,
    starts: Array,  # (s, d)
    free: Mask | None = None,  # (d,) or (s, d): the coordinates that may move; all by default
    *,
    rounds: int = 60,
    patience: float = np.inf,
) -> tuple[Array, Array]:
    """Local maximisers (s, d) inside the unit cube and their values (s,), all starts refined together.

    A trust-region method for boxes [conn1988] with models by damped BFGS [nocedal2006, procedure 18.2]; the
    sign of a slope tells which bounds hold [bertsekas1982]. At most rounds + 1 calls of `slopes`. No result
    is lower than its start, nor than any point evaluated on its way; a start whose value is not finite is
    returned as it came, with −∞. Where only the highest counts, a finite `patience` spares work: a start gives up
    when this many times the rise that its step promises would not bring it level with the highest value so far.
    """
    points = np.clip(np.asarray(starts, dtype=np.float64), 0.0, 1.0)
    if points.size == 0:
        return points, np.zeros(len(points))
    held = np.broadcast_to(np.zeros(1, np.bool_) if free is None else ~free, points.shape)
    climbers = _climbers(_visited(score, points.copy()), held)
    values = climbers.place.values.copy()
    for _ in range(rounds):
        climbers, shifts = _next_steps(climbers)
        if patience < np.inf:
            hopeful = _reach(climbers, shifts, patience) >= values.max()
            climbers, shifts = climbers[hopeful], shifts[hopeful]
        if len(climbers.rows) == 0:
            break
        climbers = _advanced(climbers, shifts, score)
        points[climbers.rows], values[climbers.rows] = climbers.place.points, climbers.place.values
    return points, values


def finite_values(values: Array) -> Array:
    """The values, with −∞ for those that are not finite."""
    return np.where(np.isfinite(values), values, -np.inf)


def _visited(score: Score, points: Array) -> Place:
    """The points with their values and gradients."""
    values, gradients = score.slopes(points)
    values = finite_values(values)
    usable = np.isfinite(values) & np.isfinite(gradients).all(axis=1)
    return Place(points, values, np.where(usable[:, None], gradients, 0.0))


def _climbers(place: Place, held: Mask) -> Climbers:
    """The starts, all of them ready to climb."""
    n_starts = len(held)
    model = _round_model(place, held)
    return Climbers(np.arange(n_starts), held, place, model, np.zeros(n_starts), np.zeros(n_starts, np.bool_))


def _round_model(place: Place, held: Mask) -> QuadraticModel:
    """Models that know only how steep it is where there is room to rise: B = |g|∞ / FIRST_STEP · I."""
    radii = np.full(len(held), FIRST_RADIUS)
    steepness = np.abs(_inward(place.gradients, *_rooms(place, radii, held))).max(axis=1)
    scales = np.where(steepness > 0.0, steepness / FIRST_STEP, 1.0)
    return QuadraticModel(scales[:, None, None] * np.eye(held.shape[1]), radii, np.ones(len(held), np.bool_))


def _rooms(place: Place, radii: Array, held: Mask) -> tuple[Array, Array]:
    """The least and the greatest shift of each coordinate inside the cube and the trust box."""
    low = np.maximum(-place.points, -radii[:, None])
    high = np.minimum(1.0 - place.points, radii[:, None])
    return np.where(held, 0.0, low), np.where(held, 0.0, high)


def _inward(gradients: Array, low: Array, high: Array) -> Array:
    """The gradients, level in the coordinates that have no room to rise."""
    return np.where(np.where(gradients > 0.0, high > 0.0, low < 0.0), gradients, 0.0)


def _next_steps(climbers: Climbers) -> tuple[Climbers, Array]:
    """The climbers that go on, and their steps.

    One without a promising step is done, unless the slope says otherwise: a model that is too stiff in a
    direction hardly tried gives way to a round one, once.
    """
    shifts = _proposals(climbers)
    going = _promising(climbers, shifts)
    if going.all():
        return climbers, shifts
    unsure = ~going & ~climbers.doubted & _still_steep(climbers)
    if unsure.any():
        model = climbers.model.replaced(unsure, _round_model(climbers.place, climbers.held))
        climbers = replace(climbers, model=model, doubted=climbers.doubted | unsure)
        shifts = _proposals(climbers)
        going = _promising(climbers, shifts)
    return climbers[going], shifts[going]


def _promising(climbers: Climbers, shifts: Array) -> Mask:
    """The climbers whose step is worth an evaluation: long enough, and promising more than rounding."""
    promised = _dots(climbers.place.gradients, shifts)
    floors = LEAST_SHARE * climbers.gained + ROUNDING * np.abs(climbers.place.values)
    return np.asarray((np.abs(shifts).max(axis=1) > SHORTEST_STEP) & (promised > floors))


def _reach(climbers: Climbers, shifts: Array, patience: float) -> Array:
    """How high each climber might get: a multiple of the rise gᵀs that its step promises."""
    with np.errstate(over="ignore"):
        return np.asarray(climbers.place.values + patience * _dots(climbers.place.gradients, shifts))


def _still_steep(climbers: Climbers) -> Mask:
    """The climbers whose slope alone promises a gain within FIRST_STEP."""
    low, high = _rooms(climbers.place, np.full(len(climbers.rows), FIRST_STEP), climbers.held)
    gradients = climbers.place.gradients
    promised = np.maximum(gradients * low, gradients * high).sum(axis=1)
    return np.asarray(promised > DOUBTFUL_SHARE * climbers.gained)


def _proposals(climbers: Climbers) -> Array:
    """Steps s that about maximise  gᵀs − ½ sᵀBs  inside the cube and the trust boxes.

    Primal–dual active sets [hintermuller2002]: a coordinate is pinned where it is on a side of the box and
    the slope of the model, g − Bs, pushes outward; the others are solved for and clipped, a few times over.
    Where that ends without a gain, a step along the projected gradient stands in.
    """
    gradients, curvatures = climbers.place.gradients, climbers.model.curvatures
    low, high = _rooms(climbers.place, climbers.model.radii, climbers.held)
    shifts, slopes = np.zeros_like(gradients), gradients
    for _ in range(PASSES):
        pinned = np.where(slopes > 0.0, shifts >= high, shifts <= low)
        steps = _solutions(curvatures, gradients, shifts, pinned)
        shifts = np.minimum(np.maximum(steps, low), high)
        slopes = gradients - _products(curvatures, shifts)
        if not (shifts != steps).any():
            break
    spoilt = ~(_dots(shifts, gradients + slopes) > 0.0)
    if spoilt.any():
        inward = _inward(gradients, low, high)
        shifts[spoilt] = np.clip(_along(inward, curvatures), low, high)[spoilt]
    return shifts


def _solutions(curvatures: Array, gradients: Array, shifts: Array, pinned: Mask) -> Array:
    """Stationary points of the models, the pinned P keeping their shifts: B_FF s_F = g_F − B_FP s_P."""
    pulls = _products(curvatures, np.where(pinned, shifts, 0.0))
    right = np.where(pinned, shifts, gradients - pulls)
    matrices = np.where(pinned[:, :, None] | pinned[:, None, :], np.eye(gradients.shape[1]), curvatures)
    return np.linalg.solve(matrices, right[:, :, None])[:, :, 0]


def _along(directions: Array, curvatures: Array) -> Array:
    """The best step of the models along these slopes v: s = t v, t = vᵀv / vᵀBv."""
    # Squares of steep slopes would overflow; t is the same for v of any length.
    steepness = np.abs(directions).max(axis=1, keepdims=True)
    units = directions / np.where(steepness > 0.0, steepness, 1.0)
    bends = _dots(units, _products(curvatures, units))
    # A bend below the smallest normal number is none, and its inverse would overflow.
    lengths = _dots(units, units) / np.where(bends > np.finfo(float).tiny * len(units[0]), bends, np.inf)
    return lengths[:, None] * directions


def _advanced(climbers: Climbers, shifts: Array, score: Score) -> Climbers:
    """The climbers after one evaluation: higher where the step paid, wiser about the curvature anyway."""
    here = climbers.place
    # 0.3 + (1 − 0.3) need not be 1: a step meant to end on a face ends exactly there.
    trials = np.where(shifts == 1.0 - here.points, 1.0, np.clip(here.points + shifts, 0.0, 1.0))
    there = _visited(score, trials)
    rises = there.values - here.values
    moved = rises > 0.0
    known = np.isfinite(there.values)
    curvatures = _learnt(climbers.model, shifts, here.gradients - there.gradients, known)
    radii = _adapted_radii(climbers.model.radii, shifts, _dots(here.gradients, shifts), rises)
    return replace(
        climbers,
        place=here.replaced(moved, there),
        model=QuadraticModel(curvatures, radii, climbers.model.fresh & ~known),
        gained=climbers.gained + np.where(moved, rises, 0.0),
    )


def _adapted_radii(radii: Array, shifts: Array, promised: Array, rises: Array) -> Array:
    """Trust radii from the share of the promised rise gᵀs that came, after [nocedal2006, algorithm 4.1].

    After a poor step the radius is where the parabola through both values and the first slope peaks,
    kept between a tenth and a half of the step; after a good one it is twice the step, if that is more.
    """
    lengths = np.abs(shifts).max(axis=1)
    poor = rises < POOR * promised
    peaks = 0.5 * promised / np.where(poor, promised - rises, 1.0)
    shrunk = lengths * np.clip(peaks, 0.1, 0.5)
    grown = np.clip(2.0 * lengths, radii, GREATEST_RADIUS)
    return np.where(poor, shrunk, np.where(rises > GOOD * promised, grown, radii))


def _learnt(model: QuadraticModel, s: Array, y: Array, known: Mask) -> Array:
    """The curvatures B after the pairs of step s and fall of the gradient y: damped BFGS.

        B⁺ = B − B s sᵀB / sᵀBs + r rᵀ / sᵀr,   r = θ y + (1 − θ) B s,
    with θ such that sᵀr ≥ sᵀBs / 5, so that B stays positive definite where the score bends upward
    [nocedal2006, procedure 18.2]. A fresh B is first scaled to yᵀy / sᵀy · I [nocedal2006, eq. 6.20].
    """
    # Scores near the ends of the floating range overflow here; such pairs are dropped below.
    with np.errstate(all="ignore"):
        sy = _dots(s, y)
        b = _scaled(model, sy, y)
        bs = _products(b, s)
        sbs = _dots(s, bs)
        theta = np.where(sy < 0.2 * sbs, 0.8 * sbs / (sbs - sy), 1.0)[:, None]
        r = theta * y + (1.0 - theta) * bs
        down, up = bs / np.sqrt(sbs)[:, None], r / np.sqrt(_dots(s, r))[:, None]
        updated = b - down[:, :, None] * down[:, None, :] + up[:, :, None] * up[:, None, :]
        floors = LEAST_CURVATURE * np.trace(updated, axis1=1, axis2=2)
    updated += floors[:, None, None] * np.eye(s.shape[1])
    sound = known & (floors > 0.0) & np.isfinite(updated).all(axis=(1, 2))
    return np.where(sound[:, None, None], updated, model.curvatures)


def _scaled(model: QuadraticModel, sy: Array, y: Array) -> Array:
    """The curvatures, with yᵀy / sᵀy · I for those that are fresh."""
    first = model.fresh & (sy > 0.0)
    if not first.any():
        return model.curvatures
    scales = _dots(y / sy[:, None], y)
    return np.where(first[:, None, None], scales[:, None, None] * np.eye(y.shape[1]), model.curvatures)


def _dots(a: Array, b: Array) -> Array:
    """The inner products of the rows."""
    return np.asarray(np.vecdot(a, b))


def _products(matrices: Array, vectors: Array) -> Array:
    """Each row's matrix times its vector."""
    return np.asarray((matrices @ vectors[:, :, None])[:, :, 0])


__all__ = ["ascend", "finite_values"]

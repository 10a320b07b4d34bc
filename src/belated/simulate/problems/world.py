"""A hand pushes a disc over a table: the world of the pushing robot, step by step.

The physics is Box2D's, for these two bodies alone: impulses that are corrected one after the other [catto2006], ten
times for the velocities and up to ten times for the places. Unlike Box2D, numbers have double precision. Vectors of the
plane are complex numbers, so that a turn is a product, Re(āb) the inner product and Im(āb) the moment of b at a.
"""

from __future__ import annotations

from cmath import exp
from collections.abc import Iterator
from math import pi, sqrt
from typing import NamedTuple

STEP, ITERATIONS = 0.01, 10
AFTERWARDS = 100  # steps without a push
GAIN = 30.0  # how eagerly the hand takes up its velocity
# Box2D's own: how deep bodies may overlap, the rim around a box, the share of an overlap that is undone, and its limit.
SLOP, RIM, CORRECTION, LARGEST_CORRECTION = 0.005, 0.01, 0.2, 0.2
RADIUS, HALF_DEPTH, HALF_WIDTH = 1.0, 0.3, 1.0
REACH = RADIUS + RIM
FRICTION = sqrt(0.01 * 0.1)  # between disc and hand
# The faces of the hand: outward normal, distance from its centre, and half the face's length.
FACES = (
    (-1j, HALF_WIDTH, HALF_DEPTH),
    (1.0 + 0j, HALF_DEPTH, HALF_WIDTH),
    (1j, HALF_WIDTH, HALF_DEPTH),
    (-1.0 + 0j, HALF_DEPTH, HALF_WIDTH),
)


class BodyKind(NamedTuple):
    """What a body is made of, and the largest impulses of the table's friction in a step."""

    mass: float
    inertia: float
    hold: float
    twist: float


DISC = BodyKind(0.05 * pi, 0.025 * pi, 5.0 * STEP, 2.0 * STEP)
HAND = BodyKind(0.12, 0.12 * (HALF_DEPTH**2 + HALF_WIDTH**2) / 3.0, 2.0 * STEP, 2.0 * STEP)


class RigidBody(NamedTuple):
    """Where a body is and how it moves, with the impulses of the table in the last step."""

    place: complex
    angle: float = 0.0
    velocity: complex = 0j
    spin: float = 0.0
    hold: complex = 0j
    twist: float = 0.0


class Touch(NamedTuple):
    """Where the disc touches the hand, in the hand's own frame, with the impulses between them in the last step."""

    anchor: complex
    normal: complex
    push: float = 0.0
    rub: float = 0.0


class World(NamedTuple):
    """The two bodies, and where they touched in the last step."""

    hand: RigidBody
    disc: RigidBody
    touch: Touch | None = None


class ContactAxis(NamedTuple):
    """A direction in which the bodies act on each other, with the levers at which they do and the mass they have."""

    direction: complex
    hand_lever: complex
    disc_lever: complex
    mass: float


def pushed(place: complex, angle: float, target: complex, steps: int) -> complex:
    """Where a disc comes to rest that lay at the origin, after a hand that started at `place` pushed for some steps.

    While it pushes, the hand of mass m feels the force 30 m (v* − v) and the torque −30 m w, with v* the target.
    """
    *_, last = _course(World(RigidBody(place, angle), RigidBody(0j)), target, steps)
    return last.disc.place


def flight(target: complex, steps: int) -> list[float]:
    """How far a hand has come, that meets no disc, at the start and after each step."""
    alone = World(RigidBody(0j), RigidBody(complex(1e6)))
    return [0.0, *(abs(world.hand.place) for world in _course(alone, target, steps))]


def _course(world: World, target: complex, steps: int) -> Iterator[World]:
    """The world after each step; the steps of the push come first."""
    for number in range(steps + AFTERWARDS):
        if number < steps:
            hand = world.hand
            velocity = hand.velocity + STEP * GAIN * (target - hand.velocity)
            spin = hand.spin - STEP * GAIN * HAND.mass / HAND.inertia * hand.spin
            world = World(hand._replace(velocity=velocity, spin=spin), world.disc, world.touch)
        world = moved(world)
        yield world


def moved(world: World) -> World:
    """The world a step later."""
    # As in the last step, to begin with: from there, corrections are small.
    hand, disc = _warm(world.hand, HAND), _warm(world.disc, DISC)
    touch = touching(world)
    if touch is None:
        return World(_drifted(_held(hand, HAND)), _drifted(_held(disc, DISC)))
    hand, disc, touch = _collided(hand, disc, touch)
    hand, disc = _parted(_drifted(hand), _drifted(disc), touch)
    return World(hand, disc, touch)


def touching(world: World) -> Touch | None:
    """Where the disc touches the hand, if it does: at a face, or at a corner if that is nearest."""
    hand, disc, last = world
    centre = (disc.place - hand.place) * exp(-1j * hand.angle)
    push, rub = (0.0, 0.0) if last is None else (last.push, last.rub)
    separation, normal, depth, half = max(
        ((_dot(centre, normal) - depth, normal, depth, half) for normal, depth, half in FACES),
        key=lambda face: face[0],
    )
    if separation > REACH:
        return None
    along = _dot(centre, 1j * normal)
    if separation <= 0.0 or abs(along) < half:
        return Touch(depth * normal, normal, push, rub)
    corner = (depth + (1j if along > 0.0 else -1j) * half) * normal
    away = centre - corner
    return None if abs(away) > REACH else Touch(corner, away / abs(away), push, rub)


def _collided(hand: RigidBody, disc: RigidBody, touch: Touch) -> tuple[RigidBody, RigidBody, Touch]:
    """The bodies with the velocities that table and touch leave them, and the impulses of the touch.

    The touch pushes and never pulls; it rubs no harder than friction times its push.
    """
    turn = exp(1j * hand.angle)
    normal = touch.normal * turn
    gap = _dot(disc.place - hand.place - touch.anchor * turn, normal)
    point = disc.place + 0.5 * (RIM - gap - RADIUS) * normal  # half way between the two rims
    along, across = (_axis(direction, point - hand.place, point - disc.place) for direction in (normal, -1j * normal))
    push, rub = touch.push, touch.rub
    hand, disc = _struck(*_struck(hand, disc, along, push), across, rub)
    for _ in range(ITERATIONS):
        hand, disc = _held(hand, HAND), _held(disc, DISC)
        wanted = rub - across.mass * _closing(hand, disc, across)
        rubbed = max(-FRICTION * push, min(FRICTION * push, wanted))
        hand, disc = _struck(hand, disc, across, rubbed - rub)
        given = max(0.0, push - along.mass * _closing(hand, disc, along))
        hand, disc = _struck(hand, disc, along, given - push)
        push, rub = given, rubbed
    return hand, disc, Touch(touch.anchor, touch.normal, push, rub)


def _parted(hand: RigidBody, disc: RigidBody, touch: Touch) -> tuple[RigidBody, RigidBody]:
    """The bodies moved apart, where they overlap by more than the slop: a fifth of the excess each time."""
    for _ in range(ITERATIONS):
        turn = exp(1j * hand.angle)
        separation = _dot(disc.place - hand.place - touch.anchor * turn, touch.normal * turn) - REACH
        excess = min(0.0, max(-LARGEST_CORRECTION, CORRECTION * (separation + SLOP)))
        axis = _axis(touch.normal * turn, disc.place - hand.place, 0j)
        impulse = -excess * axis.mass * axis.direction
        place, angle = hand.place - impulse / HAND.mass, hand.angle - _moment(axis.hand_lever, impulse) / HAND.inertia
        hand, disc = hand._replace(place=place, angle=angle), disc._replace(place=disc.place + impulse / DISC.mass)
        if separation >= -3.0 * SLOP:
            break
    return hand, disc


def _axis(direction: complex, hand_lever: complex, disc_lever: complex) -> ContactAxis:
    """With 1/mass = 1/m + 1/M + (moments of the direction)²/inertias."""
    turning = _moment(hand_lever, direction) ** 2 / HAND.inertia + _moment(disc_lever, direction) ** 2 / DISC.inertia
    return ContactAxis(direction, hand_lever, disc_lever, 1.0 / (1.0 / HAND.mass + 1.0 / DISC.mass + turning))


def _closing(hand: RigidBody, disc: RigidBody, axis: ContactAxis) -> float:
    """The speed of the disc's point relative to the hand's, along the axis."""
    of_disc = disc.velocity + 1j * disc.spin * axis.disc_lever
    return _dot(of_disc - hand.velocity - 1j * hand.spin * axis.hand_lever, axis.direction)


def _struck(hand: RigidBody, disc: RigidBody, axis: ContactAxis, size: float) -> tuple[RigidBody, RigidBody]:
    """Both bodies after an impulse on the disc along the axis, and its opposite on the hand."""
    impulse = size * axis.direction
    return (
        _kicked(hand, HAND, -impulse, -_moment(axis.hand_lever, impulse)),
        _kicked(disc, DISC, impulse, _moment(axis.disc_lever, impulse)),
    )


def _held(body: RigidBody, kind: BodyKind) -> RigidBody:
    """The body after the table's friction: the impulses that would stop it, cut to the largest."""
    hold, twist = body.hold - kind.mass * body.velocity, body.twist - kind.inertia * body.spin
    size = abs(hold)
    if size > kind.hold:
        hold *= kind.hold / size
    twist = max(-kind.twist, min(kind.twist, twist))
    place, angle, velocity, spin, _, _ = _kicked(body, kind, hold - body.hold, twist - body.twist)
    return RigidBody(place, angle, velocity, spin, hold, twist)


def _warm(body: RigidBody, kind: BodyKind) -> RigidBody:
    return _kicked(body, kind, body.hold, body.twist)


def _kicked(body: RigidBody, kind: BodyKind, impulse: complex, moment: float) -> RigidBody:
    place, angle, velocity, spin, hold, twist = body
    return RigidBody(place, angle, velocity + impulse / kind.mass, spin + moment / kind.inertia, hold, twist)


def _drifted(body: RigidBody) -> RigidBody:
    place, angle, velocity, spin, hold, twist = body
    return RigidBody(place + STEP * velocity, angle + STEP * spin, velocity, spin, hold, twist)


def _dot(a: complex, b: complex) -> float:
    return (a.conjugate() * b).real


def _moment(a: complex, b: complex) -> float:
    return (a.conjugate() * b).imag

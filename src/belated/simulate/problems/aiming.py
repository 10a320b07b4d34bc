"""Pushes that end at a goal: where the robot's optimum is.

The world has no preferred direction, so a push is sought that moves the disc as far as the goal is, and turned towards
it. The farther off the hand starts the less far the disc goes: smoothly, but for jumps where the hand arrives a step
later. Whatever is sought is sought between two jumps.
"""

from __future__ import annotations

from bisect import bisect_left
from cmath import phase, rect
from collections.abc import Callable
from functools import lru_cache, partial
from math import cos, inf, nextafter, pi
from typing import NamedTuple

from belated.simulate.problems import world

SHORTEST, LONGEST, STEPS_EACH = 1, 30, 10  # durations, and steps for each unit of them
FARTHEST = 5.0
NUMBERS = range(STEPS_EACH * SHORTEST, STEPS_EACH * LONGEST)
INSIDE, TOUCHING = 0.1, world.HALF_DEPTH + world.REACH  # from centre to centre
MOST_TILT = 0.65  # from here on the disc is at a corner of the hand
EXACT = 1e-10  # how near to the goal is at the goal


class Push(NamedTuple):
    """Where the hand starts on the way of its target velocity, its tilt against that way, and how long it pushes."""

    distance: float
    tilt: float
    steps: int

    def ends(self, speed: float) -> complex:
        """Where the disc comes to rest, if the hand moves along the first axis."""
        return world.pushed(complex(-self.distance), self.tilt, complex(speed), self.steps)


def best_push(goal: complex, speed: float, tilting: bool) -> dict[str, float]:
    """The start, duration and angle of a push that ends at the goal; its angle is straight where it is not free."""
    push = _push(abs(goal), speed, tilting)
    turn = phase(goal) - phase(push.ends(speed))
    start = rect(-push.distance, turn)
    # Half a step more, so that no rounding takes one away.
    duration = (push.steps + 0.5) / STEPS_EACH
    return {"x": start.real, "y": start.imag, "duration": duration, "angle": (push.tilt + turn) % (2.0 * pi)}


@lru_cache(maxsize=256)
def _push(length: float, speed: float, tilting: bool) -> Push:
    """A push that moves the disc by that length."""
    if Push(TOUCHING, 0.0, NUMBERS[0]).ends(speed).real <= length:
        return _from_beside(length, speed)
    return _tilted(length, speed) if tilting else _from_afar(length, speed)


def _from_beside(length: float, speed: float) -> Push:
    """A hand that starts a little inside the disc, and the most steps for which the length lies in no jump."""

    def beyond(distance: float, steps: int) -> float:
        return Push(distance, 0.0, steps).ends(speed).real - length

    enough = bisect_left(NUMBERS, 0.0, key=lambda number: beyond(TOUCHING, number))
    for steps in reversed(NUMBERS[:enough]):
        if beyond(INSIDE, steps) >= 0.0:
            push = Push(_root(partial(beyond, steps=steps), INSIDE, TOUCHING), 0.0, steps)
            if abs(push.ends(speed) - length) < EXACT:
                return push
    raise AssertionError(_impossible(length, speed))


def _from_afar(length: float, speed: float) -> Push:
    """A hand that starts away from the disc, and the fewest steps for which the length lies in no jump."""

    def short(distance: float, steps: int) -> float:
        return length - Push(distance, 0.0, steps).ends(speed).real

    for steps in NUMBERS:
        lack = partial(short, steps=steps)
        jumps = [TOUCHING + way for way in world.flight(complex(speed), steps) if TOUCHING + way < FARTHEST]
        place = bisect_left(jumps[:-1], 0.0, key=lack)
        low, high = nextafter(jumps[place - 1], inf), jumps[place]
        if low < high and lack(low) <= 0.0 <= lack(high):
            push = Push(_root(lack, low, high), 0.0, steps)
            if abs(push.ends(speed) - length) < EXACT:
                return push
    raise AssertionError(_impossible(length, speed))


def _tilted(length: float, speed: float) -> Push:
    """The fewest steps, and a hand that arrives just at the end of a step, tilted so that the disc goes less far."""
    flight = world.flight(complex(speed), NUMBERS[0])

    def ending(arrival: int, tilt: float) -> Push:
        # A hair nearer, so that no rounding makes the hand arrive a step later.
        return Push(TOUCHING / cos(tilt) + flight[arrival] - 1e-9, tilt, NUMBERS[0])

    def beyond(arrival: int, tilt: float) -> float:
        return abs(ending(arrival, tilt).ends(speed)) - length

    arrival = bisect_left(range(len(flight)), 0.0, key=lambda number: -beyond(number, 0.0)) - 1
    return ending(arrival, _root(lambda tilt: beyond(arrival, tilt), 0.0, MOST_TILT))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """Where the function changes its sign; not a zero of it where it jumps there, which takes the most iterations."""
    from scipy.optimize import brentq  # as long to import as a whole room, and few need it

    return float(brentq(function, low, high, xtol=1e-14, maxiter=25, disp=False))


def _impossible(length: float, speed: float) -> str:
    return f"no push at the speed {speed} moves the disc by {length}"

"""The robot that pushes a disc: its world is Box2D's, and its optimum is at the goal."""

from __future__ import annotations

import pickle
import warnings
from cmath import rect
from dataclasses import replace
from math import atan, pi
from typing import Any

import numpy as np
import pytest

from belated.errors import ParameterError
from belated.simulate import poisson, problems, run
from belated.simulate.problems import aiming, robots, world
from belated.simulate.randomness import Purpose, generator
from tests.pairs import first
from tests.tolerance import ROUNDING

# Box2D computes in single precision; over four hundred steps its rounding adds up to a few units of 1e-5, and ten times
# that where the disc rolls off a corner of the hand.
SINGLE = 5e-4
SPEED = {3: 5.0, 4: 10.0}


def box2d_push(box2d: Any, start: complex, angle: float, target: complex, steps: int) -> complex:
    """Where the disc ends in Box2D, written from the facts of the world alone."""
    space = box2d.b2World(gravity=(0, 0), doSleep=True)
    table = space.CreateStaticBody(position=(0, 0), shapes=box2d.b2PolygonShape(box=(500, 500)))
    disc = space.CreateDynamicBody(position=(0, 0))
    disc.CreateFixture(shape=box2d.b2CircleShape(radius=1), density=0.05, friction=0.01)
    space.CreateFrictionJoint(bodyA=table, bodyB=disc, maxForce=5, maxTorque=2)
    hand = space.CreateDynamicBody(position=(start.real, start.imag), angle=angle)
    hand.CreateFixture(shape=box2d.b2PolygonShape(box=(0.3, 1)), density=0.1, friction=0.1)
    space.CreateFrictionJoint(bodyA=table, bodyB=hand, maxForce=2, maxTorque=2)
    for number in range(steps + 100):
        if number < steps:
            hand.ApplyTorque(-30.0 * hand.mass * hand.angularVelocity, wake=True)
            missing = box2d.b2Vec2(target.real, target.imag) - hand.linearVelocity
            hand.ApplyForce(30.0 * hand.mass * missing, hand.position, wake=True)
        space.Step(0.01, 10, 10)
    return complex(*disc.position)


@pytest.mark.parametrize("dimension", [3, 4])
def test_the_disc_ends_where_it_ends_in_box2d(dimension: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of its bindings, from Python 3.12 on
        box2d = pytest.importorskip("Box2D", reason="needs Box2D, to compare with")
    rng = np.random.default_rng(dimension)
    for number in range(30):
        # A third of the hands start so near that they overlap the disc, or nearly so.
        start = complex(*rng.uniform(-5.0, 5.0, 2)) / (3.0 if number % 3 == 0 else 1.0)
        angle = atan(start.imag / start.real) if dimension == 3 else rng.uniform(0.0, 2.0 * pi)
        target = -SPEED[dimension] * start / abs(start) + complex(*rng.normal(0.0, 0.1, 2))
        steps = int(rng.integers(10, 301))
        expected = box2d_push(box2d, start, angle, target, steps)
        assert abs(world.pushed(start, angle, target, steps) - expected) < SINGLE


@pytest.mark.parametrize("speed, steady", [(5.0, 3.06), (10.0, 8.06)])
def test_a_pushed_disc_takes_up_the_speed_at_which_push_and_friction_balance(speed: float, steady: float) -> None:
    ends = [world.pushed(-2 + 0j, 0.0, complex(speed), steps).real for steps in (200, 250)]
    assert (ends[1] - ends[0]) / 0.5 == pytest.approx(steady, abs=0.005)
    assert (ends[1] - ends[0]) / 0.5 == pytest.approx(speed - (5.0 + 2.0) / (30.0 * 0.12), rel=1e-6)


def test_a_hand_alone_takes_up_the_speed_at_which_push_and_friction_balance() -> None:
    way = world.flight(5 + 0j, 200)
    assert (way[200] - way[150]) / 0.5 == pytest.approx(4.44, abs=0.005)
    assert way[-1] == way[-50]  # at rest


@pytest.mark.parametrize("turn", [0.4, 2.0, 3.3])
def test_a_world_that_is_turned_or_mirrored_goes_the_same_way(turn: float) -> None:
    start, angle, target = -2.2 + 0.3j, 0.4, 8 - 1j
    end = world.pushed(start, angle, target, 80)
    assert abs(end) > 1.0
    turned = world.pushed(start * rect(1, turn), angle + turn, target * rect(1, turn), 80)
    assert turned == pytest.approx(end * rect(1, turn), abs=1e-9)
    mirrored = world.pushed(start.conjugate(), -angle, target.conjugate(), 80)
    assert mirrored == pytest.approx(end.conjugate(), abs=1e-9)


def test_a_disc_that_the_hand_does_not_reach_stays_where_it_is() -> None:
    assert world.pushed(-5 + 0j, 0.0, 5 + 0j, 10) == 0.0
    assert world.pushed(-2 + 0j, 0.0, -5 + 0j, 300) == 0.0


@pytest.mark.parametrize("dimension", [3, 4])
@pytest.mark.parametrize("seed", first(1, 0, 2, 5))
def test_the_best_push_ends_at_the_goal_that_the_seed_draws(dimension: int, seed: int) -> None:
    problem = problems.build("robot-pushing", seed=seed, dimension=dimension)
    assert isinstance(problem.objective, robots.PushObjective)
    assert max(abs(problem.objective.goal.real), abs(problem.objective.goal.imag)) <= 5.0
    assert problem.objective.goal == complex(*generator(seed, Purpose.FUNCTION).uniform(-5.0, 5.0, 2))
    assert problem.proven
    assert problem.optimum == 5.0
    assert problem.value(problem.optimum_point) == pytest.approx(5.0, abs=1e-9)
    decoded = problem.space.decode(problem.space.encode(problem.optimum_point))
    assert problem.value(decoded) == pytest.approx(5.0, abs=1e-9)


@pytest.mark.parametrize("dimension", [3, 4])
@pytest.mark.parametrize("length", first(2, 0.004, 1.03, 0.05, 0.21, 0.37, 0.65, 7.07))
def test_a_goal_near_or_far_can_be_reached(dimension: int, length: float) -> None:
    goal = rect(length, 2.5)
    best = aiming.best_push(goal, SPEED[dimension], tilting=dimension == 4)
    point = best if dimension == 4 else {name: best[name] for name in ("x", "y", "duration")}
    assert robots.PushObjective(goal, SPEED[dimension])(point) == pytest.approx(5.0, abs=1e-9)


def test_with_three_parameters_the_hand_faces_the_disc() -> None:
    push = robots.PushObjective(1 + 2j, 5.0)
    point = {"x": 1.5, "y": -2.0, "duration": 12.0}
    assert push(point) == push({**point, "angle": atan(-2.0 / 1.5)})
    beside = {"x": 0.0, "y": -2.0, "duration": 12.0}
    assert push(beside) == pytest.approx(push({**beside, "angle": 1.5 * pi}), abs=1e-9)


def test_a_hand_right_above_the_disc_has_a_value_too() -> None:
    assert np.isfinite(robots.PushObjective(1 + 2j, 5.0)({"x": 0.0, "y": 0.0, "duration": 2.0}))


def test_answers_are_pushes_whose_velocity_is_off_and_not_values_plus_noise() -> None:
    push = robots.PushObjective(3 + 0j, 5.0)
    point = {"x": -2.0, "y": 0.1, "duration": 10.0}
    off = generator(4, Purpose.NOISE, 1).normal(0.0, 0.1, 2)
    end = world.pushed(-2 + 0.1j, atan(0.1 / -2.0), 5.0 * (2 - 0.1j) / abs(2 - 0.1j) + complex(*off), 100)
    assert push.draw(point, generator(4, Purpose.NOISE, 1)) == pytest.approx(5.0 - abs(end - 3), abs=ROUNDING)
    drawn = [push.draw(point, np.random.default_rng(seed)) for seed in range(12)]
    assert len(set(drawn)) == 12
    assert np.abs(np.array(drawn) - push(point)).max() < 1.5


def test_the_nth_query_meets_the_same_chance_whoever_asks() -> None:
    problem = replace(problems.build("robot-pushing", seed=1), objective=_level, draw=_chance, optimum=0.0)
    first, other = (run(problem, policy="random", delay=poisson(2), rounds=4, seed=9, initial=n) for n in (0, 2))
    assert len(first.outcomes) == len(other.outcomes) == 4
    for mine, theirs in zip(first.outcomes, other.outcomes, strict=True):
        assert mine.value == 0.0
        chance = generator(9, Purpose.NOISE, mine.query.number).normal(0.0, 0.1, 2)
        assert mine.answer == chance.sum()
        if mine.query.number == theirs.query.number:
            assert mine.answer == theirs.answer


def test_a_problem_travels_to_another_process_with_its_chance() -> None:
    problem = problems.build("robot-pushing-4", seed=3)
    travelled = pickle.loads(pickle.dumps(problem))
    point = {"x": -1.5, "y": 0.5, "duration": 3.0, "angle": 1.0}
    answers = [each.answer(0.0, point, None, np.random.default_rng(2)) for each in (problem, travelled)]
    assert answers[0] == answers[1] != problem.value(point)


@pytest.mark.parametrize("dimension", [2, 5, 3.5])
def test_a_robot_has_three_or_four_parameters(dimension: Any) -> None:
    with pytest.raises(ParameterError, match="robot-pushing\\(dimension="):
        problems.build("robot-pushing", dimension=dimension)


def test_answers_that_are_drawn_have_no_other_noise() -> None:
    with pytest.raises(ParameterError, match="leave out one of the two"):
        replace(problems.build("robot-pushing"), noise=0.1)


def _level(point: Any) -> float:
    return 0.0


def _chance(point: Any, rng: np.random.Generator) -> float:
    return float(rng.normal(0.0, 0.1, 2).sum())

"""The loop: a player, a problem and late answers, on a simulated clock.

Round t = 1, 2, …: first every answer that is due is told, then one query is asked, or the player balks. An answer
with delay d to the query of round s is due in round t iff d ≤ t − s. It is told at the instant s + d, so that the
log's times are exact. With `every`, rounds are that far apart in time, and laws count time. That a point fails is told
as late as an answer would be.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from belated import policies
from belated.beliefs import Memory
from belated.checks import require_count, require_number
from belated.errors import ParameterError
from belated.log import Balk, Query, Seek
from belated.policies import Recipe
from belated.simulate import problems
from belated.simulate.clock import SimulatedClock
from belated.simulate.laws import DelayLaw, as_law, check_space, ends_batch, none
from belated.simulate.nature import Nature, SimulatedOutcome
from belated.simulate.players import Player, StudyPlayer
from belated.simulate.problems import Problem
from belated.simulate.randomness import study_seed
from belated.simulate.result import Run
from belated.study import DEFAULT_POLICY, Study

Watch = Callable[[int, Study], None]

LARGEST_SEED = 2**63


def run(
    problem: str | Problem = "branin",
    policy: str | Recipe = DEFAULT_POLICY,
    delay: str | DelayLaw = none(),
    rounds: int = 100,
    seed: int = 0,
    watch: Watch | None = None,
    *,
    initial: int = 0,
    every: float = 1.0,
    lazy: bool = False,
    seek: Seek = "best",
) -> Run:
    """Simulate a study: one query a round, answers as late as the law says.

    With the same seed every policy meets the same function, the same `initial` random points, whose answers are
    there before the first round, and the same noise and delay of its n-th query, and the same context where that is
    seen after the decision. `watch` is called after each round with its number and the study. With `lazy`, variances
    on a table are computed as for a million candidates: only where they may matter; the choices are the same. The study
    seeks the "best" point in the end, or the best "total" of all answers.
    """
    require_count("run", "seed", seed, least=0, most=LARGEST_SEED)
    require_count("run", "rounds", rounds)
    require_count("run", "initial", initial, least=0)
    require_number("run", "every", every, above=0)
    law = as_law("run()", delay)
    posed = _as_problem(problem, seed)
    check_space("run()", law, posed.space)
    clock = SimulatedClock()
    study = study_of(posed, policy, seed, clock, lazy, seek)
    nature = Nature(posed, law, seed)
    start = tuple(nature.initial(number) for number in range(1, initial + 1))
    for known in start:
        study.add(known.point, known.answer, context=known.context)
    course = Course(StudyPlayer(study, clock), nature, every)
    for number in range(1, rounds + 1):
        course.play(number)
        if watch is not None:
            watch(number, study)
    return Run(posed, law, rounds, seed, study, start, tuple(course.outcomes), tuple(course.arrived))


@dataclass
class Course:
    """A simulation under way; it changes in place, as time does."""

    player: Player
    nature: Nature
    every: float = 1.0
    outcomes: list[SimulatedOutcome] = field(default_factory=list)
    arrived: list[int] = field(default_factory=list)  # the round in which each answer was told; 0 while it was not
    waits: list[tuple[float, float]] = field(default_factory=list)  # when each was asked, and its delay
    waiting: list[int] = field(default_factory=list)  # places in the three lists above

    def play(self, number: int) -> None:
        """Play one round: tell what is due, then ask."""
        now = number * self.every
        self.deliver(number, now)
        query = self.player.ask(now, self.nature.context(number))
        if isinstance(query, Balk) and self.waiting and ends_batch(self.nature.delay, len(self.waiting), balked=True):
            # The batch ends here, so its answers come; the round is still to be played.
            self.tell_all(number, now)
            query = self.player.ask(now, self.nature.context(number))
        if isinstance(query, Query):
            self.waiting.append(len(self.outcomes))
            outcome = self.nature.outcome(query, number, self.waits)
            self.outcomes.append(outcome)
            self.waits.append((query.asked_at, outcome.delay))
            self.arrived.append(0)
            # An answer without delay belongs to this round, before anybody looks at it.
            self.deliver(number, now)
        if ends_batch(self.nature.delay, len(self.waiting), balked=False):
            self.tell_all(number + 1, now)

    def deliver(self, number: int, now: float) -> None:
        """Tell the answers that are due, the earliest first; what is left still waits."""
        due = [place for place in self.waiting if self.outcomes[place].due_in(now)]
        self.waiting = [place for place in self.waiting if place not in set(due)]
        for place in sorted(due, key=lambda place: (self.outcomes[place].due_at, place)):
            self.tell(place, number, self.outcomes[place].due_at)

    def tell_all(self, number: int, now: float) -> None:
        """Tell everything that is waited for: a batch has ended."""
        waiting, self.waiting = self.waiting, []
        for place in waiting:
            self.tell(place, number, now)

    def tell(self, place: int, number: int, at: float) -> None:
        """Tell one answer at its instant, which is there in round `number`."""
        outcome = self.outcomes[place]
        if outcome.failed:
            self.player.fail(at, outcome.query)
        else:
            self.player.tell(at, outcome.query, outcome.answer, outcome.context)
        self.arrived[place] = number


def study_of(
    problem: Problem,
    policy: str | Recipe,
    seed: int,
    clock: SimulatedClock,
    lazy: bool = False,
    seek: Seek = "best",
) -> Study:
    """The study of a problem by a policy, which must suit it."""
    chosen = policies.build(policy) if isinstance(policy, str) else policy
    if isinstance(chosen, Recipe):
        chosen.check("run()", problem.space, problem.context)
    return Study.in_memory(
        problem.space,
        policy=chosen,
        goal=problem.goal,
        seek=seek,
        seed=study_seed(seed),
        context=problem.context,
        clock=clock,
        memory=Memory(lazy_from=0) if lazy else None,
        notices=False,
    )


def _as_problem(problem: str | Problem, seed: int) -> Problem:
    if isinstance(problem, Problem):
        return problem
    if not isinstance(problem, str):
        raise ParameterError(f"run(): got {problem!r} as the problem; give a name or a bl.simulate.Problem.")
    return problems.build(problem, seed)

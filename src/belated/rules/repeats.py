"""Which points may be asked again: none that is under way, has failed or was abandoned; an answered one where it pays.

Another measurement of x, with posterior deviation σ and noise variance v, moves the mean there by a normal step of
deviation s = σ² / √(σ² + v). With m the highest mean of the other points, it is worth what it adds to the point used
in the end,
    s (φ(z) + z Φ(z)) − max(μ − m, 0),   z = (μ − m)/s,
the knowledge gradient of a point by itself [frazier2009]. Without noise, σ is 0 at an answered point, and so is this.
A fit takes what it cannot explain for noise. So the answers must speak for noise, too: those at one point differ or,
where none was asked often, all are likelier by far under the belief than under one that is fitted without noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, get_args

import numpy as np

from belated.beliefs import GP, log_marginal_likelihood
from belated.errors import ParameterError
from belated.evidence import Data
from belated.log import Balk
from belated.randomness import Stream
from belated.rules.ground import Ground
from belated.rules.moment import Moment
from belated.rules.rule import Choice, Rule, point_of
from belated.rules.situation import Situation
from belated.search import Taken, every_point, number_of_points, prefixed, resolution
from belated.space import Array, Candidates, Mask, Space

Allowed = Literal["never", "if worth it"]
Domain = Space | Candidates
# Another measurement must be worth this share of the prior deviation of f, whatever else is left: a fit without noise
# still leaves a little, and where the best is known all other rows are worth nothing at all.
LEAST = 1e-2
# In nats: likelier by a factor of twenty.
FAR = 3.0
# So many answers that were no different from an earlier one at the same point show that there is no noise.
OFTEN = 3
# The share of its range by which a parameter of two points may differ that are the very same.
VERY_SAME = 1e-6
# The share of the range of all answers by which two may differ that are the same.
ROUNDING = 1e-9
# A finite space of no more points is listed whole; this many stand for a larger one.
LISTED = 16_384


class Repetition(Protocol):
    """Which points may be asked again."""

    def chosen(self, rule: Rule, moment: Moment) -> Choice | Balk:
        """What the rule chooses of the points that may be asked; a balk where none is left."""


@dataclass(frozen=True)
class Anew:
    """What failed or was abandoned is not asked again as it was; all else is as the rule has it.

    Where nothing else is left, what was abandoned is: nobody knows what would have come of it.
    """

    def chosen(self, rule: Rule, moment: Moment) -> Choice | Balk:
        """The rule's choice among points that neither failed nor were abandoned; a balk where all have failed."""
        if not len(moment.unanswered):
            return rule.choose(Situation(moment))
        for points in (moment.unanswered, moment.failed):
            choice = _elsewhere(rule, moment, _indistinguishable(points, moment.domain))
            if choice is not None:
                return choice
        size = _size(moment.domain)
        if size is None or moment.context.size:
            return rule.choose(Situation(moment))
        return Balk(f"all {size} {_points_of(moment.domain)} have failed; add() an answer at one to show that it works")


@dataclass(frozen=True)
class Apart:
    """In a box, the very point of a query under way is not asked again; all else is as the rule has it.

    Unlike in the papers, whose maximiser may be a pending point: noise leaves something to learn there, and a floor
    that silence counts as may be above what is expected elsewhere. `overdue` keeps more distance from queries that are
    overdue: the choice differs from each by more than this share of the range in at least one parameter. A rule whose
    width shrinks when queries leave the window would otherwise come back to them.
    """

    overdue: float = 0.0

    def chosen(self, rule: Rule, moment: Moment) -> Choice | Balk:
        """The rule's choice or, if that is under way or near an overdue query, its choice among all other points."""
        choice, under_way, domain = Anew().chosen(rule, moment), moment.under_way, moment.domain
        if isinstance(choice, Balk) or _size(domain) is not None or not len(under_way):
            return choice
        apart = _resolution(domain)
        near = Taken(moment.overdue, np.where(apart > 0.0, self.overdue, 0.0))
        same = Taken(under_way, np.full(domain.dimension, VERY_SAME))
        if not (near.holds(point_of(choice)[None]) | same.holds(point_of(choice)[None]))[0]:
            return choice
        taken = Taken(np.concatenate([under_way, moment.unanswered]), apart)
        other = _elsewhere(rule, moment, taken.and_those_of(near))
        return choice if other is None else other


@dataclass(frozen=True)
class Distinct:
    """No point of a finite set is asked again while it is under way: the rule's next choice is, until all are."""

    def chosen(self, rule: Rule, moment: Moment) -> Choice | Balk:
        """The rule's choice among points that are not under way; in a box, as `Apart`."""
        domain = moment.domain
        if _size(domain) is None:
            return Apart().chosen(rule, moment)
        barred = np.concatenate([moment.under_way, moment.unanswered])
        choice = _elsewhere(rule, moment, _indistinguishable(barred, domain))
        return Anew().chosen(rule, moment) if choice is None else choice


@dataclass(frozen=True)
class Repeats:
    """Whether a point of a finite set that was answered may be asked again: "never", or only "if worth it"."""

    allowed: Allowed = "if worth it"

    def __post_init__(self) -> None:
        if self.allowed not in get_args(Allowed):
            raise ParameterError(
                f"Repeats(allowed={self.allowed!r}): a point is asked again 'never' or 'if worth it'; give one of them."
            )

    def chosen(self, rule: Rule, moment: Moment) -> Choice | Balk:
        """What the rule chooses of the points that may be asked; a balk where none is left."""
        barred = np.concatenate([moment.under_way, moment.unanswered])
        choice, size = _elsewhere(rule, moment, _indistinguishable(barred, moment.domain)), _size(moment.domain)
        if size is None:
            # Where so many are under way that nothing can be told from them, a box still has room.
            return rule.choose(Situation(moment)) if choice is None else self._in_a_box(rule, moment, choice)
        if choice is not None and self._may_be_asked(moment, point_of(choice)):
            return choice
        for ended in (moment.unanswered, moment.failed):
            asked = np.concatenate([moment.asked_alike, ended])
            if (unasked := _elsewhere(rule, moment, _indistinguishable(asked, moment.domain))) is not None:
                return unasked
        # Whoever comes in a context needs a decision, and noise may make it worth to ask even what is under way.
        if self.allowed == "if worth it" and (moment.context.size or _is_noisy(moment)):
            return rule.choose(Situation(moment)) if choice is None else choice
        return Balk(_used_up(moment.domain, size, len(moment.under_way)))

    def _may_be_asked(self, moment: Moment, point: Array) -> bool:
        """Whether a point of a finite set was never answered, or is worth another answer."""
        if not _is_among(point, moment.answered_alike, moment.domain):
            return True
        return self.allowed == "if worth it" and _is_worth(moment, point)

    def _in_a_box(self, rule: Rule, moment: Moment, choice: Choice) -> Choice:
        """The choice or, if it was answered and nothing speaks for noise, one apart from all that were asked."""
        again = _is_among(point_of(choice), moment.answered_alike, moment.domain)
        if not again or (self.allowed == "if worth it" and _is_noisy(moment)):
            return choice
        asked = np.concatenate([moment.asked_alike, moment.unanswered])
        other = _elsewhere(rule, moment, _indistinguishable(asked, moment.domain))
        return choice if other is None else other


def _size(domain: Domain) -> int | None:
    """How many points there are to ask; None where a number has no steps."""
    return len(domain) if isinstance(domain, Candidates) else number_of_points(domain)


def _resolution(domain: Domain) -> Array:
    """How far points may differ in each column and be the same; rows of a table are told apart to the last bit. (d,)"""
    return np.zeros(domain.dimension) if isinstance(domain, Candidates) else resolution(domain.levels)


def _is_among(point: Array, others: Array, domain: Domain) -> bool:
    return bool(_indistinguishable(others, domain).holds(point[None])[0])


def _indistinguishable(points: Array, domain: Domain) -> Taken:
    """These points, and all that cannot be told from them."""
    return Taken(points, _resolution(domain))


def _elsewhere(rule: Rule, moment: Moment, taken: Taken) -> Choice | None:
    """What the rule chooses of the points that are not taken; None if all are.

    Where it draws another, one of them is drawn, by its chance of success where something failed.
    """
    if not len(taken.points):
        return rule.choose(Situation(moment))
    choice = rule.choose(Situation(moment, taken))
    if not taken.holds(point_of(choice)[None])[0]:
        return choice
    chance = moment.random(Stream.CHOICE, None, 1)
    free = _free(moment.domain, taken, chance)
    if not len(free):
        return None
    odds = Ground(moment).odds
    shares = None if odds is None else np.exp(odds.values(free))
    return np.asarray(chance.choice(free, p=None if shares is None else shares / shares.sum()))


def _free(domain: Domain, taken: Taken, chance: np.random.Generator) -> Array:
    """The points that are not taken; where they are too many to list, some of them. (m, d)"""
    if isinstance(domain, Candidates):
        return np.asarray(np.delete(domain.table, domain.rows(taken.points), axis=0))
    size = number_of_points(domain)
    points = every_point(domain) if size is not None and size <= LISTED else domain.sample(LISTED, chance)
    return np.asarray(points[~taken.holds(points)])


def _is_worth(moment: Moment, point: Array) -> bool:
    """Whether there is noise, and another answer at this point adds more than one where none was ever asked."""
    if not _is_noisy(moment):
        return False
    known = moment.known
    points, place, unasked = _compared(moment, point)
    worth = worths(*known.moments(points), known.noise)
    return float(worth[place]) > max(float(worth[unasked].max(initial=0.0)), LEAST * known.scale)


def _compared(moment: Moment, point: Array) -> tuple[Array, int, Mask]:
    """All points of a finite set or such as stand for them, (N, d), the place of one, and which were never asked."""
    domain, asked = moment.domain, np.concatenate([moment.asked_alike, moment.unanswered])
    if isinstance(domain, Candidates):
        unasked = np.ones(len(domain), dtype=bool)
        unasked[domain.rows(asked)] = False
        return Ground(moment).candidates, int(domain.rows(point[None])[0]), unasked
    others = np.unique(asked, axis=0)
    others = others[~_indistinguishable(point[None], domain).holds(others)]
    free = _free(domain, _indistinguishable(asked, domain), moment.random(Stream.CHOICE, None, 2))
    points = prefixed(moment.context, np.concatenate([point[None], others, free]))
    return points, 0, np.arange(len(points)) > len(others)


def _is_noisy(moment: Moment) -> bool:
    """Whether answers to the same question differ or, while none was asked often, are likelier by far with noise.

    Where silence means something, chance decides who answers, be it that all have been silent so far.
    """
    if moment.evidence.silence is not None:
        return True
    answers = moment.evidence.arrivals()
    points, values, errors = answers
    differ = answers_differ(answers) if len(values) else False
    if differ is not None:
        return differ
    known = moment.known
    if known.kernel is None:
        return True
    fitted = GP(noise=0.0).hyperparameters(moment.evidence, moment.memory, slot="without noise")
    noisy = log_marginal_likelihood(points, values, known.kernel, known.noise, errors=errors).value
    exact = log_marginal_likelihood(points, values, fitted.kernel, fitted.noise, errors=errors).value
    return noisy > exact + FAR


def answers_differ(answers: Data) -> bool | None:
    """Whether answers at the same point differ or were told to have errors; None while there are too few to tell."""
    points, values, errors = answers
    group = np.unique(points, axis=0, return_inverse=True)[1].ravel()
    order = np.lexsort((values, group))
    # In this order the answers of one point stand together, so that each is compared with one before it.
    gaps = np.diff(values[order])[np.diff(group[order]) == 0]
    least = ROUNDING * (values.max(initial=-np.inf) - values.min(initial=np.inf))
    if np.any(gaps > least):
        return True
    if errors is None:
        return False if len(gaps) >= OFTEN else None
    deviations = np.sqrt(errors.told_variances + errors.scatters / errors.measurements)
    if np.any(deviations > least):
        return True
    return False if len(gaps) + np.sum(errors.measurements - 1.0) >= OFTEN else None


def _used_up(domain: Domain, size: int, waiting: int) -> str:
    return (
        f"all {size} {_points_of(domain)} were asked ({waiting} are still waited for), and none is worth asking again; "
        f"if answers vary, add() a second one at some point to show it"
    )


def _points_of(domain: Domain) -> str:
    return "rows of the table" if isinstance(domain, Candidates) else "points of the space"


def worths(mean: Array, deviation: Array, noise: float) -> Array:
    """What one more answer at each point adds to the highest mean, if it changes the mean there alone. (m,)"""
    from scipy.special import ndtr  # as long to import as a whole room, and not every study needs it

    highest, second = _two_highest(mean)
    others = np.where(np.arange(len(mean)) == np.argmax(mean), second, highest)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        step = deviation**2 / np.sqrt(deviation**2 + noise)
        z = (mean - others) / step
        gain = step * (np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi) + z * ndtr(z)) - np.maximum(mean - others, 0.0)
    return np.asarray(np.nan_to_num(np.maximum(gain, 0.0), nan=0.0))


def _two_highest(values: Array) -> tuple[float, float]:
    """The highest value and the next; the same twice where there is one."""
    if len(values) == 1:
        return float(values[0]), float(values[0])
    second, first = np.sort(np.partition(values, len(values) - 2)[-2:]).tolist()
    return first, second

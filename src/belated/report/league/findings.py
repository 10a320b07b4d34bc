"""What the numbers of a half say, in a few sentences that are computed from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from belated.experiments.league.bounds import DEFAULT
from belated.experiments.league.comparison import MEASURES, Gap, Pair, RegretTables, Standing, pairs, standings
from belated.experiments.league.entrants import RANDOM
from belated.experiments.league.season import Season

# Who plays fewer of the cases has no place: its mean is over other cases than theirs. The slowest peers play every
# second case of each family that they can play.
FEWEST = 1 / 3
# So many names are listed, and no more; so many of the first are in figures that have no room for all.
MOST_NAMED, MOST_SHOWN = 6, 15


@dataclass(frozen=True, eq=False)
class Findings:
    """The numbers of a half that its page shows, each computed once."""

    season: Season

    @cached_property
    def by_measure(self) -> dict[str, tuple[Standing, ...]]:
        """Who has a place by each regret, the best first."""
        return {name: placed(self.season.tables, name) for name in MEASURES}

    @property
    def found(self) -> tuple[Standing, ...]:
        """Who has a place by what it found."""
        return self.by_measure["found"]

    @property
    def shown(self) -> tuple[Standing, ...]:
        """The first few, and all that are not policies of Belated."""
        return tuple(
            one
            for place, one in enumerate(self.found)
            if place < MOST_SHOWN or self.season.player(one.entrant).kind != "policy"
        )

    @property
    def best(self) -> str:
        """Who found the best points."""
        return self.found[0].entrant

    @cached_property
    def of_best(self) -> dict[str, Pair]:
        """The best beside all others, by what was found."""
        return pairs(self.season.tables, self.best, "found")

    @cached_property
    def of_random(self) -> dict[str, dict[str, Pair]]:
        """Random search beside all others, by each regret."""
        return {name: pairs(self.season.tables, RANDOM, name) for name in ("found", "cumulative")}

    @cached_property
    def of_default(self) -> dict[str, Pair]:
        """The default of Belated beside all others, by what was found; empty if it has not played."""
        known = DEFAULT in self.season.runs
        return pairs(self.season.tables, DEFAULT, "found") if known else {}

    def to_random(self, name: str, measure: str) -> Gap:
        """An entrant's regret relative to that of random search."""
        if name == RANDOM:
            return Gap(1.0, 1.0, 1.0)
        ratio = self.of_random[measure][name].ratio
        return Gap(1.0 / ratio.value, 1.0 / ratio.high, 1.0 / ratio.low)

    @property
    def rival(self) -> str | None:
        """The best of the peers by what was found."""
        return next((one.entrant for one in self.found if self.season.player(one.entrant).peer), None)


def placed(tables: RegretTables, measure: str, part: int = -1) -> tuple[Standing, ...]:
    """The standings of those who played enough of the cases to have a place."""
    least = FEWEST * len(tables.cases)
    return tuple(one for one in standings(tables, measure, part) if one.cases >= least)


def sentences(findings: Findings) -> tuple[str, str, str]:
    """The three sentences of the page."""
    return first_sentence(findings), default_sentence(findings), third_sentence(findings)


def first_sentence(findings: Findings) -> str:
    """Who found the best points, and whom it is not ahead of by more than chance."""
    first, placed = findings.found[0], {one.entrant for one in findings.found}
    said = (
        f"**{code(first.entrant)} found the best points**: in a case and with a seed drawn at random, "
        f"{percent(first.share)} of the other entrants found a better one"
        f"{within(percent(first.low), percent(first.high), first.low)}"
    )
    behind = [pair for name, pair in findings.of_best.items() if name in placed and pair.ahead == first.entrant]
    level = [one.entrant for one in findings.found[1:] if findings.of_best[one.entrant].ahead is None]
    if not level:
        return f"{said}. It is ahead of all {len(behind)} by more than chance."
    return f"{said}. It is ahead of {len(behind) or 'nobody'} by more than chance, and level with {some(level)}."


def default_sentence(findings: Findings) -> str:
    """Where the default is, beside the best tool of another library."""
    places = {one.entrant: place for place, one in enumerate(findings.found, 1)}
    if DEFAULT not in places:
        return f"{code(DEFAULT)}, which Belated takes if no policy is named, has not played this half."
    said = f"**{code(DEFAULT)}**, which Belated takes if no policy is named, is in place {places[DEFAULT]}"
    if findings.rival is None:
        return f"{said} of {len(places)}."
    pair = findings.of_default[findings.rival]
    return (
        f"{said}, and {code(findings.rival)}, the best tool of another library, in place {places[findings.rival]}: the "
        f"regret of what {code(DEFAULT)} found is {times(pair.ratio)} theirs, and in rank {verdict(pair)}."
    )


def third_sentence(findings: Findings) -> str:
    """How much a model is worth: the best beside random search, and who is no better than it."""
    gain = findings.to_random(findings.best, "found")
    said = (
        f"**Random search** ends with {times(Gap(1 / gain.value, 1 / gain.high, 1 / gain.low))} the regret of "
        f"{code(findings.best)}"
    )
    if findings.best == RANDOM:
        said = "**Random search** found the best points itself"
    worse = [
        one.entrant
        for one in findings.found
        if one.entrant != RANDOM and findings.of_random["found"][one.entrant].ahead != one.entrant
    ]
    if not worse:
        return f"{said}; every other entrant is ahead of it by more than chance."
    return f"{said}; {some(worse)} {'is' if len(worse) == 1 else 'are'} not ahead of it by more than chance."


def verdict(pair: Pair) -> str:
    """Who is ahead, in words."""
    if pair.ahead is None:
        return "the two are level: the difference is within chance"
    return f"{code(pair.ahead)} is ahead by more than chance"


def times(gap: Gap) -> str:
    """A ratio with its interval, in words."""
    return f"{number(gap.value)} times{within(number(gap.low), number(gap.high), gap.low)}"


def within(low: str, high: str, bound: float) -> str:
    """An interval in words; nothing where there is none, as over one case alone."""
    return "" if math.isnan(bound) else f" (95 %: {low} to {high})"


def percent(share: float) -> str:
    """A share in per cent."""
    return f"{100 * share:.0f} %"


def number(value: float) -> str:
    """A number to two digits, whole from 100 on."""
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}"


def code(name: str) -> str:
    """The name of an entrant."""
    return f"`{name}`"


def some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    listed = [code(name) for name in names[:MOST_NAMED]]
    others = len(names) - len(listed)
    if others:
        listed.append(f"{others} more")
    return " and ".join([", ".join(listed[:-1]), listed[-1]]) if len(listed) > 1 else listed[0]

"""The page of the league: the standings, the goals of `auto`, and the results of every case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from belated.experiments.league import (
    AUTO,
    LEAST,
    MEASURES,
    MOST,
    Absence,
    Case,
    Duel,
    Entrant,
    Goals,
    Lead,
    LeaguePlace,
    LeagueRuns,
    Programme,
    Tables,
    goals,
    standings,
)
from belated.report.experiments import in_seconds, markdown
from belated.report.images import save
from belated.report.league_figures import by_case, by_law, ranks
from belated.report.page import PageTable
from belated.report.style import Figure
from belated.simulate.laws import text
from belated.study.files import called, write_text

NAME = "index.md"
# The page shows these figures, and links to the others.
SHOWN = (".svg", ".png")
# At most so many entrants with runs to play are named.
MOST_NAMED = 8


@dataclass(frozen=True)
class Season:
    """A league as far as it has been played: the plan, the runs that are there, and their standings."""

    cases: tuple[Case, ...]
    plan: Programme
    runs: LeagueRuns
    found: tuple[LeaguePlace, ...]
    goals: Goals | None

    @staticmethod
    def of(cases: Sequence[Case], plan: Programme, runs: LeagueRuns) -> Season:
        """The season with its standings and goals."""
        found = standings(runs)
        return Season(tuple(cases), plan, runs, found, goals(runs, found))

    @property
    def order(self) -> list[str]:
        """The entrants that have played, the best first."""
        return [standing.entrant for standing in self.found]


def page(season: Season, folder: Path, endings: Sequence[str] = ("html",)) -> Path:
    """Write the figures and the page in Markdown into a folder, and return where the page is."""
    shown = {
        name: [save(picture, folder / f"{name}.{ending}", title="The league").name for ending in endings]
        for name, picture in pictures(season).items()
    }
    path = folder / NAME
    write_text(called("league", path), path, "\n".join(_parts(season, shown)))
    return path


def pictures(season: Season) -> dict[str, Figure]:
    """The figures by name; none before anything is played."""
    if not season.found:
        return {}
    tables = Tables.of(season.runs)
    return {
        "ranks": ranks(season.found),
        "laws": by_law(tables, season.cases, season.order),
        **{measure: by_case(tables, season.cases, season.order, measure) for measure in MEASURES},
    }


def _parts(season: Season, shown: Mapping[str, Sequence[str]]) -> list[str]:
    if not season.found:
        return [*_opening(season), "Nothing has been played yet: `belated league` plays it.\n"]
    return [
        *_opening(season),
        "## Standings\n",
        *_figure("mean ranks with their intervals", shown["ranks"]),
        markdown(standings_table(season)),
        f"## How `{AUTO}` fares\n",
        *goals_section(season.goals),
        "## By law of delays\n",
        *_figure("mean ranks by law of delays", shown["laws"]),
        "## Case by case\n",
        *_figure("cumulative regret relative to that of random, by case", shown["cumulative"]),
        *_figure("simple regret relative to that of random, by case", shown["simple"]),
        "## Who could not play\n",
        *_absent(season.plan.absences),
        "## The cases\n",
        markdown(cases_table(season.cases)),
    ]


def _opening(season: Season) -> list[str]:
    """The opening of the page: what is played, how much of it is there, and what the numbers mean."""
    rounds = _span([case.rounds for case in season.cases])
    seeds = Counter(_seeds(season.plan).values())
    usual, *fewer = sorted(seeds, key=lambda number: -seeds[number]) or [0]
    slow = f" ({', '.join(map(str, sorted(fewer)))} for slow peers)" if fewer else ""
    return [
        "# The league\n",
        f"Every policy of Belated, with its defaults, and peers from BoTorch and Optuna, in {len(season.cases)} cases: "
        "problems of the papers and the usual ones, under different laws of delays, with noise and without. "
        "`belated league` played it and wrote this page.\n",
        f"{progress(season)}\n",
        "## What the numbers are\n",
        "- **Cumulative regret**: by how much all queries of a run together fell short of the best value there is. A "
        "round in which a policy asks nothing counts with the average of those in which it asked: balking does not "
        "pay.",
        "- **Simple regret**: by how much the best point whose answer has come falls short, after the last round.",
        "- Both are **relative to `random`**, which asks anywhere, in the same case with the same seeds: 1 is no "
        "better, 0.1 is a tenth of its regret. The standings have those of the median case.",
        "- **Rank**: in each case the entrants stand in the order of each regret, from 0 for the first to 1 for the "
        "last, ties sharing theirs, so that a case with few entrants counts like any other. The league is in the order "
        "of the mean over both regrets and all cases that an entrant played. Who played fewer than half of them has no "
        "place.",
        "- **Interval** (95 %): where the mean rank lies 95 times in 100 if cases and seeds are drawn anew.",
        f"- A case has {rounds} rounds and is played with {usual} seeds{slow}. With the same seed all entrants meet "
        "the same function, noise and delays. **Seconds** are those of a processor for a run.\n",
    ]


def progress(season: Season) -> str:
    """How many of the planned runs are there, and whose runs are missing."""
    planned = Counter(fixture.entrant.name for fixture in season.plan.fixtures)
    there = Counter({standing.entrant: standing.runs for standing in season.found})
    total = sum(planned.values())
    said = f"**{there.total():,} of {total:,} runs are in.**"
    partly = [name for name, number in planned.items() if 0 < there[name] < number]
    never = [name for name, number in planned.items() if not there[name]]
    if partly:
        said += f" Not all of {_some([f'`{name}` ({there[name]} of {planned[name]})' for name in partly])}."
    if never and season.found:
        said += f" None yet of {_some([f'`{name}`' for name in never])}."
    return said


def standings_table(season: Season) -> PageTable:
    """All entrants in order."""
    # The site has room for seven columns.
    header = ("entrant", "mean rank", "95 %", "cumulative", "simple", "runs (cases)", "seconds")
    rows = [
        (
            f"{'–' if one.place is None else f'{one.place}.'} {_named(one.entrant)}",
            f"{one.share:.3f}",
            f"{one.low:.2f}–{one.high:.2f}",
            f"{one.cumulative:.3f}",
            f"{one.simple:.3f}",
            f"{one.runs} ({one.cases})",
            in_seconds(one.seconds),
        )
        for one in season.found
    ]
    return PageTable(header, rows)


def goals_section(found: Goals | None) -> list[str]:
    """The section on the goals: whether the entrant is first, and in which cases it is far behind the best."""
    if found is None:
        return [f"`{AUTO}` has not played yet.\n"]
    lines = [f"- {line}\n" for line in (*_placed(found), *(_reached(found, measure) for measure in MEASURES))]
    return [
        *lines,
        "The best is chosen in each case after the fact, so that a part of its lead is luck. Both regrets are relative "
        "to `random`, over the seeds that both have; *chance* means that chance alone would put the best as far ahead "
        "more than once in twenty times.\n",
        *(f"### By {measure} regret\n\n{markdown(duels_table(found, measure))}" for measure in MEASURES),
    ]


def duels_table(found: Goals, measure: str) -> PageTable:
    """The entrant beside the best other one, case by case."""
    header = ("case", "best other", "its regret", f"of {found.entrant}", "ratio", f"above {MOST:g}")
    rows = [
        (
            f"`{duel.case}`",
            f"`{duel.best}`",
            f"{duel.theirs:.3g}",
            f"{duel.own:.3g}",
            _ratio(duel),
            _verdict(duel),
        )
        for duel in found.duels
        if duel.measure == measure
    ]
    return PageTable(header, rows)


def cases_table(cases: Sequence[Case]) -> PageTable:
    """The cases that are played."""
    header = ("case", "problem", "delays", "noise", "rounds")
    rows = [
        (
            f"`{case.key}`",
            case.problem,
            f"`{text(case.delay)}`" if case.group != "none" else "none",
            "its own" if case.noise is None else f"{case.noise:g}",
            str(case.rounds),
        )
        for case in cases
    ]
    return PageTable(header, rows)


def _absent(absences: Sequence[Absence]) -> list[str]:
    """The entrants that could not play, grouped by the reason."""
    grouped: dict[str, dict[str, int]] = {}
    for absence in absences:
        names = grouped.setdefault(_reason(absence), {})
        names[absence.entrant] = names.get(absence.entrant, 0) + 1
    if not grouped:
        return ["All could play all cases.\n"]
    return [
        f"- {_listed([f'`{name}`' for name in names])} in {_cases(list(names.values()))}: {reason}.\n"
        for reason, names in grouped.items()
    ]


def _reason(absence: Absence) -> str:
    """The reason, in words that fit every entrant it stopped."""
    said = absence.reason.split("): ", 1)[-1].split(";")[0]
    return re.sub(f"'{re.escape(absence.entrant)}'", "it", said)


def _placed(found: Goals) -> list[str]:
    """The place of the entrant, and who is near."""
    if found.place is None:
        said = f"`{found.entrant}` has no place yet."
    else:
        said = f"`{found.entrant}` is {'first' if found.place == 1 else f'in place {found.place}'} of {found.places}."
    if found.rival is not None:
        side = "behind" if found.rival.ahead >= 0 else "ahead"
        by = f"{abs(found.rival.ahead):.3f} {side} in mean rank over the {_certain(found.rival)}"
        said += f" The {'next' if found.place == 1 else 'first'}, `{found.rival.entrant}`, is {by}."
    others = [lead for lead in found.leads if lead.ahead < 0 and lead != found.rival]
    if not others:
        return [said]
    ahead = [f"`{lead.entrant}` by {-lead.ahead:.3f} over the {_certain(lead)}" for lead in others]
    return [said, f"Ahead of it in mean rank: {_listed(ahead)}."]


def _certain(lead: Lead) -> str:
    """How many cases another entrant is ahead or behind in, with the bounds of that."""
    low, high = (lead.low, lead.high) if lead.ahead >= 0 else (-lead.high, -lead.low)
    return f"{lead.cases} cases that both played (95 %: {low:.3f} to {high:.3f})"


def _reached(found: Goals, measure: str) -> str:
    """How many cases have the entrant near enough to the best, and which do not."""
    own, missed = [duel for duel in found.duels if duel.measure == measure], found.missed(measure)
    said = (
        f"By {measure} regret it has at most {MOST:g} times that of the best other entrant in "
        f"{len(own) - len(missed)} of {len(own)} cases"
    )
    kinds: dict[str, list[str]] = {}
    for duel in missed:
        kinds.setdefault(_verdict(duel), []).append(f"`{duel.case}` ({_ratio(duel)})")
    return "; ".join([said, *(f"above it, {kind}, in {_listed(cases)}" for kind, cases in kinds.items())]) + "."


def _verdict(duel: Duel) -> str:
    """Whether a regret that is too high is so by more than chance, in words."""
    if duel.met:
        return ""
    if not duel.telling:
        return "too few seeds to tell"
    return "within chance" if duel.chance else "more than chance"


def _ratio(duel: Duel) -> str:
    return "∞" if duel.theirs < LEAST < duel.own else f"{duel.ratio:.2f}"


def _figure(title: str, names: Sequence[str]) -> list[str]:
    """A figure within the page, or a link to it if it is a page of its own."""
    images = [name for name in names if name.endswith(SHOWN)][:1]
    pages = [name for name in names if not name.endswith(SHOWN)]
    return [*(f"![{title}]({name})\n" for name in images), *(f"[{title}, to explore]({name})\n" for name in pages)]


def _named(name: str) -> str:
    return f"`{name}`, peer" if Entrant(name).peer else f"`{name}`"


def _seeds(plan: Programme) -> dict[str, int]:
    """How many seeds each entrant plays."""
    return {fixture.entrant.name: fixture.seed + 1 for fixture in sorted(plan.fixtures, key=lambda one: one.seed)}


def _span(numbers: Sequence[int]) -> str:
    low, high = (min(numbers, default=0), max(numbers, default=0))
    return str(low) if low == high else f"{low} to {high}"


def _cases(numbers: Sequence[int]) -> str:
    return "1 case" if max(numbers) == 1 else f"{_span(numbers)} cases"


def _some(words: Sequence[str]) -> str:
    others = len(words) - MOST_NAMED
    return _listed(words if others <= 1 else [*words[:MOST_NAMED], f"{others} others"])


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1] if words else ""

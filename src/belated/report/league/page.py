"""The page of the league: what its entrants found in each half, for whom that matters, and where which is best."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from belated.experiments.league.cases import Half
from belated.experiments.league.season import Season
from belated.report.experiments import markdown
from belated.report.images import save
from belated.report.league.figures import by_group, ranks
from belated.report.league.findings import MOST_SHOWN, Findings, sentences
from belated.report.league.groups import families, properties
from belated.report.league.tables import (
    costs_table,
    default_table,
    every_pair,
    found_table,
    groups_table,
    others,
)
from belated.study.files import called, write_text

NAME, PAIRS = "index.md", "pairs.csv"
# A page shows these figures, and links to the others.
SHOWN = (".svg", ".png")
TITLES: dict[Half, str] = {"open": "The open half", "sealed": "The sealed half"}
ABOUT: dict[Half, str] = {
    "open": "These cases are there to develop on: anybody may look at them while choosing.",
    "sealed": "These cases, of the same make as the open ones, are played for a release only, and looked at by nobody "
    "who chooses. Of Belated's policies `auto` and the five best of the open half play them.",
}


def page(seasons: Sequence[Season], folder: Path, endings: Sequence[str] = ("svg",)) -> Path:
    """Write the page in Markdown into a folder, with its figures and a table of all pairs, and return where it is."""
    findings = [Findings(season) for season in seasons]
    parts = _opening(findings)
    for each in findings:
        parts += _half(each, folder, endings)
    parts += _closing(findings)
    path = folder / NAME
    write_text(called("league", path), path, "\n".join(parts))
    return path


def _opening(findings: Sequence[Findings]) -> list[str]:
    if not findings:
        return [
            "# The league\n",
            "No half of its cases has been played yet: `belated league` plays them.\n",
            *_entering(),
        ]
    return [
        "# The league\n",
        "Optimizers whose answers come late: every policy of Belated with its defaults, the tools that you would take "
        "instead, each [used as its documentation says](peers.md), and searches without a model. In "
        "the same case with the same seed all meet the same function, noise and delays.\n",
    ]


def _half(findings: Findings, folder: Path, endings: Sequence[str]) -> list[str]:
    """The sections of one half."""
    season, half = findings.season, findings.season.half
    grouped, split = families(season), properties(season)
    figures = {
        "found": ranks(findings.found, {one.name: one for one in season.players}),
        "cumulative": ranks(findings.by_measure["cumulative"], {one.name: one for one in season.players}),
        "families": by_group({group.name: group.shares for group in grouped}, [one.entrant for one in findings.shown]),
    }
    shown = {
        name: [
            save(picture, folder / f"{half}-{name}.{ending}", title=f"The league: {name}").name for ending in endings
        ]
        for name, picture in figures.items()
    }
    pairs = folder / f"{half}-{PAIRS}"
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(every_pair(findings))
    write_text(called("league", pairs), pairs, text.getvalue())
    return [
        f"## {TITLES[half]}: what each found\n",
        f"{_size(season)} {ABOUT[half]}\n",
        "What a tool *found* is the true value at the point that it recommends in the end, or at that of its best "
        "answer if it recommends nothing. It counts if you will use one point: a recipe, a design, a model.\n",
        *_figure("mean rank by what was found, with intervals", shown["found"]),
        *(f"{said}\n" for said in sentences(findings)),
        markdown(found_table(findings)),
        f"## {TITLES[half]}: what the queries cost on the way\n",
        "*Cumulative* regret adds up by how much every query fell short. It counts if every try is paid for: visitors, "
        "patients, stock. Nothing here adds it to what was found.\n",
        *_figure("mean rank by cumulative regret, with intervals", shown["cumulative"]),
        f"## {TITLES[half]}: where which tool is best\n",
        "Mean ranks by what was found, in hundredths: 0 is always first, 100 always last; empty where a tool does not "
        f"play. The first {MOST_SHOWN}, and all that are not Belated's.\n",
        *_figure("mean rank by family of cases", shown["families"]),
        markdown(groups_table("family", grouped)),
        *(markdown(groups_table(name, some)) for name, some in split.items()),
        f"## {TITLES[half]}: any two compared\n",
        *_compared(findings, pairs.name),
        f"## {TITLES[half]}: repeats, failures and time\n",
        "Queries at a point that was asked before, queries that failed in the cases where points can fail, and seconds "
        "of a processor that an ask took, with all that was told before it.\n",
        markdown(costs_table(findings)),
        *_others(findings),
    ]


def _compared(findings: Findings, pairs: str) -> list[str]:
    lines = [
        "Two entrants are compared over the cases and seeds that both played. *Ahead* means that 95 % of the draws of "
        "cases, and of seeds within them, have it ahead; of twenty pairs of equals one would be called so by chance. "
        f"[All pairs]({pairs}).\n"
    ]
    if not findings.of_default:
        return lines
    return [*lines, markdown(default_table(findings))]


def _others(findings: Findings) -> list[str]:
    lines = others(findings)
    return ["Not everywhere:\n", *(f"- {line}" for line in lines), ""] if lines else []


def _closing(findings: Sequence[Findings]) -> list[str]:
    if not findings:
        return []
    return [
        "## What the numbers are\n",
        "- **Mean rank**: the share of the other entrants that did better in the same case with the same seed, who is "
        "level counting half; averaged over seeds, then over cases. It depends on who else plays; a ratio does not.",
        "- **Times random search's**: the geometric mean over cases of the ratio of mean regrets. A regret below a "
        "thousandth of what a random point misses counts as that thousandth, in ratios and in ranks, so that a case in "
        "which random search is lucky outweighs no other.",
        "- **95 %**: the interval over cases drawn anew, and seeds drawn anew within each.",
        "- Who plays fewer than a third of the cases, because it can do no more, has no place: it is in the tables by "
        "family where it belongs.\n",
        *_entering(),
    ]


def _entering() -> list[str]:
    return [
        "## How to enter\n",
        "Fifteen lines are enough: a class with `ask()` and `tell()`. [How it is done](../../commands/league.md), and "
        "how to send in your runs.\n",
    ]


def _size(season: Season) -> str:
    """How many play what."""
    rounds = [case.rounds for case in season.suite]
    usual, *fewer = [number for number, _ in season.seeds().most_common()]
    slow = f" ({', '.join(map(str, sorted(fewer)))} for slow ones)" if fewer else ""
    span = f"{min(rounds)}" if min(rounds) == max(rounds) else f"{min(rounds)} to {max(rounds)}"
    return (
        f"{len(season.players)} entrants in {len(season.tables.cases)} cases of {span} rounds, each with {usual} seeds"
        f"{slow}."
    )


def _figure(title: str, names: Sequence[str]) -> list[str]:
    """A figure within the page, or a link to it if it is a page of its own."""
    images = [name for name in names if name.endswith(SHOWN)][:1]
    pages = [name for name in names if not name.endswith(SHOWN)]
    return [*(f"![{title}]({name})\n" for name in images), *(f"[{title}, to explore]({name})\n" for name in pages)]

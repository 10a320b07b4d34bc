"""The tables of the page of the league."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from belated.experiments.league.bounds import DEFAULT
from belated.experiments.league.comparison import Gap, pairs
from belated.experiments.league.fixtures import Absence
from belated.experiments.league.measures import PARTS
from belated.report.experiments import in_seconds
from belated.report.league.findings import Findings, code, number, placed, some
from belated.report.league.groups import CaseGroup
from belated.report.page import PageTable
from belated.show import counted

KINDS = {"policy": "", "peer": ", other library", "visitor": ", sent in", "search": ", no model"}


def found_table(findings: Findings) -> PageTable:
    """All that have a place, in the order of what they found, with their ranks on the way and by cumulative regret."""
    tables = findings.season.tables
    early = [{one.entrant: one.share for one in placed(tables, "found", part)} for part in range(len(PARTS) - 1)]
    cumulative = {one.entrant: place for place, one in enumerate(findings.by_measure["cumulative"], 1)}
    header = ("found", "mean rank", "95 %", "at 25 %, 50 %", "times random search's", "cases", "by cumulative")
    rows = [
        (
            f"{place}. {_named(findings, one.entrant)}",
            f"{one.share:.2f}",
            "–" if math.isnan(one.low) else f"{one.low:.2f}–{one.high:.2f}",
            ", ".join(f"{some[one.entrant]:.2f}" for some in early),
            number(findings.to_random(one.entrant, "found").value),
            str(one.cases),
            f"{cumulative[one.entrant]}.",
        )
        for place, one in enumerate(findings.found, 1)
    ]
    return PageTable(header, rows)


def groups_table(name: str, groups: Sequence[CaseGroup]) -> PageTable:
    """Who found the best points in each group of cases, who is level with it, and where the default is."""
    rows = []
    for group in groups:
        places = {one.entrant: place for place, one in enumerate(group.found, 1)}
        own = f"{places[DEFAULT]}. of {len(places)}" if DEFAULT in places else "–"
        rows.append(
            (
                f"{group.name}: {group.about}" if group.about and name != "noise" else group.about or group.name,
                str(group.cases),
                f"{code(group.found[0].entrant)} ({group.found[0].share:.2f})",
                some(group.level) if group.level else "nobody",
                own,
            )
        )
    return PageTable((name, "cases", "best, and its mean rank", "level with it", code(DEFAULT)), rows)


def default_table(findings: Findings) -> PageTable:
    """The default beside others: the difference of ranks and the ratio of regrets, with their intervals."""
    header = (f"{code(DEFAULT)} beside", "rank, difference", "95 %", "regret, ratio", "95 %", "ahead", "cases")
    own = [findings.of_default[one.entrant] for one in findings.shown if one.entrant in findings.of_default]
    rows = [
        (
            code(pair.second),
            f"{pair.rank.value:+.2f}",
            _interval(pair.rank, "+.2f"),
            number(pair.ratio.value),
            "–" if math.isnan(pair.ratio.low) else f"{number(pair.ratio.low)} to {number(pair.ratio.high)}",
            code(pair.ahead) if pair.ahead else "neither",
            str(pair.cases),
        )
        for pair in own
    ]
    return PageTable(header, rows)


def costs_table(findings: Findings) -> PageTable:
    """Repeats, failures and seconds of all that have a place."""
    season = findings.season
    failing = {case.key for case in season.suite if case.family == "failures"}
    rows = []
    for one in findings.found:
        by_case = season.runs[one.entrant]
        runs = [run for some in by_case.values() for run in some]
        risky = [run for case, some in by_case.items() if case in failing for run in some]
        asked, at_risk = sum(run.asked for run in runs), sum(run.asked for run in risky)
        rows.append(
            (
                _named(findings, one.entrant),
                f"{100 * sum(run.repeats for run in runs) / max(asked, 1):.1f} %",
                f"{100 * sum(run.failures for run in risky) / at_risk:.0f} %" if at_risk else "–",
                in_seconds(float(np.mean([run.seconds for run in runs]))),
            )
        )
    return PageTable(("entrant", "asked again", "failed", "seconds an ask"), rows)


def others(findings: Findings) -> list[str]:
    """Who has no place, and who cannot play what, with the reason."""
    season, placed = findings.season, {one.entrant for one in findings.found}
    few = [one.name for one in season.players if one.name not in placed]
    lines = [f"{named(few)}: too few of the cases for a place."] if few else []
    by_reason: dict[str, list[str]] = {}
    for missing in season.missing:
        by_reason.setdefault(f"not played: {missing.reason}", []).append(missing.entrant.name)
    counts: dict[tuple[str, str], int] = {}
    for absence in season.absences:
        key = absence.entrant, _plain(absence)
        counts[key] = counts.get(key, 0) + 1
    for (name, reason), count in counts.items():
        by_reason.setdefault(f"cannot play {counted(count, 'case')}: {reason}", []).append(name)
    return [*lines, *(f"{named(names)}: {reason}." for reason, names in by_reason.items())]


def named(names: Sequence[str]) -> str:
    """All the names."""
    return " and ".join([", ".join(map(code, names[:-1])), code(names[-1])] if len(names) > 1 else map(code, names))


def _plain(absence: Absence) -> str:
    """A reason in words that fit every entrant it stopped."""
    said = absence.reason.split("): ", 1)[-1].split(";")[0].rstrip(".")
    return said.replace(f"'{absence.entrant}'", "it")


def every_pair(findings: Findings) -> Iterator[tuple[str, ...]]:
    """Every two entrants compared by what they found, as rows of a file."""
    yield ("first", "second", "cases", "rank", "rank_low", "rank_high", "ratio", "ratio_low", "ratio_high", "ahead")
    tables = findings.season.tables
    for place, name in enumerate(tables.entrants):
        for pair in pairs(tables, name, "found").values():
            if pair.second in tables.entrants[place + 1 :]:
                yield (
                    pair.first,
                    pair.second,
                    str(pair.cases),
                    *(f"{value:.3f}" for value in (pair.rank.value, pair.rank.low, pair.rank.high)),
                    *(f"{value:.3g}" for value in (pair.ratio.value, pair.ratio.low, pair.ratio.high)),
                    pair.ahead or "",
                )


def _named(findings: Findings, name: str) -> str:
    return f"{code(name)}{KINDS[findings.season.player(name).kind]}"


def _interval(gap: Gap, form: str) -> str:
    return "–" if math.isnan(gap.low) else f"{gap.low:{form}} to {gap.high:{form}}"

"""The page of a paper that was run again: what the paper reports, what came out, and the figures of both."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, get_args

from belated.experiments import Results, papers, write_csv
from belated.experiments.papers import ClaimVerdict, Computed, Outcome, PanelOutcome, Paper, Reproduction
from belated.experiments.papers.costs import READINGS
from belated.release import RELEASE
from belated.report.costs import cheapest, cost_curves, seconds, share_table
from belated.report.experiments import final_table, markdown, panels, with_error
from belated.report.images import save
from belated.report.page import PageTable
from belated.report.style import Figure
from belated.show import counted
from belated.study.files import called, write_text

# Rounds of each curve that the table of a figure has: more than its page has room to show.
MOST_ROWS = 25
OUTCOMES = get_args(Outcome)


class FigureFiles(NamedTuple):
    """The files of one figure."""

    images: list[Path]
    table: Path | None


def draw_figure(reproduction: Reproduction | Computed, folder: Path, endings: Sequence[str] = ("html",)) -> FigureFiles:
    """Draw a figure, one file for each of its measures and endings, and write its curves as a CSV file."""
    if isinstance(reproduction, Computed):
        return FigureFiles([], None)
    stem = f"{reproduction.paper.key}-{reproduction.figure.key}"
    found = [outcome for outcome in reproduction.outcomes if outcome.results is not None]
    if not found:
        return FigureFiles([], None)
    title = f"{reproduction.paper.key}, {reproduction.figure.name.lower()}"
    images = [
        save(picture, folder / f"{stem}-{name}.{ending}", title=title)
        for name, picture in pictures(reproduction).items()
        for ending in endings
    ]
    results = [outcome.results for outcome in found if outcome.results is not None]
    return FigureFiles(images, write_csv(folder / f"{stem}.csv", results, measures(reproduction), most=MOST_ROWS))


def measures(reproduction: Reproduction) -> list[str]:
    """The measures that the panels of a figure show, in order."""
    return list(dict.fromkeys(measure for outcome in reproduction.outcomes for measure in outcome.panel.measures))


def pictures(reproduction: Reproduction) -> dict[str, Figure]:
    """The drawings of a figure by the measure that they show."""
    found = {outcome.panel.title: outcome for outcome in reproduction.outcomes if outcome.results is not None}
    shown = [_titled(outcome) for outcome in found.values()]
    match reproduction.figure.drawing:
        case "costs":
            return {
                f"{name}{outcome.panel.key}-{reading.replace(' ', '-')}": draw(_titled(outcome), reading)
                for outcome in found.values()
                for reading in READINGS
                for name, draw in (("cheapest", cheapest), ("costs", cost_curves))
            }
        case "times":
            return {"seconds": seconds(shown)}
    log = reproduction.figure.drawing == "logarithmic curves"
    with_measure = {
        measure: [some for some in shown if measure in found[some.experiment.name].panel.measures]
        for measure in measures(reproduction)
    }
    return {measure: panels(some, measure, log=log) for measure, some in with_measure.items()}


def page(
    paper: Paper, reproductions: Sequence[Reproduction | Computed], files: Sequence[FigureFiles], folder: Path
) -> Path:
    """Write the page of a paper in Markdown, with the images that stand beside it."""
    parts = [f"# {paper.key}\n", f"*{paper.title}* [{paper.key}], run again.\n", *opening(paper, reproductions, files)]
    for reproduction, made in zip(reproductions, files, strict=True):
        parts += tabulated(reproduction) if isinstance(reproduction, Computed) else section(reproduction, made)
    path = folder / f"{paper.key}.md"
    write_text(called("page", path), path, "\n".join(parts))
    return path


def record(paper: Paper, reproductions: Sequence[Reproduction | Computed], folder: Path) -> Path:
    """Keep beside the page what its figures were made with; what is there of others stays."""
    path = folder / f"{paper.key}.json"
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    made = {one.figure.key: papers.provenance(one) for one in reproductions if isinstance(one, Reproduction)}
    keys = [figure.key for figure in paper.figures]
    merged = {key: {**kept, **made}[key] for key in keys if key in {**kept, **made}}
    write_text(called("record", path), path, json.dumps(merged, indent=1, ensure_ascii=False) + "\n")
    return path


def opening(paper: Paper, reproductions: Sequence[Reproduction | Computed], files: Sequence[FigureFiles]) -> list[str]:
    """What the paper says, what came out, what that means for a user, the one picture to see, and what differs."""
    story = paper.story
    lead = f"{paper.key}-{story.lead}"
    images = [image for made in files for image in _shown(made) if image.stem == lead]
    return [
        f"**What the paper says.** {story.says}\n",
        f"**What came out.** {story.found} {tally(reproductions)}\n",
        f"**What that means for you.** {story.advice}\n",
        *(f"![{image.stem}]({image.name})\n" for image in images),
        f"**Run with** Belated {RELEASE}: `belated reproduce {paper.key}` runs all of it again.\n",
        "**Where our experiments are not the paper's:**\n",
        "".join(f"- {departure}\n" for departure in story.departures),
    ]


def tally(reproductions: Sequence[Reproduction | Computed]) -> str:
    """How many of the claims came out, and how many did not."""
    outcomes = Counter(
        verdict.outcome
        for reproduction in reproductions
        if isinstance(reproduction, Reproduction)
        for outcome in reproduction.outcomes
        for verdict in outcome.verdicts
    )
    total = outcomes.total()
    if not total:
        return ""
    rest = ", ".join(f"{outcomes[name]} {name}" for name in OUTCOMES[1:] if outcomes[name])
    return f"Of {counted(total, 'claim')}, {outcomes[OUTCOMES[0]]} came out{f'; {rest}' if rest else ''}."


def tabulated(computed: Computed) -> list[str]:
    """The section on a table that was computed again."""
    return [*heading(computed.table), markdown(PageTable(computed.table.header, list(computed.rows)))]


def heading(figure: papers.Figure | papers.Tabulation) -> list[str]:
    """The beginning of a section: what the paper says, and how our experiment differs."""
    lines = [f"## {figure.name}: {figure.title}\n", f"The paper: {figure.says}\n"]
    return [*lines, f"Here: {figure.note}\n"] if figure.note else lines


def section(reproduction: Reproduction, made: FigureFiles) -> list[str]:
    """The section on one figure."""
    lines = heading(reproduction.figure)
    lines += [f"![{image.stem}]({image.name})\n" for image in _shown(made)]
    for outcome in reproduction.outcomes:
        lines.append(f"### {outcome.panel.title}\n")
        if outcome.results is None:
            lines.append(f"Not run: {outcome.missing}\n")
            continue
        lines += [markdown(final_table(outcome.results, measure)) for measure in outcome.panel.measures]
        if reproduction.figure.drawing == "costs":
            lines.append(markdown(share_table(outcome.results)))
        if outcome.verdicts:
            lines.append(markdown(verdict_table(outcome.verdicts)))
    return lines


def verdict_table(verdicts: Sequence[ClaimVerdict]) -> PageTable:
    """The table of the paper's claims, with what came out of each; first, over the span that the paper speaks of."""
    header = ("what the paper claims", "", "the claim", "difference ± its error", "p")
    rows = [
        (
            verdict.claim.words if finding is verdict.judged else "",
            finding.span,
            finding.outcome if finding is verdict.judged else f"({finding.outcome})",
            with_error(finding.difference, finding.error),
            f"{finding.p_value:.2g}",
        )
        for verdict in verdicts
        for finding in sorted(verdict.findings, key=lambda one: one is not verdict.judged)
    ]
    return PageTable(header, rows)


def _shown(made: FigureFiles) -> list[Path]:
    """The images that a page can show."""
    return [image for image in made.images if image.suffix in (".svg", ".png")]


def _titled(outcome: PanelOutcome) -> Results:
    """The results under the title of their panel."""
    assert outcome.results is not None
    return replace(outcome.results, experiment=replace(outcome.results.experiment, name=outcome.panel.title))

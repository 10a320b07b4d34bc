"""The page of a paper that was run again: what the paper reports, what came out, and the figures of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from belated.experiments import MEASURES, Results, papers, write_csv
from belated.experiments.papers import Claim, ClaimVerdict, Computed, PanelOutcome, Paper, Reproduction
from belated.report.costs import cheapest, cost_curves, seconds
from belated.report.experiments import final_table, markdown, panels, with_error
from belated.report.images import save
from belated.report.page import PageTable
from belated.report.style import Figure
from belated.study.files import called, write_text

# Rounds of each curve that the table of a figure has.
MOST_ROWS = 50


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
            return {"cheapest": cheapest(shown[0]), "costs": cost_curves(shown[0])}
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
    parts = [f"# {paper.key}\n", f"*{paper.title}* [{paper.key}], run again.\n"]
    for reproduction, made in zip(reproductions, files, strict=True):
        parts += tabulated(reproduction) if isinstance(reproduction, Computed) else section(reproduction, made)
    path = folder / f"{paper.key}.md"
    write_text(called("page", path), path, "\n".join(parts))
    return path


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
    lines += [f"![{image.stem}]({image.name})\n" for image in made.images if image.suffix in (".svg", ".png")]
    for outcome in reproduction.outcomes:
        lines.append(f"### {outcome.panel.title}\n")
        if outcome.results is None:
            lines.append(f"Not run: {outcome.missing}\n")
            continue
        lines += [markdown(final_table(outcome.results, measure)) for measure in outcome.panel.measures]
        if outcome.verdicts:
            lines.append(markdown(verdict_table(outcome.verdicts)))
    return lines


def verdict_table(verdicts: Sequence[ClaimVerdict]) -> PageTable:
    """The table of the paper's claims, with what came out of each."""
    header = ("the claim", "difference ± its error", "p", "what the paper claims")
    rows = [
        (
            verdict.outcome,
            with_error(verdict.difference, verdict.error),
            f"{verdict.p_value:.2g}",
            _worded(verdict.claim),
        )
        for verdict in verdicts
    ]
    return PageTable(header, rows)


def _worded(claim: Claim) -> str:
    """The text of a claim, with its subject."""
    span = "mean over all rounds" if claim.over_all_rounds else "after the last round"
    return f"{claim.lower} < {claim.higher}, {MEASURES[claim.measure].title}, {span}"


def _titled(outcome: PanelOutcome) -> Results:
    """The results under the title of their panel."""
    assert outcome.results is not None
    return replace(outcome.results, experiment=replace(outcome.results.experiment, name=outcome.panel.title))

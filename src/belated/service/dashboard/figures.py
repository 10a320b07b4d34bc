"""The figures of a study's page: those of the report, set for a page that changes while it is looked at."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from html import unescape
from typing import Any

from belated.log import Record
from belated.report.marks import MARKS
from belated.report.panels import COLUMNS, HEAD, PANEL
from belated.report.study import FIGURES, lacking
from belated.report.style import NOTE_LINE, Figure
from belated.report.thinning import WAITING
from belated.report.times import times_of
from belated.service.dashboard import contexts
from belated.study import Study
from belated.study.figures import draw
from belated.study.insight import has_ensemble

# Those that need a model are drawn when they are looked at, and not with every event.
MODELLED = ("belief", "weights")
HEIGHTS = {"progress": 360, "timeline": 420, "delays": 420, "waits": 440, "weights": 380, "pairs": 440}
MOST_PANELS = 12
# What stays free beneath an axis, in pixels.
FOOT = 48
# Bars of the timeline: of all the height that a query has, so much; and no thicker or thinner than this, in pixels.
SHARE, THICKEST, THINNEST, AROUND = 0.62, 12.0, 1.4, 120


@dataclass(frozen=True)
class StudyPanel:
    """A place for a figure: its height is there before the figure is, so that nothing moves when it comes."""

    kind: str
    title: str
    text: str
    height: int
    stacked: int  # the height where there is no room for two panels side by side
    modelled: bool = False
    lacking: str = ""  # why there is no figure yet


def panels_of(study: Study) -> list[StudyPanel]:
    """The places for the figures that a study can have, and why some of them are empty as it stands."""
    record = study.record()
    return [replace(panel, lacking=_lacking(study, record, panel.kind)) for panel in _places(study)]


def _places(study: Study) -> list[StudyPanel]:
    found = [_panel(study, kind) for kind in ("progress", "timeline", "delays", "belief")]
    if contexts.has_law(study):
        assert study.context is not None
        found.append(StudyPanel("contexts", contexts.TITLE, contexts.TEXT, *_heights(study.context.space.dimension)))
    others = [*(["weights"] if has_ensemble(study) else []), "waits", *(["pairs"] if study.space.dimension > 1 else [])]
    return [*found, *(_panel(study, kind) for kind in others)]


def _panel(study: Study, kind: str) -> StudyPanel:
    title, text = FIGURES[kind]
    heights = _heights(study.space.dimension) if kind == "belief" else (HEIGHTS[kind], HEIGHTS[kind])
    return StudyPanel(kind, title, text, *heights, kind in MODELLED)


def _heights(count: int) -> tuple[int, int]:
    """Of a panel for each parameter, side by side and one below the other."""
    drawn = min(count, MOST_PANELS)
    return HEAD + PANEL * -(-drawn // COLUMNS), HEAD + PANEL * drawn


def drawing(study: Study, kind: str) -> str:
    """A figure as JSON, with the notes that stand beneath it; or why there is none."""
    record = study.record()
    why = _lacking(study, record, kind)
    if why:
        return json.dumps({"lacking": why, "notes": "", "figure": None})
    figure = contexts.contexts(study) if kind == "contexts" else draw(study, kind)
    notes = _without_notes(figure)
    if kind in HEIGHTS:
        figure.update_layout(height=HEIGHTS[kind], margin_b=FOOT)
    if kind == "timeline":
        _grow(figure, study, record)
    return f'{{"lacking":"","notes":{json.dumps(notes)},"figure":{figure.to_json()}}}'


def _lacking(study: Study, record: Record, kind: str) -> str:
    if kind == "contexts":
        return "" if contexts.has_law(study) and record.n_contexts else contexts.NOTHING
    return lacking(study, record, kind)


def _without_notes(figure: Figure) -> str:
    """Take the notes out of a figure, which cannot break its lines where a phone ends."""
    text = figure.layout.title.text
    if not text:
        return ""
    room = NOTE_LINE * (text.count("<br>") + 1)
    height, margin = figure.layout.height - room, figure.layout.margin.b - room
    figure.update_layout(title=None, height=height, margin_b=margin)
    return unescape(text.replace("<br>", " "))


def _grow(figure: Figure, study: Study, record: Record) -> None:
    """Let the lines be bars, and say which of them grow with the time, and how."""
    times = times_of(study, record)
    waiting = tuple(f"{MARKS[state].label} (" for state in WAITING)
    n_drawn = sum(len(trace.x) for trace in figure.data if trace.mode == "markers")
    room = (figure.layout.height - AROUND) / max(n_drawn, 1)
    width = max(THINNEST, min(SHARE * room, THICKEST))
    for line, ends in zip(figure.data[::2], figure.data[1::2], strict=True):
        line.line.width, line.opacity = width, 0.65
        ends.marker.size = max(5.0, min(width, 8.0))
        if ends.name.startswith(waiting):
            line.meta, ends.meta = {"grows": "spans"}, {"grows": "ends"}
    layout: dict[str, Any] = {"began": times.began, "length": times.unit.length, "now": times.now}
    figure.update_layout(meta=layout)

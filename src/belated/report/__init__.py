"""Figures of studies and simulations, and one page that holds them."""

from belated.report.answers import asked, progress
from belated.report.belief import belief
from belated.report.delays import delays
from belated.report.images import png, save
from belated.report.page import PageTable, Section, write_report
from belated.report.pairs import pairs
from belated.report.runs import attained, regret
from belated.report.study import study_report
from belated.report.waiting import timeline, waits
from belated.report.weights import weights

__all__ = [
    "PageTable",
    "Section",
    "asked",
    "attained",
    "belief",
    "delays",
    "pairs",
    "png",
    "progress",
    "regret",
    "save",
    "study_report",
    "timeline",
    "waits",
    "weights",
    "write_report",
]

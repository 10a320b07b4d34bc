"""Figures of studies and simulations, and one page that holds them."""

from belated.report.figures import asked, best_answers, progress, regret, timeline, waits
from belated.report.page import Section, Table, write_report

__all__ = ["Section", "Table", "asked", "best_answers", "progress", "regret", "timeline", "waits", "write_report"]

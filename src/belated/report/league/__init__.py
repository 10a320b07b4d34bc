"""The page of the league."""

from belated.report.league.page import page

__all__ = ["page"]

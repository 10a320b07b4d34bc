"""A study: ask, tell, and read what is known."""

from belated.study.replay import Difference, differences
from belated.study.study import Best, Recommendation, Study

__all__ = ["Best", "Difference", "Recommendation", "Study", "differences"]

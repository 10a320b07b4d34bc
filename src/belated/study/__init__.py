"""A study: ask, tell, and read what is known."""

from belated.study.replay import Difference, differences
from belated.study.results import Best, Recommendation
from belated.study.running import Ran, Retries
from belated.study.study import DEFAULT_POLICY, Study

__all__ = ["DEFAULT_POLICY", "Best", "Difference", "Ran", "Recommendation", "Retries", "Study", "differences"]

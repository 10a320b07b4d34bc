"""What people read of a study: its summary, its best point, what decides and why, and what the study noticed."""

from belated.study.insight.across import across_text
from belated.study.insight.explanation import Explanation, explanation
from belated.study.insight.missing_contexts import believes, unplaced
from belated.study.insight.recommendation import best_answer, best_or_none, expectation, recommendation
from belated.study.insight.study_card import study_card
from belated.study.insight.study_json import study_json
from belated.study.insight.summary import Delay, Summary, summary
from belated.study.insight.weights import WeightHistory, has_ensemble, weight_history

__all__ = [
    "Delay",
    "Explanation",
    "Summary",
    "WeightHistory",
    "across_text",
    "believes",
    "best_answer",
    "best_or_none",
    "expectation",
    "explanation",
    "has_ensemble",
    "recommendation",
    "study_card",
    "study_json",
    "summary",
    "unplaced",
    "weight_history",
]
